/* SPDX-License-Identifier: MIT */
#include "sim/core/hist.h"

#include <assert.h>
#include <string.h>

void
hist_init(struct hist *hist)
{
	memset(hist, 0, sizeof(*hist));
	hist->min = UINT64_MAX;
}

static uint32_t
bucket_shift(uint32_t bucket)
{
	return bucket < HIST_SUB ? 0 : bucket / HIST_SUB - 1;
}

uint64_t
hist_bucket_low(uint32_t bucket)
{
	uint32_t shift = bucket_shift(bucket);

	assert(bucket < HIST_BUCKETS);
	return (uint64_t)(bucket - shift * HIST_SUB) << shift;
}

uint64_t
hist_bucket_width(uint32_t bucket)
{
	assert(bucket < HIST_BUCKETS);
	return (uint64_t)1 << bucket_shift(bucket);
}

void
hist_merge(struct hist *to, const struct hist *from)
{
	to->count += from->count;
	to->sum += from->sum;
	to->sum_squares += from->sum_squares;
	if (from->min < to->min)
		to->min = from->min;
	if (from->max > to->max)
		to->max = from->max;
	for (uint32_t i = 0; i < HIST_BUCKETS; i++)
		to->buckets[i] += from->buckets[i];
}

/* The bucket that holds the value of @rank, counted from 1. */
static uint32_t
find_rank(const struct hist *hist, uint64_t rank)
{
	uint64_t seen = 0;

	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		seen += hist->buckets[i];
		if (seen >= rank)
			return i;
	}
	assert(seen >= rank);
	return HIST_BUCKETS - 1;
}

uint64_t
hist_percentile(const struct hist *hist, uint32_t ppm)
{
	uint64_t rank, middle;
	uint32_t bucket;

	assert(ppm <= 1000000);
	if (hist->count == 0)
		return 0;
	rank = (uint64_t)(((uint128_t)hist->count * ppm + 999999) / 1000000);
	if (rank <= 1)
		return hist->min;
	if (rank == hist->count)
		return hist->max;
	bucket = find_rank(hist, rank);
	middle = hist_bucket_low(bucket) + hist_bucket_width(bucket) / 2;
	if (middle < hist->min)
		return hist->min;
	return middle > hist->max ? hist->max : middle;
}

uint64_t
hist_mean(const struct hist *hist)
{
	return hist->count ? (uint64_t)(hist->sum / hist->count) : 0;
}

uint64_t
hist_stddev(const struct hist *hist)
{
	uint64_t n = hist->count, whole, part;
	uint128_t squares, mean_square;

	if (n == 0)
		return 0;
	/* mean = whole + part / n; its square without the 256-bit product */
	whole = (uint64_t)(hist->sum / n);
	part = (uint64_t)(hist->sum % n);
	squares = hist->sum_squares / n;
	mean_square = (uint128_t)whole * whole +
		      2 * ((uint128_t)whole * part / n) +
		      (uint128_t)part * part / n / n;
	return squares > mean_square ? wide_sqrt(squares - mean_square) : 0;
}
