/* SPDX-License-Identifier: MIT */
#include "frontend/load_trace.h"

#include "frontend/load.h"
#include "traces/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct load_trace {
	struct io_source source;
	struct trace_reader *reader;
	uint8_t action;  /* TRACE_QUEUE or TRACE_ISSUE */
	uint32_t device; /* the only one taken; 0 while not known */
	uint32_t number;
	struct hist q2c, d2c;
};

static struct io_record
record_of(const struct trace_event *ev)
{
	struct io_record rec = {
		.time_ns = ev->time_ns,
		.lba = ev->sector,
		.sectors = ev->bytes / SECTOR_BYTES,
		.pid = ev->pid,
		.op = IO_READ,
		.io_level = 4,
	};

	if (ev->category & TRACE_DISCARD)
		rec.op = IO_DISCARD;
	else if (!ev->bytes)
		rec.op = IO_FLUSH;
	else if (ev->category & TRACE_WRITE)
		rec.op = IO_WRITE;
	if (rec.op == IO_READ || ev->category & TRACE_SYNC)
		rec.flags |= IO_SYNC;
	if (ev->category & TRACE_META)
		rec.flags |= IO_META;
	if (ev->category & TRACE_AHEAD)
		rec.flags |= IO_AHEAD;
	return rec;
}

static int
next_record(struct io_source *src, struct io_record *rec, struct err *e)
{
	struct load_trace *trace = container_of(src, struct load_trace, source);
	struct trace_event ev;
	int more;

	while ((more = trace_next(trace->reader, &ev, e)) > 0) {
		if (ev.action != trace->action || ev.category & TRACE_PC)
			continue;
		if (!trace->device)
			trace->device = ev.device;
		if (trace->device != ev.device)
			continue;
		*rec = record_of(&ev);
		rec->number = trace->number++;
		return 1;
	}
	return more;
}

/* --device MAJ,MIN as the kernel keeps it. */
static int
parse_device(const char *text, uint32_t *device, struct err *e)
{
	unsigned major, minor;
	int used = 0;

	if (!text)
		return 0;
	if (sscanf(text, "%u,%u%n", &major, &minor, &used) != 2 || text[used] ||
	    major > 4095 || minor > 0xfffff)
		return err_set(e, ERR_CONFIG,
			       "--device %s: must be MAJOR,MINOR as in 8,16",
			       text);
	*device = major << 20 | minor;
	return 0;
}

int
load_trace_open(const struct cli_line *line, struct load_trace **out,
		struct io_source **source, struct err *e)
{
	const struct run_args *args = line->args;
	struct trace_options opt = { .format = args->format,
				     .lenient = args->lenient };
	struct load_trace *trace = calloc(1, sizeof(*trace));
	int err;

	if (!trace)
		return err_nomem(e);
	hist_init(&trace->q2c);
	hist_init(&trace->d2c);
	trace->source.next = next_record;
	trace->action =
		args->from == RUN_FROM_ISSUE ? TRACE_ISSUE : TRACE_QUEUE;
	err = parse_device(args->device, &trace->device, e);
	if (!err)
		err = trace_open(line->words.text, (uint32_t)line->words.count,
				 &opt, &trace->reader, e);
	if (err) {
		load_trace_close(trace);
		return err;
	}
	*out = trace;
	*source = &trace->source;
	return 0;
}

void
load_trace_close(struct load_trace *trace)
{
	if (!trace)
		return;
	trace_close(trace->reader);
	free(trace);
}

/* "8,0 8,16": the devices that have events of the action. */
static void
list_devices(const struct trace_stats *stats, uint8_t action, char *buf,
	     size_t size)
{
	size_t n = 0;

	*buf = '\0';
	for (uint32_t i = 0; i < stats->device_count && n < size; i++) {
		const struct trace_device_stats *d = &stats->devices[i];

		if (d->counts[action])
			n += (size_t)snprintf(buf + n, size - n, "%s%u,%u",
					      n ? " " : "", d->device >> 20,
					      d->device & 0xfffff);
	}
}

int
load_trace_explain_empty(const struct load_trace *trace,
			 const struct cli_line *line, struct err *e)
{
	const struct run_args *args = line->args;
	const struct trace_stats *stats = trace_get_stats(trace->reader);
	bool issued = trace->action == TRACE_ISSUE;
	uint8_t other = issued ? TRACE_QUEUE : TRACE_ISSUE;
	char devices[256];

	list_devices(stats, trace->action, devices, sizeof(devices));
	if (args->device && *devices)
		return err_set(e, ERR_INPUT,
			       "%s: device %s has no %s event; there are %s",
			       line->words.text[0], args->device,
			       trace_action_name(trace->action), devices);
	return err_set(e, ERR_INPUT,
		       "%s: nothing to replay: no %s event among %" PRIu64
		       " records%s",
		       line->words.text[0], trace_action_name(trace->action),
		       stats->records,
		       !stats->counts[other] ? ""
		       : issued              ? "; try --from Q"
					     : "; try --from D");
}

/* How much of a trace was read cannot be told from its reader. */
uint32_t
load_trace_ppm(const struct load_trace *trace)
{
	(void)trace;
	return 0;
}

const char *
load_trace_process_name(const struct load_trace *trace, uint32_t pid)
{
	return trace_process_name(trace->reader, pid);
}

uint64_t
load_trace_damaged(const struct load_trace *trace)
{
	const struct trace_stats *stats = trace_get_stats(trace->reader);
	uint64_t damaged = 0;

	for (size_t i = 0; i < DAMAGE_KINDS; i++)
		damaged += stats->damage[i].count;
	return damaged;
}

void
load_trace_print_warnings(const struct load_trace *trace)
{
	const struct trace_stats *stats = trace_get_stats(trace->reader);

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

int
load_span(const struct cli_line *line, uint64_t *sectors, struct err *e)
{
	struct io_source *source;
	struct load_trace *trace;
	struct io_record rec;
	int more;

	*sectors = 0;
	if (((const struct run_args *)line->args)->workload)
		return 0;
	more = load_trace_open(line, &trace, &source, e);
	if (more)
		return more;
	while ((more = source->next(source, &rec, e)) > 0)
		if (rec.lba + rec.sectors > *sectors)
			*sectors = rec.lba + rec.sectors;
	load_trace_close(trace);
	return more;
}
