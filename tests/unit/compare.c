/* SPDX-License-Identifier: MIT */
#include "frontend/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct hist a, b;

static void
start(void)
{
	hist_init(&a);
	hist_init(&b);
}

static void
equal_is_zero(void **state)
{
	(void)state;
	start();
	for (uint64_t v = 1; v < 3000000; v += 7919) {
		hist_add(&a, v);
		hist_add(&b, v);
		hist_add(&b, v); /* twice as many, the same distribution */
	}
	/* But for where in a bucket two values stand instead of one. */
	assert_true(compare_demerit(&a, &b) <= 3000000 / 128);
	assert_int_equal(compare_demerit(&a, &a), 0);
}

static void
a_shift_is_itself(void **state)
{
	(void)state;
	start();
	for (uint64_t v = 0; v < 64; v++) {
		hist_add(&a, v);
		hist_add(&b, v + 50);
	}
	assert_int_equal(compare_demerit(&a, &b), 50);
	assert_int_equal(compare_demerit(&b, &a), 50);
}

/* Half the quantiles are 0 apart and half 100: the root of 5000. */
static void
root_mean_square(void **state)
{
	(void)state;
	start();
	hist_add(&a, 10);
	hist_add(&b, 10);
	hist_add(&a, 20);
	hist_add(&b, 120);
	assert_int_equal(compare_demerit(&a, &b), 70);
}

static void
single_values(void **state)
{
	(void)state;
	start();
	hist_add(&a, 5000000);
	hist_add(&b, 8000000);
	assert_int_equal(compare_demerit(&a, &b), 3000000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_is_zero),
		cmocka_unit_test(a_shift_is_itself),
		cmocka_unit_test(root_mean_square),
		cmocka_unit_test(single_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
