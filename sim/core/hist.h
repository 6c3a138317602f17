/* SPDX-License-Identifier: MIT */
/*
 * Log-linear histogram of durations or sizes.
 *
 * Values below 128 have a bucket each; every octave above is divided into
 * 128 equal buckets, so a percentile is within 1/256 (0.4 %) of the exact
 * one.  Minimum, maximum, count, sum and sum of squares are exact.
 */
#ifndef NCQSIM_CORE_HIST_H
#define NCQSIM_CORE_HIST_H

#include "sim/core/types.h"
#include "sim/core/wide.h"

#define HIST_SUB_BITS 7
#define HIST_SUB      (1u << HIST_SUB_BITS)
/* Values from 2^48 on (78 hours of nanoseconds) share the last bucket. */
#define HIST_MAX_BITS 48
#define HIST_BUCKETS  ((HIST_MAX_BITS - HIST_SUB_BITS + 1) * HIST_SUB)

struct hist {
	uint64_t count;
	uint64_t min; /* UINT64_MAX while empty */
	uint64_t max;
	uint128_t sum;
	uint128_t sum_squares;
	uint64_t buckets[HIST_BUCKETS]; /* 43 kB */
};

void hist_init(struct hist *hist);

static inline uint32_t
hist_bucket(uint64_t value)
{
	uint32_t shift;

	if (unlikely(value >> HIST_MAX_BITS))
		return HIST_BUCKETS - 1;
	shift = 63u - (uint32_t)__builtin_clzll(value | HIST_SUB) -
		HIST_SUB_BITS;
	return shift * HIST_SUB + (uint32_t)(value >> shift);
}

static inline void
hist_add(struct hist *hist, uint64_t value)
{
	hist->count++;
	hist->sum += value;
	hist->sum_squares += (uint128_t)value * value;
	if (value < hist->min)
		hist->min = value;
	if (value > hist->max)
		hist->max = value;
	hist->buckets[hist_bucket(value)]++;
}

/* The smallest value of a bucket, and how many values share it. */
uint64_t hist_bucket_low(uint32_t bucket);
uint64_t hist_bucket_width(uint32_t bucket);

/* Add everything in @from to @to. */
void hist_merge(struct hist *to, const struct hist *from);

/*
 * The value at or below which @ppm millionths of all values lie (nearest
 * rank: 500000 is the median, 999000 the 99.9th percentile), as the middle
 * of its bucket, within [min, max].  0 when empty; ppm 0 is the minimum.
 */
uint64_t hist_percentile(const struct hist *hist, uint32_t ppm);

/* Mean and standard deviation (of the population), rounded down; 0 if empty. */
uint64_t hist_mean(const struct hist *hist);
uint64_t hist_stddev(const struct hist *hist);

#endif
