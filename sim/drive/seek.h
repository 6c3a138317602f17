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

#include <string.h>

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
	bool restart_as_seek;   /* see seek_start_ns() */
	int64_t aam_percent;    /* 100 = fastest; 200 = twice as slow */
};

/*
 * The table is compact, so that a random seek does not miss the cache.  A
 * bucket begins at each distance below SEEK_EXACT; above, an octave of
 * distance + SEEK_EXACT has SEEK_EXACT buckets, whose index and fraction are
 * the bits of that number as a float, and within which time rises evenly.
 */
#define SEEK_EXACT         1024u
#define SEEK_FRACTION_BITS 13 /* of a float, below 10 bits of index */

struct seek_bucket {
	int32_t base_ns; /* at its first distance */
	int32_t rise_ns; /* to the first distance of the next */
};

struct seek_curve {
	const struct seek_bucket *reads;
	const struct seek_bucket *writes; /* with the write settle */
	uint32_t cylinders;
	int32_t head_switch_ns;
	int32_t write_head_switch_ns;
	int32_t start_ns[2][2]; /* by write and other head */
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

/* Mean read seek over all ordered pairs of different cylinders. */
nsec_t seek_mean_ns(const struct seek_curve *curve);

/*
 * Buckets for distances below @cylinders, the distance at which bucket @i
 * begins, and making them from the times at these distances and the last.
 */
size_t seek_bucket_count(uint32_t cylinders);
uint32_t seek_bucket_start(size_t i);
void seek_buckets_make(const int32_t *ns, uint32_t cylinders,
		       struct seek_bucket *buckets);

/* Index of a distance's bucket in the upper bits, its fraction below. */
static inline uint32_t
seek_bucket_bits(uint32_t distance_cyl)
{
	const uint32_t one = 0x44800000; /* the bits of 1024.0f */
	float f = (float)(int32_t)(distance_cyl + SEEK_EXACT);
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits - one;
}

static inline nsec_t
seek_bucket_ns(const struct seek_bucket *buckets, uint32_t distance_cyl)
{
	uint32_t bits = seek_bucket_bits(distance_cyl);
	const struct seek_bucket *b = &buckets[bits >> SEEK_FRACTION_BITS];
	int64_t fraction = bits & ((1u << SEEK_FRACTION_BITS) - 1);

	return b->base_ns + (b->rise_ns * fraction >> SEEK_FRACTION_BITS);
}

/* Time to be ready on another track: a seek covers a head switch. */
static inline nsec_t
seek_time_ns(const struct seek_curve *curve, uint32_t distance_cyl,
	     bool other_head, bool write)
{
	if (distance_cyl)
		return seek_bucket_ns(write ? curve->writes : curve->reads,
				      distance_cyl);
	if (other_head)
		return write ? curve->write_head_switch_ns
			     : curve->head_switch_ns;
	return 0;
}

/*
 * The same for a command that begins, not one that streams on.  With
 * restart_as_seek its head must settle as after a seek of one cylinder: on
 * another head of the same cylinder, and for a write on any.
 */
static inline nsec_t
seek_start_ns(const struct seek_curve *curve, uint32_t distance_cyl,
	      bool other_head, bool write)
{
	if (distance_cyl)
		return seek_bucket_ns(write ? curve->writes : curve->reads,
				      distance_cyl);
	return curve->start_ns[write][other_head];
}

#endif
