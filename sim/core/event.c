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
	free(cal->entries);
	calendar_init(cal);
}

int
calendar_reserve(struct calendar *cal, uint32_t events, struct err *e)
{
	uint32_t capacity = cal->capacity + events;
	struct calendar_entry *entries;

	entries = realloc(cal->entries, capacity * sizeof(*entries));
	if (!entries)
		return err_nomem(e);
	cal->entries = entries;
	cal->capacity = capacity;
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
	cal->is_heap = false;
}

void
calendar_add_to_heap(struct calendar *cal, struct calendar_entry entry)
{
	if (!cal->is_heap) {
		reverse_entries(cal);
		cal->is_heap = true;
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

bool
calendar_step(struct calendar *cal)
{
	struct calendar_entry first;

	if (cal->count == 0)
		return false;
	if (unlikely(cal->is_heap)) {
		first = cal->entries[0];
		heap_remove(cal, 0);
	} else {
		first = cal->entries[--cal->count];
	}
	assert(first.time_ns >= cal->now_ns);
	cal->now_ns = first.time_ns;
	first.event->pending = false;
	first.event->fire(first.event, first.time_ns);
	return true;
}

nsec_t
calendar_next_ns(const struct calendar *cal)
{
	if (cal->count == 0)
		return -1;
	return cal->entries[cal->is_heap ? 0 : cal->count - 1].time_ns;
}
