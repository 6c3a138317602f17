/* SPDX-License-Identifier: MIT */
/*
 * A probe that writes one line for each completed request, as CSV or as
 * JSON Lines.
 */
#ifndef NCQSIM_FRONTEND_REQUESTS_H
#define NCQSIM_FRONTEND_REQUESTS_H

#include "frontend/output.h"
#include "sim/probe.h"

struct requests_file {
	struct probe probe;
	struct output out;
	bool is_json;
};

/*
 * Create @path; the name's end decides the format: .csv or .jsonl, anything
 * else is ERR_CONFIG.  End it with output_commit() or output_discard().
 */
int requests_open(struct requests_file *file, const char *path, struct err *e);

#endif
