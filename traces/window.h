/* SPDX-License-Identifier: MIT */
/*
 * Sorts a stream of events that is only locally out of order, as several
 * CPUs' buffers behind each other are, in bounded memory: an event comes out
 * when the window is full or the input has ended.  Equal times keep their
 * order of arrival.
 */
#ifndef NCQSIM_TRACES_WINDOW_H
#define NCQSIM_TRACES_WINDOW_H

#include "traces/reader.h"

#define WINDOW_DEFAULT (UINT32_C(256) << 10)

struct window_slot {
	struct trace_event ev;
	struct trace_place at;
	char *payload; /* a copy, owned; NULL when there is none */
};

struct window_entry {
	uint64_t time_ns;
	uint64_t order;
	uint32_t slot;
};

struct trace_window {
	struct window_entry *heap;
	struct window_slot *slots;
	uint32_t *free_slots;
	uint32_t count;
	uint32_t capacity; /* grows up to limit */
	uint32_t limit;
	uint64_t order;
};

void window_init(struct trace_window *w, uint32_t limit);
void window_free(struct trace_window *w);

static inline bool
window_full(const struct trace_window *w)
{
	return w->count == w->limit;
}

/* Add an event; the window is not full.  The payload is copied. */
int window_push(struct trace_window *w, const struct trace_event *ev,
		const struct trace_place *at, struct err *e);

/*
 * Take the earliest event; the window is not empty.  The payload is handed
 * over in @slot and is the caller's to free.
 */
void window_pop(struct trace_window *w, struct window_slot *slot);

#endif
