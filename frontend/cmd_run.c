/* SPDX-License-Identifier: MIT */
#include "frontend/blktrace.h"
#include "frontend/command.h"
#include "frontend/files.h"
#include "frontend/load.h"
#include "frontend/models.h"
#include "frontend/output.h"
#include "frontend/progress.h"
#include "frontend/report.h"
#include "frontend/requests.h"
#include "frontend/result.h"
#include "frontend/run.h"
#include "frontend/run_many.h"
#include "frontend/run_options.h"
#include "frontend/signals.h"
#include "frontend/text.h"

#include "sim/core/hash.h"
#include "sim/ncqsim.h"
#include "sim/stats.h"

#include <assert.h>
#include <limits.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_AT_A_TIME 50000 /* some milliseconds */

/* Everything that one run holds, freed together. */
struct run {
	struct cli_line *line;
	const struct run_args *args;
	struct result *result; /* the run to repeat, or NULL */
	const char *result_path;
	struct ncqsim_config *cfg;
	struct ncqsim *sim;
	struct stats *stats;
	struct load load;
	struct output out;
	struct requests_file requests;
	struct blktrace_file blktrace;
	struct compare compare;
	struct hist *simulated; /* one for each pair of the comparison */
	struct run_texts texts;
	bool complete;
};

static void
run_free(struct run *run)
{
	output_discard(&run->out);
	output_discard(&run->requests.out);
	blktrace_file_discard(&run->blktrace);
	load_close(&run->load);
	ncqsim_destroy(run->sim);
	stats_free(run->stats);
	ncqsim_config_free(run->cfg);
	free(run->simulated);
}

/* A result to repeat stands in place of the traces. */
static int
open_result(struct run *run, struct err *e)
{
	const struct cli_list *words = &run->line->words;

	for (size_t i = 0; words->count > 1 && i < words->count; i++)
		if (result_detect(words->text[i]))
			return err_set(e, ERR_CONFIG,
				       "%s is a result: it is repeated alone, "
				       "without another file",
				       words->text[i]);
	if (words->count != 1 || !result_detect(words->text[0]))
		return 0;
	run->result_path = words->text[0];
	return result_load(words->text[0], run->line, &run->result, e);
}

static int
configure(struct run *run, struct err *e)
{
	int err;

	run->cfg = models_config(e);
	if (!run->cfg)
		return e->code;
	err = run_configure(run->line, run->cfg, e);
	if (!err)
		err = run_set_span(run->line, run->cfg, NULL, e);
	if (!err && run->result)
		err = result_check_config(run->result, run->cfg, e);
	return err;
}

/* A file that is read must not be replaced by what is written. */
static int
check_output(const struct run *run, const char *option, const char *path,
	     struct err *e)
{
	if (!path || !load_reads(&run->load, path))
		return 0;
	return err_set(e, ERR_CONFIG, "--%s: %s is the trace itself", option,
		       path);
}

/* Nor may any other file that was named. */
static int
check_files(const struct run *run, const char *member, struct err *e)
{
	const struct run_args *args = run->args;
	const struct file_name written[] = {
		{ "--output", args->file },
		{ "--requests", args->requests },
		{ "--blktrace", args->blktrace ? member : NULL },
	};
	char elevator[PATH_MAX];
	const struct file_name read[] = {
		{ "the drive", args->drive },
		{ "the result", run->result_path },
		{ "the elevator", elevator },
	};

	snprintf(elevator, sizeof(elevator), "%.*s",
		 (int)strcspn(args->elevator, ":"), args->elevator);
	return files_check(written, ARRAY_LEN(written), read, ARRAY_LEN(read),
			   e);
}

static int
check_outputs(const struct run *run, struct err *e)
{
	const struct run_args *args = run->args;
	char member[PATH_MAX];
	int err = check_output(run, "output", args->file, e);

	snprintf(member, sizeof(member), "%s.blktrace.0",
		 args->blktrace ? args->blktrace : "");
	if (!err)
		err = check_output(run, "requests", args->requests, e);
	if (!err && args->blktrace)
		err = check_output(run, "blktrace", member, e);
	return err ? err : check_files(run, member, e);
}

static int
open_requests(struct run *run, struct err *e)
{
	int err;

	if (!run->args->requests)
		return 0;
	err = requests_open(&run->requests, run->args->requests, e);
	if (!err)
		ncqsim_attach(run->sim, &run->requests.probe);
	return err;
}

static int
open_blktrace(struct run *run, struct err *e)
{
	struct blktrace_file *file = &run->blktrace;
	int err;

	if (!run->args->blktrace)
		return 0;
	file->name = load_process_name;
	file->ctx = &run->load;
	file->device = load_device(&run->load);
	err = blktrace_file_start(file, run->args->blktrace, e);
	if (!err)
		ncqsim_attach(run->sim, &file->probe);
	return err;
}

static int
open_outputs(struct run *run, struct err *e)
{
	int err = check_outputs(run, e);

	if (!err)
		err = output_open(&run->out, run->args->file, e);
	if (!err)
		err = open_requests(run, e);
	return err ? err : open_blktrace(run, e);
}

static int
build(struct run *run, struct err *e)
{
	struct ncqsim_drive_info drive;
	int err;

	run->sim = ncqsim_create(run->cfg, e);
	if (!run->sim)
		return e->code;
	run->stats = stats_create(e);
	if (!run->stats)
		return e->code;
	ncqsim_attach(run->sim, stats_probe(run->stats));
	ncqsim_drive_info(run->sim, &drive);
	err = load_open(&run->load, run->line, drive.sectors, e);
	if (err)
		return err;
	err = open_outputs(run, e);
	if (!err)
		ncqsim_feed(run->sim, &run->load.source);
	return err;
}

static void
show_progress(const struct run *run, struct progress *progress)
{
	struct ncqsim_totals totals;
	struct progress_state state;

	ncqsim_totals(run->sim, &totals);
	state.ppm = load_ppm(&run->load);
	state.simulated_ns = totals.now_ns;
	state.requests = totals.requests;
	progress_show(progress, &state);
}

static int
simulate(struct run *run, struct err *e)
{
	struct progress progress;
	int more = 1;

	progress_start(&progress, (enum progress_mode)run->args->progress,
		       run->args->quiet);
	while (more > 0 && !signals_pending()) {
		more = ncqsim_run(run->sim, EVENTS_AT_A_TIME, e);
		/* The signal ended a wait for input: report what came. */
		if (more == ERR_INPUT && signals_pending())
			more = 1;
		if (progress.mode != PROGRESS_NONE)
			show_progress(run, &progress);
	}
	progress_end(&progress);
	run->complete = more == 0;
	if (more < 0 && strncmp(e->text, "record ", 7) == 0) {
		struct err machine = *e;

		err_set(e, machine.code, "%s: %s", run->load.title,
			machine.text);
	}
	return more < 0 ? more : 0;
}

static int
prepare_compare(struct run *run, struct err *e)
{
	struct compare_pair *pair = run->compare.pair;
	struct stats_bios *bios;

	run->simulated = calloc(COMPARE_PAIRS, sizeof(*run->simulated));
	bios = malloc(sizeof(*bios));
	if (!run->simulated || !bios) {
		free(bios);
		return err_nomem(e);
	}
	stats_gather_d2c(run->stats, STATS_ANY, &run->simulated[0]);
	stats_gather(run->stats, STATS_ANY, STATS_ANY, bios);
	run->simulated[1] = bios->latency_ns;
	free(bios);
	pair[0].name = "D2C";
	pair[0].recorded = load_recorded_d2c(&run->load);
	pair[1].name = "Q2C";
	pair[1].recorded = load_recorded_q2c(&run->load);
	for (size_t i = 0; i < COMPARE_PAIRS; i++) {
		pair[i].simulated = &run->simulated[i];
		if (pair[i].recorded->count && pair[i].simulated->count)
			pair[i].demerit_ns = compare_demerit(pair[i].recorded,
							     pair[i].simulated);
	}
	return 0;
}

static void
write_report(struct run *run, const struct report *report, int *err)
{
	switch ((enum report_format)run->args->output) {
	case REPORT_HUMAN:
		report_write_human(run->out.file, report);
		break;
	case REPORT_JSON:
		*err = report_write_json(run->out.file, report);
		break;
	case REPORT_CSV:
		report_write_csv(run->out.file, report);
		break;
	case REPORT_MD:
		report_write_md(run->out.file, report);
		break;
	}
}

static int
report_run(struct run *run, struct err *e)
{
	struct report report = {
		.line = run->line,
		.config = run->cfg,
		.input = run->load.title,
		.stack = run->texts.stack,
		.load = run->texts.load,
		.input_hash = hash_final(run->load.hash),
		.damaged = load_damaged(&run->load),
		.complete = run->complete,
		.open_loop = run->args->replay == REPLAY_TIMED,
	};
	int err = report_gather(&report, run->sim, run->stats,
				load_process_name, &run->load, e);

	if (!err && run->args->compare) {
		err = prepare_compare(run, e);
		report.compare = &run->compare;
	}
	if (!err) {
		run_describe(run->args, run->cfg, &report.drive, &run->texts);
		write_report(run, &report, &err);
		if (err)
			err = output_fail(&run->out, errno, e);
	}
	if (!err && run->result)
		err = result_check_run(run->result, report.input_hash,
				       report.totals.hash, e);
	report_free(&report);
	return err;
}

/* The files appear only now, when all of them are whole. */
static int
commit_outputs(struct run *run, struct err *e)
{
	int err = output_commit(&run->out, e);

	if (!err && run->requests.out.file)
		err = output_commit(&run->requests.out, e);
	if (!err && run->blktrace.writer)
		err = blktrace_file_commit(&run->blktrace, e);
	return err;
}

static int
run_steps(struct run *run, struct err *e)
{
	int failed, err = open_result(run, e);

	if (!err && run_is_many(run->args))
		return run_many(run->line, e);
	if (!err)
		err = load_init(&run->load, run->line, e);
	if (!err)
		err = run_choose_replay(run->line, &run->load, e);
	if (!err)
		err = configure(run, e);
	if (!err)
		err = build(run, e);
	if (!err)
		err = simulate(run, e);
	if (err)
		return err;
	if (!run->args->quiet)
		load_print_warnings(&run->load);
	failed = report_run(run, e);
	if (failed >= 0)
		err = commit_outputs(run, e);
	return err ? err : failed;
}

static int
run_run(struct cli_line *line, struct err *e)
{
	struct run run = { .line = line, .args = line->args };
	struct result *result;
	int status = run_steps(&run, e);

	result = run.result;
	run_free(&run);
	if (status == EXIT_FAILED_CHECK)
		fprintf(stderr, "ncqsim: %s\n", e->text);
	/* The command line may hold texts of the result. */
	result_free(result);
	if (status == 0 && signals_pending())
		return signals_status();
	return status;
}

/* ---- the table ---- */

const char *const run_from_names[] = { "Q", "D", NULL };
const char *const run_replay_names[] = { "timed", "depth", "think", NULL };
static const char *const progress_names[] = { "auto", "plain", "none", NULL };
const char *const run_beyond_names[] = { "error", "wrap", "scale", "drop",
					 NULL };

#define ARG(field) RUN_ARG(field)

static const struct cli_option options[] = {
	RUN_OPTIONS,
	{ .name = "compare",
	  .repeats = true,
	  .kind = CLI_FLAG,
	  .help = "show the trace's own service times beside the simulated "
		  "ones, and how far apart they are",
	  .offset = ARG(compare) },
	{ .name = "human",
	  .kind = CLI_CONST,
	  .constant = REPORT_HUMAN,
	  .help = "report for people (the default)",
	  .offset = ARG(output) },
	{ .name = "json",
	  .kind = CLI_CONST,
	  .constant = REPORT_JSON,
	  .help = "report as JSON, which \"ncqsim run\" can repeat",
	  .offset = ARG(output) },
	{ .name = "csv",
	  .kind = CLI_CONST,
	  .constant = REPORT_CSV,
	  .help = "report as CSV, a figure a line",
	  .offset = ARG(output) },
	{ .name = "md",
	  .kind = CLI_CONST,
	  .constant = REPORT_MD,
	  .help = "report as Markdown tables",
	  .offset = ARG(output) },
	{ .name = "output",
	  .letter = 'o',
	  .kind = CLI_VALUE,
	  .argument = "FILE",
	  .help = "write the report to FILE",
	  .offset = ARG(file) },
	{ .name = "requests",
	  .kind = CLI_VALUE,
	  .argument = "FILE",
	  .help = "write a line for each request to FILE.csv or FILE.jsonl",
	  .offset = ARG(requests) },
	{ .name = "blktrace",
	  .kind = CLI_VALUE,
	  .argument = "PREFIX",
	  .help = "write the run as PREFIX.blktrace.0 for blkparse, btt and "
		  "iowatcher",
	  .offset = ARG(blktrace) },
	{ .name = "progress",
	  .kind = CLI_CHOICE,
	  .argument = "HOW",
	  .choices = progress_names,
	  .help = "on standard error: auto (a bar on a terminal), plain lines, "
		  "or none",
	  .offset = ARG(progress) },
	{ .name = "quiet",
	  .kind = CLI_FLAG,
	  .help = "no progress and no warnings",
	  .offset = ARG(quiet) },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "run sda", "replay sda.blktrace.* against the default drive" },
	{ "run sda -d maxtor-7b300s0 -e deadline -q 1",
	  "another drive and elevator, NCQ off" },
	{ "run sda -e all",
	  "every elevator of the chosen kernel, side by side" },
	{ "run sda --from D --compare",
	  "what was issued, beside the recorded service times" },
	{ "run sda --replay depth --depth 32 --json -o sda.json",
	  "as fast as the drive can, 32 outstanding; keep the result" },
	{ "run sda.json --set host.queue_depth=4",
	  "repeat that run with another queue depth" },
	{ "run --workload randread,bs=4k,count=100000 --depth 4",
	  "no trace: random reads, four outstanding" },
	{ 0 },
};

const struct command cmd_run = {
	.name = "run",
	.summary = "replay a trace against a drive and report",
	.synopsis = "TRACE... [OPTION]...",
	.about = "Replay a trace against a simulated drive, elevator and "
		 "queue depth, and report latencies, rates and what the drive "
		 "did. A TRACE is a blktrace prefix or member, a folder of "
		 "them, a blkparse dump or its text, or \"-\". A result of "
		 "\"run --json\" in its place is run again, bit for bit, or "
		 "with the options given now in place of its own. Of the "
		 "elevators, none, mq-deadline, kyber and bfq need --set "
		 "host.kernel=modern; \"ncqsim help elevators\" lists them."
		 "\n\nThe report "
		 "goes to standard output, everything else to standard error. "
		 "An interrupted run (SIGINT) reports what it got to and marks "
		 "it as not complete.",
	.options = options,
	.examples = examples,
	.words = "file",
	.args_size = sizeof(struct run_args),
	.run = run_run,
};
