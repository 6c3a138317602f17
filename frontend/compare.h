/* SPDX-License-Identifier: MIT */
/*
 * How far a simulated distribution of service times is from the recorded
 * one: the demerit of Ruemmler and Wilkes (IEEE Computer, March 1994), the
 * root mean square of the horizontal distance of the two cumulative curves,
 * here at 10 000 quantiles.
 */
#ifndef NCQSIM_FRONTEND_COMPARE_H
#define NCQSIM_FRONTEND_COMPARE_H

#include "sim/core/hist.h"

#define COMPARE_QUANTILES 10000

/*
 * Root mean square of Q_a(p) - Q_b(p) over p = (i + 1/2) / 10 000, in the
 * unit of the histograms; inside a bucket values are taken as evenly
 * spread.  Neither histogram is empty.
 */
uint64_t compare_demerit(const struct hist *a, const struct hist *b);

/* One recorded distribution beside the simulated one. */
struct compare_pair {
	const char *name; /* "D2C" */
	const struct hist *recorded;
	const struct hist *simulated;
	uint64_t demerit_ns; /* 0 when either is empty */
};

#define COMPARE_PAIRS 2
struct compare {
	struct compare_pair pair[COMPARE_PAIRS];
};

#endif
