/* SPDX-License-Identifier: MIT */
#include "frontend/assertion.h"
#include "frontend/command.h"
#include "frontend/result_figures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RESULTS_MAX 26 /* letters */

struct compare_args {
	struct cli_list asserts;
	struct cli_list requests;
};

struct comparison {
	const struct cli_line *line;
	const struct compare_args *args;
	struct result_figures result[RESULTS_MAX];
	struct figures figures[RESULTS_MAX];
	size_t count;
};

static int
read_results(struct comparison *c, struct err *e)
{
	const struct cli_list *words = &c->line->words;
	int err = 0;

	if (!words->count || words->count > RESULTS_MAX)
		return err_set(e, ERR_CONFIG,
			       "compare needs 1 to %d results of ncqsim run "
			       "--json",
			       RESULTS_MAX);
	for (c->count = 0; !err && c->count < words->count; c->count++) {
		err = result_read_figures(words->text[c->count],
					  &c->result[c->count], e);
		c->figures[c->count] = c->result[c->count].figures;
	}
	return err;
}

static void
print_results(const struct comparison *c)
{
	for (size_t i = 0; i < c->count; i++)
		printf("%c  %s: %s, %s%s\n", (char)('A' + i),
		       c->line->words.text[i], c->result[i].drive,
		       c->result[i].elevator,
		       c->result[i].complete ? "" : "  (not complete)");
	for (size_t i = 1; i < c->count; i++) {
		if (strcmp(c->result[i].input_hash, c->result[0].input_hash))
			printf("%c has another input than A\n",
			       (char)('A' + i));
		else if (!strcmp(c->result[i].result_hash,
				 c->result[0].result_hash))
			printf("%c completed the same requests at the same "
			       "times as A\n",
			       (char)('A' + i));
	}
	putchar('\n');
}

/* "x1.234": @a relative to @b. */
static struct text
ratio(int64_t a, int64_t b)
{
	struct text t = { "-" };

	if (b > 0 && a >= 0)
		snprintf(t.s, sizeof(t.s), "x%s",
			 text_decimal((int64_t)text_ratio((uint64_t)a, 1000,
							  (uint64_t)b),
				      3, 3)
				 .s);
	return t;
}

static void
print_table(const struct comparison *c)
{
	printf("%-16s%14s", "latencies in ms", "A");
	for (size_t i = 1; i < c->count; i++)
		printf("%14c%10s", (char)('A' + i), "of A");
	putchar('\n');
	for (enum figure f = 0; f < FIGURES; f++) {
		const char *key = figure_kinds[f].key;
		int n = (int)strlen(key);

		if (strcmp(figure_kinds[f].unit, "ns") == 0)
			n -= 3;
		printf("%-16.*s%14s", n, key,
		       figure_text(f, c->figures[0].value[f]).s);
		for (size_t i = 1; i < c->count; i++)
			printf("%14s%10s",
			       figure_text(f, c->figures[i].value[f]).s,
			       ratio(c->figures[i].value[f],
				     c->figures[0].value[f])
				       .s);
		putchar('\n');
	}
}

/* ---- the first request that differs ---- */

struct log {
	const char *path;
	FILE *file;
	char *line;
	size_t room;
};

/* NAME.requests.csv beside NAME.json, unless they were named. */
static const char *
log_path(const struct comparison *c, size_t i, char *buf, size_t size)
{
	static const char *const ends[] = { ".requests.csv",
					    ".requests.jsonl" };
	const char *result = c->line->words.text[i];
	size_t n = strlen(result);

	if (c->args->requests.count)
		return i < c->args->requests.count ? c->args->requests.text[i]
						   : NULL;
	if (n > 5 && strcmp(result + n - 5, ".json") == 0)
		n -= 5;
	for (size_t j = 0; j < ARRAY_LEN(ends); j++) {
		snprintf(buf, size, "%.*s%s", (int)n, result, ends[j]);
		if (access(buf, R_OK) == 0)
			return buf;
	}
	return NULL;
}

static bool
next_line(struct log *log)
{
	return getline(&log->line, &log->room, log->file) > 0;
}

static void
print_first_difference(struct log *a, struct log *b, char name)
{
	for (size_t line = 1;; line++) {
		bool more_a = next_line(a), more_b = next_line(b);

		if (!more_a && !more_b) {
			printf("\nrequests: %c's are those of A\n", name);
			return;
		}
		if (more_a && more_b && strcmp(a->line, b->line) == 0)
			continue;
		printf("\nrequests: %c's differ from A's first in line %zu\n"
		       "  A  %s  %c  %s",
		       name, line, more_a ? a->line : "(ended)\n", name,
		       more_b ? b->line : "(ended)\n");
		return;
	}
}

static int
compare_logs(const struct comparison *c, size_t i, struct err *e)
{
	char names[2][4200];
	struct log log[2] = { { .path = log_path(c, 0, names[0], 4200) },
			      { .path = log_path(c, i, names[1], 4200) } };
	int err = 0;

	if (!log[0].path || !log[1].path)
		return 0;
	for (size_t j = 0; !err && j < 2; j++) {
		log[j].file = fopen(log[j].path, "re");
		if (!log[j].file)
			err = err_set(e, ERR_INPUT, "%s: %s", log[j].path,
				      strerror(errno));
	}
	if (!err)
		print_first_difference(&log[0], &log[1], (char)('A' + i));
	for (size_t j = 0; j < 2; j++) {
		if (log[j].file)
			fclose(log[j].file);
		free(log[j].line);
	}
	return err;
}

static int
check_asserts(const struct comparison *c, struct err *e)
{
	int status = 0;

	for (size_t i = 0; i < c->args->asserts.count; i++) {
		struct assertion a = { .text = c->args->asserts.text[i],
				       .figures = c->figures,
				       .count = c->count };
		int held = assertion_check(&a, e);

		if (held < 0)
			return held;
		if (held)
			continue;
		status = EXIT_FAILED_CHECK;
		if (a.each)
			fprintf(stderr, "ncqsim: not so of %c: ",
				(char)('A' + a.failed));
		else
			fputs("ncqsim: not so: ", stderr);
		fprintf(stderr, "%s  (%.6g and %.6g)\n", a.text, a.left,
			a.right);
	}
	return status;
}

static int
run_compare(struct cli_line *line, struct err *e)
{
	struct comparison c = { .line = line, .args = line->args };
	int err = read_results(&c, e), failed;

	if (err)
		return err;
	/* An assertion that is not understood prints nothing else. */
	failed = check_asserts(&c, e);
	if (failed < 0)
		return failed;
	print_results(&c);
	print_table(&c);
	for (size_t i = 1; !err && i < c.count; i++)
		err = compare_logs(&c, i, e);
	return err ? err : failed;
}

/* ---- the table ---- */

#define ARG(field) offsetof(struct compare_args, field)

static const struct cli_option options[] = {
	{ .name = "assert",
	  .kind = CLI_LIST,
	  .argument = "WHAT",
	  .help = "exit status 1 unless it is so: 'p99_ms < 60' of every "
		  "result, 'B.iops >= 1.2*A.iops'; + - * / and brackets; may "
		  "be repeated",
	  .offset = ARG(asserts) },
	{ .name = "requests",
	  .kind = CLI_LIST,
	  .argument = "FILE",
	  .help = "the request log of a result, once for each in order; "
		  "NAME.requests.csv or .jsonl beside NAME.json is found "
		  "without it",
	  .offset = ARG(requests) },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "compare noop.json cfq.json", "figures side by side, as ratios" },
	{ "compare old.json new.json --assert 'B.p99_ms <= 1.05*A.p99_ms'",
	  "fail when the tail grew by more than a twentieth" },
	{ "compare a.json --assert 'iops > 300'", "check one result" },
	{ 0 },
};

const struct command cmd_compare = {
	.name = "compare",
	.summary = "compare results, or assert something of them",
	.synopsis = "RESULT.json... [OPTION]...",
	.about =
		"Print the figures of results of \"ncqsim run --json\" side by "
		"side, each with its ratio to the first, and the first line "
		"in which their request logs differ. Results are called A, B, "
		"C in the order given. Exit status 1 when an assertion is not "
		"so.",
	.options = options,
	.examples = examples,
	.words = "file",
	.args_size = sizeof(struct compare_args),
	.run = run_compare,
};
