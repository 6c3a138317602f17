/* SPDX-License-Identifier: MIT */
/*
 * The result of a run: gathered once into plain numbers, then written in one
 * of four formats, each a file of its own (report_FORMAT.c).
 */
#ifndef NCQSIM_FRONTEND_REPORT_H
#define NCQSIM_FRONTEND_REPORT_H

#include "frontend/cli.h"
#include "frontend/compare.h"
#include "sim/core/hist.h"
#include "sim/ncqsim.h"
#include "sim/stats.h"

#include <stdio.h>

#define REPORT_SCHEMA         "ncqsim-run"
#define REPORT_SCHEMA_VERSION 1

enum report_format {
	REPORT_HUMAN,
	REPORT_JSON,
	REPORT_CSV,
	REPORT_MD,
};

/* A distribution of durations. */
struct report_latency {
	uint64_t count;
	nsec_t min_ns, mean_ns, stddev_ns;
	nsec_t p50_ns, p90_ns, p95_ns, p99_ns, p999_ns;
	nsec_t max_ns;
};

/* Its figures in order, for writers that walk through them. */
struct report_figure {
	const char *name; /* "p50" */
	size_t offset;    /* in struct report_latency */
};
#define REPORT_FIGURES 9
extern const struct report_figure report_figures[REPORT_FIGURES];

static inline nsec_t
report_figure_ns(const struct report_latency *l, size_t i)
{
	return *(const nsec_t *)(const void *)((const char *)l +
					       report_figures[i].offset);
}

/* One line of the latency table: everything, an operation or a process. */
enum report_group {
	REPORT_ALL,
	REPORT_OP,
	REPORT_PROCESS,
};

struct report_row {
	enum report_group group;
	char name[64]; /* "read", "fio[1234]" */
	uint64_t sectors;
	struct report_latency q2c;
};

struct report {
	const struct cli_line *line; /* the command, to be repeated */
	const struct ncqsim_config *config;
	const char *input; /* in a few words, for people: "untar" */
	const char *stack; /* "elevator noop, queue depth 31, ..." */
	const char *load;  /* "timed, from Q" */
	uint64_t input_hash;
	uint64_t damaged; /* places of the input left out */
	bool complete;    /* false when a signal stopped the run */
	bool open_loop;
	struct ncqsim_totals totals;
	struct ncqsim_drive_info drive;
	struct stats_requests requests;
	nsec_t elapsed_ns; /* first Q to last C */
	nsec_t idle_ns;    /* of the drive in that time */
	uint64_t merges;
	nsec_t q2d_mean_ns, d2c_mean_ns, q2c_mean_ns; /* over bios, as btt */
	struct report_latency d2c;                    /* over requests */
	struct report_row *rows; /* owned: all, operations, processes */
	size_t row_count;
	const struct compare *compare; /* NULL without --compare */
};

/* Looks up a process name; NULL when it has none. */
typedef const char *report_name_fn(void *ctx, uint32_t pid);

/*
 * Fill the parts of @report that follow from the run.  The caller has set
 * what it knows better, and frees with report_free().
 */
int report_gather(struct report *report, const struct ncqsim *sim,
		  const struct stats *stats, report_name_fn *name, void *ctx,
		  struct err *e);
void report_free(struct report *report);

/* All of the drive's time that the shares of its parts are of. */
nsec_t report_drive_ns(const struct report *report);

/* Did the backlog of an open-loop run grow to the end? */
bool report_is_saturated(const struct report *report);

struct report_latency report_latency_of(const struct hist *hist);

/* Per second, in thousandths. */
uint64_t report_milli_iops(const struct report *report, uint64_t count);
uint64_t report_milli_mibps(const struct report *report, uint64_t sectors);

void report_write_human(FILE *out, const struct report *report);
int report_write_json(FILE *out, const struct report *report);
struct json;

/* The same object as an element of an array. */
void report_put_json(struct json *json, const struct report *report);
/* "command": what "ncqsim run RESULT.json" reads back. */
void report_put_command(struct json *json, const struct cli_line *line);
void report_write_csv(FILE *out, const struct report *report);
void report_write_md(FILE *out, const struct report *report);

#endif
