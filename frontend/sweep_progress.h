/* SPDX-License-Identifier: MIT */
/*
 * How far a sweep is, on standard error: a bar that is drawn over, plain
 * lines, or JSON Lines for a program that watches.
 */
#ifndef NCQSIM_FRONTEND_SWEEP_PROGRESS_H
#define NCQSIM_FRONTEND_SWEEP_PROGRESS_H

#include "frontend/progress.h"

struct sweep;

struct sweep_progress {
	enum progress_mode mode;
	size_t had, all; /* cells done at the start, and in the shard */
	int64_t start_ns, last_ns;
	bool drawn;
};

void sweep_progress_start(struct sweep_progress *progress,
			  const struct sweep *sweep, size_t had);
void sweep_progress_show(struct sweep_progress *progress, size_t done);
void sweep_progress_end(struct sweep_progress *progress);

#endif
