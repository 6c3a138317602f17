/* SPDX-License-Identifier: MIT */
#include "sim/core/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void
test_set_fills_code_and_text(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_set(&e, ERR_INPUT, "%s:%d: bad", "a.ini", 7), -3);
	assert_int_equal(e.code, ERR_INPUT);
	assert_string_equal(e.text, "a.ini:7: bad");
}

static void
test_null_is_allowed(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, ERR_CONFIG, "x"), ERR_CONFIG);
	assert_int_equal(err_nomem(NULL), ERR_INTERNAL);
	assert_int_equal(err_prefix(NULL, "x"), ERR_INTERNAL);
}

static void
test_nomem_says_so(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_nomem(&e), ERR_INTERNAL);
	assert_int_equal(e.code, ERR_INTERNAL);
	assert_string_equal(e.text, "out of memory");
}

static void
test_prefixes_nest_outwards(void **state)
{
	struct err e = { 0 };

	(void)state;
	err_set(&e, ERR_INPUT, "rpm is missing");
	assert_int_equal(err_prefix(&e, "line %d", 12), ERR_INPUT);
	assert_int_equal(err_prefix(&e, "drive.ini"), ERR_INPUT);
	assert_string_equal(e.text, "drive.ini: line 12: rpm is missing");
	assert_int_equal(e.code, ERR_INPUT);
}

/* A text of every length around the size of the buffer, set and prefixed. */
static void
test_long_texts_are_cut_inside_the_buffer(void **state)
{
	struct {
		struct err e;
		char guard[8];
	} box;
	char text[2 * sizeof(box.e.text)];

	(void)state;
	for (size_t n = sizeof(box.e.text) - 8; n < sizeof(text) - 1; n++) {
		memset(text, 'y', n);
		text[n] = '\0';
		memset(&box, '#', sizeof(box));
		err_set(&box.e, ERR_OUTPUT, "%s", text);
		assert_int_equal(strlen(box.e.text),
				 n < 1023 ? n : (size_t)1023);
		err_prefix(&box.e, "pre");
		assert_memory_equal(box.e.text, "pre: yyy", 8);
		assert_true(strlen(box.e.text) <= 1023);
		err_prefix(&box.e, "%s", text);
		assert_true(strlen(box.e.text) <= 1023);
		assert_memory_equal(box.guard, "########", 8);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_fills_code_and_text),
		cmocka_unit_test(test_null_is_allowed),
		cmocka_unit_test(test_nomem_says_so),
		cmocka_unit_test(test_prefixes_nest_outwards),
		cmocka_unit_test(test_long_texts_are_cut_inside_the_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
