/* SPDX-License-Identifier: MIT */
/*
 * blktrace's binary files, versions 7 and 8, in both byte orders.
 *
 * The files of the CPUs are each in time order and are merged by a winner
 * tree: the leaves hold the heads' times packed with the file's number, each
 * inner node the smaller of its two children, so that the root is next and
 * one changed leaf costs one comparison a level.  Equal times come in the
 * order of the files.
 *
 * A single file that is not called NAME.blktrace.CPU is either blkparse's
 * merged dump, which is in order, or what blktrace wrote into a pipe: the
 * buffers of all CPUs behind each other, sorted here in a window.
 */
#include "traces/blktrace_file.h"
#include "traces/window.h"

#include <assert.h>
#include <stdlib.h>

#define KEY_END UINT64_MAX

/* How far the first event may be before the first note of a file. */
#define BASE_MARGIN_NS (UINT64_C(3600) * 1000000000u)

struct blk_state {
	struct blk_file *files;
	struct blk_file *current; /* its head was handed out, or NULL */
	uint64_t *keys;           /* the tree; the leaves from leaf_count on */
	uint32_t leaf_count;      /* a power of two */
	uint32_t shift;           /* a key is time << shift | file */
	uint64_t base_ns;         /* keys count from here */
	uint64_t range_ns;        /* the latest time that a key can hold */
	bool in_window;
	bool drain;         /* nothing more is read */
	uint64_t passed_ns; /* the latest time handed out */
	char *payload;      /* of the event handed out of the window */
	struct trace_window window;
};

static int
blktrace_sniff(const struct trace_sniff *s)
{
	struct blk_layout l;

	if (s->is_member)
		return 100;
	return blk_layout_find(s->bytes, s->length, &l) ? 99 : 0;
}

/* Put the head of @f into the tree. */
static inline void
tree_update(struct blk_state *s, const struct blk_file *f)
{
	uint64_t *keys = s->keys;
	uint32_t node = s->leaf_count + f->index;
	uint64_t time_ns = f->time_ns - s->base_ns;
	uint64_t key = time_ns << s->shift | f->index;

	if (unlikely(f->head == HEAD_END))
		key = KEY_END;
	else if (unlikely(f->time_ns < s->base_ns))
		key = f->index;
	else if (unlikely(time_ns > s->range_ns))
		key = (KEY_END - 1) << s->shift | f->index;
	keys[node] = key;
	while (node > 1) {
		uint64_t other = keys[node ^ 1];

		key = key < other ? key : other;
		node /= 2;
		keys[node] = key;
	}
}

/* Notes have no place in the order, but say what the clock is. */
static void
lower_base(struct blk_state *s, const struct blk_file *f)
{
	uint64_t time_ns = f->last_ns;

	if (f->head == HEAD_WHOLE)
		time_ns = blk_time_ns(f->p + f->layout.lead, &f->layout);
	time_ns -= time_ns < BASE_MARGIN_NS ? time_ns : BASE_MARGIN_NS;
	if (f->head != HEAD_END && time_ns < s->base_ns)
		s->base_ns = time_ns;
}

static int
tree_build(struct trace_reader *reader, struct blk_state *s, struct err *e)
{
	s->leaf_count = 1;
	while (s->leaf_count < reader->input_count) {
		s->leaf_count *= 2;
		s->shift++;
	}
	s->range_ns = (KEY_END >> s->shift) - 2;
	s->keys = malloc(2 * s->leaf_count * sizeof(*s->keys));
	if (!s->keys)
		return err_nomem(e);
	for (uint32_t i = 0; i < 2 * s->leaf_count; i++)
		s->keys[i] = KEY_END;
	s->base_ns = UINT64_MAX;
	for (uint32_t i = 0; i < reader->input_count; i++)
		lower_base(s, &s->files[i]);
	for (uint32_t i = 0; i < reader->input_count; i++)
		tree_update(s, &s->files[i]);
	return 0;
}

/* Two files that begin with the same record are copies of each other. */
static int
drop_copies(struct trace_reader *reader, struct blk_state *s, struct err *e)
{
	for (uint32_t i = 1; i < reader->input_count; i++) {
		struct trace_input *in = s->files[i].in;
		struct trace_fault fault = { { .file = i }, DAMAGE_CPU, 0 };

		for (uint32_t j = 0; j < i; j++) {
			struct trace_input *other = s->files[j].in;
			int r;

			if (input_ready(in) < BLK_V7_BYTES ||
			    input_ready(other) < BLK_V7_BYTES ||
			    memcmp(s->files[i].p, s->files[j].p,
				   BLK_V7_BYTES) != 0)
				continue;
			r = reader_fault(reader, &fault, e,
					 "begins with the same record as %s; "
					 "is it a copy?",
					 other->path);
			if (r)
				return r;
			s->files[i].p = in->buf + in->end;
			in->eof = true;
		}
	}
	return 0;
}

static int
blktrace_open(struct trace_reader *reader, struct err *e)
{
	struct blk_state *s = calloc(1, sizeof(*s));
	int r = 0;

	if (!s)
		return err_nomem(e);
	reader->state = s;
	s->files = calloc(reader->input_count, sizeof(*s->files));
	if (!s->files)
		return err_nomem(e);
	for (uint32_t i = 0; !r && i < reader->input_count; i++)
		r = blk_file_open(reader, &s->files[i], i, e);
	if (!r)
		r = drop_copies(reader, s, e);
	if (!r && reader->input_count == 1 && s->files[0].cpu < 0)
		r = blk_file_guess_order(&s->files[0], e);
	for (uint32_t i = 0; !r && i < reader->input_count; i++)
		r = blk_file_load(&s->files[i], e);
	if (r)
		return r;
	s->in_window = s->files[0].order == ORDER_NONE;
	if (s->in_window)
		window_init(&s->window, reader->opt.window);
	return tree_build(reader, s, e);
}

static void
blktrace_close(struct trace_reader *reader)
{
	struct blk_state *s = reader->state;

	if (!s)
		return;
	window_free(&s->window);
	free(s->payload);
	free(s->keys);
	free(s->files);
	free(s);
}

/*
 * The times of one file are in order, but a clock so far off that a key cannot
 * hold its times is not in order with the other files.
 */
static int
check_passed(struct trace_reader *reader, struct blk_state *s,
	     struct trace_event *ev, struct err *e)
{
	struct trace_fault fault = { reader->at, DAMAGE_ORDER, 0 };
	uint64_t back_ns = s->passed_ns - (uint64_t)ev->time_ns;

	if (ev->action == TRACE_PROCESS || ev->action == TRACE_TIMESTAMP)
		return 1;
	if ((uint64_t)ev->time_ns >= s->passed_ns) {
		s->passed_ns = (uint64_t)ev->time_ns;
		return 1;
	}
	ev->time_ns = (nsec_t)s->passed_ns;
	if (reader_fault(reader, &fault, e,
			 "the time is %llu ns before that of another file",
			 (unsigned long long)back_ns))
		return ERR_INPUT;
	return 1;
}

static int
merge_any(struct trace_reader *reader, struct blk_state *s,
	  struct trace_event *ev, struct err *e)
{
	for (;;) {
		struct blk_file *f = s->current;
		int r;

		if (f) {
			blk_file_skip(f);
			r = blk_file_load(f, e);
			if (r)
				return r;
			tree_update(s, f);
		}
		if (s->keys[1] == KEY_END)
			return 0;
		f = &s->files[s->keys[1] & (s->leaf_count - 1)];
		assert(f->head != HEAD_END);
		s->current = f;
		r = blk_file_take(reader, f, ev, e);
		if (r > 0)
			return check_passed(reader, s, ev, e);
		if (r)
			return r;
	}
}

/* merge_any in a straight line for plain records. */
static inline int
merge_next(struct trace_reader *reader, struct blk_state *s,
	   struct trace_event *ev, struct err *e)
{
	struct blk_file *f = s->current;

	if (unlikely(!f || !blk_file_load_plain(f)))
		return merge_any(reader, s, ev, e);
	tree_update(s, f);
	f = &s->files[s->keys[1] & (s->leaf_count - 1)];
	s->current = f;
	if (unlikely(f->time_ns < s->passed_ns ||
		     !blk_file_take_plain(f, ev))) {
		s->current = NULL;
		return merge_any(reader, s, ev, e);
	}
	s->passed_ns = f->time_ns;
	reader->at.file = f->index;
	return 1;
}

/* An event that is older than what has left the window already. */
static int
fault_late(struct trace_reader *reader, struct blk_state *s,
	   struct trace_event *ev, struct err *e)
{
	struct trace_fault fault = { reader->at, DAMAGE_ORDER, 0 };
	unsigned long long late_ns =
		s->passed_ns - (unsigned long long)ev->time_ns;

	ev->time_ns = (nsec_t)s->passed_ns;
	return reader_fault(reader, &fault, e,
			    "a record %llu ns out of order, beyond the sort "
			    "window of %u records; a larger window may do",
			    late_ns, s->window.limit);
}

/* Read one record into the window. */
static int
window_read(struct trace_reader *reader, struct blk_state *s, struct err *e)
{
	struct blk_file *f = &s->files[0];
	struct trace_event ev;
	int r = blk_file_take(reader, f, &ev, e);

	if (r > 0) {
		r = 0;
		if (unlikely((uint64_t)ev.time_ns < s->passed_ns &&
			     ev.action != TRACE_PROCESS &&
			     ev.action != TRACE_TIMESTAMP))
			r = fault_late(reader, s, &ev, e);
		if (r == 0)
			r = window_push(&s->window, &ev, &reader->at, e);
	}
	if (r)
		return r;
	blk_file_skip(f);
	return blk_file_load(f, e);
}

/*
 * Damage is reported when all that came before it has been handed out, so
 * that the number of records in the message is right.
 */
static int
window_next(struct trace_reader *reader, struct blk_state *s,
	    struct trace_event *ev, struct err *e)
{
	struct window_slot slot;

	while (!s->drain && !window_full(&s->window) &&
	       s->files[0].head != HEAD_END) {
		struct err dropped;
		int r = window_read(reader, s, &dropped);

		s->drain = r != 0;
	}
	if (s->window.count == 0)
		return s->drain ? window_read(reader, s, e) : 0;
	window_pop(&s->window, &slot);
	free(s->payload);
	s->payload = slot.payload;
	*ev = slot.ev;
	reader->at = slot.at;
	if (ev->action != TRACE_PROCESS && ev->action != TRACE_TIMESTAMP)
		s->passed_ns = (uint64_t)ev->time_ns;
	return 1;
}

static void
blktrace_locate(const struct trace_reader *reader, struct trace_place *place)
{
	const struct blk_state *s = reader->state;
	const struct blk_file *f = s->current;

	if (!s->in_window && f)
		place->offset = f->in->offset + (uint64_t)(f->p - f->in->buf);
}

static int
blktrace_next(struct trace_reader *reader, struct trace_event *ev,
	      struct err *e)
{
	struct blk_state *s = reader->state;

	if (unlikely(s->in_window))
		return window_next(reader, s, ev, e);
	return merge_next(reader, s, ev, e);
}

const struct trace_format trace_blktrace = {
	.name = "blktrace",
	.help = "blktrace binary, version 7 or 8: per-CPU files, blkparse -d "
		"dump, or a pipe",
	.many_files = true,
	.sniff = blktrace_sniff,
	.open = blktrace_open,
	.next = blktrace_next,
	.locate = blktrace_locate,
	.close = blktrace_close,
};
