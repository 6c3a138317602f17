/* SPDX-License-Identifier: MIT */
#include "frontend/cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct args {
	bool flag;
	const char *value;
	struct cli_list list;
	uint64_t count;
	int choice;
	int format;
};

static const char *const choices[] = { "red", "green", NULL };

#define ARG(field) offsetof(struct args, field)
enum { OPT_FLAG, OPT_VALUE };

static const struct cli_option options[] = {
	{ .name = "flag", .letter = 'f', .offset = ARG(flag) },
	{ .name = "value",
	  .letter = 'v',
	  .kind = CLI_VALUE,
	  .argument = "TEXT",
	  .offset = ARG(value) },
	{ .name = "list",
	  .kind = CLI_LIST,
	  .argument = "TEXT",
	  .offset = ARG(list) },
	{ .name = "count",
	  .letter = 'n',
	  .kind = CLI_COUNT,
	  .argument = "N",
	  .offset = ARG(count) },
	{ .name = "choice",
	  .kind = CLI_CHOICE,
	  .argument = "COLOUR",
	  .choices = choices,
	  .offset = ARG(choice) },
	{ .name = "two",
	  .kind = CLI_CONST,
	  .constant = 2,
	  .offset = ARG(format) },
	{ 0 },
};

struct parsed {
	struct args args;
	struct cli_line line;
	struct err e;
	int status;
};

/* Parse blank-separated @text, which lives as long as the result. */
static void
parse(struct parsed *p, char *text)
{
	char *argv[32], *word, *rest = NULL;
	int argc = 0;

	memset(p, 0, sizeof(*p));
	p->line.options = options;
	p->line.args = &p->args;
	p->line.command = "test";
	for (word = strtok_r(text, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	p->status = cli_parse(&p->line, argc, argv, &p->e);
}

static void
assert_refused(const char *text, const char *message)
{
	struct parsed p;
	char copy[128];

	strcpy(copy, text);
	parse(&p, copy);
	assert_int_equal(p.status, ERR_CONFIG);
	assert_string_equal(p.e.text, message);
	cli_free(&p.line);
}

static void
all_forms_are_read(void **state)
{
	char text[] = "a -fv one --list=x -n12 --list y --choice green --two b";
	struct parsed p;

	(void)state;
	parse(&p, text);
	assert_int_equal(p.status, 0);
	assert_true(p.args.flag);
	assert_string_equal(p.args.value, "one");
	assert_int_equal(p.args.list.count, 2);
	assert_string_equal(p.args.list.text[0], "x");
	assert_string_equal(p.args.list.text[1], "y");
	assert_int_equal(p.args.count, 12);
	assert_int_equal(p.args.choice, 1);
	assert_int_equal(p.args.format, 2);
	assert_int_equal(p.line.words.count, 2);
	assert_string_equal(p.line.words.text[1], "b");
	assert_true(cli_given(&p.line, OPT_VALUE));
	assert_false(p.line.help);
	cli_free(&p.line);
}

static void
beginnings_and_ends(void **state)
{
	char text[] = "--fl --va=x=y --help - -- --flag -v";
	struct parsed p;

	(void)state;
	parse(&p, text);
	assert_int_equal(p.status, 0);
	assert_true(p.args.flag);
	assert_string_equal(p.args.value, "x=y");
	assert_true(p.line.help);
	assert_int_equal(p.line.words.count, 3);
	assert_string_equal(p.line.words.text[0], "-");
	assert_string_equal(p.line.words.text[1], "--flag");
	cli_free(&p.line);
}

static void
mistakes_are_explained(void **state)
{
	(void)state;
	assert_refused("--vlaue x",
		       "unknown option '--vlaue'; did you mean '--value'?");
	assert_refused("--zzzzzz",
		       "unknown option '--zzzzzz'; see ncqsim test --help");
	assert_refused("-x", "unknown option '-x'; see ncqsim test --help");
	assert_refused(
		"--c 1",
		"option '--c' is short for both '--count' and '--choice'");
	assert_refused("--value", "option '--value' needs TEXT");
	assert_refused("-fv", "option '--value' needs TEXT");
	assert_refused("--flag=1", "option '--flag' takes no value");
	assert_refused("-n 1x", "--count 1x: not a whole number");
	assert_refused("-n -1", "--count -1: not a whole number");
	assert_refused("--choice blue",
		       "--choice blue: must be one of red, green");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_forms_are_read),
		cmocka_unit_test(beginnings_and_ends),
		cmocka_unit_test(mistakes_are_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
