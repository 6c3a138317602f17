/* SPDX-License-Identifier: MIT */
/*
 * CFQ of 2.6.32.71: the processes of two queues close to each other come to
 * share one.
 *
 *	apart --- found close when one runs dry ----> planned
 *	planned --- next request of a process ------> that process has moved
 *	shared --- seeky for more than a second ----> each process, at its
 *	                                              next request, apart
 *
 * A plan holds a reference to the target for every process that will move.
 */
#include "models/elevators/cfq.h"

/* References of processes, those planned included. */
static uint32_t
process_refs(const struct cfq_queue *q)
{
	assert(q->refs >= q->allocated);
	return q->refs - q->allocated;
}

/* Plan to merge @q and @other; the one with fewer processes moves. */
void
cfq_merge_plan(struct cfq_queue *q, struct cfq_queue *other)
{
	uint32_t mine, theirs;

	if (q->merge_into)
		return;
	for (; other->merge_into; other = other->merge_into)
		if (other->merge_into == q)
			return;
	mine = process_refs(q);
	theirs = process_refs(other);
	if (mine == 0)
		return;
	if (theirs >= mine) {
		q->merge_into = other;
		other->refs += mine;
	} else {
		other->merge_into = q;
		q->refs += theirs;
	}
}

/* A process leaves @q without following the plan. */
void
cfq_merge_cancel(struct cfq *cfq, struct cfq_queue *q)
{
	struct cfq_queue *next = q->merge_into;

	while (next) {
		struct cfq_queue *into = next->merge_into;

		cfq_queue_put(cfq, next);
		next = into;
	}
}

static bool
must_split(const struct cfq *cfq, const struct cfq_queue *q)
{
	return q->is_coop && q->is_splitting &&
	       cfq_now(cfq) > q->seeky_since + BLK_HZ;
}

/*
 * The queue that a process with @q is to use from now on, which takes over
 * the reference; NULL when it needs one of its own.
 */
struct cfq_queue *
cfq_merge_done(struct cfq *cfq, struct cfq_queue *q)
{
	struct cfq_queue *into;

	if (must_split(cfq, q)) {
		if (process_refs(q) > 1) {
			cfq_merge_cancel(cfq, q);
			cfq_queue_put(cfq, q);
			return NULL;
		}
		q->is_coop = false;
	}
	into = q->merge_into;
	if (!into)
		return q;
	into->is_coop = true;
	cfq_queue_put(cfq, q);
	return into;
}
