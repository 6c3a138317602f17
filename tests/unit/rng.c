/* SPDX-License-Identifier: MIT */
#include "sim/core/hash.h"
#include "sim/core/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* First outputs of xoshiro256** from the state 1, 2, 3, 4. */
static void
test_reference_outputs(void **state)
{
	static const uint64_t want[] = {
		11520,
		0,
		1509978240,
		UINT64_C(1215971899390074240),
		UINT64_C(1216172134540287360),
		UINT64_C(607988272756665600),
		UINT64_C(16172922978634559625),
		UINT64_C(8476171486693032832),
		UINT64_C(10595114339597558777),
		UINT64_C(2904607092377533576),
	};
	struct rng rng = { { 1, 2, 3, 4 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_true(rng_next(&rng) == want[i]);
}

static void
test_streams_are_apart(void **state)
{
	struct rng a, b, c, again;

	(void)state;
	rng_init(&a, 7, "arrivals");
	rng_init(&b, 7, "errors");
	rng_init(&c, 8, "arrivals");
	rng_init(&again, 7, "arrivals");
	for (int i = 0; i < 1000; i++) {
		uint64_t x = rng_next(&a);

		assert_true(x != rng_next(&b));
		assert_true(x != rng_next(&c));
		assert_true(x == rng_next(&again));
	}
}

static void
test_below_is_even(void **state)
{
	uint32_t counts[7] = { 0 };
	struct rng rng;
	uint64_t large = UINT64_C(3) << 62, low = 0;

	(void)state;
	rng_init(&rng, 1, "below");
	for (int i = 0; i < 700000; i++)
		counts[rng_below(&rng, 7)]++;
	for (int i = 0; i < 7; i++) /* five standard deviations: 1464 */
		assert_in_range(counts[i], 100000 - 1464, 100000 + 1464);
	assert_int_equal(rng_below(&rng, 1), 0);
	/* a bound that throws a quarter away: a third lies below 2^62 */
	for (int i = 0; i < 30000; i++) {
		uint64_t x = rng_below(&rng, large);

		assert_true(x < large);
		low += x < UINT64_C(1) << 62;
	}
	assert_in_range(low, 10000 - 408, 10000 + 408);
}

static void
test_chance(void **state)
{
	struct rng rng;
	int hits = 0;

	(void)state;
	rng_init(&rng, 1, "chance");
	for (int i = 0; i < 100000; i++) {
		assert_false(rng_chance_ppm(&rng, 0));
		assert_true(rng_chance_ppm(&rng, 1000000));
		hits += rng_chance_ppm(&rng, 250000);
	}
	assert_in_range(hits, 25000 - 685, 25000 + 685);
}

static void
test_exponential_is_the_logarithm(void **state)
{
	const nsec_t mean_ns = INT64_C(1000000000000);
	long double sum = 0;
	struct rng rng, same;

	(void)state;
	rng_init(&rng, 1, "exponential");
	same = rng;
	for (int i = 0; i < 100000; i++) {
		long double u = (long double)rng_next(&same) * 0x1p-64L;
		long double want = -logl(u) * (long double)mean_ns;
		nsec_t have = rng_exponential_ns(&rng, mean_ns);

		assert_true(fabsl((long double)have - want) <= 3);
		sum += want;
	}
	assert_true(fabsl(sum / 100000 / (long double)mean_ns - 1) < .016);
	assert_int_equal(rng_exponential_ns(&rng, 0), 0);
}

static void
test_normal(void **state)
{
	double sum = 0, squares = 0, beyond = 0;
	struct rng rng;
	int n = 200000;

	(void)state;
	rng_init(&rng, 1, "normal");
	for (int i = 0; i < n; i++) {
		double x = (double)rng_normal_ns(&rng, 1000000) / 1e6;

		assert_true(fabs(x) <= 6);
		sum += x;
		squares += x * x;
		beyond += fabs(x) > 1.96;
	}
	assert_true(fabs(sum / n) < 5 / sqrt(n));
	assert_true(fabs(squares / n - 1) < 5 * sqrt(2.0 / n));
	assert_true(fabs(beyond / n - .05) < .005);
	assert_int_equal(rng_normal_ns(&rng, 0), 0);
}

static void
test_result_hash(void **state)
{
	uint64_t base = hash_add(HASH_INITIAL, 1000, 5, 2), a, b;

	(void)state;
	assert_true(base != hash_add(HASH_INITIAL, 1001, 5, 2));
	assert_true(base != hash_add(HASH_INITIAL, 1000, 6, 2));
	assert_true(base != hash_add(HASH_INITIAL, 1000, 5, 3));
	assert_true(base != hash_add(HASH_INITIAL, 1000, 6, 1));
	/* the order counts */
	a = hash_add(base, 2000, 7, 1);
	b = hash_add(hash_add(HASH_INITIAL, 2000, 7, 1), 1000, 5, 2);
	assert_true(a != b);
	/* every bit of an early value reaches about half the result */
	for (int bit = 0; bit < 62; bit++) {
		uint64_t x = hash_add(HASH_INITIAL, INT64_C(1) << bit, 0, 0);
		uint64_t y = hash_add(HASH_INITIAL, 0, 0, 0);
		int differ;

		for (int i = 0; i < 3; i++) {
			x = hash_add(x, i, 0, 0);
			y = hash_add(y, i, 0, 0);
		}
		differ = __builtin_popcountll(hash_final(x) ^ hash_final(y));
		assert_in_range(differ, 12, 52);
	}
	/* FNV-1a, from its authors' table */
	assert_true(hash_bytes("", 0) == UINT64_C(0xcbf29ce484222325));
	assert_true(hash_bytes("foobar", 6) == UINT64_C(0x85944171f73967e8));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reference_outputs),
		cmocka_unit_test(test_streams_are_apart),
		cmocka_unit_test(test_below_is_even),
		cmocka_unit_test(test_chance),
		cmocka_unit_test(test_exponential_is_the_logarithm),
		cmocka_unit_test(test_normal),
		cmocka_unit_test(test_result_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
