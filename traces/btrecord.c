/* SPDX-License-Identifier: MIT */
/*
 * What btrecord makes of a blktrace for btreplay: NAME.replay.CPU, in the
 * byte order of the machine that wrote it.
 *
 *	file    u64 version (0x010000), u64 start in ns, u64 bunches, u64 I/Os
 *	bunch   u64 I/Os, u64 time in ns
 *	I/O     u64 sector, u64 bytes, u32 1 for a read, 4 bytes of padding
 *
 * The I/Os of a bunch have one time, from the start of the trace.  Several
 * files are merged by the times of their bunches.
 */
#include "traces/reader.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define VERSION      UINT64_C(0x010000)
#define FILE_BYTES   32u
#define BUNCH_BYTES  16u
#define IO_BYTES     24u
#define TIME_NS_MAX  (INT64_MAX / 4)
#define SECTOR_MAX   (UINT64_C(1) << 48)
#define IO_BYTES_MAX (UINT32_MAX & ~511u)

struct bt_file {
	uint64_t time_ns; /* of the bunch that is open */
	uint64_t left;    /* I/Os of it */
	bool ended;
	bool swap;
};

struct btrecord {
	struct bt_file *files;
	uint64_t last_ns;
};

static uint64_t
get64(const uint8_t *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

static int
btrecord_sniff(const struct trace_sniff *s)
{
	if (s->length < FILE_BYTES)
		return 0;
	return get64(s->bytes, false) == VERSION ||
			       get64(s->bytes, true) == VERSION
		       ? 80
		       : 0;
}

/* @bytes of file @i; 0 when they are not there, which may be damage. */
static int
want_bytes(struct trace_reader *reader, uint32_t i, size_t bytes,
	   const char *what, struct err *e)
{
	struct btrecord *s = reader->state;
	struct trace_input *in = &reader->inputs[i];
	struct trace_fault fault = { { .file = i, .offset = input_tell(in) },
				     DAMAGE_TRUNCATED,
				     0 };
	int r = input_ready(in) < bytes ? input_fill(in, bytes, e) : 0;

	if (r || input_ready(in) >= bytes)
		return r ? r : 1;
	s->files[i].ended = true;
	fault.lost_bytes = input_ready(in);
	in->pos = in->end;
	return reader_fault(reader, &fault, e,
			    "the file ends inside %s: %llu of %zu bytes", what,
			    (unsigned long long)fault.lost_bytes, bytes);
}

/* Open the next bunch of a file that has I/Os, or note its end. */
static int
next_bunch(struct trace_reader *reader, uint32_t i, struct err *e)
{
	struct btrecord *s = reader->state;
	struct trace_input *in = &reader->inputs[i];
	struct bt_file *f = &s->files[i];

	while (!f->ended && f->left == 0) {
		const uint8_t *p;
		int r = input_fill(in, 1, e);

		if (r)
			return r;
		f->ended = input_ready(in) == 0;
		if (f->ended)
			break;
		r = want_bytes(reader, i, BUNCH_BYTES, "a bunch's head", e);
		if (r <= 0)
			return r;
		p = in->buf + in->pos;
		f->left = get64(p, f->swap);
		f->time_ns = get64(p + 8, f->swap);
		if (f->time_ns > TIME_NS_MAX) {
			f->ended = true;
			return reader_fault(
				reader,
				&(struct trace_fault){
					{ .file = i, .offset = input_tell(in) },
					DAMAGE_VALUE,
					0 },
				e, "a bunch at %llu ns cannot be",
				(unsigned long long)f->time_ns);
		}
		in->pos += BUNCH_BYTES;
	}
	return 0;
}

static int
open_file(struct trace_reader *reader, uint32_t i, struct err *e)
{
	struct btrecord *s = reader->state;
	struct trace_input *in = &reader->inputs[i];
	int r = want_bytes(reader, i, FILE_BYTES, "its head", e);

	if (r <= 0)
		return r;
	s->files[i].swap = get64(in->buf + in->pos, false) != VERSION;
	if (get64(in->buf + in->pos, s->files[i].swap) != VERSION)
		return reader_fail(reader, &(struct trace_place){ .file = i },
				   e, "no btrecord file of version 1.0");
	in->pos += FILE_BYTES;
	return next_bunch(reader, i, e);
}

static int
btrecord_open(struct trace_reader *reader, struct err *e)
{
	struct btrecord *s = calloc(1, sizeof(*s));
	int r = 0;

	reader->state = s;
	if (s)
		s->files = calloc(reader->input_count, sizeof(*s->files));
	if (!s || !s->files)
		return err_nomem(e);
	for (uint32_t i = 0; !r && i < reader->input_count; i++)
		r = open_file(reader, i, e);
	return r;
}

/* The file whose bunch is the earliest, or -1. */
static int
earliest(const struct trace_reader *reader)
{
	const struct btrecord *s = reader->state;
	int best = -1;

	for (uint32_t i = 0; i < reader->input_count; i++)
		if (!s->files[i].ended &&
		    (best < 0 || s->files[i].time_ns < s->files[best].time_ns))
			best = (int)i;
	return best;
}

static bool
decode(const uint8_t *p, bool swap, struct trace_event *ev)
{
	uint64_t sector = get64(p, swap), bytes = get64(p + 8, swap);
	uint32_t read;

	memcpy(&read, p + 16, sizeof(read));
	if (swap)
		read = __builtin_bswap32(read);
	memset(ev, 0, sizeof(*ev));
	ev->action = TRACE_QUEUE;
	ev->sector = sector;
	ev->bytes = (uint32_t)bytes;
	ev->category = read ? TRACE_READ : TRACE_WRITE;
	return sector < SECTOR_MAX && bytes <= IO_BYTES_MAX &&
	       bytes % 512 == 0 && read <= 1;
}

/* Times of a file may go back; then it is as late as what came before. */
static int
set_time(struct trace_reader *reader, const struct bt_file *f,
	 struct trace_event *ev, struct err *e)
{
	struct btrecord *s = reader->state;
	struct trace_fault fault = { reader->at, DAMAGE_ORDER, 0 };
	uint64_t back_ns = s->last_ns - f->time_ns;
	int r = 0;

	if (f->time_ns < s->last_ns)
		r = reader_fault(reader, &fault, e,
				 "the time goes back by %llu ns",
				 (unsigned long long)back_ns);
	else
		s->last_ns = f->time_ns;
	ev->time_ns = (nsec_t)s->last_ns;
	return r;
}

static int
btrecord_next(struct trace_reader *reader, struct trace_event *ev,
	      struct err *e)
{
	struct btrecord *s = reader->state;
	int i, r;

	while ((i = earliest(reader)) >= 0) {
		struct trace_input *in = &reader->inputs[i];
		struct bt_file *f = &s->files[i];
		struct bt_file bunch = *f;
		bool good;

		assert(f->left > 0);
		reader->at = (struct trace_place){ .file = (uint32_t)i,
						   .offset = input_tell(in) };
		r = want_bytes(reader, (uint32_t)i, IO_BYTES, "an I/O", e);
		if (r < 0)
			return r;
		if (r == 0)
			continue;
		good = decode(in->buf + in->pos, f->swap, ev);
		if (good)
			r = set_time(reader, &bunch, ev, e);
		else
			r = reader_fault(reader,
					 &(struct trace_fault){ reader->at,
								DAMAGE_VALUE,
								IO_BYTES },
					 e, "no I/O of btrecord");
		if (r)
			return r;
		in->pos += IO_BYTES;
		f->left--;
		r = next_bunch(reader, (uint32_t)i, e);
		if (r || good)
			return r ? r : 1;
	}
	return 0;
}

static void
btrecord_close(struct trace_reader *reader)
{
	struct btrecord *s = reader->state;

	if (s)
		free(s->files);
	free(s);
}

const struct trace_format trace_btrecord = {
	.name = "btrecord",
	.help = "btrecord's NAME.replay.CPU files, one or several",
	.many_files = true,
	.sniff = btrecord_sniff,
	.open = btrecord_open,
	.next = btrecord_next,
	.close = btrecord_close,
};
