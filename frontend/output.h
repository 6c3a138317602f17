/* SPDX-License-Identifier: MIT */
/*
 * Files that appear whole or not at all: written under a temporary name in
 * the same folder and renamed at the end.  What is no regular file (a pipe,
 * /dev/null, /dev/full) is written directly.
 */
#ifndef NCQSIM_FRONTEND_OUTPUT_H
#define NCQSIM_FRONTEND_OUTPUT_H

#include "sim/core/err.h"
#include "sim/core/json.h"
#include "sim/core/types.h"

#include <stdio.h>

struct output {
	FILE *file;
	const char *path; /* as given; NULL for standard output */
	char *temporary;  /* NULL when written directly */
};

/* Open @path, or standard output for NULL and "-".  0 or ERR_OUTPUT. */
int output_open(struct output *out, const char *path, struct err *e);

/*
 * Everything was written: flush, check, rename.  ERR_OUTPUT when any write
 * failed; then the file that was there before is untouched.  The output is
 * closed either way.
 */
int output_commit(struct output *out, struct err *e);

/* Fill @e with the name and @error, an errno or 0; returns ERR_OUTPUT. */
int output_fail(const struct output *out, int error, struct err *e);

/* Throw away what was written.  Nothing happens to a closed output. */
void output_discard(struct output *out);

/* A sink for struct json; the context is a FILE. */
int output_json_sink(void *ctx, const char *data, size_t size);

#endif
