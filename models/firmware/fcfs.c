/* SPDX-License-Identifier: MIT */
/*
 * First come, first served: the oldest command, wherever it is.  The
 * smallest policy, and the one to copy for a new one.
 */
#include "models/firmware/firmware.h"

static uint32_t
fcfs_pick(const struct drive_view *view)
{
	const struct drive_queue *queue = view->queue;
	uint32_t oldest = (uint32_t)__builtin_ctz(view->tags);

	for (uint32_t rest = view->tags; rest; rest &= rest - 1) {
		uint32_t tag = (uint32_t)__builtin_ctz(rest);

		if (queue->age[tag] < queue->age[oldest])
			oldest = tag;
	}
	return oldest;
}

static uint64_t
fcfs_passed_max(const struct firmware_config *firmware,
		const struct firmware_limits *limits)
{
	(void)firmware;
	(void)limits;
	return 0;
}

const struct firmware_ops firmware_fcfs = {
	.name = "fcfs",
	.help = "first come, first served",
	.why = "the oldest",
	.pick = fcfs_pick,
	.passed_max = fcfs_passed_max,
};
