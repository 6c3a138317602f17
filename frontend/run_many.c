/* SPDX-License-Identifier: MIT */
#include "frontend/run_many.h"

#include "frontend/cell.h"
#include "frontend/files.h"
#include "frontend/models.h"
#include "frontend/output.h"
#include "frontend/progress.h"
#include "frontend/signals.h"

#include <inttypes.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What the table shows, and what CSV has first. */
static const enum figure columns[] = {
	FIGURE_IOPS, FIGURE_MIBPS, FIGURE_MEAN, FIGURE_P50,
	FIGURE_P90,  FIGURE_P99,   FIGURE_MAX,
};
#define COLUMNS ARRAY_LEN(columns)

struct many {
	const struct run_args *args;
	struct cli_list elevators;
	struct records records;
	struct figures *figures; /* one an elevator */
	size_t done;
	struct output out;
	struct json json;
	struct progress progress;
	char head[512]; /* input, drive and load, of the first */
};

bool
run_is_many(const struct run_args *args)
{
	return args->elevator && spec_list_is_many(args->elevator);
}

/* Names that this configuration's kernel has. */
struct era {
	const char *name[64];
	size_t count;
};

static const char *
era_name(void *ctx, size_t i)
{
	const struct era *era = ctx;

	return i < era->count ? era->name[i] : NULL;
}

/* A name may stand for one elevator in each of several kernels. */
static void
era_add(struct era *era, const char *name)
{
	for (size_t i = 0; i < era->count; i++)
		if (strcmp(era->name[i], name) == 0)
			return;
	if (era->count < ARRAY_LEN(era->name))
		era->name[era->count++] = name;
}

static int
era_set_kernel(struct ncqsim_config *cfg, const struct cli_list *set,
	       struct err *e)
{
	static const char key[] = "host.kernel=";
	int err = 0;

	for (size_t i = 0; err >= 0 && i < set->count; i++)
		if (strncmp(set->text[i], key, sizeof(key) - 1) == 0)
			err = ncqsim_config_set(cfg, "host.kernel",
						set->text[i] + sizeof(key) - 1,
						NULL, e);
	return err;
}

static int
era_gather(struct era *era, const struct run_args *args, struct err *e)
{
	struct ncqsim_config *cfg = models_config(e);
	const char *name;
	int err;

	era->count = 0;
	if (!cfg)
		return e->code;
	err = era_set_kernel(cfg, &args->set, e);
	for (size_t i = 0; err >= 0 && (name = ncqsim_elevator_name(i)); i++)
		if (ncqsim_config_elevator(cfg, name, NULL) >= 0)
			era_add(era, name);
	ncqsim_config_free(cfg);
	return err < 0 ? err : 0;
}

int
run_elevators(struct cli_list *list, const struct run_args *args,
	      const char *text, struct err *e)
{
	struct era era;
	int err = era_gather(&era, args, e);

	return err ? err : spec_list_split(list, text, era_name, &era, e);
}

static int
check_args(const struct run_args *args, struct err *e)
{
	const char *what = NULL;

	if (args->requests)
		what = "requests";
	if (args->blktrace)
		what = "blktrace";
	if (args->compare)
		what = "compare";
	if (what)
		return err_set(e, ERR_CONFIG, "--%s needs one elevator, not %s",
			       what, args->elevator);
	return 0;
}

static bool
stop(void *ctx, const struct cell *cell)
{
	struct many *many = ctx;
	struct ncqsim_totals totals;
	struct progress_state state;

	if (many->progress.mode != PROGRESS_NONE) {
		ncqsim_totals(cell->sim, &totals);
		state.ppm = (uint32_t)((many->done * UINT64_C(1000000) +
					load_ppm(&cell->load)) /
				       many->elevators.count);
		state.simulated_ns = totals.now_ns;
		state.requests = totals.requests;
		progress_show(&many->progress, &state);
	}
	return signals_pending() != 0;
}

static void
keep(struct many *many, const struct cell *cell)
{
	const struct report *r = &cell->report;

	many->figures[many->done++] = figures_of_report(r);
	if (many->done == 1)
		snprintf(many->head, sizeof(many->head),
			 "%s on %s, queue depth %" PRIu32 ", %s", r->input,
			 r->drive.model, r->drive.queue_depth, r->load);
	if (many->args->output == REPORT_JSON)
		report_put_json(&many->json, r);
}

static int
run_one(struct many *many, struct cli_line *line, const char *elevator,
	struct err *e)
{
	const struct records *records =
		many->records.record ? &many->records : NULL;
	struct cell cell;
	int err = cell_init(&cell, line, e);

	if (!err)
		err = cell_set(&cell, "elevator", elevator, e);
	if (!err)
		err = cell_configure(&cell, records, e);
	if (!err)
		err = cell_run(&cell, records, stop, many, e);
	/* A part of a run says nothing beside whole ones. */
	if (!err && !signals_pending())
		keep(many, &cell);
	cell_free(&cell);
	return err;
}

/* The best of a column, or -1 when all are equal or there is no better. */
static int
best_of(const struct many *many, enum figure figure)
{
	const struct figures *f = many->figures;
	size_t best = 0;
	bool differ = false;

	for (size_t i = 1; i < many->done; i++) {
		differ |= f[i].value[figure] != f[0].value[figure];
		if (figure_is_better(figure, f[i].value[figure],
				     f[best].value[figure]))
			best = i;
	}
	return differ && figure_kinds[figure].better ? (int)best : -1;
}

static bool
is_best(const struct many *many, size_t i, enum figure figure)
{
	int best = best_of(many, figure);

	return best >= 0 && many->figures[i].value[figure] ==
				    many->figures[best].value[figure];
}

static size_t
name_width(const struct many *many)
{
	size_t width = 8;

	for (size_t i = 0; i < many->elevators.count; i++)
		if (strlen(many->elevators.text[i]) > width)
			width = strlen(many->elevators.text[i]);
	return width;
}

static void
write_human(const struct many *many)
{
	FILE *out = many->out.file;
	int width = (int)name_width(many);

	fprintf(out, "%s\n\n%-*s", many->head, width, "elevator");
	for (size_t c = 0; c < COLUMNS; c++)
		fprintf(out, "%8s%s", figure_kinds[columns[c]].head,
			c + 1 < COLUMNS ? " " : "");
	putc('\n', out);
	for (size_t i = 0; i < many->done; i++) {
		fprintf(out, "%-*s", width, many->elevators.text[i]);
		for (size_t c = 0; c < COLUMNS; c++)
			fprintf(out, "%8s%s",
				figure_text(columns[c],
					    many->figures[i].value[columns[c]])
					.s,
				is_best(many, i, columns[c]) ? "*"
				: c + 1 < COLUMNS            ? " "
							     : "");
		putc('\n', out);
	}
	fputs("\nlatencies in ms; * the best of its column\n", out);
}

static void
write_md(const struct many *many)
{
	FILE *out = many->out.file;

	fprintf(out, "%s; latencies in ms, the best in bold\n\n| elevator |",
		many->head);
	for (size_t c = 0; c < COLUMNS; c++)
		fprintf(out, " %s |", figure_kinds[columns[c]].head);
	fputs("\n|---|", out);
	for (size_t c = 0; c < COLUMNS; c++)
		fputs("--:|", out);
	putc('\n', out);
	for (size_t i = 0; i < many->done; i++) {
		fprintf(out, "| %s |", many->elevators.text[i]);
		for (size_t c = 0; c < COLUMNS; c++) {
			const char *bold =
				is_best(many, i, columns[c]) ? "**" : "";

			fprintf(out, " %s%s%s |", bold,
				figure_text(columns[c],
					    many->figures[i].value[columns[c]])
					.s,
				bold);
		}
		putc('\n', out);
	}
}

static void
write_csv(const struct many *many)
{
	FILE *out = many->out.file;

	fputs("elevator,figure,unit,value,best\n", out);
	for (size_t i = 0; i < many->done; i++) {
		const char *name = many->elevators.text[i];
		const char *quote = strchr(name, ',') ? "\"" : "";

		for (enum figure f = 0; f < FIGURES; f++)
			fprintf(out, "%s%s%s,%s,%s,%s,%d\n", quote, name, quote,
				figure_kinds[f].key, figure_kinds[f].unit,
				figure_exact(f, many->figures[i].value[f]).s,
				is_best(many, i, f));
	}
}

static int
write_end(struct many *many, struct err *e)
{
	int err = 0;

	switch ((enum report_format)many->args->output) {
	case REPORT_HUMAN:
		write_human(many);
		break;
	case REPORT_JSON:
		json_end_array(&many->json);
		err = json_finish(&many->json);
		break;
	case REPORT_CSV:
		write_csv(many);
		break;
	case REPORT_MD:
		write_md(many);
		break;
	}
	return err ? output_fail(&many->out, errno, e) : 0;
}

static int
run_all(struct many *many, struct cli_line *line, struct err *e)
{
	const struct file_name written = { "--output", many->args->file };
	const struct file_name read = { "the drive", many->args->drive };
	int err = files_check(&written, 1, &read, 1, e);

	if (!err)
		err = output_open(&many->out, many->args->file, e);
	if (err)
		return err;
	json_init(&many->json, JSON_PRETTY, output_json_sink, many->out.file);
	if (many->args->output == REPORT_JSON)
		json_begin_array(&many->json, NULL);
	progress_start(&many->progress,
		       (enum progress_mode)many->args->progress,
		       many->args->quiet);
	for (size_t i = 0; !err && i < many->elevators.count; i++)
		if (!signals_pending())
			err = run_one(many, line, many->elevators.text[i], e);
	progress_end(&many->progress);
	if (!err)
		err = write_end(many, e);
	return err ? err : output_commit(&many->out, e);
}

/* Read the trace once; a pipe cannot be read twice. */
static int
read_input(struct many *many, const struct cli_line *line, struct err *e)
{
	struct load load;
	int err = load_init(&load, line, e);

	if (err || many->args->workload)
		return err;
	err = records_read(&many->records, line, RECORDS_BYTES_MAX, e);
	if (err)
		return err;
	if (many->args->file &&
	    load_trace_reads(many->records.trace, many->args->file))
		return err_set(e, ERR_CONFIG,
			       "--output: %s is the trace itself",
			       many->args->file);
	if (many->records.too_many && strcmp(line->words.text[0], "-") == 0)
		return err_set(e, ERR_CONFIG,
			       "standard input is too long to be kept for "
			       "several runs");
	if (!many->args->quiet)
		load_trace_print_warnings(many->records.trace);
	return 0;
}

int
run_many(struct cli_line *line, struct err *e)
{
	struct many many = { .args = line->args };
	int err = check_args(many.args, e);

	if (!err)
		err = run_elevators(&many.elevators, many.args,
				    many.args->elevator, e);
	many.figures = calloc(many.elevators.count + 1, sizeof(*many.figures));
	if (!err && !many.figures)
		err = err_nomem(e);
	if (!err)
		err = read_input(&many, line, e);
	if (!err)
		err = run_all(&many, line, e);
	output_discard(&many.out);
	records_free(&many.records);
	free(many.figures);
	spec_list_free(&many.elevators);
	return err;
}
