/* SPDX-License-Identifier: MIT */
#include "sim/core/json.h"
#include "sim/core/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct sink {
	char text[65536];
	size_t used;
	int calls, fail_at;
};

static int
take(void *ctx, const char *data, size_t size)
{
	struct sink *s = ctx;

	if (++s->calls == s->fail_at)
		return ERR_OUTPUT;
	assert_true(s->used + size < sizeof(s->text));
	memcpy(s->text + s->used, data, size);
	s->used += size;
	s->text[s->used] = '\0';
	return 0;
}

static void
write_sample(struct json *j)
{
	json_begin_object(j, NULL);
	json_string(j, "name", "a\"b\\c\n\t\x01\x7f/\xc3\xa4");
	json_int(j, "low", INT64_MIN);
	json_uint(j, "high", UINT64_MAX);
	json_begin_array(j, "list");
	json_int(j, NULL, 1);
	json_bool(j, NULL, true);
	json_null(j, NULL);
	json_begin_object(j, NULL);
	json_end_object(j);
	json_end_array(j);
	json_begin_array(j, "none");
	json_end_array(j);
	json_bool(j, "no", false);
	json_hex64(j, "hash", UINT64_C(0x0123456789abcdef));
	json_end_object(j);
}

static void
test_compact(void **state)
{
	static struct sink s;
	struct json j;

	(void)state;
	json_init(&j, JSON_COMPACT, take, &s);
	write_sample(&j);
	assert_int_equal(json_finish(&j), 0);
	assert_string_equal(
		s.text,
		"{\"name\":\"a\\\"b\\\\c\\n\\t\\u0001\\u007f/\xc3\xa4\","
		"\"low\":-9223372036854775808,\"high\":18446744073709551615,"
		"\"list\":[1,true,null,{}],\"none\":[],\"no\":false,"
		"\"hash\":\"0123456789abcdef\"}");
}

static void
test_pretty(void **state)
{
	static struct sink s;
	struct json j;

	(void)state;
	json_init(&j, JSON_PRETTY, take, &s);
	json_begin_object(&j, NULL);
	json_int(&j, "a", 1);
	json_begin_array(&j, "b");
	json_int(&j, NULL, 2);
	json_begin_object(&j, NULL);
	json_int(&j, "c", 3);
	json_end_object(&j);
	json_end_array(&j);
	json_begin_object(&j, "d");
	json_end_object(&j);
	json_end_object(&j);
	assert_int_equal(json_finish(&j), 0);
	assert_string_equal(s.text, "{\n"
				    "  \"a\": 1,\n"
				    "  \"b\": [\n"
				    "    2,\n"
				    "    {\n"
				    "      \"c\": 3\n"
				    "    }\n"
				    "  ],\n"
				    "  \"d\": {}\n"
				    "}\n");
}

static void
test_decimals(void **state)
{
	static const struct {
		int64_t value;
		uint32_t digits;
		const char *text;
	} cases[] = {
		{ 12345678, 6, "12.345678\n" },
		{ 0, 6, "0.000000\n" },
		{ 5, 3, "0.005\n" },
		{ -5, 3, "-0.005\n" },
		{ -12, 0, "-12\n" },
		{ 1000, 3, "1.000\n" },
		{ INT64_MIN, 18, "-9.223372036854775808\n" },
		{ INT64_MAX, 1, "922337203685477580.7\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		static struct sink s;
		struct json j;

		memset(&s, 0, sizeof(s));
		json_init(&j, JSON_LINE, take, &s);
		json_decimal(&j, NULL, cases[i].value, cases[i].digits);
		assert_int_equal(json_finish(&j), 0);
		assert_string_equal(s.text, cases[i].text);
	}
}

static void
test_bad_utf8(void **state)
{
	static struct sink s;
	struct json j;

	(void)state;
	json_init(&j, JSON_COMPACT, take, &s);
	json_string(&j, NULL, "a\xff\xc3(\xe2\x82");
	assert_int_equal(json_finish(&j), 0);
	assert_string_equal(s.text, "\"a\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd"
				    "\xef\xbf\xbd\"");
}

static void
write_many(struct json *j)
{
	json_begin_array(j, NULL);
	for (int i = 0; i < 5000; i++)
		json_int(j, NULL, 1000 + i % 9000);
	json_end_array(j);
}

static void
test_large_output_in_blocks(void **state)
{
	static struct sink s;
	struct json j;

	(void)state;
	json_init(&j, JSON_COMPACT, take, &s);
	write_many(&j);
	assert_int_equal(json_finish(&j), 0);
	assert_int_equal(s.used, 5000 * 5 + 1);
	assert_int_equal(s.calls, 7);
	assert_memory_equal(s.text, "[1000,1001,", 11);
	assert_string_equal(s.text + s.used - 6, ",5999]");
}

static void
test_error_stops_output(void **state)
{
	static struct sink s = { .fail_at = 2 };
	struct json j;

	(void)state;
	json_init(&j, JSON_COMPACT, take, &s);
	write_many(&j);
	assert_int_equal(json_finish(&j), ERR_OUTPUT);
	assert_int_equal(s.calls, 2);
}

/* Every code point and every way of two bytes that is none. */
static void
test_utf8_lengths(void **state)
{
	(void)state;
	for (int a = 0; a < 256; a++) {
		for (int b = 0; b < 256; b++) {
			char text[2] = { (char)a, (char)b };
			size_t want =
				a < 0x80 ? 1
				: a >= 0xc2 && a < 0xe0 && b >= 0x80 && b < 0xc0
					? 2
					: 0;

			assert_int_equal(utf8_length(text, 2), want);
		}
	}
	assert_int_equal(utf8_length("\xe0\x9f\xbf", 3), 0); /* overlong */
	assert_int_equal(utf8_length("\xe0\xa0\x80", 3), 3);
	assert_int_equal(utf8_length("\xed\x9f\xbf", 3), 3);
	assert_int_equal(utf8_length("\xed\xa0\x80", 3), 0); /* surrogate */
	assert_int_equal(utf8_length("\xf0\x8f\xbf\xbf", 4), 0);
	assert_int_equal(utf8_length("\xf0\x90\x80\x80", 4), 4);
	assert_int_equal(utf8_length("\xf4\x8f\xbf\xbf", 4), 4);
	assert_int_equal(utf8_length("\xf4\x90\x80\x80", 4), 0);
	assert_int_equal(utf8_length("\xe2\x82\xac", 2), 0); /* cut off */
	assert_int_equal(utf8_length("", 0), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compact),
		cmocka_unit_test(test_pretty),
		cmocka_unit_test(test_decimals),
		cmocka_unit_test(test_bad_utf8),
		cmocka_unit_test(test_large_output_in_blocks),
		cmocka_unit_test(test_error_stops_output),
		cmocka_unit_test(test_utf8_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
