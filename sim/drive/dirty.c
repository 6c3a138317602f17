/* SPDX-License-Identifier: MIT */
#include "sim/drive/dirty.h"

#include <assert.h>
#include <string.h>

void
dirty_init(struct dirty_list *list, uint32_t limit, uint64_t sectors_max)
{
	assert(limit <= CACHE_EXTENTS_MAX);
	memset(list, 0, sizeof(*list));
	list->limit = limit;
	list->sectors_max = sectors_max;
}

static uint64_t
extent_sectors(const struct dirty_extent *x)
{
	return x->end - x->first;
}

static void
extent_free(struct dirty_list *list, struct dirty_extent *x)
{
	list->sectors -= extent_sectors(x);
	list->used--;
	x->state = DIRTY_FREE;
}

/* May @x be joined with [first, end)? */
static bool
joins(const struct dirty_extent *x, uint64_t first, uint64_t end)
{
	return (x->state == DIRTY_WAITING || x->state == DIRTY_IN_PASS) &&
	       first <= x->end && end >= x->first;
}

/* Join every extent that touches @x with it, until none does. */
static void
join_neighbours(struct dirty_list *list, struct dirty_extent *x)
{
	for (uint32_t i = 0; i < list->limit; i++) {
		struct dirty_extent *other = &list->extent[i];

		if (other == x || !joins(other, x->first, x->end))
			continue;
		list->sectors -= extent_sectors(x);
		x->first = other->first < x->first ? other->first : x->first;
		x->end = other->end > x->end ? other->end : x->end;
		list->sectors += extent_sectors(x);
		if (other->state == DIRTY_IN_PASS)
			x->state = DIRTY_IN_PASS;
		extent_free(list, other);
		i = UINT32_MAX; /* from the beginning: @x has grown */
	}
}

/* The entry that [first, end) joins, or a free one, or NULL. */
static struct dirty_extent *
entry_for(struct dirty_list *list, uint64_t first, uint64_t end)
{
	struct dirty_extent *free_entry = NULL;

	for (uint32_t i = 0; i < list->limit; i++) {
		struct dirty_extent *x = &list->extent[i];

		if (joins(x, first, end))
			return x;
		if (x->state == DIRTY_FREE && !free_entry)
			free_entry = x;
	}
	return free_entry;
}

struct dirty_added
dirty_add(struct dirty_list *list, uint64_t first, uint32_t count)
{
	uint64_t end = first + count, before = list->sectors;
	struct dirty_added added = { 0 };
	struct dirty_extent *x = entry_for(list, first, end);

	if (!x || (list->used > 0 && before + count > list->sectors_max)) {
		added.is_full = true;
		return added;
	}
	added.is_new = x->state == DIRTY_FREE;
	if (added.is_new) {
		*x = (struct dirty_extent){ first, end, DIRTY_WAITING };
		list->used++;
		list->sectors += count;
	} else {
		list->sectors -= extent_sectors(x);
		x->first = first < x->first ? first : x->first;
		x->end = end > x->end ? end : x->end;
		list->sectors += extent_sectors(x);
	}
	join_neighbours(list, x);
	if (list->sectors > before)
		added.new_sectors = (uint32_t)(list->sectors - before);
	return added;
}

/* The end of the dirty run that contains @sector, or @sector. */
static uint64_t
run_end(const struct dirty_list *list, uint64_t sector)
{
	uint64_t end = sector;

	for (uint32_t i = 0; i < list->limit; i++) {
		const struct dirty_extent *x = &list->extent[i];

		if (x->state != DIRTY_FREE && x->first <= sector &&
		    x->end > end)
			end = x->end;
	}
	return end;
}

uint32_t
dirty_covers(const struct dirty_list *list, uint64_t first, uint32_t count)
{
	uint64_t at = first, end;

	if (!list->used)
		return 0;
	while (at < first + count && (end = run_end(list, at)) > at)
		at = end;
	return at - first < count ? (uint32_t)(at - first) : count;
}

bool
dirty_overlaps(const struct dirty_list *list, uint64_t first, uint32_t count)
{
	for (uint32_t i = 0; list->used && i < list->limit; i++) {
		const struct dirty_extent *x = &list->extent[i];

		if (x->state != DIRTY_FREE && first < x->end &&
		    first + count > x->first)
			return true;
	}
	return false;
}

bool
dirty_pass(struct dirty_list *list)
{
	if (!list->used)
		return false;
	for (uint32_t i = 0; i < list->limit; i++)
		if (list->extent[i].state == DIRTY_IN_PASS ||
		    list->extent[i].state == DIRTY_WRITING)
			return true;
	for (uint32_t i = 0; i < list->limit; i++)
		if (list->extent[i].state == DIRTY_WAITING)
			list->extent[i].state = DIRTY_IN_PASS;
	return true;
}

void
dirty_write(struct dirty_list *list, uint32_t i)
{
	assert(list->extent[i].state == DIRTY_IN_PASS);
	list->extent[i].state = DIRTY_WRITING;
}

void
dirty_written(struct dirty_list *list, uint32_t i)
{
	assert(list->extent[i].state == DIRTY_WRITING);
	extent_free(list, &list->extent[i]);
}

void
dirty_clear(struct dirty_list *list)
{
	dirty_init(list, list->limit, list->sectors_max);
}
