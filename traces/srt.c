/* SPDX-License-Identifier: MIT */
/*
 * HP's SRT, the format of the Cello traces: a text that begins with
 * "$$TR_IOREC", zero bytes, then big-endian records of 32-bit words:
 *
 *	bytes of the record, version << 16 | type, seconds, us of the arrival,
 *	start and stop in us from it, bytes, first block of 512, device,
 *	driver type, cylinder, flags, information; version 4: queue length;
 *	a suspect record: one more
 *
 * Type 1 is an I/O; the suspect ones are passed over.  The unit, bits 8 to 15
 * of the device, is device 0,N.  Flags: 1 is a read, 0x100 asynchronous.  The
 * layout: DiskSim's reader and HP's own header.
 */
#include "traces/line.h"

#include <string.h>

#define WORDS         13u
#define RECORD_MAX    60u
#define FLAG_READ     1u
#define HEADER_MAX    (64u << 10)
#define TYPE_SHORT_IO 1u

static const char magic[] = "$$TR_IOREC";

static uint32_t
get_be(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

/* The size of the record that begins with these 8 bytes, or 0. */
static uint32_t
record_bytes(const uint8_t *p)
{
	uint32_t version = get_be(p + 4) >> 16;
	bool suspect = (get_be(p + 4) & 0xffff) != TYPE_SHORT_IO;
	uint32_t bytes = 4 * (WORDS + (version == 4) + suspect);

	return version >= 1 && version <= 4 && get_be(p) == bytes ? bytes : 0;
}

/* Pass over the text and the zeroes after it. */
static int
skip_header(struct trace_reader *reader, struct err *e)
{
	struct trace_input *in = &reader->inputs[0];
	int r = input_fill(in, HEADER_MAX + 8, e);

	if (r)
		return r;
	for (size_t i = in->pos; i + 8 <= in->end && i < HEADER_MAX; i++) {
		if (!record_bytes(in->buf + i))
			continue;
		in->pos = i;
		return 0;
	}
	return reader_fail(reader, &reader->at, e,
			   "an SRT header without a record after it");
}

/* A record that is damaged ends the trace: where the next is, is unknown. */
static int
fault_record(struct trace_reader *reader, enum trace_damage_kind kind,
	     struct err *e, const char *what)
{
	struct trace_input *in = &reader->inputs[0];
	struct trace_fault fault = { reader->at, kind, input_ready(in) };

	in->pos = in->end;
	in->eof = true;
	return reader_fault(reader, &fault, e, "%s", what);
}

static bool
decode(const uint8_t *p, struct line_record *rec)
{
	struct cursor nowhere = { .p = NULL };
	uint64_t start_us = get_be(p + 16), stop_us = get_be(p + 20);

	rec->ev.time_ns = (nsec_t)get_be(p + 8) * NSEC_PER_SEC +
			  (nsec_t)get_be(p + 12) * NSEC_PER_USEC;
	rec->ev.category =
		get_be(p + 44) & FLAG_READ ? TRACE_READ : TRACE_WRITE;
	if (start_us <= stop_us) {
		rec->issue_ns = (nsec_t)start_us * NSEC_PER_USEC;
		rec->complete_ns = (nsec_t)stop_us * NSEC_PER_USEC;
	}
	return get_be(p + 24) % 512 == 0 &&
	       line_set_unit(&nowhere, rec, get_be(p + 32) >> 8 & 0xff) &&
	       line_set_sectors(&nowhere, rec, get_be(p + 28),
				get_be(p + 24) / 512);
}

static int
read_srt(struct trace_reader *reader, struct line_record *rec, struct err *e)
{
	struct trace_input *in = &reader->inputs[0];
	const uint8_t *p;
	uint32_t bytes;
	bool short_io;
	int r;

	for (;;) {
		r = in->eof ? 0 : input_fill(in, RECORD_MAX, e);
		if (r)
			return r;
		reader->at = (struct trace_place){ .offset = input_tell(in) };
		if (input_ready(in) == 0)
			return 0;
		p = in->buf + in->pos;
		if (input_ready(in) < 8)
			return fault_record(reader, DAMAGE_TRUNCATED, e,
					    "the file ends inside a record");
		bytes = record_bytes(p);
		if (bytes == 0)
			return fault_record(reader, DAMAGE_MAGIC, e,
					    "no SRT record where one should "
					    "begin");
		if (input_ready(in) < bytes)
			return fault_record(reader, DAMAGE_TRUNCATED, e,
					    "the file ends inside a record");
		short_io = (get_be(p + 4) & 0xffff) == TYPE_SHORT_IO;
		if (short_io && !decode(p, rec)) {
			struct trace_fault fault = { reader->at, DAMAGE_VALUE,
						     bytes };

			r = reader_fault(reader, &fault, e,
					 "%u bytes are not a whole number of "
					 "sectors",
					 get_be(p + 24));
			short_io = false;
		}
		in->pos += bytes;
		if (r || short_io)
			return r ? r : 1;
	}
}

static const struct line_format srt_records = {
	.what = "an SRT record",
	.unit_ns = NSEC_PER_USEC,
	.loose = true,
	.read = read_srt,
};

static int
srt_sniff(const struct trace_sniff *s)
{
	size_t n = sizeof(magic) - 1;

	return s->length >= n && memcmp(s->bytes, magic, n) == 0 ? 100 : 0;
}

static int
srt_open(struct trace_reader *reader, struct err *e)
{
	int r = lines_open(reader, &srt_records, e);

	return r ? r : skip_header(reader, e);
}

const struct trace_format trace_srt = {
	.name = "srt",
	.help = "HP's SRT, as the Cello traces",
	.sniff = srt_sniff,
	.open = srt_open,
	.next = lines_next,
	.close = lines_close,
};
