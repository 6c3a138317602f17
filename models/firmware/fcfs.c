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
	uint32_t oldest = (uint32_t)__builtin_ctz(queue->tags);

	for (uint32_t rest = queue->tags; rest; rest &= rest - 1) {
		uint32_t tag = (uint32_t)__builtin_ctz(rest);

		if (queue->age[tag] < queue->age[oldest])
			oldest = tag;
	}
	return oldest;
}

const struct firmware_ops firmware_fcfs = {
	.name = "fcfs",
	.help = "first come, first served",
	.pick = fcfs_pick,
	.passed_max = 0,
};
