/* SPDX-License-Identifier: MIT */
#include "frontend/command.h"
#include "frontend/run_options.h"
#include "frontend/signals.h"
#include "frontend/sweep.h"

#include <stdio.h>

static int
finish(struct sweep *sweep, struct sweep_file *file, struct err *e)
{
	const struct sweep_args *args = sweep->args;
	size_t all = sweep_count(sweep, false), done = sweep_count(sweep, true);
	int err = 0;

	if (done == all)
		err = sweep_file_finish(file, sweep, e);
	else if (!args->run.quiet)
		fprintf(stderr, "ncqsim: %zu of %zu cells done%s\n", done, all,
			file->part ? "; --resume does the rest" : "");
	return err ? err
		   : sweep_write(stdout, sweep, args->run.output, args->metric,
				 e);
}

static int
sweep_steps(struct sweep *sweep, struct sweep_file *file, struct err *e)
{
	const struct sweep_args *args = sweep->args;
	size_t done;
	int err = sweep_write(NULL, sweep, 0, args->metric, e);

	if (!err)
		err = sweep_plan(sweep, e);
	if (!err)
		err = sweep_file_open(file, sweep, e);
	if (err)
		return err;
	done = sweep_count(sweep, true);
	if (args->resume && !args->run.quiet)
		fprintf(stderr, "ncqsim: %zu of %zu cells are done, %zu left\n",
			done, sweep_count(sweep, false),
			sweep_count(sweep, false) - done);
	if (file->broken && !args->run.quiet)
		fprintf(stderr,
			"ncqsim: %s: %zu damaged lines left out, their cells "
			"run again\n",
			file->part, file->broken);
	err = sweep_run(sweep, file, e);
	return err ? err : finish(sweep, file, e);
}

static int
run_sweep(struct cli_line *line, struct err *e)
{
	struct sweep sweep = { .line = line, .args = line->args };
	struct sweep_file file = { .fd = -1 };
	int status = sweep_steps(&sweep, &file, e);

	sweep_file_close(&file);
	sweep_free(&sweep);
	if (status == 0 && signals_pending())
		return signals_status();
	return status;
}

/* ---- the table ---- */

static const char *const progress_names[] = { "auto", "plain", "none", "json",
					      NULL };

#define ARG(field) offsetof(struct sweep_args, field)
#define RUN(field) RUN_ARG(field)

static const struct cli_option options[] = {
	{ .name = "vary",
	  .kind = CLI_LIST,
	  .argument = "KEY=VALUES",
	  .help = "an option of run (queue_depth, elevator, drive, firmware, "
		  "depth, speed), a key of \"ncqsim help keys\", or a word of "
		  "the workload (workload.bs); VALUES is a list of values and "
		  "ranges: 1,2,8..32+8 or 1..32*2 or 4k..64k*2; all stands "
		  "for every drive, elevator or firmware; may be repeated",
	  .offset = ARG(vary) },
	{ .name = "zip",
	  .kind = CLI_FLAG,
	  .help = "take the first values of every key together, then the "
		  "second ones, instead of every combination",
	  .offset = ARG(zip) },
	{ .name = "reps",
	  .kind = CLI_COUNT,
	  .argument = "N",
	  .help = "repeat each with N seeds, and show means with a 95 % "
		  "confidence interval",
	  .offset = ARG(reps) },
	{ .name = "jobs",
	  .letter = 'j',
	  .kind = CLI_COUNT,
	  .argument = "N",
	  .help = "simulations at a time; as many as there are processors "
		  "without it",
	  .offset = ARG(jobs) },
	{ .name = "shard",
	  .kind = CLI_VALUE,
	  .argument = "I/N",
	  .help = "only the I-th of N parts, to be merged later; in a task of "
		  "a Slurm array it follows from SLURM_ARRAY_TASK_ID and "
		  "_COUNT",
	  .offset = ARG(shard) },
	{ .name = "resume",
	  .kind = CLI_FLAG,
	  .help = "take what an interrupted sweep finished, and do the rest",
	  .offset = ARG(resume) },
	{ .name = "output",
	  .letter = 'o',
	  .kind = CLI_VALUE,
	  .argument = "FILE",
	  .help = "keep the results in FILE, as JSON Lines; FILE.part while "
		  "they are not complete",
	  .offset = RUN(file) },
	{ .name = "metric",
	  .kind = CLI_VALUE,
	  .argument = "FIGURE",
	  .help = "what tables show first: iops (the default), mib_per_s, "
		  "mean_ms, p50_ms, p90_ms, p95_ms, p99_ms, p99_9_ms, max_ms, "
		  "q2d_mean_ms, d2c_mean_ms, seek_mean_ms, rotate_mean_ms, "
		  "requests, merges, reordered, elapsed_s",
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
	RUN_OPTIONS,
	{ .name = "progress",
	  .kind = CLI_CHOICE,
	  .argument = "HOW",
	  .choices = progress_names,
	  .help = "on standard error: auto (a bar on a terminal), plain lines, "
		  "none, or json",
	  .offset = RUN(progress) },
	{ .name = "quiet",
	  .kind = CLI_FLAG,
	  .help = "no progress and no warnings",
	  .offset = RUN(quiet) },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "sweep sda --vary queue_depth=1..32*2 --vary elevator=all",
	  "a heat map of IOPS over depths and elevators" },
	{ "sweep sda --vary queue_depth=1..31 --metric p99_ms --csv",
	  "what depth costs in the tail" },
	{ "sweep --workload randread,count=5000 --vary drive=all "
	  "--vary depth=1,4,16 --reps 5 -o drives.jsonl",
	  "every drive, five seeds each, kept" },
	{ "sweep sda --vary cache.segments=1..64*2 -o s.jsonl --resume",
	  "go on where it was killed" },
	{ "sweep sda --vary queue_depth=1..32 --shard 3/8 -o s.3.jsonl",
	  "the third of eight parts, for ncqsim merge" },
	{ 0 },
};

const struct command cmd_sweep = {
	.name = "sweep",
	.summary = "run every combination of options, in parallel",
	.synopsis = "TRACE... --vary KEY=VALUES... [OPTION]...",
	.about = "Run the same input once for every combination of the values "
		 "that vary, on all processors. The trace is read once. The "
		 "results are in the order of the combinations and the same "
		 "bytes whatever --jobs; the last --vary changes fastest."
		 "\n\nWith --output every finished simulation is on the disk "
		 "before the next is written: killed at any moment, at most "
		 "those under way are lost, and --resume does what is left. It "
		 "refuses when the configuration or the input is another.",
	.options = options,
	.examples = examples,
	.words = "file",
	.args_size = sizeof(struct sweep_args),
	.run = run_sweep,
};
