/* SPDX-License-Identifier: MIT */
#include "frontend/plot.h"

#include "frontend/spec_list.h"
#include "frontend/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BINS 60

int
plot_add(struct plot_series *s, double x, double y, struct err *e)
{
	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		double *nx = realloc(s->x, room * sizeof(*nx));
		double *ny = realloc(s->y, room * sizeof(*ny));
		double *nz = realloc(s->z, room * sizeof(*nz));

		s->x = nx ? nx : s->x;
		s->y = ny ? ny : s->y;
		s->z = nz ? nz : s->z;
		if (!nx || !ny || !nz)
			return err_nomem(e);
		s->room = room;
	}
	s->x[s->count] = x;
	s->y[s->count] = y;
	s->z[s->count++] = 0;
	return 0;
}

void
plot_free(struct plot *plot)
{
	for (size_t i = 0; i < PLOT_SERIES_MAX; i++) {
		free(plot->series[i].x);
		free(plot->series[i].y);
		free(plot->series[i].z);
	}
	spec_list_free(&plot->columns);
	spec_list_free(&plot->rows);
}

/* The series called @name, which may be new; NULL: there are too many. */
static struct plot_series *
series_of(struct plot *plot, const char *name, struct err *e)
{
	struct plot_series *s;

	for (size_t i = 0; i < plot->count; i++)
		if (strcmp(plot->series[i].name, name) == 0)
			return &plot->series[i];
	if (plot->count == PLOT_SERIES_MAX) {
		err_set(e, ERR_CONFIG, "more than %d curves; vary less",
			PLOT_SERIES_MAX);
		return NULL;
	}
	s = &plot->series[plot->count++];
	snprintf(s->name, sizeof(s->name), "%s", name);
	return s;
}

/* ---- sweeps ---- */

static bool
is_number(const char *text)
{
	char *end;

	strtod(text, &end);
	return *text && !*end;
}

/* The axis to plot against: the first whose values are all numbers. */
static size_t
numeric_axis(const struct vary *vary)
{
	for (size_t i = 0; i < vary->axes; i++) {
		const struct cli_list *v = &vary->axis[i].values;
		size_t n = 0;

		while (n < v->count && is_number(v->text[n]))
			n++;
		if (n == v->count && n > 1)
			return i;
	}
	return SIZE_MAX;
}

/* "elevator cfq, drive x": every value but that of @axis. */
static void
curve_name(char *name, size_t size, const struct vary *vary, size_t axis,
	   size_t combo)
{
	size_t n = 0;

	*name = '\0';
	for (size_t i = 0; i < vary->axes && n < size; i++)
		if (i != axis && vary->axis[i].values.count > 1)
			n += (size_t)snprintf(name + n, size - n, "%s%s",
					      n ? ", " : "",
					      vary_value(vary, i, combo));
}

static void
label_figure(char *label, size_t size, int figure, const char *metric)
{
	const struct figure_kind *kind = &figure_kinds[figure];

	if (kind->digits)
		snprintf(label, size, "%s", kind->head);
	else
		snprintf(label, size, "%s (%s)", kind->head,
			 strrchr(metric, '_') ? strrchr(metric, '_') + 1 : "");
}

static int
fill_curves(struct plot *plot, const struct sweep *sweep, int figure,
	    double scale, struct err *e)
{
	size_t axis = numeric_axis(&sweep->vary);

	if (axis == SIZE_MAX)
		return err_set(e, ERR_CONFIG,
			       "no key of this sweep has two or more numbers "
			       "to plot against");
	snprintf(plot->x_label, sizeof(plot->x_label), "%s",
		 sweep->vary.axis[axis].key);
	for (size_t i = 0; i < sweep->vary.combos; i++) {
		struct sweep_mean m = sweep_mean(sweep, i, (enum figure)figure);
		struct plot_series *s;
		char name[96];

		curve_name(name, sizeof(name), &sweep->vary, axis, i);
		s = series_of(plot, name, e);
		if (!s)
			return e->code;
		if (m.count &&
		    plot_add(s, atof(vary_value(&sweep->vary, axis, i)),
			     (double)m.mean / scale, e) < 0)
			return e->code;
	}
	return 0;
}

static int
copy_names(struct cli_list *to, const struct cli_list *from, struct err *e)
{
	int err = 0;

	for (size_t i = 0; !err && i < from->count; i++) {
		char *copy = strdup(from->text[i]);

		err = copy ? cli_list_add(to, copy, e) : err_nomem(e);
	}
	return err;
}

static int
fill_cells(struct plot *plot, const struct sweep *sweep, int figure,
	   double scale, struct err *e)
{
	const struct vary *vary = &sweep->vary;
	size_t across;
	int err;

	if (vary->axes != 2 || vary->zip)
		return err_set(e, ERR_CONFIG,
			       "a heat map needs a sweep of two keys");
	across = vary->axis[1].values.count;
	snprintf(plot->y_label, sizeof(plot->y_label), "%s", vary->axis[0].key);
	snprintf(plot->x_label, sizeof(plot->x_label), "%s", vary->axis[1].key);
	plot->style = PLOT_CELLS;
	plot->count = 1;
	err = copy_names(&plot->rows, &vary->axis[0].values, e);
	if (!err)
		err = copy_names(&plot->columns, &vary->axis[1].values, e);
	for (size_t i = 0; !err && i < vary->combos; i++) {
		struct sweep_mean m = sweep_mean(sweep, i, (enum figure)figure);
		struct plot_series *s = &plot->series[0];

		if (!m.count)
			continue;
		err = plot_add(s, (double)(i % across), (double)(i / across),
			       e);
		if (!err)
			s->z[s->count - 1] = (double)m.mean / scale;
	}
	return err;
}

static int
fill_sweep(struct plot *plot, const struct plot_source *source, struct err *e)
{
	const char *metric = source->metric                 ? source->metric
			     : source->kind == PLOT_LATENCY ? "p99_ms"
							    : "iops";
	struct sweep sweep = { .shard = 1, .shards = 1 };
	double scale;
	int figure = figure_find(metric, &scale, e);
	int err = figure < 0 ? ERR_CONFIG : 0;

	for (size_t i = 0; !err && i < source->files->count; i++) {
		struct sweep_text text = { .path = source->files->text[i],
					   .any_shard = true };
		char *all = sweep_slurp(text.path, false, &text.length, e);

		text.text = all;
		err = all ? sweep_read(&sweep, &text, e) : e->code;
		free(all);
	}
	if (!err) {
		label_figure(plot->y_label, sizeof(plot->y_label), figure,
			     metric);
		snprintf(plot->title, sizeof(plot->title), "%s", plot->y_label);
		plot->y_log = source->kind == PLOT_LATENCY;
		err = source->kind == PLOT_HEATMAP
			      ? fill_cells(plot, &sweep, figure, scale, e)
			      : fill_curves(plot, &sweep, figure, scale, e);
	}
	if (!err && source->kind != PLOT_HEATMAP)
		snprintf(plot->title, sizeof(plot->title), "%s by %s",
			 figure_kinds[figure].head, plot->x_label);
	sweep_free(&sweep);
	return err;
}

/* ---- request logs ---- */

enum column { PID, LBA, QUEUED, COMPLETED, Q2C, STARTED, DONE, SEEK, WANTED };

static const char *const wanted[WANTED] = {
	"pid",    "lba",        "queued_ns", "completed_ns",
	"q2c_ns", "started_ns", "done_ns",   "seek_cyl",
};

/* Which field of the head line each wanted column is. */
static int
read_head(char *line, int *at, const char *path, struct err *e)
{
	char *rest = line, *word;
	int found = 0;

	line[strcspn(line, "\r\n")] = '\0';
	for (int i = 0; i < WANTED; i++)
		at[i] = -1;
	for (int i = 0; (word = strsep(&rest, ",")); i++)
		for (int j = 0; j < WANTED; j++)
			if (strcmp(word, wanted[j]) == 0) {
				at[j] = i;
				found++;
			}
	if (found == WANTED)
		return 0;
	return err_set(e, ERR_INPUT,
		       "%s: not a request log of ncqsim run --requests "
		       "FILE.csv",
		       path);
}

static void
read_row(char *line, const int *at, double *value)
{
	char *rest = line, *word;

	for (int i = 0; (word = strsep(&rest, ",")); i++)
		for (int j = 0; j < WANTED; j++)
			if (at[j] == i)
				value[j] = atof(word);
}

static int
take_row(struct plot *plot, const struct plot_source *source, const char *name,
	 const double *v, struct err *e)
{
	struct plot_series *s;
	char process[32];

	if (source->kind == PLOT_OFFSET) {
		snprintf(process, sizeof(process), "process %.0f", v[PID]);
		name = plot->count < PLOT_SERIES_MAX - 1 ? process : "others";
	}
	s = series_of(plot, name, e);
	if (!s)
		return e->code;
	switch (source->kind) {
	case PLOT_SCATTER:
		return plot_add(s, v[LBA] * 512 / 1e9,
				(v[DONE] - v[STARTED]) / 1e6, e);
	case PLOT_OFFSET:
		return plot_add(s, v[QUEUED] / 1e9, v[LBA] * 512 / 1e9, e);
	case PLOT_TIMELINE:
		return plot_add(s, v[COMPLETED] / 1e9, v[Q2C] / 1e6, e);
	case PLOT_SEEK:
		return plot_add(s, v[SEEK], 1, e);
	default:
		return plot_add(s, v[Q2C] / 1e6, 1, e);
	}
}

static int
read_log(struct plot *plot, const struct plot_source *source, const char *path,
	 struct err *e)
{
	const char *slash = strrchr(path, '/');
	FILE *file = fopen(path, "re");
	double value[WANTED] = { 0 };
	int at[WANTED], err = 0;
	char *line = NULL;
	char name[96];
	size_t room = 0;

	if (!file)
		return err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
	snprintf(name, sizeof(name), "%s", slash ? slash + 1 : path);
	name[strcspn(name, ".")] = '\0';
	if (getline(&line, &room, file) <= 0)
		err = err_set(e, ERR_INPUT, "%s: empty", path);
	else
		err = read_head(line, at, path, e);
	while (!err && getline(&line, &room, file) > 0) {
		read_row(line, at, value);
		err = take_row(plot, source, name, value, e);
	}
	free(line);
	fclose(file);
	return err;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Values become the share of values up to each, at most 1000 steps. */
static void
make_cdf(struct plot_series *s)
{
	size_t n = s->count, steps = n < 1000 ? n : 1000;

	qsort(s->x, n, sizeof(*s->x), by_value);
	for (size_t i = 0; i < steps; i++) {
		size_t at = (i + 1) * n / steps - 1;

		s->x[i] = s->x[at];
		s->y[i] = 100 * (double)(at + 1) / (double)n;
	}
	s->count = steps;
}

/* Values become counts in equal bins from 0 to @high. */
static int
make_hist(struct plot_series *s, double high, struct err *e)
{
	double bin[BINS] = { 0 };

	for (size_t i = 0; i < s->count; i++) {
		size_t at = (size_t)(s->x[i] / high * BINS);

		bin[at < BINS ? at : BINS - 1]++;
	}
	s->count = 0;
	for (size_t i = 0; i < BINS; i++)
		if (plot_add(s, high * (double)i / BINS, bin[i], e) < 0)
			return e->code;
	return 0;
}

static int
make_hists(struct plot *plot, struct err *e)
{
	double high = 0;
	int err = 0;

	for (size_t i = 0; i < plot->count; i++)
		for (size_t j = 0; j < plot->series[i].count; j++)
			high = fmax(high, plot->series[i].x[j]);
	for (size_t i = 0; !err && i < plot->count; i++)
		err = make_hist(&plot->series[i], high > 0 ? high : 1, e);
	plot->style = PLOT_STEPS;
	return err;
}

static void
make_band(struct plot *plot, double rpm)
{
	double low = HUGE_VAL;

	for (size_t i = 0; i < plot->count; i++)
		for (size_t j = 0; j < plot->series[i].count; j++)
			low = fmin(low, plot->series[i].y[j]);
	if (!(rpm > 0) || low == HUGE_VAL)
		return;
	plot->band_low = low;
	plot->band_high = low + 60e3 / rpm;
	snprintf(plot->band, sizeof(plot->band), "one turn, %.2f ms",
		 60e3 / rpm);
}

static void
label(struct plot *plot, const char *title, const char *x, const char *y)
{
	snprintf(plot->title, sizeof(plot->title), "%s", title);
	snprintf(plot->x_label, sizeof(plot->x_label), "%s", x);
	snprintf(plot->y_label, sizeof(plot->y_label), "%s", y);
}

static int
finish_log(struct plot *plot, const struct plot_source *source, struct err *e)
{
	plot->style = PLOT_DOTS;
	switch (source->kind) {
	case PLOT_CDF:
		label(plot, "Latency, queued until complete", "latency (ms)",
		      "requests up to it (%)");
		plot->style = PLOT_LINE;
		plot->x_log = true;
		for (size_t i = 0; i < plot->count; i++)
			make_cdf(&plot->series[i]);
		return 0;
	case PLOT_HIST:
		label(plot, "Latency, queued until complete", "latency (ms)",
		      "requests");
		return make_hists(plot, e);
	case PLOT_SEEK:
		label(plot, "Seek distance", "distance (cylinders)",
		      "requests");
		return make_hists(plot, e);
	case PLOT_SCATTER:
		label(plot, "Service time by address", "address (GB)",
		      "service time (ms)");
		make_band(plot, source->rpm);
		return 0;
	case PLOT_OFFSET:
		label(plot, "Addresses over time", "queued at (s)",
		      "address (GB)");
		return 0;
	default:
		label(plot, "Latency over time", "completed at (s)",
		      "latency (ms)");
		return 0;
	}
}

int
plot_fill(struct plot *plot, const struct plot_source *source, struct err *e)
{
	int err = 0;

	memset(plot, 0, sizeof(*plot));
	if (source->kind <= PLOT_HEATMAP)
		return fill_sweep(plot, source, e);
	for (size_t i = 0; !err && i < source->files->count; i++)
		err = read_log(plot, source, source->files->text[i], e);
	return err ? err : finish_log(plot, source, e);
}

/* ---- exports ---- */

void
plot_write_csv(FILE *out, const struct plot *plot)
{
	bool cells = plot->style == PLOT_CELLS;

	fputs(cells ? "column,row,value\n" : "series,x,y\n", out);
	for (size_t i = 0; i < plot->count; i++) {
		const struct plot_series *s = &plot->series[i];

		for (size_t j = 0; j < s->count; j++) {
			if (cells)
				fprintf(out, "\"%s\",\"%s\",%.9g\n",
					plot->columns.text[(size_t)s->x[j]],
					plot->rows.text[(size_t)s->y[j]],
					s->z[j]);
			else
				fprintf(out, "\"%s\",%.9g,%.9g\n", s->name,
					s->x[j], s->y[j]);
		}
	}
}

void
plot_write_gnuplot(FILE *out, const struct plot *plot)
{
	static const char *const with[] = { "linespoints", "points", "steps",
					    "image" };

	fprintf(out,
		"set title \"%s\"\nset xlabel \"%s\"\n"
		"set ylabel \"%s\"\n%s%sset key outside noenhanced\n",
		plot->title, plot->x_label, plot->y_label,
		plot->x_log ? "set logscale x\n" : "",
		plot->y_log ? "set logscale y\n" : "");
	for (size_t i = 0; i < plot->count; i++) {
		const struct plot_series *s = &plot->series[i];

		fprintf(out, "$d%zu << EOD\n", i);
		for (size_t j = 0; j < s->count; j++)
			fprintf(out, "%.9g %.9g %.9g\n", s->x[j], s->y[j],
				s->z[j]);
		fputs("EOD\n", out);
	}
	fputs("plot ", out);
	for (size_t i = 0; i < plot->count; i++)
		fprintf(out, "%s$d%zu using %s with %s title \"%s\"",
			i ? ", " : "", i,
			plot->style == PLOT_CELLS ? "1:2:3" : "1:2",
			with[plot->style], plot->series[i].name);
	putc('\n', out);
}
