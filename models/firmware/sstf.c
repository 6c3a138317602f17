/* SPDX-License-Identifier: MIT */
/*
 * Shortest seek time first: the command that the arm reaches soonest, the
 * older one of equals.  It knows nothing of the rotation.
 *
 * Denning, "Effects of scheduling on file memory operations", AFIPS 1967.
 */
#include "models/firmware/rules.h"

static uint32_t
sstf_pick(const struct drive_view *view)
{
	const struct drive_queue *queue = view->queue;
	uint32_t best = QUEUE_TAGS;
	nsec_t least = INT64_MAX;

	for (uint32_t rest = view->tags; rest; rest &= rest - 1) {
		uint32_t tag = (uint32_t)__builtin_ctz(rest);
		nsec_t score =
			rules_move_ns(view, tag) - rules_credit_ns(view, tag);

		if (score < least ||
		    (score == least && queue->age[tag] < queue->age[best])) {
			least = score;
			best = tag;
		}
	}
	return best;
}

const struct firmware_ops firmware_sstf = {
	.name = "sstf",
	.help = "shortest seek time first (rotation unknown)",
	.why = "the shortest seek",
	.pick = sstf_pick,
};
