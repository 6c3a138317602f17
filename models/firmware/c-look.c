/* SPDX-License-Identifier: MIT */
/*
 * Circular LOOK: up through the sectors, then back to the lowest command and
 * up again.  A sweep never returns to where it was; see look.c.
 */
#include "models/firmware/firmware.h"

/* Does @a come before @b in a sweep that goes on after @from? */
static bool
comes_first(const struct drive_queue *queue, uint64_t from, uint32_t a,
	    uint32_t b)
{
	/* Wrapping makes what lies behind the farthest. */
	uint64_t way_a = queue->first[a] - from - 1;
	uint64_t way_b = queue->first[b] - from - 1;

	if (way_a != way_b)
		return way_a < way_b;
	return queue->age[a] < queue->age[b];
}

static uint32_t
clook_pick(const struct drive_view *view)
{
	uint32_t best = (uint32_t)__builtin_ctz(view->tags);

	for (uint32_t rest = view->tags & (view->tags - 1); rest;
	     rest &= rest - 1) {
		uint32_t tag = (uint32_t)__builtin_ctz(rest);

		if (comes_first(view->queue, view->last_first, tag, best))
			best = tag;
	}
	return best;
}

/* One sweep, and one for each older command on the same sector. */
static uint64_t
clook_passed_max(const struct firmware_config *firmware,
		 const struct firmware_limits *limits)
{
	(void)firmware;
	return QUEUE_TAGS * limits->sectors;
}

const struct firmware_ops firmware_clook = {
	.name = "c-look",
	.help = "sweep up through the sectors, return, sweep up again",
	.why = "the next above the last one",
	.pick = clook_pick,
	.passed_max = clook_passed_max,
};
