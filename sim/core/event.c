/* SPDX-License-Identifier: MIT */
#include "sim/core/event.h"

#include <stdlib.h>
#include <string.h>

void
calendar_init(struct calendar *cal)
{
	memset(cal, 0, sizeof(*cal));
}

void
calendar_free(struct calendar *cal)
{
	if (cal->entries)
		free(cal->entries - 1);
	calendar_init(cal);
}

static void
set_heap(struct calendar *cal, bool is_heap)
{
	cal->is_heap = is_heap;
	cal->sorted_max = cal->capacity < CALENDAR_SORTED_MAX
				  ? cal->capacity
				  : CALENDAR_SORTED_MAX;
	if (is_heap)
		cal->sorted_max = 0;
}

int
calendar_reserve(struct calendar *cal, uint32_t events, struct err *e)
{
	uint32_t capacity = cal->capacity + events;
	struct calendar_entry *entries;

	entries = realloc(cal->entries ? cal->entries - 1 : NULL,
			  ((size_t)capacity + 1) * sizeof(*entries));
	if (!entries)
		return err_nomem(e);
	entries[0] = (struct calendar_entry){ INT64_MAX, NULL };
	cal->entries = entries + 1;
	cal->capacity = capacity;
	set_heap(cal, cal->is_heap);
	return 0;
}

static void
heap_sift_up(struct calendar *cal, uint32_t i)
{
	struct calendar_entry moved = cal->entries[i];

	while (i > 0) {
		uint32_t parent = (i - 1) / 2;

		if (!calendar_entry_before(&moved, &cal->entries[parent]))
			break;
		cal->entries[i] = cal->entries[parent];
		i = parent;
	}
	cal->entries[i] = moved;
}

static void
heap_sift_down(struct calendar *cal, uint32_t i)
{
	struct calendar_entry moved = cal->entries[i];

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= cal->count)
			break;
		if (child + 1 < cal->count &&
		    calendar_entry_before(&cal->entries[child + 1],
					  &cal->entries[child]))
			child++;
		if (!calendar_entry_before(&cal->entries[child], &moved))
			break;
		cal->entries[i] = cal->entries[child];
		i = child;
	}
	cal->entries[i] = moved;
}

/* The sorted array holds the latest first; reversed it is a valid heap. */
static void
reverse_entries(struct calendar *cal)
{
	for (uint32_t i = 0, j = cal->count; i + 1 < j; i++) {
		struct calendar_entry swap = cal->entries[--j];

		cal->entries[j] = cal->entries[i];
		cal->entries[i] = swap;
	}
}

static int
compare_latest_first(const void *pa, const void *pb)
{
	return calendar_entry_before(pa, pb) ? 1 : -1;
}

static void
heap_to_sorted(struct calendar *cal)
{
	qsort(cal->entries, cal->count, sizeof(*cal->entries),
	      compare_latest_first);
	set_heap(cal, false);
}

void
calendar_add_to_heap(struct calendar *cal, struct calendar_entry entry)
{
	assert(cal->count < cal->capacity);
	if (!cal->is_heap) {
		reverse_entries(cal);
		set_heap(cal, true);
	}
	cal->entries[cal->count] = entry;
	heap_sift_up(cal, cal->count++);
}

/* Take entry @i out of the heap; sort again when it has become small. */
static void
heap_remove(struct calendar *cal, uint32_t i)
{
	cal->entries[i] = cal->entries[--cal->count];
	if (i < cal->count) {
		heap_sift_down(cal, i);
		heap_sift_up(cal, i);
	}
	if (cal->count <= CALENDAR_SORTED_MAX / 2)
		heap_to_sorted(cal);
}

void
calendar_cancel(struct calendar *cal, struct event *ev)
{
	uint32_t i = 0;

	if (!ev->pending)
		return;
	while (cal->entries[i].event != ev)
		i++;
	ev->pending = false;
	if (cal->is_heap) {
		heap_remove(cal, i);
		return;
	}
	cal->count--;
	memmove(&cal->entries[i], &cal->entries[i + 1],
		(cal->count - i) * sizeof(*cal->entries));
}

/* Take the earliest of at least one entry. */
static inline struct calendar_entry
take_first(struct calendar *cal)
{
	struct calendar_entry first = cal->entries[0];

	if (unlikely(cal->is_heap)) {
		heap_remove(cal, 0);
		return first;
	}
	return cal->entries[--cal->count];
}

bool
calendar_step(struct calendar *cal)
{
	struct calendar_entry first;

	if (unlikely(cal->count == 0))
		return false;
	first = take_first(cal);
	assert(first.time_ns >= cal->now_ns);
	cal->now_ns = first.time_ns;
	first.event->pending = false;
	first.event->fire(first.event, first.time_ns);
	return true;
}

uint64_t
calendar_run(struct calendar *cal, uint64_t events)
{
	cal->is_stopped = false;
	while (events > 0 && !cal->is_stopped && calendar_step(cal))
		events--;
	return events;
}
