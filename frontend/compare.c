/* SPDX-License-Identifier: MIT */
#include "frontend/compare.h"

#include <assert.h>

/* Walks up the quantiles of a histogram. */
struct walk {
	const struct hist *hist;
	uint32_t bucket;
	uint64_t below; /* values in buckets before this one */
};

/* The value at the rank i + 1/2 of COMPARE_QUANTILES, i not falling. */
static int64_t
walk_to(struct walk *w, uint32_t i)
{
	/* Twice the number of values below the quantile, times the number of
	 * quantiles: (2 i + 1) / 2Q of all. */
	uint128_t target = (uint128_t)(2 * i + 1) * w->hist->count;
	uint128_t scale = 2 * COMPARE_QUANTILES;
	uint64_t in_bucket, value;

	while ((uint128_t)(w->below + w->hist->buckets[w->bucket]) * scale <
	       target) {
		w->below += w->hist->buckets[w->bucket++];
		assert(w->bucket < HIST_BUCKETS);
	}
	in_bucket = w->hist->buckets[w->bucket];
	value = hist_bucket_low(w->bucket) +
		(uint64_t)((target - w->below * scale) *
			   hist_bucket_width(w->bucket) / (scale * in_bucket));
	if (value < w->hist->min)
		value = w->hist->min;
	if (value > w->hist->max)
		value = w->hist->max;
	return (int64_t)value;
}

static uint64_t
root_of(uint128_t n)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 63; bit; bit >>= 1)
		if ((uint128_t)(root | bit) * (root | bit) <= n)
			root |= bit;
	return root;
}

uint64_t
compare_demerit(const struct hist *a, const struct hist *b)
{
	struct walk wa = { a, 0, 0 }, wb = { b, 0, 0 };
	uint128_t sum = 0;

	assert(a->count && b->count);
	for (uint32_t i = 0; i < COMPARE_QUANTILES; i++) {
		int64_t d = walk_to(&wa, i) - walk_to(&wb, i);

		sum += (uint128_t)((int128_t)d * d);
	}
	return root_of(sum / COMPARE_QUANTILES);
}
