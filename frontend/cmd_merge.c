/* SPDX-License-Identifier: MIT */
#include "frontend/command.h"
#include "frontend/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
take_file(struct sweep *sweep, const char *path, struct err *e)
{
	struct sweep_text text = { .path = path, .any_shard = true };
	char *all = sweep_slurp(path, false, &text.length, e);
	int err;

	if (!all)
		return e->code;
	text.text = all;
	err = sweep_read(sweep, &text, e);
	free(all);
	if (!err && text.broken)
		fprintf(stderr, "ncqsim: %s: %zu damaged lines left out\n",
			path, text.broken);
	return err;
}

/* Name what is missing, as ranges. */
static int
check_complete(const struct sweep *sweep)
{
	size_t missing = 0, shown = 0;
	char text[256];
	size_t n = 0;

	for (size_t i = 0; i < sweep->cells; i++) {
		size_t first = i;

		while (i < sweep->cells && !sweep->cell[i].line)
			i++;
		missing += i - first;
		if (i == first || shown++ >= 8 || n >= sizeof(text) - 48)
			continue;
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      i - first > 1 ? " %zu-%zu" : " %zu",
				      first, i - 1);
	}
	if (!missing)
		return 0;
	fprintf(stderr, "ncqsim: %zu of %zu cells are missing:%s%s\n", missing,
		sweep->cells, text, shown > 8 ? " ..." : "");
	return EXIT_FAILED_CHECK;
}

static int
merge_steps(struct sweep *sweep, const struct cli_list *words, struct err *e)
{
	const struct sweep_args *args = sweep->args;
	struct sweep_file file = { .fd = -1, .path = args->run.file };
	int err = sweep_write(NULL, sweep, 0, args->metric, e);

	if (!err && !words->count)
		err = err_set(e, ERR_CONFIG,
			      "merge needs files of ncqsim sweep");
	for (size_t i = 0; !err && i < words->count; i++)
		err = take_file(sweep, words->text[i], e);
	if (!err)
		err = check_complete(sweep);
	if (!err)
		err = sweep_file_finish(&file, sweep, e);
	if (!err && !(args->run.file && args->run.quiet))
		err = sweep_write(stdout, sweep, args->run.output, args->metric,
				  e);
	return err;
}

static int
run_merge(struct cli_line *line, struct err *e)
{
	struct sweep sweep = { .args = line->args, .shard = 1, .shards = 1 };
	int status = merge_steps(&sweep, &line->words, e);

	sweep_free(&sweep);
	return status;
}

/* ---- the table ---- */

#define ARG(field) offsetof(struct sweep_args, field)
#define RUN(field) offsetof(struct sweep_args, run.field)

static const struct cli_option options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .kind = CLI_VALUE,
	  .argument = "FILE",
	  .help = "write the whole sweep to FILE",
	  .offset = RUN(file) },
	{ .name = "metric",
	  .kind = CLI_VALUE,
	  .argument = "FIGURE",
	  .help = "what tables show first, as of ncqsim sweep",
	  .offset = ARG(metric) },
	{ .name = "human",
	  .kind = CLI_CONST,
	  .constant = REPORT_HUMAN,
	  .help = "a table or heat map for people (the default)",
	  .offset = RUN(output) },
	{ .name = "json",
	  .kind = CLI_CONST,
	  .constant = REPORT_JSON,
	  .help = "JSON Lines, as in FILE",
	  .offset = RUN(output) },
	{ .name = "csv",
	  .kind = CLI_CONST,
	  .constant = REPORT_CSV,
	  .help = "CSV, a simulation a line",
	  .offset = RUN(output) },
	{ .name = "md",
	  .kind = CLI_CONST,
	  .constant = REPORT_MD,
	  .help = "a Markdown table, the best in bold",
	  .offset = RUN(output) },
	{ .name = "quiet",
	  .kind = CLI_FLAG,
	  .help = "with --output: no table",
	  .offset = RUN(quiet) },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "merge s.*.jsonl -o s.jsonl", "the shards of a sweep, in order" },
	{ "merge s.jsonl --metric p99_ms", "a kept sweep as a table" },
	{ "merge s.jsonl --csv", "the same for a table program" },
	{ 0 },
};

const struct command cmd_merge = {
	.name = "merge",
	.summary = "put the shards of a sweep together, or show one",
	.synopsis = "FILE... [OPTION]...",
	.about = "Read files that \"ncqsim sweep --output\" wrote, check that "
		 "they belong to the same sweep and that no cell is missing, "
		 "and write the whole: the same bytes that one process would "
		 "have written. Exit status 1, and nothing written, when "
		 "cells are missing.",
	.options = options,
	.examples = examples,
	.words = "file",
	.args_size = sizeof(struct sweep_args),
	.run = run_merge,
};
