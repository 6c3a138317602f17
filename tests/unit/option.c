/* SPDX-License-Identifier: MIT */
#include "sim/core/option.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct thing {
	bool on;
	int64_t count;
	nsec_t wait_ns, tick_ns;
	int colour;
	char name[OPTION_NAME_MAX];
	struct option_list list;
};

static const char *const colours[] = { "red", "green", "blue", NULL };

static const struct option options[] = {
	{ .name = "on",
	  .type = OPTION_BOOL,
	  .initial = "yes",
	  .offset = offsetof(struct thing, on) },
	{ .name = "count",
	  .type = OPTION_INT,
	  .unit = "commands",
	  .initial = "7",
	  .min = -5,
	  .max = INT64_MAX,
	  .offset = offsetof(struct thing, count) },
	{ .name = "wait_ms",
	  .type = OPTION_TIME,
	  .unit = "ms",
	  .initial = "1.5",
	  .min = 0,
	  .max = 2 * NSEC_PER_SEC,
	  .offset = offsetof(struct thing, wait_ns) },
	{ .name = "tick_us",
	  .type = OPTION_TIME,
	  .unit = "us",
	  .min = -NSEC_PER_SEC,
	  .max = NSEC_PER_SEC,
	  .offset = offsetof(struct thing, tick_ns) },
	{ .name = "colour",
	  .type = OPTION_CHOICE,
	  .initial = "blue",
	  .choices = colours,
	  .offset = offsetof(struct thing, colour) },
	{ .name = "name",
	  .type = OPTION_NAME,
	  .initial = "nobody",
	  .offset = offsetof(struct thing, name) },
	{ .name = "list",
	  .type = OPTION_LIST,
	  .initial = "1 2.5",
	  .min = 0,
	  .max = 1000000000,
	  .offset = offsetof(struct thing, list) },
};

static const struct option_table table = { "thing", "For tests.", options,
					   ARRAY_LEN(options) };
static const struct option_place place = { "t.ini", 3, 9, 2 };

static void
set(struct thing *t, const char *name, const char *text)
{
	struct err e = { 0, "untouched" };

	if (option_set(&table, t, name, text, &place, &e) < 0)
		fail_msg("%s", e.text);
	assert_string_equal(e.text, "untouched");
}

static void
refuse(const char *name, const char *text, const char *message)
{
	struct thing t, before;
	struct err e = { 0 };

	option_defaults(&table, &t);
	before = t;
	assert_int_equal(option_set(&table, &t, name, text, &place, &e),
			 ERR_CONFIG);
	assert_int_equal(e.code, ERR_CONFIG);
	assert_string_equal(e.text, message);
	assert_memory_equal(&t, &before, sizeof(t));
	assert_int_equal(option_set(&table, &t, name, text, NULL, NULL),
			 ERR_CONFIG);
	option_table_free(&table, &t);
}

static void
test_defaults(void **state)
{
	struct thing t;

	(void)state;
	memset(&t, 0xa5, sizeof(t));
	option_defaults(&table, &t);
	assert_true(t.on);
	assert_int_equal(t.count, 7);
	assert_int_equal(t.wait_ns, 1500000);
	assert_int_equal(t.tick_ns, 0);
	assert_int_equal(t.colour, 2);
	assert_string_equal(t.name, "nobody");
	assert_int_equal(t.list.count, 2);
	assert_int_equal(t.list.micro[1], 2500000);
	option_table_free(&table, &t);
	assert_null(t.list.micro);
}

static void
test_booleans(void **state)
{
	static const char *const yes[] = { "yes", "true", "on", "1" };
	static const char *const no[] = { "no", "false", "off", "0" };
	struct thing t = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		set(&t, "on", yes[i]);
		assert_true(t.on);
		set(&t, "on", no[i]);
		assert_false(t.on);
	}
	refuse("on", "maybe",
	       "t.ini:3:9: on = maybe: neither yes nor no; yes or no");
}

static void
test_integers(void **state)
{
	struct thing t = { 0 };

	(void)state;
	set(&t, "count", "-5");
	assert_int_equal(t.count, -5);
	set(&t, "count", "+9223372036854775807");
	assert_int_equal(t.count, INT64_MAX);
	refuse("count", "9223372036854775808",
	       "t.ini:3:9: count = 9223372036854775808: too large; -5 or more "
	       "commands");
	refuse("count", "-6",
	       "t.ini:3:9: count = -6: too small; -5 or more commands");
	refuse("count", "-9223372036854775808",
	       "t.ini:3:9: count = -9223372036854775808: too small; -5 or more "
	       "commands");
	refuse("count", "72OO",
	       "t.ini:3:9: count = 72OO: not a number; -5 or more commands");
	refuse("count", "7.0",
	       "t.ini:3:9: count = 7.0: not a whole number; -5 or more "
	       "commands");
	refuse("count", "",
	       "t.ini:3:9: count = : not a number; -5 or more commands");
	refuse("count", "-",
	       "t.ini:3:9: count = -: not a number; -5 or more commands");
}

static void
test_times(void **state)
{
	static const struct {
		const char *text;
		nsec_t ns;
	} times[] = {
		{ "0", 0 },
		{ "12.345678", 12345678 },
		{ "12.3456784999", 12345678 },
		{ "12.3456785", 12345679 },
		{ ".5", 500000 },
		{ "2.", 2000000 },
		{ "250us", 250000 },
		{ "250 us", 250000 },
		{ "1.5 s", 1500000000 },
		{ "77 ns", 77 },
		{ "0.5 ns", 1 },
	};
	struct thing t = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(times); i++) {
		set(&t, "wait_ms", times[i].text);
		assert_int_equal(t.wait_ns, times[i].ns);
	}
	set(&t, "tick_us", "-0.0015");
	assert_int_equal(t.tick_ns, -2);
	refuse("wait_ms", "3s",
	       "t.ini:3:9: wait_ms = 3s: too large; 0 to 2000 ms");
	refuse("wait_ms", "1 min",
	       "t.ini:3:9: wait_ms = 1 min: not a time; 0 to 2000 ms");
	refuse("wait_ms", "1.2.3",
	       "t.ini:3:9: wait_ms = 1.2.3: not a number; 0 to 2000 ms");
	refuse("wait_ms", "ms",
	       "t.ini:3:9: wait_ms = ms: not a number; 0 to 2000 ms");
	refuse("wait_ms", "-1",
	       "t.ini:3:9: wait_ms = -1: too small; 0 to 2000 ms");
}

static void
test_choices_and_names(void **state)
{
	char longest[OPTION_NAME_MAX + 1];
	struct thing t = { 0 };
	struct err e;

	(void)state;
	set(&t, "colour", "green");
	assert_int_equal(t.colour, 1);
	refuse("colour", "gren",
	       "t.ini:3:9: colour = gren: not known; one of red, green, blue; "
	       "did you mean \"green\"?");
	refuse("colour", "",
	       "t.ini:3:9: colour = : not known; one of red, "
	       "green, blue");
	memset(longest, 'q', sizeof(longest));
	longest[OPTION_NAME_MAX - 1] = '\0';
	set(&t, "name", longest);
	assert_string_equal(t.name, longest);
	longest[OPTION_NAME_MAX - 1] = 'q';
	longest[OPTION_NAME_MAX] = '\0';
	assert_int_equal(option_set(&table, &t, "name", longest, &place, &e),
			 ERR_CONFIG);
	assert_non_null(strstr(e.text, "qqq...: too long; up to 255 bytes"));
}

static void
test_lists(void **state)
{
	struct thing t = { 0 };

	(void)state;
	set(&t, "list", " 1,2 , 0.000001\t1000,");
	assert_int_equal(t.list.count, 4);
	assert_int_equal(t.list.micro[0], 1000000);
	assert_int_equal(t.list.micro[2], 1);
	assert_int_equal(t.list.micro[3], 1000000000);
	set(&t, "list", "");
	assert_int_equal(t.list.count, 0);
	assert_null(t.list.micro);
	refuse("list", "1 2x",
	       "t.ini:3:9: list = 1 2x: not a number; numbers, each 0 to 1000");
	refuse("list", "1 1000.1",
	       "t.ini:3:9: list = 1 1000.1: too large; numbers, each 0 to "
	       "1000");
}

static void
test_places_and_unknown_keys(void **state)
{
	static const struct option_place hand = { "--set", 0, 0, 0 };
	struct thing t = { 0 };
	struct err e;

	(void)state;
	refuse("cuont", "1",
	       "t.ini:3:2: unknown key \"cuont\" in [thing]; did you mean "
	       "\"count\"?");
	refuse("zzzzz", "1", "t.ini:3:2: unknown key \"zzzzz\" in [thing]");
	assert_int_equal(option_set(&table, &t, "count", "x", &hand, &e),
			 ERR_CONFIG);
	assert_string_equal(e.text, "--set: thing.count = x: not a number; -5 "
				    "or more commands");
	assert_int_equal(option_set(&table, &t, "count", "a\nb", NULL, &e),
			 ERR_CONFIG);
	assert_string_equal(e.text, "thing.count = a?b: not a number; -5 or "
				    "more commands");
}

static void
test_format_round_trip(void **state)
{
	static const char *const texts[][2] = {
		{ "on", "no" },
		{ "count", "-5" },
		{ "count", "1234567890" },
		{ "wait_ms", "0.000001" },
		{ "wait_ms", "12.34" },
		{ "wait_ms", "1000" },
		{ "tick_us", "-0.002" },
		{ "tick_us", "-1.5" },
		{ "colour", "red" },
		{ "name", "a b c" },
		{ "list", "0.5 1 999.999999" },
	};
	struct thing t;
	char text[256];

	(void)state;
	option_defaults(&table, &t);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const struct option *o = option_find(&table, texts[i][0]);
		int n;

		set(&t, texts[i][0], texts[i][1]);
		n = option_format(o, &t, text, sizeof(text));
		assert_string_equal(text, texts[i][1]);
		assert_int_equal(n, strlen(text));
	}
	/* as snprintf does: the whole length, what fits, a NUL */
	assert_int_equal(option_format(&options[5], &t, text, 3), 5);
	assert_string_equal(text, "a ");
	assert_int_equal(option_format(&options[5], &t, NULL, 0), 5);
	option_table_free(&table, &t);
}

static void
test_owned_lists(void **state)
{
	struct thing a, b;

	(void)state;
	option_defaults(&table, &a);
	b = a;
	assert_int_equal(option_table_own(&table, &b, NULL), 0);
	assert_true(a.list.micro != b.list.micro);
	option_table_free(&table, &a);
	assert_int_equal(b.list.count, 2);
	assert_int_equal(b.list.micro[0], 1000000);
	option_table_free(&table, &b);
}

static void
test_nearest(void **state)
{
	static const char *const names[] = { "queue_depth", "rpm", "heads",
					     NULL };

	(void)state;
	assert_string_equal(option_nearest("queue_dpeth", names),
			    "queue_depth");
	assert_string_equal(option_nearest("rmp", names), "rpm");
	assert_string_equal(option_nearest("head", names), "heads");
	assert_null(option_nearest("capacity", names));
	assert_null(option_nearest("ab", names));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_booleans),
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_choices_and_names),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_places_and_unknown_keys),
		cmocka_unit_test(test_format_round_trip),
		cmocka_unit_test(test_owned_lists),
		cmocka_unit_test(test_nearest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
