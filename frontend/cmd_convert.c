/* SPDX-License-Identifier: MIT */
/* "ncqsim trace convert": a trace in another format. */
#include "frontend/command.h"
#include "frontend/output.h"

#include "traces/encode.h"
#include "traces/trace.h"

#include <errno.h>
#include <string.h>

struct convert_args {
	bool lenient, issued;
	const char *format, *columns, *time_unit;
	const char *output, *to;
};

/* The format that the name of the output ends in, or NULL. */
static const char *
format_of_name(const char *path)
{
	static const struct {
		const char *suffix, *format;
	} known[] = {
		{ ".csv", "csv" },      { ".iolog", "fio-iolog" },
		{ ".txt", "blkparse" }, { ".blktrace.0", "blktrace" },
		{ ".bin", "blktrace" }, { ".disksim", "disksim" },
	};
	size_t n = path ? strlen(path) : 0;

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		size_t m = strlen(known[i].suffix);

		if (n > m && strcmp(path + n - m, known[i].suffix) == 0)
			return known[i].format;
	}
	return NULL;
}

static int
convert_events(struct trace_reader *reader, struct trace_encoder *encoder,
	       struct output *out, struct err *e)
{
	struct trace_event ev;
	struct encode_bytes bytes;
	int r;

	while ((r = trace_next(reader, &ev, e)) > 0) {
		r = trace_encode(encoder, &ev, &bytes, e);
		if (r < 0)
			return r;
		errno = 0;
		if (bytes.size &&
		    fwrite(bytes.data, bytes.size, 1, out->file) != 1)
			return output_fail(out, errno, e);
	}
	return r;
}

/* A file that is read must not be replaced while it is. */
static int
check_inputs(const struct trace_reader *reader, const char *path, struct err *e)
{
	const struct trace_stats *stats = trace_get_stats(reader);

	for (uint32_t i = 0; path && i < stats->file_count; i++)
		if (strcmp(stats->files[i].path, path) == 0)
			return err_set(e, ERR_CONFIG,
				       "%s: is the trace that is read", path);
	return 0;
}

static int
convert_open(const struct convert_args *args, struct trace_reader *reader,
	     struct err *e)
{
	const char *to = args->to ? args->to : format_of_name(args->output);
	struct trace_encoder *encoder = NULL;
	struct output out = { 0 };
	int r;

	if (!to)
		return err_set(e, ERR_CONFIG,
			       "trace convert needs --to FORMAT: blktrace "
			       "blktrace8 blkparse fio-iolog disksim csv");
	r = check_inputs(reader, args->output, e);
	if (!r)
		r = trace_encoder_open(to, reader, &encoder, e);
	if (!r && args->issued)
		trace_encoder_issued(encoder);
	if (!r)
		r = output_open(&out, args->output, e);
	if (!r) {
		r = convert_events(reader, encoder, &out, e);
		if (!r && trace_encoder_count(encoder) == 0)
			r = err_set(e, ERR_INPUT,
				    "nothing in the trace that %s can hold%s",
				    to,
				    args->issued ? ""
						 : "; --issued takes D "
						   "instead of Q");
		if (!r)
			r = output_commit(&out, e);
		else
			output_discard(&out);
	}
	trace_encoder_close(encoder);
	return r;
}

static int
convert_run(struct cli_line *line, struct err *e)
{
	const struct convert_args *args = line->args;
	struct trace_options opt = { .format = args->format,
				     .columns = args->columns,
				     .lenient = args->lenient };
	struct trace_reader *reader = NULL;
	const struct trace_stats *stats;
	int r;

	if (!line->words.count)
		return err_set(e, ERR_CONFIG, "trace convert needs a trace");
	r = trace_parse_unit(args->time_unit, &opt.time_unit_ns, e);
	if (!r)
		r = trace_open(line->words.text, (uint32_t)line->words.count,
			       &opt, &reader, e);
	if (r)
		return r;
	r = convert_open(args, reader, e);
	stats = trace_get_stats(reader);
	for (uint32_t i = 0; i < stats->warning_count; i++)
		fprintf(stderr, "ncqsim: %s\n", stats->warnings[i]);
	for (size_t i = 0; i < DAMAGE_KINDS; i++)
		if (args->lenient && stats->damage[i].count)
			fprintf(stderr, "ncqsim: damaged: %s\n",
				stats->damage[i].first);
	trace_close(reader);
	return r;
}

#define ARG(field) offsetof(struct convert_args, field)

static const struct cli_option options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .kind = CLI_VALUE,
	  .argument = "FILE",
	  .help = "where to; standard output without it",
	  .offset = ARG(output) },
	{ .name = "to",
	  .kind = CLI_VALUE,
	  .argument = "FORMAT",
	  .help = "blktrace (version 7, one file), blktrace8, blkparse, "
		  "fio-iolog, disksim or csv; else by the file's name: "
		  ".bin .txt .iolog .disksim .csv",
	  .offset = ARG(to) },
	{ .name = "issued",
	  .kind = CLI_FLAG,
	  .help = "for formats of one I/O a line: D instead of Q",
	  .offset = ARG(issued) },
	{ .name = "lenient",
	  .kind = CLI_FLAG,
	  .help = "leave out what is damaged, and say so",
	  .offset = ARG(lenient) },
	{ .name = "format",
	  .kind = CLI_VALUE,
	  .argument = "FORMAT",
	  .help = "the trace's format, instead of recognising it",
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

static const struct command_example examples[] = {
	{ "trace convert sda -o sda.txt",
	  "sda.blktrace.* as blkparse shows it" },
	{ "trace convert web_0.csv.gz --to blktrace -o web.bin",
	  "an MSR Cambridge trace for btt and iowatcher" },
	{ 0 },
};

const struct command cmd_trace_convert = {
	.name = "convert",
	.summary = "write a trace in another format",
	.synopsis = "TRACE... [-o FILE] [--to FORMAT]",
	.about = "Read a trace in any format and write it in another.  "
		 "fio-iolog "
		 "and disksim hold I/Os, made of Q events; the others hold "
		 "all events.",
	.options = options,
	.examples = examples,
	.words = "file",
	.args_size = sizeof(struct convert_args),
	.run = convert_run,
};
