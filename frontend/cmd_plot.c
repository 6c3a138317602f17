/* SPDX-License-Identifier: MIT */
#include "frontend/command.h"
#include "frontend/output.h"
#include "frontend/plot.h"

#include <stdlib.h>

struct plot_args {
	int kind;
	const char *file, *data, *gnuplot;
	const char *metric, *title, *size;
	uint64_t rpm;
};

static int
parse_size(const char *text, struct plot_size *size, struct err *e)
{
	char *end;

	*size = (struct plot_size){ 800, 500 };
	if (!text)
		return 0;
	size->width = (double)strtoul(text, &end, 10);
	if (*end == 'x')
		size->height = (double)strtoul(end + 1, &end, 10);
	if (*end || size->width < 160 || size->width > 10000 ||
	    size->height < 120 || size->height > 10000)
		return err_set(e, ERR_CONFIG,
			       "--size %s: must be WIDTHxHEIGHT, from 160x120 "
			       "to 10000x10000",
			       text);
	return 0;
}

static int export(const struct plot *plot, const char *path,
		  void (*write)(FILE *out, const struct plot *plot),
		  struct err *e)
{
	struct output out;
	int err;

	if (!path)
		return 0;
	err = output_open(&out, path, e);
	if (err)
		return err;
	write(out.file, plot);
	return output_commit(&out, e);
}

static int
run_plot(struct cli_line *line, struct err *e)
{
	const struct plot_args *args = line->args;
	struct plot_source source = { .kind = (enum plot_kind)args->kind,
				      .files = &line->words,
				      .metric = args->metric,
				      .rpm = (double)args->rpm };
	struct plot_size size;
	struct plot plot;
	int err = parse_size(args->size, &size, e);

	if (!err && !line->words.count)
		err = err_set(e, ERR_CONFIG, "plot needs a file to plot");
	if (!err && !args->file && !args->data && !args->gnuplot)
		err = err_set(e, ERR_CONFIG,
			      "plot needs --output, --data or --gnuplot");
	if (err)
		return err;
	err = plot_fill(&plot, &source, e);
	if (args->title)
		snprintf(plot.title, sizeof(plot.title), "%s", args->title);
	if (!err)
		err = export(&plot, args->data, plot_write_csv, e);
	if (!err)
		err = export(&plot, args->gnuplot, plot_write_gnuplot, e);
	if (!err && args->file)
		err = plot_draw(&plot, args->file, size, e);
	plot_free(&plot);
	return err;
}

/* ---- the table ---- */

static const char *const kinds[] = { "depth", "latency", "heatmap", "cdf",
				     "hist",  "scatter", "offset",  "timeline",
				     "seek",  NULL };

#define ARG(field) offsetof(struct plot_args, field)

static const struct cli_option options[] = {
	{ .name = "kind",
	  .letter = 'k',
	  .kind = CLI_CHOICE,
	  .argument = "KIND",
	  .choices = kinds,
	  .help = "of a sweep: depth (IOPS against the first key with "
		  "numbers; the default), latency (p99), heatmap (two keys); "
		  "of request logs: cdf, hist (latency), scatter (service "
		  "time by address), offset (addresses by process), timeline, "
		  "seek (distances)",
	  .offset = ARG(kind) },
	{ .name = "output",
	  .letter = 'o',
	  .kind = CLI_VALUE,
	  .argument = "FILE",
	  .help = "the picture: FILE.svg, FILE.pdf or FILE.png",
	  .offset = ARG(file) },
	{ .name = "data",
	  .kind = CLI_VALUE,
	  .argument = "FILE",
	  .help = "write the points as CSV",
	  .offset = ARG(data) },
	{ .name = "gnuplot",
	  .kind = CLI_VALUE,
	  .argument = "FILE",
	  .help = "write a gnuplot script that holds the points",
	  .offset = ARG(gnuplot) },
	{ .name = "metric",
	  .kind = CLI_VALUE,
	  .argument = "FIGURE",
	  .help = "what is plotted of a sweep, as of ncqsim sweep",
	  .offset = ARG(metric) },
	{ .name = "rpm",
	  .kind = CLI_COUNT,
	  .argument = "N",
	  .help = "with scatter: show a band as high as one turn takes",
	  .offset = ARG(rpm) },
	{ .name = "title",
	  .kind = CLI_VALUE,
	  .argument = "TEXT",
	  .help = "instead of its own",
	  .offset = ARG(title) },
	{ .name = "size",
	  .kind = CLI_VALUE,
	  .argument = "WxH",
	  .help = "pixels of a PNG, points of the others; 800x500 without it",
	  .offset = ARG(size) },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "plot s.jsonl -o depth.svg", "IOPS against depth, a curve each" },
	{ "plot s.jsonl -k heatmap --metric p99_ms -o map.png",
	  "two keys of a sweep as colours" },
	{ "plot noop.csv cfq.csv -k cdf -o cdf.pdf",
	  "latencies of two request logs" },
	{ "plot r.csv -k scatter --rpm 7200 -o scatter.png",
	  "service time by address, and one turn" },
	{ 0 },
};

const struct command cmd_plot = {
	.name = "plot",
	.summary = "draw sweeps and request logs",
	.synopsis = "FILE... [OPTION]...",
	.about = "Draw the file of a \"sweep --output\" or the logs of \"run "
		 "--requests FILE.csv\" as SVG, PDF or PNG. Curves have their "
		 "own colour, marker and dash.",
	.options = options,
	.examples = examples,
	.words = "file",
	.args_size = sizeof(struct plot_args),
	.run = run_plot,
};
