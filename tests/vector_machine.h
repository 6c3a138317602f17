/* SPDX-License-Identifier: MIT */
/*
 * The machine of the elevator vectors: the block layer, processes that
 * follow a script, a driver and a disk that serves in the order of arrival.
 */
#ifndef NCQSIM_TESTS_VECTOR_MACHINE_H
#define NCQSIM_TESTS_VECTOR_MACHINE_H

#include "sim/host/blk.h"

/* Texts of whole lines, each ended by a newline. */
struct machine_result {
	char *output; /* D and C lines, the format of a .out file */
	char *events; /* everything that happened */
	/* How many event lines there were when output line i was written. */
	size_t *events_at;
	size_t lines;
};

/*
 * Run the script @in, the text of a .in file.  0, or a negative code with @e
 * filled; free the result with machine_result_free().
 */
int machine_run(const char *in, enum host_era era, struct machine_result *r,
		struct err *e);
void machine_result_free(struct machine_result *r);

/* How many event lines come before output line @line, counted from 1. */
size_t machine_events_before(const struct machine_result *r, unsigned line);

#endif
