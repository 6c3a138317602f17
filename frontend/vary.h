/* SPDX-License-Identifier: MIT */
/*
 * What a sweep varies: "--vary KEY=VALUES".  VALUES is a comma list whose
 * parts are values or ranges, both ends included:
 *
 *	1..32		1 2 3 ... 32
 *	0..100+25	0 25 50 75 100
 *	1..32*2		1 2 4 8 16 32
 *	4k..64k*2	4k 8k ... 64k: a unit after both ends
 *
 * Numbers may have up to six decimals.  Values of drive, elevator and
 * firmware are names, with tunables as in spec_list.h, or "all".
 */
#ifndef NCQSIM_FRONTEND_VARY_H
#define NCQSIM_FRONTEND_VARY_H

#include "frontend/run.h"

#define VARY_AXES_MAX   8
#define VARY_VALUES_MAX 100000 /* of one axis */

struct vary_axis {
	char key[64];           /* "queue_depth", "cache.segments" */
	struct cli_list values; /* owned texts */
};

struct vary {
	struct vary_axis axis[VARY_AXES_MAX];
	size_t axes;
	bool zip;      /* the i-th values of all axes together */
	size_t combos; /* of values */
};

/* Read every --vary.  @args tells the kernel for "elevator=all". */
int vary_parse(struct vary *vary, const struct cli_list *texts, bool zip,
	       const struct run_args *args, struct err *e);
void vary_free(struct vary *vary);

/* The value of @axis in @combo; the last axis changes fastest. */
const char *vary_value(const struct vary *vary, size_t axis, size_t combo);

#endif
