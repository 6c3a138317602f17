/* SPDX-License-Identifier: MIT */
/*
 * The plain numbers of a run that comparisons are made of, as integers, and
 * the table that names them for JSON, CSV, --metric and --assert.
 */
#ifndef NCQSIM_FRONTEND_FIGURES_H
#define NCQSIM_FRONTEND_FIGURES_H

#include "frontend/report.h"
#include "frontend/text.h"

enum figure {
	FIGURE_IOPS,
	FIGURE_MIBPS,
	FIGURE_MEAN,
	FIGURE_P50,
	FIGURE_P90,
	FIGURE_P95,
	FIGURE_P99,
	FIGURE_P999,
	FIGURE_MAX,
	FIGURE_Q2D_MEAN,
	FIGURE_D2C_MEAN,
	FIGURE_SEEK_MEAN,
	FIGURE_ROTATE_MEAN,
	FIGURE_BIOS,
	FIGURE_REQUESTS,
	FIGURE_MERGES,
	FIGURE_REORDERED,
	FIGURE_ELAPSED,
	FIGURE_IDLE,
	FIGURE_OLDEST_WAIT,
	FIGURE_ERRORS,
	FIGURE_SATURATED,
	FIGURES
};

struct figures {
	int64_t value[FIGURES];
};

struct figure_kind {
	const char *key;  /* "p99_ns", "iops" */
	const char *head; /* of a column, for people: "p99 ms" */
	const char *unit; /* "ns", "1/s", "" */
	uint32_t digits;  /* value / 10^digits is in .unit */
	int better;       /* 1: more is better; -1: less; 0: neither */
};

extern const struct figure_kind figure_kinds[FIGURES];

struct figures figures_of_report(const struct report *report);

/*
 * The figure called @name: a key, or a duration's key in another unit
 * (p99_ms, p99_us, p99_s).  @scale is what its value is divided by to be in
 * that unit.  Returns -1 with @e filled when there is none.
 */
int figure_find(const char *name, double *scale, struct err *e);

/* For people: durations in ms with three decimals, rates with one. */
struct text figure_text(enum figure figure, int64_t value);

/* Exact, in the unit of the kind: "397.421", "1405090000". */
struct text figure_exact(enum figure figure, int64_t value);

/* Is @a better than @b?  Never for a figure that is neither. */
bool figure_is_better(enum figure figure, int64_t a, int64_t b);

#endif
