/* SPDX-License-Identifier: MIT */
/*
 * Where a run's records come from: a trace or a one-line workload, seen
 * through a source that hashes what the machine takes and applies --speed.
 */
#ifndef NCQSIM_FRONTEND_LOAD_H
#define NCQSIM_FRONTEND_LOAD_H

#include "frontend/records.h"
#include "frontend/run.h"
#include "sim/core/hist.h"
#include "sim/core/io.h"
#include "traces/workload.h"

struct load_trace; /* what a trace needs besides */

struct load {
	struct io_source source; /* feed this */
	struct io_source *inner;
	struct load_trace *trace;     /* NULL for a workload */
	struct records_cursor shared; /* .records NULL unless from memory */
	struct workload workload;
	uint64_t speed_milli; /* 1000: as recorded */
	uint64_t records;     /* handed out */
	uint64_t hash;
	char title[128]; /* for people */
};

/*
 * Understand what @line names, without opening it: ERR_CONFIG when it is
 * not one workload or at least one trace.
 */
int load_init(struct load *load, const struct cli_line *line, struct err *e);

/* A workload without arrival times can only run in a closed loop. */
bool load_has_times(const struct load *load);

/* A trace of one process that waited for each request, by its format. */
bool load_has_think(const struct cli_line *line);

/*
 * The sectors of the device that a trace was taken on, as far as its
 * records show, by reading it once: for --beyond scale.
 */
int load_span(const struct cli_line *line, uint64_t *sectors, struct err *e);

int load_open(struct load *load, const struct cli_line *line,
	      sector_t drive_sectors, struct err *e);

/* Replay what was read before, instead of opening the trace. */
void load_share(struct load *load, const struct records *records);

void load_close(struct load *load);

/* The input hash with @rec added, as the machine took it. */
uint64_t load_hash(uint64_t hash, const struct io_record *rec);

/* How much was read, in millionths; 0 when that cannot be known. */
uint32_t load_ppm(const struct load *load);

/* Is @path one of the files the trace is read from? */
bool load_reads(const struct load *load, const char *path);

/* The device replayed, major << 20 | minor; a workload's is 8,0. */
uint32_t load_device(const struct load *load);

/* The name of a process, or NULL.  The context is a struct load. */
const char *load_process_name(void *ctx, uint32_t pid);

/* Places of a damaged trace that were left out. */
uint64_t load_damaged(const struct load *load);

/* Print what the reader noticed, one line each, on standard error. */
void load_print_warnings(const struct load *load);

/* Recorded times of a trace, for --compare; not of a workload. */
const struct hist *load_recorded_q2c(const struct load *load);
const struct hist *load_recorded_d2c(const struct load *load);

#endif
