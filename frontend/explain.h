/* SPDX-License-Identifier: MIT */
/*
 * One decision of the drive's firmware and what came of it, for people and
 * as JSON.
 */
#ifndef NCQSIM_FRONTEND_EXPLAIN_H
#define NCQSIM_FRONTEND_EXPLAIN_H

#include "sim/ncqsim.h"

#include <stdio.h>

#define EXPLAIN_SCHEMA         "ncqsim-explain"
#define EXPLAIN_SCHEMA_VERSION 1

struct explanation {
	const char *input; /* "untar" */
	const char *drive; /* its model */
	const char *stack; /* "elevator noop, queue depth 31, ..." */
	const struct probe_decision *decision;
	const struct probe_request *request; /* the chosen one, completed */
};

void explain_write_human(FILE *out, const struct explanation *x);

/* Returns 0 or a negative code: writing failed. */
int explain_write_json(FILE *out, const struct explanation *x);

#endif
