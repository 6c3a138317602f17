/* SPDX-License-Identifier: MIT */
/*
 * How far a long run is, on standard error: a bar that is drawn over on a
 * terminal, or a plain line every few seconds.  Nothing appears in the
 * first half second, and the bar is wiped away at the end.
 */
#ifndef NCQSIM_FRONTEND_PROGRESS_H
#define NCQSIM_FRONTEND_PROGRESS_H

#include "sim/core/types.h"

enum progress_mode {
	PROGRESS_AUTO, /* a bar on a terminal, else nothing */
	PROGRESS_PLAIN,
	PROGRESS_NONE,
	PROGRESS_JSON, /* of a sweep: JSON Lines */
};

struct progress {
	enum progress_mode mode;
	bool drawn;
	int64_t start_ns; /* of the wall clock */
	int64_t last_ns;
	uint64_t last_done;
};

/* How far the run is. */
struct progress_state {
	uint32_t ppm; /* done, in millionths; 0 when not known */
	nsec_t simulated_ns;
	uint64_t requests;
};

void
progress_start(struct progress *progress, enum progress_mode mode, bool quiet);

/* Cheap when it is too early to draw again. */
void
progress_show(struct progress *progress, const struct progress_state *state);
void progress_end(struct progress *progress);

#endif
