/* SPDX-License-Identifier: MIT */
/*
 * Seek time by distance in cylinders, as a table of whole nanoseconds.
 *
 * A drive file gives one of
 *  1. a measured table of distance and time with linear interpolation
 *     (rounded to the nearest nanosecond; held before the first point, the
 *     last slope continued after the last);
 *  2. the curve of Ruemmler and Wilkes (IEEE Computer, March 1994):
 *     a + b*sqrt(d) below a break, c + e*d from there on;
 *  3. a, b and the break as above, and the average: the straight part
 *     begins where the root ends and meets the average;
 *  4. a data sheet's single cylinder, average and full stroke: a root up
 *     to the break (a quarter of the stroke unless given), then a straight
 *     line, continuous, through all three.
 * On top of it short_ms gives the shortest distances, and single_ns one
 * cylinder alone.  The average is the mean over all pairs of cylinders.
 *
 * A time includes the settling for a read; writes add their own settle, or
 * have a table.  Acoustic management scales what is above the
 * single-cylinder time.  Everything is computed in integers.
 */
#ifndef NCQSIM_DRIVE_SEEK_H
#define NCQSIM_DRIVE_SEEK_H

#include "sim/core/err.h"
#include "sim/core/option.h"
#include "sim/core/types.h"

/* [seek] of a drive file; lists hold distance, time pairs; 0 = not given. */
struct seek_config {
	struct option_list table_ms;       /* d ms d ms ...: the whole curve */
	struct option_list write_table_ms; /* for writes, when they differ */
	struct option_list short_ms;       /* overrides the shortest ones */
	nsec_t single_ns;                  /* one cylinder, read */
	nsec_t average_ns; /* mean over all pairs of cylinders, read */
	nsec_t full_ns;    /* full stroke, read */
	nsec_t short_a_ns; /* a of a + b*sqrt(d) */
	nsec_t short_b_ns;
	nsec_t long_c_ns;       /* c of c + e*d */
	int64_t long_e_ps;      /* e in picoseconds a cylinder */
	int64_t break_cyl;      /* first distance of the straight part */
	nsec_t write_settle_ns; /* a write's settle beyond a read's */
	nsec_t head_switch_ns;  /* to another head, same cylinder */
	int64_t aam_percent;    /* 100 = fastest; 200 = twice as slow */
};

struct seek_curve {
	const int32_t *read_ns;  /* by distance, 0 .. cylinders - 1 */
	const int32_t *write_ns; /* with the write settle */
	uint32_t cylinders;
	int32_t head_switch_ns;
	int32_t write_head_switch_ns;
};

/*
 * Build the tables for a drive of @cylinders cylinders.  Curves (not tables,
 * which are as measured) that fall, times that are not above zero or exceed
 * 2 s, and averages that no curve with the given ends can have, are
 * ERR_CONFIG.  Where the average is given the mean equals it within 0.1 %.
 */
int seek_create(const struct seek_config *config, uint32_t cylinders,
		struct seek_curve **out, struct err *e);
void seek_free(struct seek_curve *curve);

/* Mean of read_ns over all ordered pairs of different cylinders. */
nsec_t seek_mean_ns(const struct seek_curve *curve);

/* Time to be ready on another track: a seek covers a head switch. */
static inline nsec_t
seek_time_ns(const struct seek_curve *curve, uint32_t distance_cyl,
	     bool other_head, bool write)
{
	if (distance_cyl)
		return write ? curve->write_ns[distance_cyl]
			     : curve->read_ns[distance_cyl];
	if (other_head)
		return write ? curve->write_head_switch_ns
			     : curve->head_switch_ns;
	return 0;
}

#endif
