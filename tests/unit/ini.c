/* SPDX-License-Identifier: MIT */
#include "sim/core/ini.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What was read, as text: "line:column section|key|value;" */
struct heard {
	char text[4096];
	size_t value_length;
	int stop_at_line;
};

static int
hear(void *ctx, const char *section, const char *key, const char *value,
     const struct option_place *place, struct err *e)
{
	struct heard *h = ctx;
	size_t used = strlen(h->text);

	assert_string_equal(place->file, "t.ini");
	if (h->stop_at_line == place->line)
		return err_set(e, ERR_CONFIG, "stopped");
	if (value)
		h->value_length = strlen(value);
	snprintf(h->text + used, sizeof(h->text) - used, "%d:%d %s|%s|%.40s;",
		 place->line, place->column, section, key ? key : "-",
		 value ? value : "-");
	return 0;
}

static void
expect_sized(const char *text, size_t size, const char *want)
{
	struct heard h = { .text = "" };
	struct err e = { 0 };

	if (ini_read_text("t.ini", text, size, hear, &h, &e) < 0)
		fail_msg("%s", e.text);
	assert_string_equal(h.text, want);
}

static void
expect(const char *text, const char *want)
{
	expect_sized(text, strlen(text), want);
}

static void
refuse_sized(const char *text, size_t size, const char *message)
{
	struct heard h = { .text = "" };
	struct err e = { 0 };

	assert_int_equal(ini_read_text("t.ini", text, size, hear, &h, &e),
			 ERR_CONFIG);
	assert_string_equal(e.text, message);
}

static void
refuse(const char *text, const char *message)
{
	refuse_sized(text, strlen(text), message);
}

static void
test_entries(void **state)
{
	(void)state;
	expect("", "");
	expect("\n\n", "");
	expect("a=1", "1:3 |a|1;");
	expect("[s]\na = 1\n  b c =  x y  \n[ t u ]\n\nd=\n",
	       "1:1 s|-|-;2:5 s|a|1;3:10 s|b c|x y;4:1 t u|-|-;6:3 t u|d|;");
	expect("a = b = c\n", "1:5 |a|b = c;");
}

static void
test_comments(void **state)
{
	(void)state;
	expect("# x\n; y\n  # z\na = 1 # one\nb = 2 ; two\n",
	       "4:5 |a|1;5:5 |b|2;");
	expect("a = #1\nb = x#y;z\n[s] # s\n",
	       "1:4 |a|;2:5 |b|x#y;z;3:1 s|-|-;");
}

static void
test_line_ends(void **state)
{
	(void)state;
	expect("[s]\r\na = 1\r\nb = 2 # c\r\n",
	       "1:1 s|-|-;2:5 s|a|1;3:5 s|b|2;");
	expect("\xef\xbb\xbf[s]\na = \xc3\xa4\n",
	       "1:1 s|-|-;2:5 s|a|\xc3\xa4;");
}

static void
test_continued_lines(void **state)
{
	(void)state;
	expect("a = 1 2 \\\n\t3 4\\\n 5\nb = 6\n",
	       "1:5 |a|1 2 3 4 5;4:5 |b|6;");
	expect("a = 1 \\ # more\n  2 # end\n", "1:5 |a|1 2;");
	expect("a = \\\n 1\n", "1:5 |a|1;");
	refuse("a = 1 \\\n", "t.ini:1:1: the file ends after a backslash");
}

static void
test_long_line(void **state)
{
	size_t size = 300000;
	char *text = malloc(size);
	struct heard h = { .text = "" };

	(void)state;
	assert_non_null(text);
	memset(text, '7', size);
	memcpy(text, "k = ", 4);
	assert_int_equal(ini_read_text("t.ini", text, size, hear, &h, NULL), 0);
	assert_int_equal(h.value_length, size - 4);
	free(text);
}

static void
test_malformed(void **state)
{
	(void)state;
	refuse("[s\n", "t.ini:1:3: \"]\" is missing after the section's name");
	refuse("\n [s] x\n", "t.ini:2:5: text after \"]\"");
	refuse("[ ]\n", "t.ini:1:1: the section has no name");
	refuse("[s]\n  word\n", "t.ini:2:3: neither [section] nor key = value");
	refuse("= 1\n", "t.ini:1:1: no key before \"=\"");
}

static void
test_bad_bytes(void **state)
{
	(void)state;
	refuse_sized("a = 1\0b\n", 8, "t.ini:1:6: a NUL byte");
	refuse("[s]\nab = \xff\n", "t.ini:2:6: byte 0xff is not valid UTF-8");
	refuse("a = \xc3(\n", "t.ini:1:5: byte 0xc3 is not valid UTF-8");
	refuse("# \xed\xa0\x80\n", "t.ini:1:3: byte 0xed is not valid UTF-8");
	refuse("a = \xc3", "t.ini:1:5: byte 0xc3 is not valid UTF-8");
}

static void
test_callback_stops(void **state)
{
	struct heard h = { .stop_at_line = 2 };
	const char *text = "a = 1\nb = 2\nc = 3\n";
	struct err e;

	(void)state;
	assert_int_equal(
		ini_read_text("t.ini", text, strlen(text), hear, &h, &e),
		ERR_CONFIG);
	assert_string_equal(e.text, "stopped");
	assert_string_equal(h.text, "1:5 |a|1;");
}

static void
test_files(void **state)
{
	struct heard h = { .text = "" };
	struct err e;

	(void)state;
	assert_int_equal(ini_read_file("/nonexistent/x.ini", hear, &h, &e),
			 ERR_INPUT);
	assert_string_equal(e.text,
			    "/nonexistent/x.ini: No such file or directory");
	assert_int_equal(ini_read_file("/", hear, &h, &e), ERR_INPUT);
	assert_string_equal(e.text, "/: Is a directory");
	assert_int_equal(ini_read_file("/dev/zero", hear, &h, &e), ERR_INPUT);
	assert_string_equal(e.text, "/dev/zero: longer than 64 MiB; not a "
				    "configuration file");
	assert_int_equal(ini_read_file("/dev/null", hear, &h, &e), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_comments),
		cmocka_unit_test(test_line_ends),
		cmocka_unit_test(test_continued_lines),
		cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_malformed),
		cmocka_unit_test(test_bad_bytes),
		cmocka_unit_test(test_callback_stops),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
