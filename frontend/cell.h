/* SPDX-License-Identifier: MIT */
/*
 * One simulation among several of the same command: the command line with a
 * few options replaced, its configuration, its run and its report.  Cells
 * share nothing but what is const, so each may run in a thread of its own.
 */
#ifndef NCQSIM_FRONTEND_CELL_H
#define NCQSIM_FRONTEND_CELL_H

#include "frontend/figures.h"
#include "frontend/load.h"
#include "frontend/run.h"

struct cell {
	struct cli_line line; /* its args are the ones below */
	struct run_args args;
	struct cli_list pairs; /* texts of --set that cell_set() made; owned */
	char *workload;        /* owned; NULL unless it was changed */
	struct ncqsim_config *cfg;
	struct load load;
	struct ncqsim *sim;
	struct stats *stats;
	struct report report;
	struct run_texts texts;
};

/* Asked between pieces of a run; not false: stop, incomplete. */
typedef bool cell_stop_fn(void *ctx, const struct cell *cell);

/* A copy of @line, whose args begin with a struct run_args. */
int cell_init(struct cell *cell, const struct cli_line *line, struct err *e);

/*
 * Replace one thing: @key is the name of an option of run that decides the
 * result ("queue-depth", also with "_"), a key of the configuration
 * ("cache.segments") or a word of the workload ("workload.bs").  The texts
 * must outlive the cell.  ERR_CONFIG for an unknown key.
 */
int
cell_set(struct cell *cell, const char *key, const char *value, struct err *e);

/* Build the configuration.  @records may be NULL. */
int
cell_configure(struct cell *cell, const struct records *records, struct err *e);

/* Simulate and gather the report. */
int cell_run(struct cell *cell, const struct records *records,
	     cell_stop_fn *stop, void *ctx, struct err *e);

void cell_free(struct cell *cell);

#endif
