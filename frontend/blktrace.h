/* SPDX-License-Identifier: MIT */
/*
 * A probe that writes the run as a blktrace, for blkparse, btt and
 * iowatcher.
 */
#ifndef NCQSIM_FRONTEND_BLKTRACE_H
#define NCQSIM_FRONTEND_BLKTRACE_H

#include "sim/core/err.h"
#include "sim/probe.h"
#include "traces/blktrace_write.h"

/* Looks up a process name; NULL when it has none. */
typedef const char *blktrace_name_fn(void *ctx, uint32_t pid);

struct blktrace_file {
	struct probe probe;
	struct blktrace_writer *writer; /* NULL when closed */
	blktrace_name_fn *name;
	void *ctx;
	uint32_t device; /* major << 20 | minor */
	uint32_t last_pid;
	int failed; /* the first error of an event */
	struct err err;
};

/*
 * Start PREFIX.blktrace.0; the caller has set name, ctx and device, and
 * attaches the probe.
 */
int blktrace_file_start(struct blktrace_file *file, const char *prefix,
			struct err *e);

/* The file appears, whole.  ERR_OUTPUT when any write failed. */
int blktrace_file_commit(struct blktrace_file *file, struct err *e);

/* Leave nothing behind.  Nothing happens to a closed file. */
void blktrace_file_discard(struct blktrace_file *file);

#endif
