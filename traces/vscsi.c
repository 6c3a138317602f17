/* SPDX-License-Identifier: MIT */
/*
 * vscsi of CloudPhysics and VMware, version 1: 32-byte little-endian records.
 *
 *	 0 u32 number   4 u32 bytes    8 u32 scatter-gather elements
 *	12 u16 command 14 u16 version 16 u64 first block  24 u64 microseconds
 *
 * The version is 0x0100.  Other SCSI commands than reads and writes are
 * passthrough commands.
 */
#include "traces/reader.h"

#include <stdlib.h>
#include <string.h>

#define RECORD_BYTES 32u
#define VERSION      0x0100u
#define SECTOR_MAX   (UINT64_C(1) << 48)

struct vscsi {
	uint64_t last_us;
};

static uint64_t
get_le(const uint8_t *p, int bytes)
{
	uint64_t v = 0;

	for (int i = bytes - 1; i >= 0; i--)
		v = v << 8 | p[i];
	return v;
}

static bool
is_record(const uint8_t *p)
{
	return get_le(p + 14, 2) == VERSION && get_le(p + 12, 2) <= 0xff &&
	       get_le(p + 16, 8) < SECTOR_MAX &&
	       get_le(p + 24, 8) < UINT64_MAX / 1000000;
}

static int
vscsi_sniff(const struct trace_sniff *s)
{
	size_t n = s->length / RECORD_BYTES;

	for (size_t i = 0; i < n; i++)
		if (!is_record(s->bytes + i * RECORD_BYTES))
			return 0;
	return n ? 70 : 0;
}

static int
vscsi_open(struct trace_reader *reader, struct err *e)
{
	reader->state = calloc(1, sizeof(struct vscsi));
	return reader->state ? 0 : err_nomem(e);
}

static void
decode(const uint8_t *p, struct trace_event *ev)
{
	memset(ev, 0, sizeof(*ev));
	ev->action = TRACE_QUEUE;
	ev->sequence = (uint32_t)get_le(p, 4);
	ev->bytes = (uint32_t)get_le(p + 4, 4);
	ev->sector = get_le(p + 16, 8);
	switch (get_le(p + 12, 2)) { /* READ and WRITE of 6, 10, 12, 16 */
	case 0x08:
	case 0x28:
	case 0xa8:
	case 0x88:
		ev->category = TRACE_READ;
		break;
	case 0x0a:
	case 0x2a:
	case 0xaa:
	case 0x8a:
		ev->category = TRACE_WRITE;
		break;
	case 0x35: /* SYNCHRONIZE CACHE */
		ev->category = TRACE_FLUSH;
		ev->bytes = 0;
		return;
	default:
		ev->category = TRACE_PC;
		return;
	}
	if (ev->bytes <= (UINT32_MAX & ~511u))
		ev->bytes = (ev->bytes + 511) & ~511u;
	else
		ev->bytes = UINT32_MAX & ~511u;
}

static int
vscsi_next(struct trace_reader *reader, struct trace_event *ev, struct err *e)
{
	struct trace_input *in = &reader->inputs[0];
	struct vscsi *s = reader->state;
	struct trace_fault fault;
	const uint8_t *p;
	uint64_t us;
	int r;

	for (;; in->pos += RECORD_BYTES) {
		r = input_ready(in) < RECORD_BYTES
			    ? input_fill(in, RECORD_BYTES, e)
			    : 0;
		if (r)
			return r;
		reader->at = (struct trace_place){ .offset = input_tell(in) };
		if (input_ready(in) < RECORD_BYTES)
			break;
		p = in->buf + in->pos;
		if (is_record(p)) {
			decode(p, ev);
			us = get_le(p + 24, 8);
			in->pos += RECORD_BYTES;
			if (us < s->last_us) {
				fault = (struct trace_fault){ reader->at,
							      DAMAGE_ORDER, 0 };
				r = reader_fault(
					reader, &fault, e,
					"the time goes back by %llu us",
					(unsigned long long)(s->last_us - us));
				us = s->last_us;
			}
			s->last_us = us;
			ev->time_ns = (nsec_t)us * NSEC_PER_USEC;
			return r ? r : 1;
		}
		fault = (struct trace_fault){ reader->at, DAMAGE_MAGIC,
					      RECORD_BYTES };
		r = reader_fault(reader, &fault, e,
				 "no vscsi record of version 1: command 0x%x, "
				 "version 0x%x",
				 (unsigned)get_le(p + 12, 2),
				 (unsigned)get_le(p + 14, 2));
		if (r)
			return r;
	}
	if (input_ready(in) == 0)
		return 0;
	fault = (struct trace_fault){ reader->at, DAMAGE_TRUNCATED,
				      input_ready(in) };
	r = reader_fault(reader, &fault, e,
			 "the file ends inside a record: %zu of %u bytes",
			 input_ready(in), RECORD_BYTES);
	in->pos = in->end;
	return r;
}

static void
vscsi_close(struct trace_reader *reader)
{
	free(reader->state);
}

const struct trace_format trace_vscsi = {
	.name = "vscsi",
	.help = "vscsi binary of VMware and CloudPhysics, version 1",
	.sniff = vscsi_sniff,
	.open = vscsi_open,
	.next = vscsi_next,
	.close = vscsi_close,
};
