/* SPDX-License-Identifier: MIT */
#include "frontend/command.h"
#include "frontend/explain.h"
#include "frontend/files.h"
#include "frontend/load.h"
#include "frontend/models.h"
#include "frontend/output.h"
#include "frontend/result.h"
#include "frontend/run_options.h"
#include "frontend/signals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_AT_A_TIME 1000
#define TAGS             PROBE_CANDIDATES_MAX

struct explain_args {
	struct run_args run; /* first: the options of a run fill it */
	const char *at;
	uint64_t request;
	int json;
	const char *file;
};

/* The last choice of a tag, and the completion that followed it. */
struct choice {
	struct probe_decision decision;
	struct probe_request request;
	struct probe_access access; /* of it */
	bool is_made, is_done;
};

struct explain {
	struct cli_line *line;
	const struct explain_args *args;
	struct result *result; /* the run to explain, or NULL */
	struct ncqsim_config *cfg;
	struct ncqsim *sim;
	struct load load;
	struct output out;
	struct probe probe;
	nsec_t at_ns;   /* -1: a request is wanted */
	bool is_past;   /* a choice after at_ns was made */
	bool is_unmade; /* the request needed no choice */
	uint32_t last;  /* tag of the last choice up to at_ns */
	const struct choice *found;
	struct choice choice[TAGS]; /* by tag */
};

/* ---- watching ---- */

static bool
is_found(const struct explain *x)
{
	return x->found || x->is_unmade;
}

static void
note_decision(struct probe *probe, const struct probe_decision *ev)
{
	struct explain *x = container_of(probe, struct explain, probe);
	uint32_t tag = ev->candidate[ev->chosen].tag;

	if (x->at_ns >= 0 && ev->time_ns > x->at_ns && x->last < TAGS)
		x->is_past = true;
	if (x->is_past || is_found(x))
		return;
	x->choice[tag].decision = *ev;
	x->choice[tag].is_made = true;
	x->choice[tag].is_done = false;
	x->last = tag;
	/* Nothing came before that time: then this. */
	x->is_past = x->at_ns >= 0 && ev->time_ns > x->at_ns;
}

static void
note_request(struct probe *probe, const struct probe_request *ev)
{
	struct explain *x = container_of(probe, struct explain, probe);
	struct choice *c = &x->choice[ev->tag];
	bool is_media = ev->op == IO_READ || ev->op == IO_WRITE;
	bool is_chosen = is_media && c->is_made &&
			 c->decision.time_ns == ev->access->started_ns;

	if (is_found(x))
		return;
	if (is_chosen) {
		c->request = *ev;
		c->access = *ev->access;
		c->request.access = &c->access;
		c->is_done = true;
	}
	if (x->at_ns < 0 && ev->number == x->args->request) {
		x->found = is_chosen ? c : NULL;
		x->is_unmade = !is_chosen;
	}
}

static bool
is_over(struct explain *x)
{
	if (x->at_ns >= 0 && x->is_past && x->choice[x->last].is_done)
		x->found = &x->choice[x->last];
	return is_found(x);
}

/* ---- steps ---- */

static int
parse_at(struct explain *x, struct err *e)
{
	static const struct option at = { .name = "at",
					  .help = "when",
					  .unit = "ms",
					  .type = OPTION_TIME,
					  .max = INT64_MAX };
	static const struct option_table table = { "explain", "", &at, 1 };
	const struct cli_option *options = x->line->options;
	bool by_number =
		cli_given(x->line, (size_t)cli_find(options, "request"));

	if (!x->args->at == !by_number)
		return err_set(e, ERR_CONFIG,
			       "explain needs --at TIME or --request N");
	x->at_ns = -1;
	x->last = TAGS;
	if (by_number)
		return 0;
	if (option_set(&table, &x->at_ns, "at", x->args->at, NULL, e) < 0)
		return err_set(e, ERR_CONFIG,
			       "--at %s: must be a time such as 39.4ms or 2s",
			       x->args->at);
	return 0;
}

static int
open_run(struct explain *x, struct err *e)
{
	const struct cli_list *words = &x->line->words;
	int err = 0;

	if (words->count == 1 && result_detect(words->text[0]))
		err = result_load(words->text[0], x->line, &x->result, e);
	if (!err)
		err = load_init(&x->load, x->line, e);
	if (!err)
		err = run_choose_replay(x->line, &x->load, e);
	if (err)
		return err;
	x->cfg = models_config(e);
	if (!x->cfg)
		return e->code;
	err = run_configure(x->line, x->cfg, e);
	return err ? err : run_set_span(x->line, x->cfg, NULL, e);
}

static int
build(struct explain *x, struct err *e)
{
	const struct file_name written = { "--output", x->args->file };
	const struct file_name read = { "the drive", x->args->run.drive };
	struct ncqsim_drive_info drive;
	int err;

	x->sim = ncqsim_create(x->cfg, e);
	if (!x->sim)
		return e->code;
	x->probe.decide = note_decision;
	x->probe.request = note_request;
	ncqsim_attach(x->sim, &x->probe);
	ncqsim_drive_info(x->sim, &drive);
	err = load_open(&x->load, x->line, drive.sectors, e);
	if (!err && x->args->file && load_reads(&x->load, x->args->file))
		err = err_set(e, ERR_CONFIG, "--output: %s is the trace itself",
			      x->args->file);
	if (!err)
		err = files_check(&written, 1, &read, 1, e);
	if (!err)
		err = output_open(&x->out, x->args->file, e);
	if (!err)
		ncqsim_feed(x->sim, &x->load.source);
	return err;
}

static int
find(struct explain *x, struct err *e)
{
	int more = 1;

	while (more > 0 && !is_over(x) && !signals_pending())
		more = ncqsim_run(x->sim, EVENTS_AT_A_TIME, e);
	if (more < 0)
		return more;
	x->is_past = true;
	if (x->last < TAGS && is_over(x) && x->found)
		return 0;
	if (x->is_unmade)
		return err_set(e, ERR_CONFIG,
			       "request %llu needed no choice of the firmware",
			       (unsigned long long)x->args->request);
	if (x->at_ns < 0)
		return err_set(e, ERR_CONFIG,
			       "there is no request %llu in this run",
			       (unsigned long long)x->args->request);
	return err_set(e, ERR_CONFIG, "the firmware chose nothing in this run");
}

static int
write_explanation(struct explain *x, struct err *e)
{
	struct ncqsim_drive_info drive;
	struct run_texts texts;
	struct explanation explanation = {
		.input = x->load.title,
		.decision = &x->found->decision,
		.request = &x->found->request,
	};
	int err = 0;

	ncqsim_drive_info(x->sim, &drive);
	run_describe(&x->args->run, x->cfg, &drive, &texts);
	explanation.drive = drive.model;
	explanation.stack = texts.stack;
	if (!x->args->json)
		explain_write_human(x->out.file, &explanation);
	else if (explain_write_json(x->out.file, &explanation) < 0)
		err = output_fail(&x->out, errno, e);
	return err ? err : output_commit(&x->out, e);
}

static int
explain_run(struct cli_line *line, struct err *e)
{
	struct explain *x = calloc(1, sizeof(*x));
	struct result *result;
	int err;

	if (!x)
		return err_nomem(e);
	x->line = line;
	x->args = line->args;
	err = parse_at(x, e);
	if (err >= 0)
		err = open_run(x, e);
	if (!err)
		err = build(x, e);
	if (!err)
		err = find(x, e);
	if (!err)
		err = write_explanation(x, e);
	result = x->result;
	output_discard(&x->out);
	load_close(&x->load);
	ncqsim_destroy(x->sim);
	ncqsim_config_free(x->cfg);
	free(x);
	/* The command line may hold texts of the result. */
	result_free(result);
	return err;
}

/* ---- the table ---- */

#define ARG(field) offsetof(struct explain_args, field)

static const struct cli_option options[] = {
	{ .name = "at",
	  .kind = CLI_VALUE,
	  .argument = "TIME",
	  .help = "the choice in force at this simulated time, the last one "
		  "up to it: 39.4ms, 2s; without a unit milliseconds",
	  .offset = ARG(at) },
	{ .name = "request",
	  .kind = CLI_COUNT,
	  .argument = "N",
	  .help = "the choice of this request, by its number in \"run "
		  "--requests\"",
	  .offset = ARG(request) },
	RUN_OPTIONS,
	{ .name = "json",
	  .kind = CLI_CONST,
	  .constant = 1,
	  .help = "as JSON",
	  .offset = ARG(json) },
	{ .name = "output",
	  .letter = 'o',
	  .kind = CLI_VALUE,
	  .argument = "FILE",
	  .help = "write to FILE",
	  .offset = ARG(file) },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "explain sda --at 39.4ms", "why the drive did that at that time" },
	{ "explain sda.json --request 17",
	  "the same run as a result's, by request" },
	{ "explain --workload randread --depth 8 --at 1s -p sptf:guard_us=500",
	  "no trace; and what the guard time does" },
	{ 0 },
};

const struct command cmd_explain = {
	.name = "explain",
	.summary = "show why the drive chose a command",
	.synopsis = "TRACE... --at TIME | --request N [OPTION]...",
	.about = "Repeat a run up to one decision of the drive's firmware and "
		 "show every command that waited, what it would have cost "
		 "(seek, settling, switches, rotation), which one was chosen, "
		 "why, and the time it took.\n\nThe run is named as for "
		 "\"ncqsim run\": by traces, by --workload, or by a result of "
		 "\"run --json\". The settling shown is that of the shortest "
		 "seek; what is above it is shown as seek.",
	.options = options,
	.examples = examples,
	.words = "file",
	.args_size = sizeof(struct explain_args),
	.run = explain_run,
};
