/* SPDX-License-Identifier: MIT */
/*
 * Statistics of a run, gathered by a probe: latencies by process and
 * operation, how the drive's time divides, queue depths, reordering.
 *
 * Everything is kept in integers.  A bio costs one histogram entry in the
 * cell of its (process, operation); totals by operation are merged from the
 * cells when asked for.  Memory is bounded: STATS_PROCESSES processes have
 * cells of their own, the ones after them share the last.
 */
#ifndef NCQSIM_STATS_H
#define NCQSIM_STATS_H

#include "sim/core/err.h"
#include "sim/core/hist.h"
#include "sim/core/types.h"
#include "sim/probe.h"

#define STATS_OPS       4    /* enum io_op */
#define STATS_ANY       (-1) /* every operation, or every process */
#define STATS_PROCESSES 64
#define STATS_DEPTHS    65         /* the last: this depth and more */
#define STATS_OTHERS    UINT32_MAX /* pid of the shared cell */

/* What was counted of the requests that completed. */
struct stats_requests {
	uint64_t count;
	uint64_t bios;    /* merged into them */
	uint64_t errors;  /* status other than 0 */
	uint64_t media;   /* reads and writes by an access of their own */
	uint64_t hits;    /* reads from the buffer */
	uint64_t streams; /* reads that the look-ahead brought */
	uint64_t kept;    /* writes kept in the buffer */
	uint64_t seeks;   /* commands that moved the arm */
	uint64_t passing; /* commands that passed older ones */
	uint64_t passed;  /* older ones passed, all together */

	/* Sum of D2C, a request counted once for each of its bios, as btt
	 * does. */
	nsec_t bio_d2c_ns;

	/* Sums of the parts of struct probe_access, and of them all. */
	nsec_t overhead_ns, seek_ns, switch_ns, rotate_ns, transfer_ns;
	nsec_t busy_ns;
	uint64_t seek_cyl;

	nsec_t oldest_wait_ns;        /* longest arrived_ns to started_ns */
	uint64_t depth[STATS_DEPTHS]; /* commands by the depth they met */
};

/* A run's extent: what the whole-run rates are relative to. */
struct stats_span {
	nsec_t first_ns; /* earliest Q of a completed bio */
	nsec_t last_ns;  /* latest C */
};

/* One line of a latency table, of the bios chosen. */
struct stats_bios {
	uint64_t sectors;       /* moved; discarded ones only in the line of
				 * discards alone */
	struct hist latency_ns; /* Q2C; its count is that of the bios */
};

struct stats;

/* The caller frees with stats_free().  NULL when memory is out. */
struct stats *stats_create(struct err *e);
void stats_free(struct stats *stats);

/* The probe to attach; it is part of @stats. */
struct probe *stats_probe(struct stats *stats);

struct stats_requests stats_get_requests(const struct stats *stats);
struct stats_span stats_get_span(const struct stats *stats);

/* D2C of each request of operation @op, or STATS_ANY. */
void stats_gather_d2c(const struct stats *stats, int op, struct hist *out);

/* Number of processes that have cells, and the pid of each, as they came. */
size_t stats_process_count(const struct stats *stats);
uint32_t stats_process_pid(const struct stats *stats, size_t process);

/* Bios of a process, without merging any histogram. */
uint64_t stats_process_bios(const struct stats *stats, size_t process);

/*
 * Gather the cells of operation @op of process @process (its index), either
 * of which may be STATS_ANY, into @out.
 */
void stats_gather(const struct stats *stats, int process, int op,
		  struct stats_bios *out);

/* Memory ran out during the run, so that some bios are missing. */
bool stats_is_short(const struct stats *stats);

#endif
