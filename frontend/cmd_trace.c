/* SPDX-License-Identifier: MIT */
#include "frontend/command.h"
#include "frontend/output.h"
#include "frontend/text.h"
#include "frontend/trace_shape.h"

#include "sim/core/json.h"
#include "traces/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PROCESSES_SHOWN 10

struct trace_args {
	bool json;
	bool lenient;
	const char *format;
	const char *columns;
	const char *time_unit;
};

/* What one process queued; pids that are in use have a count. */
struct process_count {
	uint32_t pid;
	uint64_t queued, bytes;
};

/* A hash table by pid, at most half full. */
struct process_table {
	struct process_count *slots;
	size_t size, used;
};

struct info {
	struct trace_reader *reader;
	const struct trace_stats *stats;
	struct process_table processes;
	struct trace_shape shape;
	uint64_t bytes; /* queued, or issued when nothing was queued */
};

static struct process_count *
process_slot(struct process_table *table, uint32_t pid)
{
	size_t i = (pid * 2654435761u) & (table->size - 1);

	while (table->slots[i].queued && table->slots[i].pid != pid)
		i = (i + 1) & (table->size - 1);
	return &table->slots[i];
}

static int
process_grow(struct process_table *table, struct err *e)
{
	struct process_table bigger = { NULL, 0, table->used };

	bigger.size = table->size ? 2 * table->size : 64;
	bigger.slots = calloc(bigger.size, sizeof(*bigger.slots));
	if (!bigger.slots)
		return err_nomem(e);
	for (size_t i = 0; i < table->size; i++)
		if (table->slots[i].queued)
			*process_slot(&bigger, table->slots[i].pid) =
				table->slots[i];
	free(table->slots);
	*table = bigger;
	return 0;
}

static int
process_add(struct process_table *table, const struct trace_event *ev,
	    struct err *e)
{
	struct process_count *slot;
	int err;

	if (2 * table->used >= table->size) {
		err = process_grow(table, e);
		if (err)
			return err;
	}
	slot = process_slot(table, ev->pid);
	table->used += !slot->queued;
	slot->pid = ev->pid;
	slot->queued++;
	slot->bytes += ev->bytes;
	return 0;
}

static int
compare_processes(const void *a, const void *b)
{
	const struct process_count *x = a, *y = b;

	if (x->queued != y->queued)
		return x->queued < y->queued ? 1 : -1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Read to the end, counting; then the table is a sorted list. */
static int
info_read(struct info *info, struct err *e)
{
	struct trace_event ev;
	int more, err = 0;

	while ((more = trace_next(info->reader, &ev, e)) > 0 && !err) {
		shape_add(&info->shape, &ev);
		if (ev.action != TRACE_QUEUE)
			continue;
		info->bytes += ev.bytes;
		err = process_add(&info->processes, &ev, e);
	}
	if (info->processes.used)
		qsort(info->processes.slots, info->processes.size,
		      sizeof(*info->processes.slots), compare_processes);
	return err ? err : more;
}

static void
print_actions(const struct trace_stats *stats)
{
	char line[512];
	size_t n = 0;

	for (uint8_t i = 1; i < TRACE_ACTIONS && n < sizeof(line); i++)
		if (stats->counts[i] && *trace_action_name(i))
			n += (size_t)snprintf(line + n, sizeof(line) - n,
					      "%s%s %" PRIu64, n ? " " : "",
					      trace_action_name(i),
					      stats->counts[i]);
	if (!n)
		return;
	fputs("  events     ", stdout);
	text_wrap(stdout, line, 13, 13);
}

static void
print_devices(const struct trace_stats *stats)
{
	printf("\n%-12s%12s%12s%12s%18s\n", "device", "queued", "issued",
	       "completed", "last sector");
	for (uint32_t i = 0; i < stats->device_count; i++) {
		const struct trace_device_stats *d = &stats->devices[i];
		char name[24];

		snprintf(name, sizeof(name), "%u,%u", d->device >> 20,
			 d->device & 0xfffff);
		printf("%-12s%12" PRIu64 "%12" PRIu64 "%12" PRIu64 "%18" PRIu64
		       "\n",
		       name, d->counts[TRACE_QUEUE], d->counts[TRACE_ISSUE],
		       d->counts[TRACE_COMPLETE],
		       d->end_sector ? d->end_sector - 1 : 0);
	}
}

static void
print_processes(const struct info *info)
{
	size_t n = info->processes.used;

	if (!n)
		return;
	printf("\n%-24s%12s%16s\n", "process", "queued", "bytes");
	for (size_t i = 0; i < n && i < PROCESSES_SHOWN; i++) {
		const struct process_count *p = &info->processes.slots[i];
		const char *comm = trace_process_name(info->reader, p->pid);
		char name[48];

		snprintf(name, sizeof(name), "%.16s[%" PRIu32 "]",
			 comm ? comm : "", p->pid);
		printf("%-24s%12" PRIu64 "%16s\n", name, p->queued,
		       text_bytes(p->bytes).s);
	}
	if (n > PROCESSES_SHOWN)
		printf("... and %zu more\n", n - PROCESSES_SHOWN);
}

static void
print_damage(const struct trace_stats *stats)
{
	for (size_t i = 0; i < DAMAGE_KINDS; i++)
		if (stats->damage[i].count)
			printf("  damaged    %" PRIu64 " x, first: %s\n",
			       stats->damage[i].count, stats->damage[i].first);
}

static void
print_info(const struct info *info, const char *name)
{
	const struct trace_stats *stats = info->stats;

	printf("%s: %s, %" PRIu64 " records in %" PRIu32 " file%s\n", name,
	       stats->format, stats->records, stats->file_count,
	       stats->file_count == 1 ? "" : "s");
	printf("  span       %s\n", text_time(stats->last_ns).s);
	print_actions(stats);
	printf("  queued     %s\n", text_bytes(info->bytes).s);
	shape_print(&info->shape);
	print_damage(stats);
	print_devices(stats);
	print_processes(info);
}

static void
json_devices(struct json *json, const struct trace_stats *stats)
{
	json_begin_array(json, "devices");
	for (uint32_t i = 0; i < stats->device_count; i++) {
		const struct trace_device_stats *d = &stats->devices[i];

		json_begin_object(json, NULL);
		json_uint(json, "major", d->device >> 20);
		json_uint(json, "minor", d->device & 0xfffff);
		json_uint(json, "queued", d->counts[TRACE_QUEUE]);
		json_uint(json, "issued", d->counts[TRACE_ISSUE]);
		json_uint(json, "completed", d->counts[TRACE_COMPLETE]);
		json_uint(json, "end_sector", d->end_sector);
		json_end_object(json);
	}
	json_end_array(json);
}

static void
json_processes(struct json *json, const struct info *info)
{
	json_begin_array(json, "processes");
	for (size_t i = 0; i < info->processes.used; i++) {
		const struct process_count *p = &info->processes.slots[i];
		const char *comm = trace_process_name(info->reader, p->pid);

		json_begin_object(json, NULL);
		json_uint(json, "pid", p->pid);
		if (comm)
			json_string(json, "name", comm);
		else
			json_null(json, "name");
		json_uint(json, "queued", p->queued);
		json_uint(json, "bytes", p->bytes);
		json_end_object(json);
	}
	json_end_array(json);
}

static void
json_info(const struct info *info)
{
	const struct trace_stats *stats = info->stats;
	uint64_t damaged = 0;
	struct json json;

	for (size_t i = 0; i < DAMAGE_KINDS; i++)
		damaged += stats->damage[i].count;
	json_init(&json, JSON_PRETTY, output_json_sink, stdout);
	json_begin_object(&json, NULL);
	json_string(&json, "schema", "ncqsim-trace-info");
	json_uint(&json, "schema_version", 1);
	json_string(&json, "format", stats->format);
	json_uint(&json, "files", stats->file_count);
	json_uint(&json, "records", stats->records);
	json_uint(&json, "damaged", damaged);
	json_int(&json, "span_ns", stats->last_ns);
	json_uint(&json, "queued_bytes", info->bytes);
	json_begin_object(&json, "events");
	for (uint8_t i = 1; i < TRACE_ACTIONS; i++)
		if (stats->counts[i] && *trace_action_name(i))
			json_uint(&json, trace_action_name(i),
				  stats->counts[i]);
	json_end_object(&json);
	shape_json(&info->shape, &json);
	json_devices(&json, stats);
	json_processes(&json, info);
	json_end_object(&json);
	json_finish(&json);
}

static int
info_run(struct cli_line *line, struct err *e)
{
	const struct trace_args *args = line->args;
	struct trace_options opt = { .format = args->format,
				     .columns = args->columns,
				     .lenient = args->lenient };
	struct info info = { 0 };
	int err;

	if (!line->words.count)
		return err_set(e, ERR_CONFIG, "trace info needs a trace");
	err = trace_parse_unit(args->time_unit, &opt.time_unit_ns, e);
	if (err < 0)
		return err;
	err = trace_open(line->words.text, (uint32_t)line->words.count, &opt,
			 &info.reader, e);
	if (err < 0)
		return err;
	info.stats = trace_get_stats(info.reader);
	err = info_read(&info, e);
	for (uint32_t i = 0; i < info.stats->warning_count; i++)
		fprintf(stderr, "ncqsim: %s\n", info.stats->warnings[i]);
	if (!err && args->json)
		json_info(&info);
	else if (!err)
		print_info(&info, line->words.text[0]);
	trace_close(info.reader);
	free(info.processes.slots);
	return err;
}

static void
print_fault(void *ctx, const char *text)
{
	(void)ctx;
	printf("%s\n", text);
}

/* Read everything, however damaged, and print each fault. */
static int
check_run(struct cli_line *line, struct err *e)
{
	const struct trace_args *args = line->args;
	struct trace_options opt = { .format = args->format,
				     .columns = args->columns,
				     .lenient = true,
				     .on_fault = print_fault };
	struct info info = { 0 };
	uint64_t damaged = 0;
	int err;

	if (!line->words.count)
		return err_set(e, ERR_CONFIG, "trace check needs a trace");
	err = trace_parse_unit(args->time_unit, &opt.time_unit_ns, e);
	if (!err)
		err = trace_open(line->words.text, (uint32_t)line->words.count,
				 &opt, &info.reader, e);
	if (err < 0)
		return err;
	info.stats = trace_get_stats(info.reader);
	err = info_read(&info, e);
	for (uint32_t i = 0; i < info.stats->warning_count; i++)
		fprintf(stderr, "ncqsim: %s\n", info.stats->warnings[i]);
	for (size_t i = 0; i < DAMAGE_KINDS; i++)
		damaged += info.stats->damage[i].count;
	if (!err && damaged)
		err = err_set(
			e, ERR_INPUT,
			"%s: %" PRIu64 " faults, %" PRIu64 " records whole",
			line->words.text[0], damaged, info.stats->records);
	else if (!err)
		printf("%s: %s, %" PRIu64 " records, no fault\n",
		       line->words.text[0], info.stats->format,
		       info.stats->records);
	trace_close(info.reader);
	free(info.processes.slots);
	return err;
}

#define ARG(field) offsetof(struct trace_args, field)

static const struct cli_option options[] = {
	{ .name = "json",
	  .kind = CLI_FLAG,
	  .help = "as JSON",
	  .offset = ARG(json) },
	{ .name = "lenient",
	  .kind = CLI_FLAG,
	  .help = "leave out what is damaged, and say so",
	  .offset = ARG(lenient) },
	{ .name = "format",
	  .kind = CLI_VALUE,
	  .argument = "FORMAT",
	  .help = "the format, instead of recognising it",
	  .offset = ARG(format) },
	{ .name = "columns",
	  .kind = CLI_VALUE,
	  .argument = "LIST",
	  .help = "the columns of a table, \"time=3:ms,lba=1,size=2:bytes,"
		  "op=4\", or blkparse's -f format",
	  .offset = ARG(columns) },
	{ .name = "time-unit",
	  .kind = CLI_VALUE,
	  .argument = "UNIT",
	  .help = "s, ms, us or ns, where the trace does not tell",
	  .offset = ARG(time_unit) },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "trace info sda", "what sda.blktrace.* hold" },
	{ "trace info --json dump.bin", "the same of a dump, for programs" },
	{ 0 },
};

static const struct command info_command = {
	.name = "info",
	.summary = "count what a trace holds",
	.synopsis = "TRACE... [OPTION]...",
	.about = "Read a trace to its end and tell its format, span, events by "
		 "kind, devices, processes, and what is damaged in it.",
	.options = options,
	.examples = examples,
	.words = "file",
	.args_size = sizeof(struct trace_args),
	.run = info_run,
};
/* Without --json and --lenient. */
static const struct cli_option check_options[] = {
	{ .name = "format",
	  .kind = CLI_VALUE,
	  .argument = "FORMAT",
	  .help = "the format, instead of recognising it",
	  .offset = ARG(format) },
	{ .name = "columns",
	  .kind = CLI_VALUE,
	  .argument = "LIST",
	  .help = "as for \"trace info\"",
	  .offset = ARG(columns) },
	{ .name = "time-unit",
	  .kind = CLI_VALUE,
	  .argument = "UNIT",
	  .help = "as for \"trace info\"",
	  .offset = ARG(time_unit) },
	{ 0 },
};

static const struct command_example check_examples[] = {
	{ "trace check sda", "are sda.blktrace.* whole?" },
	{ 0 },
};

static const struct command check_command = {
	.name = "check",
	.summary = "find everything that is damaged in a trace",
	.synopsis = "TRACE... [OPTION]...",
	.about =
		"Read a trace to its end and print every fault with its place. "
		"Exit status 3 when there is one.",
	.options = check_options,
	.examples = check_examples,
	.words = "file",
	.args_size = sizeof(struct trace_args),
	.run = check_run,
};

extern const struct command cmd_trace_convert;

static const struct command *const children[] = { &info_command, &check_command,
						  &cmd_trace_convert, NULL };

const struct command cmd_trace = {
	.name = "trace",
	.summary = "look into traces",
	.synopsis = "COMMAND [OPTION]... TRACE...",
	.about = "A TRACE is a blktrace prefix or member, a folder of them, a "
		 "blkparse dump or its text, or \"-\" for standard input.",
	.examples = examples,
	.children = children,
	.words = "",
};
