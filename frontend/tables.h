/* SPDX-License-Identifier: MIT */
/*
 * Every option table there is, for help, manual and completion: those of a
 * configuration, and the tunables of each elevator.
 */
#ifndef NCQSIM_FRONTEND_TABLES_H
#define NCQSIM_FRONTEND_TABLES_H

#include "sim/ncqsim.h"

#define TABLES_MAX 64

struct tables {
	struct option_table table[TABLES_MAX];
	const char *elevator[TABLES_MAX]; /* whose tunables; else NULL */
	size_t count;
};

/* Fill @tables.  Returns 0 or a negative code. */
int tables_gather(struct tables *tables, struct err *e);

#endif
