/* SPDX-License-Identifier: MIT */
#include "traces/window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void
window_init(struct trace_window *w, uint32_t limit)
{
	memset(w, 0, sizeof(*w));
	w->limit = limit ? limit : WINDOW_DEFAULT;
}

void
window_free(struct trace_window *w)
{
	for (uint32_t i = 0; i < w->count; i++)
		free(w->slots[w->heap[i].slot].payload);
	free(w->heap);
	free(w->slots);
	free(w->free_slots);
	memset(w, 0, sizeof(*w));
}

static int
window_grow(struct trace_window *w, struct err *e)
{
	uint32_t n = w->capacity ? w->capacity * 2 : 1024;
	struct window_entry *heap;
	struct window_slot *slots;
	uint32_t *free_slots;

	if (n > w->limit)
		n = w->limit;
	heap = realloc(w->heap, n * sizeof(*heap));
	if (heap)
		w->heap = heap;
	slots = realloc(w->slots, n * sizeof(*slots));
	if (slots)
		w->slots = slots;
	free_slots = realloc(w->free_slots, n * sizeof(*free_slots));
	if (free_slots)
		w->free_slots = free_slots;
	if (!heap || !slots || !free_slots)
		return err_nomem(e);
	for (uint32_t i = w->capacity; i < n; i++)
		w->free_slots[i] = i;
	w->capacity = n;
	return 0;
}

static inline bool
entry_before(const struct window_entry *a, const struct window_entry *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	return a->order < b->order;
}

int
window_push(struct trace_window *w, const struct trace_event *ev,
	    const struct trace_place *at, struct err *e)
{
	struct window_entry added = { (uint64_t)ev->time_ns, w->order++, 0 };
	struct window_slot *slot;
	uint32_t i;

	assert(w->count < w->limit);
	if (w->count == w->capacity && window_grow(w, e))
		return ERR_INTERNAL;
	added.slot = w->free_slots[w->count];
	slot = &w->slots[added.slot];
	slot->ev = *ev;
	slot->at = *at;
	slot->payload = NULL;
	if (ev->payload_bytes) {
		slot->payload = malloc(ev->payload_bytes);
		if (!slot->payload)
			return err_nomem(e);
		memcpy(slot->payload, ev->payload, ev->payload_bytes);
		slot->ev.payload = slot->payload;
	}
	for (i = w->count++; i > 0; i = (i - 1) / 2) {
		if (!entry_before(&added, &w->heap[(i - 1) / 2]))
			break;
		w->heap[i] = w->heap[(i - 1) / 2];
	}
	w->heap[i] = added;
	return 0;
}

void
window_pop(struct trace_window *w, struct window_slot *slot)
{
	struct window_entry moved;
	uint32_t i = 0;

	assert(w->count > 0);
	*slot = w->slots[w->heap[0].slot];
	moved = w->heap[--w->count];
	w->free_slots[w->count] = w->heap[0].slot;
	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= w->count)
			break;
		if (child + 1 < w->count &&
		    entry_before(&w->heap[child + 1], &w->heap[child]))
			child++;
		if (!entry_before(&w->heap[child], &moved))
			break;
		w->heap[i] = w->heap[child];
		i = child;
	}
	w->heap[i] = moved;
}
