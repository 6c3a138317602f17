/* SPDX-License-Identifier: MIT */
/*
 * What "ncqsim run" was asked for; the options of cmd_run.c fill it.
 */
#ifndef NCQSIM_FRONTEND_RUN_H
#define NCQSIM_FRONTEND_RUN_H

#include "frontend/cli.h"
#include "sim/ncqsim.h"

enum run_from {
	RUN_FROM_QUEUE, /* Q: what was queued */
	RUN_FROM_ISSUE, /* D: what was issued, merged and ordered already */
};

struct run_args {
	/* the machine */
	const char *drive;
	const char *elevator;
	const char *firmware;
	const char *queue_depth;
	struct cli_list set;
	/* the load */
	int from;   /* enum run_from */
	int replay; /* enum ncqsim_replay */
	bool measured_clock;
	const char *depth;
	const char *speed;
	int beyond; /* enum ncqsim_beyond */
	const char *device;
	const char *format;
	const char *columns;
	const char *time_unit;
	const char *workload;
	bool lenient;
	/* the result */
	bool compare;
	int output; /* enum report_format */
	const char *file;
	const char *requests;
	const char *blktrace;
	int progress; /* enum progress_mode */
	bool quiet;
};

extern const char *const run_beyond_names[];
extern const char *const run_replay_names[];

/*
 * Apply the options of @line to @cfg, defaults included; what is taken by
 * default is marked as given, so that a result names it.
 */
int
run_configure(struct cli_line *line, struct ncqsim_config *cfg, struct err *e);

struct load;
struct records;

/*
 * Records without times can only be replayed one after the other; those of a
 * process that waited for each keep their distance from completions.
 */
int run_choose_replay(struct cli_line *line, const struct load *load,
		      struct err *e);

/* --beyond scale needs to know how large the traced device was; @records
 * knows without reading the trace again, and may be NULL. */
int run_set_span(const struct cli_line *line, struct ncqsim_config *cfg,
		 const struct records *records, struct err *e);

/* The machine and the load in a line each, for people. */
struct run_texts {
	char stack[192];
	char load[128];
};
void
run_describe(const struct run_args *args, const struct ncqsim_config *cfg,
	     const struct ncqsim_drive_info *drive, struct run_texts *texts);

#endif
