/* SPDX-License-Identifier: MIT */
/*
 * One file of a blktrace, record by record.
 *
 *	blk_file_open -> blk_file_load -> blk_file_take
 *	                      ^-- blk_file_skip --'
 *
 * load looks at the record at the read position (the head), take turns it
 * into an event, skip moves past it.  What is wrong with the head is only
 * remembered by load and reported by take, when its turn has come.
 */
#ifndef NCQSIM_TRACES_BLKTRACE_FILE_H
#define NCQSIM_TRACES_BLKTRACE_FILE_H

#include "traces/blktrace_record.h"
#include "traces/reader.h"

/* The state of the head. */
enum blk_head {
	HEAD_WHOLE,
	HEAD_END,   /* no more records */
	HEAD_CUT,   /* the file ends inside it */
	HEAD_MAGIC, /* there is no record here */
	HEAD_ORDER, /* whole, but its time is before the last one's */
};

/* How the times in a file relate to each other. */
enum blk_order {
	ORDER_SORTED, /* one CPU's records */
	ORDER_DUMP,   /* sorted by blkparse -d; notes have another clock */
	ORDER_NONE,   /* several CPUs' buffers behind each other */
};

struct blk_file {
	const uint8_t *p; /* the head, in in->buf; in->pos is set by sync */
	const uint8_t *plain_end; /* of what is read, or p when never plain */
	uint64_t time_ns;         /* of the head; last_ns for a note */
	uint64_t last_ns;         /* of the latest record that is not a note */
	uint32_t size;            /* bytes of the head with lead and payload */
	uint32_t index;           /* in reader->inputs */
	int cpu;                  /* from the name, or -1 */
	enum blk_head head;
	enum blk_order order;
	bool may_be_plain; /* version 7, our byte order, nothing before it */
	bool is_plain;     /* the head, by blk_file_load_plain */
	struct blk_layout layout;
	struct trace_input *in;
};

/* Recognise the layout from the first @length bytes of a record. */
bool blk_layout_find(const uint8_t *p, size_t length, struct blk_layout *l);

/*
 * Start reading reader->inputs[@index].  A file without a byte is fine and
 * is at its end.  Does not load the head.
 */
int blk_file_open(struct trace_reader *reader, struct blk_file *f,
		  uint32_t index, struct err *e);

/* Find the order of a file that holds all CPUs, by its first event. */
int blk_file_guess_order(struct blk_file *f, struct err *e);

/* Look at the record at the read position. */
int blk_file_load(struct blk_file *f, struct err *e);

/*
 * Report what is wrong with the head, or decode it into @ev.  Returns 1 with
 * an event, 0 when a lenient reader drops it, or a negative code.
 */
int blk_file_take(struct trace_reader *reader, struct blk_file *f,
		  struct trace_event *ev, struct err *e);

static inline void
blk_file_skip(struct blk_file *f)
{
	f->p += f->size;
	f->size = 0;
}

/*
 * Skip and load for the record that most are: version 7, whole, in order, no
 * payload.  False, with nothing changed, for any other.
 */
static inline bool
blk_file_load_plain(struct blk_file *f)
{
	const uint8_t *p = f->p + f->size;
	uint64_t time_ns;

	if (unlikely(f->plain_end - p < (ptrdiff_t)BLK_V7_BYTES))
		return false;
	time_ns = blk_get64(p + 8, false);
	if (unlikely(blk_get32(p, false) != (BLK_MAGIC | 7) ||
		     blk_get16(p + 46, false) != 0 ||
		     (time_ns - f->last_ns) >> BLK_TIME_BITS ||
		     blk_get32(p + 28, false) & TRACE_NOTIFY << 16))
		return false;
	f->p = p;
	f->size = BLK_V7_BYTES;
	f->is_plain = true;
	f->head = HEAD_WHOLE;
	f->time_ns = time_ns;
	f->last_ns = time_ns;
	return true;
}

/* Take a head that blk_file_load_plain loaded; false when it looks odd. */
static inline bool
blk_file_take_plain(const struct blk_file *f, struct trace_event *ev)
{
	struct blk_header h;
	uint32_t action;

	if (unlikely(!f->is_plain))
		return false;
	blk_decode(f->p, false, false, ev, &h);
	action = (uint32_t)h.action & 0xffff & ~BLK_CGROUP;
	if (unlikely(action - 1 >= BLK_ACTION_MAX ||
		     ev->sector >> BLK_SECTOR_BITS || ev->bytes & 511 ||
		     h.cpu != (uint32_t)f->cpu))
		return false;
	ev->time_ns = (nsec_t)f->time_ns;
	ev->arg = 0;
	ev->payload = NULL;
	ev->category = (uint32_t)h.action >> 16;
	ev->arg_device = 0;
	ev->payload_bytes = 0;
	ev->cpu = (uint16_t)h.cpu;
	ev->error = (int16_t)blk_get16(f->p + 44, false);
	ev->action = (uint8_t)action;
	ev->reserved = 0;
	return true;
}

#endif
