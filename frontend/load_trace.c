/* SPDX-License-Identifier: MIT */
#include "frontend/load_trace.h"

#include "frontend/load.h"
#include "traces/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct load_trace {
	struct trace_replay *replay;
	struct match_observer observer;
	struct hist q2c; /* of bios, recorded */
	struct hist d2c; /* of requests */
};

static void
add_bio(void *ctx, const struct trace_bio *bio)
{
	struct load_trace *trace = ctx;
	nsec_t done_ns = bio->complete_ns;

	if (done_ns < 0)
		done_ns = bio->end_ns;
	if (bio->queue_ns >= 0 && done_ns >= bio->queue_ns)
		hist_add(&trace->q2c, (uint64_t)(done_ns - bio->queue_ns));
}

static void
add_request(void *ctx, const struct trace_request *request)
{
	struct load_trace *trace = ctx;

	if (request->issue_ns >= 0 && request->complete_ns >= request->issue_ns)
		hist_add(&trace->d2c,
			 (uint64_t)(request->complete_ns - request->issue_ns));
}

static int
open_replay(const struct cli_line *line, struct load_trace *trace,
	    struct err *e)
{
	const struct run_args *args = line->args;
	struct replay_options opt = {
		.trace.format = args->format,
		.trace.columns = args->columns,
		.trace.lenient = args->lenient,
		.from = args->from == RUN_FROM_ISSUE ? REPLAY_ISSUED
						     : REPLAY_QUEUED,
		.has_device = args->device != NULL,
	};
	int err = 0;

	err = trace_parse_unit(args->time_unit, &opt.trace.time_unit_ns, e);
	if (!err && args->device)
		err = trace_parse_device(args->device, &opt.device, e);
	if (err < 0)
		return err;
	hist_init(&trace->q2c);
	hist_init(&trace->d2c);
	trace->observer.ctx = trace;
	trace->observer.completed = add_bio;
	trace->observer.request = add_request;
	if (args->compare)
		opt.observer = &trace->observer;
	return trace_replay_open(line->words.text, (uint32_t)line->words.count,
				 &opt, &trace->replay, e);
}

int
load_trace_open(const struct cli_line *line, struct load_trace **out,
		struct io_source **source, struct err *e)
{
	struct load_trace *trace = calloc(1, sizeof(*trace));
	int err;

	if (!trace)
		return err_nomem(e);
	err = open_replay(line, trace, e);
	if (err < 0) {
		load_trace_close(trace);
		return err;
	}
	*out = trace;
	*source = trace_replay_source(trace->replay);
	return 0;
}

void
load_trace_close(struct load_trace *trace)
{
	if (!trace)
		return;
	if (trace->replay)
		trace_replay_close(trace->replay);
	free(trace);
}

static const struct trace_stats *
stats_of(const struct load_trace *trace)
{
	return trace_get_stats(trace_replay_reader(trace->replay));
}

bool
load_trace_reads(const struct load_trace *trace, const char *path)
{
	const struct trace_stats *stats = stats_of(trace);
	struct stat written, read;

	if (stat(path, &written) != 0 || !S_ISREG(written.st_mode))
		return false;
	for (uint32_t i = 0; i < stats->file_count; i++)
		if (stat(stats->files[i].path, &read) == 0 &&
		    read.st_dev == written.st_dev &&
		    read.st_ino == written.st_ino)
			return true;
	return false;
}

uint32_t
load_trace_device(const struct load_trace *trace)
{
	return trace_replay_device(trace->replay);
}

uint32_t
load_trace_ppm(const struct load_trace *trace)
{
	return trace_progress_ppm(trace_replay_reader(trace->replay));
}

const char *
load_trace_process_name(const struct load_trace *trace, uint32_t pid)
{
	return trace_process_name(trace_replay_reader(trace->replay), pid);
}

uint64_t
load_trace_damaged(const struct load_trace *trace)
{
	const struct trace_stats *stats = stats_of(trace);
	uint64_t damaged = 0;

	for (size_t i = 0; i < DAMAGE_KINDS; i++)
		damaged += stats->damage[i].count;
	return damaged;
}

void
load_trace_print_warnings(const struct load_trace *trace)
{
	const struct trace_stats *stats = stats_of(trace);
	const char *const *lines;
	uint32_t count = trace_replay_warnings(trace->replay, &lines);

	for (uint32_t i = 0; i < count; i++)
		fprintf(stderr, "ncqsim: %s\n", lines[i]);
	for (size_t i = 0; i < DAMAGE_KINDS; i++)
		if (stats->damage[i].count)
			fprintf(stderr,
				"ncqsim: left out %" PRIu64
				" damaged, first: %s\n",
				stats->damage[i].count, stats->damage[i].first);
	for (uint32_t i = 0; i < stats->warning_count; i++)
		fprintf(stderr, "ncqsim: %s\n", stats->warnings[i]);
}

const struct hist *
load_trace_q2c(const struct load_trace *trace)
{
	return &trace->q2c;
}

const struct hist *
load_trace_d2c(const struct load_trace *trace)
{
	return &trace->d2c;
}

uint64_t
load_trace_span(const struct load_trace *trace)
{
	return trace_replay_sectors(trace->replay);
}

/* Opened, it would be read, or wait for its writer. */
static bool
is_pipe(const char *path)
{
	struct stat st;

	return strcmp(path, "-") == 0 ||
	       (stat(path, &st) == 0 && !S_ISREG(st.st_mode) &&
		!S_ISDIR(st.st_mode));
}

/* What cannot be opened is told of later. */
bool
load_has_think(const struct cli_line *line)
{
	const struct run_args *args = line->args;
	struct trace_options opt = { .format = args->format,
				     .columns = args->columns,
				     .lenient = true };
	struct trace_reader *reader = NULL;
	bool has_think;

	if (args->workload || !line->words.count ||
	    is_pipe(line->words.text[0]))
		return false;
	if (trace_parse_unit(args->time_unit, &opt.time_unit_ns, NULL) < 0 ||
	    trace_open(line->words.text, (uint32_t)line->words.count, &opt,
		       &reader, NULL) < 0)
		return false;
	has_think = trace_is_waiting(reader);
	trace_close(reader);
	return has_think;
}

/* A file says it when it is opened; a pipe cannot be read twice. */
int
load_span(const struct cli_line *line, uint64_t *sectors, struct err *e)
{
	struct io_source *source;
	struct load_trace *trace;
	int err;

	*sectors = 0;
	if (((const struct run_args *)line->args)->workload)
		return 0;
	err = load_trace_open(line, &trace, &source, e);
	if (err)
		return err;
	*sectors = load_trace_span(trace);
	load_trace_close(trace);
	return 0;
}
