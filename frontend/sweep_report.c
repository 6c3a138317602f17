/* SPDX-License-Identifier: MIT */
#include "frontend/sweep.h"

#include "frontend/text.h"

#include <math.h>
#include <string.h>

#define BAR_WIDTH 20
/* A cell of the heat map is a number, its shade and a mark. */
#define MAP_NUMBER_MIN 7
#define MAP_NUMBER_MAX 14
#define MAP_WIDTH      140 /* wider ones are listed instead */

static const enum figure columns[] = {
	FIGURE_IOPS, FIGURE_MIBPS, FIGURE_MEAN, FIGURE_P50,
	FIGURE_P90,  FIGURE_P99,   FIGURE_MAX,
};

/* 0.975 quantile of Student's t; by its expansion beyond the table. */
static double
student_t(uint32_t freedom)
{
	static const double t[] = {
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
		2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
		2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
		2.060,  2.056, 2.052, 2.048, 2.045, 2.042,
	};

	return freedom <= ARRAY_LEN(t) ? t[freedom - 1]
				       : 1.95996 + 2.4 / freedom;
}

struct sweep_mean
sweep_mean(const struct sweep *sweep, size_t combo, enum figure figure)
{
	const struct sweep_cell *cell = &sweep->cell[combo * sweep->reps];
	struct sweep_mean m = { 0, 0, 0 };
	double mean = 0, squares = 0;

	for (uint32_t i = 0; i < sweep->reps; i++)
		if (cell[i].line) {
			mean += (double)cell[i].figures.value[figure];
			m.count++;
		}
	if (!m.count)
		return m;
	mean /= m.count;
	for (uint32_t i = 0; i < sweep->reps; i++)
		if (cell[i].line) {
			double d = (double)cell[i].figures.value[figure] - mean;

			squares += d * d;
		}
	m.mean = llround(mean);
	if (m.count > 1)
		m.half = llround(student_t(m.count - 1) *
				 sqrt(squares / (m.count - 1) / m.count));
	return m;
}

/* What is printed about one figure: its least, largest and best mean. */
struct scale {
	enum figure figure;
	int64_t low, high, best;
	size_t count;
	bool marks; /* a best one is worth marking */
};

static struct scale
scale_of(const struct sweep *sweep, enum figure figure)
{
	struct scale s = { .figure = figure };

	for (size_t i = 0; i < sweep->vary.combos; i++) {
		struct sweep_mean m = sweep_mean(sweep, i, figure);

		if (!m.count)
			continue;
		if (!s.count++)
			s.low = s.high = s.best = m.mean;
		if (m.mean < s.low)
			s.low = m.mean;
		if (m.mean > s.high)
			s.high = m.mean;
		if (figure_is_better(figure, m.mean, s.best))
			s.best = m.mean;
	}
	s.marks = figure_kinds[figure].better && s.low != s.high;
	return s;
}

static bool
is_best(const struct scale *s, int64_t value)
{
	return s->marks && value == s->best;
}

/* "398.12", or "398.12 +-4.10" with repetitions. */
static struct text
mean_text(const struct sweep *sweep, struct sweep_mean m, enum figure figure)
{
	struct text t = figure_text(figure, m.mean);
	size_t n = strlen(t.s);

	if (sweep->reps > 1 && m.count)
		snprintf(t.s + n, sizeof(t.s) - n, " +-%s",
			 figure_text(figure, m.half).s);
	return t;
}

/* ---- a list: a line a combo ---- */

static int
axis_width(const struct vary_axis *axis)
{
	size_t width = strlen(axis->key);

	for (size_t i = 0; i < axis->values.count; i++)
		if (strlen(axis->values.text[i]) > width)
			width = strlen(axis->values.text[i]);
	return (int)width;
}

/* The metric, then IOPS, mean and p99, each once. */
static size_t
list_figures(enum figure metric, struct scale *scale, const struct sweep *sweep)
{
	static const enum figure more[] = { FIGURE_IOPS, FIGURE_MEAN,
					    FIGURE_P99 };
	size_t n = 0;

	scale[n++] = scale_of(sweep, metric);
	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		if (more[i] != metric)
			scale[n++] = scale_of(sweep, more[i]);
	return n;
}

static void
list_line(FILE *out, const struct sweep *sweep, size_t combo,
	  const struct scale *scale, size_t figures)
{
	int width = sweep->reps > 1 ? 18 : 10;
	struct sweep_mean first = sweep_mean(sweep, combo, scale[0].figure);

	for (size_t i = 0; i < sweep->vary.axes; i++)
		fprintf(out, "%-*s ", axis_width(&sweep->vary.axis[i]),
			vary_value(&sweep->vary, i, combo));
	for (size_t i = 0; i < figures; i++) {
		struct sweep_mean m = sweep_mean(sweep, combo, scale[i].figure);

		fprintf(out, "%*s%s", width,
			mean_text(sweep, m, scale[i].figure).s,
			is_best(&scale[i], m.mean) ? "*" : " ");
	}
	fprintf(out, " %s\n",
		text_bar((uint64_t)(first.mean > 0 ? first.mean : 0),
			 (uint64_t)(scale[0].high > 0 ? scale[0].high : 1),
			 BAR_WIDTH)
			.s);
}

static void
write_list(FILE *out, const struct sweep *sweep, enum figure metric)
{
	struct scale scale[4];
	size_t figures = list_figures(metric, scale, sweep);
	int width = sweep->reps > 1 ? 18 : 10;

	for (size_t i = 0; i < sweep->vary.axes; i++)
		fprintf(out, "%-*s ", axis_width(&sweep->vary.axis[i]),
			sweep->vary.axis[i].key);
	for (size_t i = 0; i < figures; i++)
		fprintf(out, "%*s ", width, figure_kinds[scale[i].figure].head);
	fprintf(out, " %s\n", figure_kinds[metric].head);
	for (size_t i = 0; i < sweep->vary.combos; i++)
		if (sweep_mean(sweep, i, metric).count)
			list_line(out, sweep, i, scale, figures);
}

/* ---- a heat map: two axes ---- */

static int
map_number_width(const struct sweep *sweep)
{
	int width = axis_width(&sweep->vary.axis[1]);

	if (width > MAP_NUMBER_MAX)
		return MAP_NUMBER_MAX;
	return width < MAP_NUMBER_MIN ? MAP_NUMBER_MIN : width;
}

static bool
is_map(const struct sweep *sweep)
{
	const struct vary *v = &sweep->vary;

	return v->axes == 2 && !v->zip && sweep->reps == 1 &&
	       v->axis[0].values.count > 1 && v->axis[1].values.count > 1 &&
	       (size_t)axis_width(&v->axis[0]) +
			       (size_t)(map_number_width(sweep) + 2) *
				       v->axis[1].values.count <=
		       MAP_WIDTH;
}

/* Darker is more. */
static char
shade(const struct scale *s, int64_t value)
{
	static const char shades[] = ".:-=+#@";
	size_t last = sizeof(shades) - 2;

	if (s->high == s->low)
		return shades[0];
	return shades[(uint64_t)(value - s->low) * last /
		      (uint64_t)(s->high - s->low)];
}

static void
map_line(FILE *out, const struct sweep *sweep, size_t row,
	 const struct scale *s)
{
	size_t count = sweep->vary.axis[1].values.count;

	for (size_t i = 0; i < count; i++) {
		struct sweep_mean m =
			sweep_mean(sweep, row * count + i, s->figure);

		if (m.count)
			fprintf(out, "%*s%c%s", map_number_width(sweep),
				figure_text(s->figure, m.mean).s,
				shade(s, m.mean),
				is_best(s, m.mean) ? "*"
				: i + 1 < count    ? " "
						   : "");
		else
			fprintf(out, "%*s%s", map_number_width(sweep), "-",
				i + 1 < count ? "  " : "");
	}
	putc('\n', out);
}

static void
write_map(FILE *out, const struct sweep *sweep, enum figure metric)
{
	const struct vary_axis *rows = &sweep->vary.axis[0];
	const struct vary_axis *across = &sweep->vary.axis[1];
	struct scale s = scale_of(sweep, metric);
	int width = axis_width(rows), number = map_number_width(sweep);

	fprintf(out, "%-*s  %s\n%-*s", width, "", across->key, width,
		rows->key);
	for (size_t i = 0; i < across->values.count; i++) {
		const char *name = across->values.text[i];
		int n = (int)strlen(name);

		/* The end of a name tells more than its beginning. */
		fprintf(out, "%*s%s", number,
			n > number ? name + n - number : name,
			i + 1 < across->values.count ? "  " : "");
	}
	putc('\n', out);
	for (size_t i = 0; i < rows->values.count; i++) {
		fprintf(out, "%-*s", width, rows->values.text[i]);
		map_line(out, sweep, i, &s);
	}
}

static void
write_human(FILE *out, const struct sweep *sweep, enum figure metric)
{
	bool is_time = strcmp(figure_kinds[metric].unit, "ns") == 0;
	size_t done = 0;

	for (size_t i = 0; i < sweep->cells; i++)
		done += sweep->cell[i].line != NULL;
	fprintf(out, "%zu cells", done);
	if (done < sweep->cells)
		fprintf(out, " of %zu", sweep->cells);
	if (sweep->reps > 1)
		fprintf(out, ", %u repetitions, +- is the 95 %% confidence",
			sweep->reps);
	fprintf(out, ": %s%s\n\n", figure_kinds[metric].head,
		is_time ? ", ms" : "");
	if (is_map(sweep))
		write_map(out, sweep, metric);
	else
		write_list(out, sweep, metric);
	fprintf(out, "\n%s* the best of %s\n",
		is_map(sweep) ? "from least (.) to most (@); "
			      : "latencies in ms; ",
		is_map(sweep) ? "all" : "its column");
}

static void
put_escaped(FILE *out, const char *text)
{
	for (; *text; text++)
		fprintf(out, *text == '|' ? "\\%c" : "%c", *text);
}

static void
write_md(FILE *out, const struct sweep *sweep)
{
	struct scale scale[ARRAY_LEN(columns)];

	for (size_t i = 0; i < sweep->vary.axes; i++)
		fprintf(out, "| %s ", sweep->vary.axis[i].key);
	for (size_t c = 0; c < ARRAY_LEN(columns); c++) {
		scale[c] = scale_of(sweep, columns[c]);
		fprintf(out, "| %s ", figure_kinds[columns[c]].head);
	}
	fputs("|\n", out);
	for (size_t i = 0; i < sweep->vary.axes; i++)
		fputs("|---", out);
	for (size_t c = 0; c < ARRAY_LEN(columns); c++)
		fputs("|--:", out);
	fputs("|\n", out);
	for (size_t i = 0; i < sweep->vary.combos; i++) {
		if (!sweep_mean(sweep, i, FIGURE_IOPS).count)
			continue;
		for (size_t a = 0; a < sweep->vary.axes; a++) {
			fputs("| ", out);
			put_escaped(out, vary_value(&sweep->vary, a, i));
			putc(' ', out);
		}
		for (size_t c = 0; c < ARRAY_LEN(columns); c++) {
			struct sweep_mean m = sweep_mean(sweep, i, columns[c]);
			const char *bold =
				is_best(&scale[c], m.mean) ? "**" : "";

			fprintf(out, "| %s%s%s ", bold,
				mean_text(sweep, m, columns[c]).s, bold);
		}
		fputs("|\n", out);
	}
	fputs("\nLatencies in ms; the best of a column in bold.\n", out);
}

static void
write_csv(FILE *out, const struct sweep *sweep)
{
	fputs("cell,rep", out);
	for (size_t i = 0; i < sweep->vary.axes; i++)
		fprintf(out, ",%s", sweep->vary.axis[i].key);
	for (int f = 0; f < FIGURES; f++)
		fprintf(out, ",%s", figure_kinds[f].key);
	putc('\n', out);
	for (size_t i = 0; i < sweep->cells; i++) {
		if (!sweep->cell[i].line)
			continue;
		fprintf(out, "%zu,%zu", i, i % sweep->reps);
		for (size_t a = 0; a < sweep->vary.axes; a++) {
			const char *value =
				vary_value(&sweep->vary, a, i / sweep->reps);
			const char *quote = strchr(value, ',') ? "\"" : "";

			fprintf(out, ",%s%s%s", quote, value, quote);
		}
		for (enum figure f = 0; f < FIGURES; f++)
			fprintf(out, ",%s",
				figure_exact(f, sweep->cell[i].figures.value[f])
					.s);
		putc('\n', out);
	}
}

static void
write_lines(FILE *out, const struct sweep *sweep)
{
	fputs(sweep->head, out);
	for (size_t i = 0; i < sweep->cells; i++)
		if (sweep->cell[i].line)
			fputs(sweep->cell[i].line, out);
}

int
sweep_write(FILE *out, const struct sweep *sweep, int format,
	    const char *metric, struct err *e)
{
	double scale;
	int figure = figure_find(metric ? metric : "iops", &scale, e);

	if (figure < 0)
		return ERR_CONFIG;
	if (!out)
		return 0;
	switch ((enum report_format)format) {
	case REPORT_HUMAN:
		write_human(out, sweep, (enum figure)figure);
		break;
	case REPORT_JSON:
		write_lines(out, sweep);
		break;
	case REPORT_CSV:
		write_csv(out, sweep);
		break;
	case REPORT_MD:
		write_md(out, sweep);
		break;
	}
	return 0;
}
