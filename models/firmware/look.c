/* SPDX-License-Identifier: MIT */
/*
 * LOOK: up through the sectors to the last command on that side, down again
 * to the first, and so on.
 *
 * Within a sweep every command begins beyond the one before, so that a sweep
 * has an end even when commands keep arriving under the arm.
 */
#include "models/firmware/firmware.h"

/* Is @a before @b on the way up? */
static bool
is_below(const struct drive_queue *queue, uint32_t a, uint32_t b)
{
	return queue->first[a] < queue->first[b];
}

/* The lowest of @tags, or the highest; the oldest of several there. */
static uint32_t
extreme(const struct drive_queue *queue, uint32_t tags, bool highest)
{
	uint32_t best = (uint32_t)__builtin_ctz(tags);

	for (tags &= tags - 1; tags; tags &= tags - 1) {
		uint32_t tag = (uint32_t)__builtin_ctz(tags);
		bool is_beyond = highest ? is_below(queue, best, tag)
					 : is_below(queue, tag, best);

		if (is_beyond || (queue->first[tag] == queue->first[best] &&
				  queue->age[tag] < queue->age[best]))
			best = tag;
	}
	return best;
}

/* Those ahead in the direction of the sweep. */
static uint32_t
ahead(const struct drive_view *view)
{
	uint32_t found = 0;

	for (uint32_t rest = view->tags; rest; rest &= rest - 1) {
		uint32_t tag = (uint32_t)__builtin_ctz(rest);
		uint64_t first = view->queue->first[tag];

		if (view->is_falling ? first < view->last_first
				     : first > view->last_first)
			found |= UINT32_C(1) << tag;
	}
	return found;
}

static uint32_t
look_pick(const struct drive_view *view)
{
	uint32_t tags = ahead(view);

	if (tags)
		return extreme(view->queue, tags, view->is_falling);
	return extreme(view->queue, view->tags, !view->is_falling);
}

/*
 * A sweep serves each sector at most once.  A command waits for the rest of
 * this sweep and one more, and for as many again as older commands begin on
 * the same sector.
 */
static uint64_t
look_passed_max(const struct firmware_config *firmware,
		const struct firmware_limits *limits)
{
	(void)firmware;
	return (QUEUE_TAGS + 1) * limits->sectors;
}

const struct firmware_ops firmware_look = {
	.name = "look",
	.help = "sweep up and down through the sectors",
	.why = "the next in the direction of the sweep",
	.pick = look_pick,
	.passed_max = look_passed_max,
};
