/* SPDX-License-Identifier: MIT */
#include "sim/core/hist.h"
#include "sim/core/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
test_buckets_tile_the_line(void **state)
{
	uint64_t next = 0;

	(void)state;
	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		uint64_t low = hist_bucket_low(i);
		uint64_t width = hist_bucket_width(i);

		assert_true(low == next);
		assert_int_equal(hist_bucket(low), i);
		assert_int_equal(hist_bucket(low + width - 1), i);
		assert_true(width == 1 || width * 128 <= low);
		next = low + width;
	}
	assert_true(next == (uint64_t)1 << HIST_MAX_BITS);
	assert_int_equal(hist_bucket(next), HIST_BUCKETS - 1);
	assert_int_equal(hist_bucket(UINT64_MAX), HIST_BUCKETS - 1);
}

static void
test_empty(void **state)
{
	static struct hist h;

	(void)state;
	hist_init(&h);
	assert_int_equal(hist_percentile(&h, 500000), 0);
	assert_int_equal(hist_mean(&h), 0);
	assert_int_equal(hist_stddev(&h), 0);
}

static void
test_small_values_are_exact(void **state)
{
	static struct hist h;

	(void)state;
	hist_init(&h);
	for (uint64_t v = 1; v <= 100; v++)
		hist_add(&h, v);
	assert_int_equal(hist_percentile(&h, 0), 1);
	assert_int_equal(hist_percentile(&h, 500000), 50);
	assert_int_equal(hist_percentile(&h, 500001), 51);
	assert_int_equal(hist_percentile(&h, 990000), 99);
	assert_int_equal(hist_percentile(&h, 999999), 100);
	assert_int_equal(hist_percentile(&h, 1000000), 100);
	assert_int_equal(hist_mean(&h), 50);
	assert_int_equal(hist_stddev(&h), 28); /* sqrt(833.25) */
}

static int
compare(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

static void
check_percentiles(const struct hist *h, const uint64_t *sorted, size_t n)
{
	for (uint32_t ppm = 1; ppm < 1000000; ppm += 997) {
		size_t rank = (size_t)ceill((long double)ppm * (long double)n /
					    1000000);
		double want = (double)sorted[rank - 1];
		double have = (double)hist_percentile(h, ppm);

		assert_true(fabs(have - want) <= want / 256 + .5);
	}
	assert_true(hist_percentile(h, 0) == sorted[0]);
	assert_true(hist_percentile(h, 1000000) == sorted[n - 1]);
}

static void
test_percentiles_and_merge(void **state)
{
	static struct hist whole, odd, even;
	size_t n = 20000;
	uint64_t *values = calloc(n, sizeof(*values));
	long double sum = 0, squares = 0, mean;
	struct rng rng;

	(void)state;
	assert_non_null(values);
	rng_init(&rng, 1, "hist");
	hist_init(&whole);
	hist_init(&odd);
	hist_init(&even);
	for (size_t i = 0; i < n; i++) {
		/* over all magnitudes that there are */
		values[i] = rng_next(&rng) >> (17 + rng_below(&rng, 40));
		hist_add(&whole, values[i]);
		hist_add(i % 2 ? &odd : &even, values[i]);
		sum += (long double)values[i];
	}
	mean = sum / (long double)n;
	for (size_t i = 0; i < n; i++)
		squares += ((long double)values[i] - mean) *
			   ((long double)values[i] - mean);
	qsort(values, n, sizeof(*values), compare);
	check_percentiles(&whole, values, n);
	assert_true(fabsl((long double)hist_mean(&whole) - mean) <= 1);
	assert_true(fabsl((long double)hist_stddev(&whole) -
			  sqrtl(squares / (long double)n)) <= 1);
	hist_merge(&odd, &even);
	assert_memory_equal(&odd, &whole, sizeof(whole));
	free(values);
}

static void
test_huge_values(void **state)
{
	static struct hist h;

	(void)state;
	hist_init(&h);
	for (int i = 0; i < 1000; i++)
		hist_add(&h, UINT64_MAX - 1);
	assert_true(hist_percentile(&h, 500000) == UINT64_MAX - 1);
	assert_true(hist_mean(&h) == UINT64_MAX - 1);
	assert_int_equal(hist_stddev(&h), 0);
}

static void
test_square_root(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, "root");
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(wide_sqrt(i), (uint64_t)sqrt((double)i));
	for (int i = 0; i < 1000; i++) {
		uint128_t x = (uint128_t)rng_next(&rng) << 64 | rng_next(&rng);
		uint128_t r;

		x >>= rng_below(&rng, 128);
		r = wide_sqrt(x);
		assert_true(r * r <= x);
		assert_true(r == UINT64_MAX || (r + 1) * (r + 1) > x);
	}
}

static void
test_reciprocals(void **state)
{
	static const uint64_t divisors[] = {
		2,    3,    4,     5,     7,         1000,
		2330, 4096, 65535, 65536, 999999937, (uint64_t)1 << 31,
	};
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, "reciprocal");
	for (size_t i = 0; i < ARRAY_LEN(divisors); i++) {
		uint64_t d = divisors[i], n_max = UINT64_MAX / d;
		struct reciprocal r;

		n_max -= d > 2 && n_max * d == UINT64_MAX;
		r = reciprocal_of(d, n_max);
		for (int k = 0; k < 3000; k++) {
			/* around multiples, where it would go wrong first */
			uint64_t q = (n_max >> rng_below(&rng, 60)) / d;
			uint64_t n = q * d + rng_below(&rng, 3) - (q > 0);

			if (n > n_max)
				n = n_max;
			assert_true(reciprocal_div(r, n) == n / d);
			assert_true(reciprocal_mod(r, n) == n % d);
		}
		assert_true(reciprocal_div(r, n_max) == n_max / d);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets_tile_the_line),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_small_values_are_exact),
		cmocka_unit_test(test_percentiles_and_merge),
		cmocka_unit_test(test_huge_values),
		cmocka_unit_test(test_square_root),
		cmocka_unit_test(test_reciprocals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
