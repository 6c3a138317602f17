/* SPDX-License-Identifier: MIT */
#include "frontend/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
decimals_round_half_up(void **state)
{
	(void)state;
	assert_string_equal(text_decimal(1234567, 6, 3).s, "1.235");
	assert_string_equal(text_decimal(1234499, 6, 3).s, "1.234");
	assert_string_equal(text_decimal(-500, 3, 0).s, "-1");
	assert_string_equal(text_decimal(999999, 6, 2).s, "1.00");
	assert_string_equal(text_decimal(7, 3, 3).s, "0.007");
	assert_string_equal(text_decimal(INT64_MIN, 0, 0).s,
			    "-9223372036854775808");
}

static void
times_and_sizes_have_units(void **state)
{
	(void)state;
	assert_string_equal(text_time(0).s, "0 s");
	assert_string_equal(text_time(9).s, "0.01 us");
	assert_string_equal(text_time(52100).s, "52.1 us");
	assert_string_equal(text_time(11111111).s, "11.1 ms");
	assert_string_equal(text_time(12480000000).s, "12.48 s");
	assert_string_equal(text_bytes(512).s, "512 B");
	assert_string_equal(text_bytes(6291456).s, "6.0 MiB");
	assert_string_equal(text_bytes(320072933376).s, "298 GiB");
	assert_string_equal(text_bytes(UINT64_MAX).s, "16.0 EiB");
}

static void
shares_and_bars(void **state)
{
	(void)state;
	assert_string_equal(text_percent(1, 3, 1).s, "33.3");
	assert_string_equal(text_percent(2, 3, 1).s, "66.7");
	assert_string_equal(text_percent(1, 0, 1).s, "-");
	assert_int_equal(text_ratio(UINT64_MAX, 1000, UINT64_MAX), 1000);
	assert_int_equal(text_ratio(5, 7, 0), 0);
	assert_string_equal(text_bar(1, 2, 10).s, "#####");
	assert_string_equal(text_bar(1, 100, 10).s, "");
	assert_string_equal(text_bar(3, 2, 4).s, "####");
}

static void
text_is_wrapped(void **state)
{
	char *buf = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&buf, &size);
	const char *line;
	size_t n;

	(void)state;
	assert_non_null(out);
	text_wrap(out,
		  "one two three four five six seven eight nine ten eleven "
		  "twelve thirteen fourteen\n\nsecond paragraph\n  kept as "
		  "  it is",
		  4, 4);
	fclose(out);
	for (line = buf; *line; line += n + 1) {
		n = strcspn(line, "\n");
		assert_true(n < TEXT_WIDTH);
	}
	assert_non_null(strstr(buf, "fourteen\n\n    second paragraph\n"));
	assert_non_null(strstr(buf, "kept as   it is\n"));
	free(buf);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimals_round_half_up),
		cmocka_unit_test(times_and_sizes_have_units),
		cmocka_unit_test(shares_and_bars),
		cmocka_unit_test(text_is_wrapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
