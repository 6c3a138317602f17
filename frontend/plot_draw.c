/* SPDX-License-Identifier: MIT */
/*
 * Drawing.  Every margin follows from the texts that stand in it, and a
 * text that is too long for its place is made smaller, so that nothing is
 * cut at any size.  Colours are those of Okabe and Ito (2008), which the
 * colour-blind tell apart; markers and dashes tell curves apart in grey.
 */
#include "frontend/plot.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_CAIRO

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#define TICKS_MAX 64

struct axis {
	double low, high;
	bool log;
	double tick[TICKS_MAX];
	char text[TICKS_MAX][24];
	size_t ticks;
};

struct canvas {
	cairo_t *cr;
	const struct plot *plot;
	double font;
	double width, height;
	double left, top, right, bottom; /* of the frame */
	struct axis x, y;
};

static const double colours[][3] = {
	{ 0.00, 0.45, 0.70 }, { 0.84, 0.37, 0.00 }, { 0.00, 0.62, 0.45 },
	{ 0.80, 0.47, 0.65 }, { 0.00, 0.00, 0.00 }, { 0.90, 0.62, 0.00 },
	{ 0.34, 0.71, 0.91 },
};

static void
set_colour(struct canvas *c, size_t i)
{
	const double *rgb = colours[i % ARRAY_LEN(colours)];

	cairo_set_source_rgb(c->cr, rgb[0], rgb[1], rgb[2]);
}

static double
text_width(struct canvas *c, const char *text)
{
	cairo_text_extents_t t;

	cairo_text_extents(c->cr, text, &t);
	return t.x_advance;
}

/* @at is the middle (0.5), left (0) or right (1) end; smaller if it must. */
static void
put_text(struct canvas *c, const char *text, double x, double y, double at,
	 double room)
{
	double width = text_width(c, text);

	cairo_save(c->cr);
	cairo_translate(c->cr, x, y);
	if (width > room && width > 0)
		cairo_scale(c->cr, room / width, room / width);
	cairo_move_to(c->cr, -at * width, 0);
	cairo_show_text(c->cr, text);
	cairo_restore(c->cr);
}

/* ---- axes ---- */

static void
add_tick(struct axis *a, double at)
{
	if (a->ticks == TICKS_MAX || at < a->low - 1e-9 * fabs(a->low) ||
	    at > a->high * (1 + 1e-9))
		return;
	a->tick[a->ticks] = at;
	snprintf(a->text[a->ticks], sizeof(a->text[0]), "%.6g", at);
	a->ticks++;
}

static void
linear_ticks(struct axis *a, double most)
{
	double raw = (a->high - a->low) / fmax(most, 2);
	double unit = pow(10, floor(log10(raw)));
	double step = raw / unit <= 1   ? unit
		      : raw / unit <= 2 ? 2 * unit
		      : raw / unit <= 5 ? 5 * unit
					: 10 * unit;

	a->low = floor(a->low / step + 1e-9) * step;
	a->high = ceil(a->high / step - 1e-9) * step;
	a->ticks = 0;
	for (double i = round(a->low / step); i * step <= a->high * (1 + 1e-9);
	     i++)
		add_tick(a, i * step);
}

static void
log_ticks(struct axis *a, double most)
{
	static const double steps[][9] = {
		{ 1 },
		{ 1, 2, 5 },
		{ 1, 2, 3, 4, 5, 6, 7, 8, 9 },
	};
	static const size_t counts[] = { 1, 3, 9 };
	double decades = log10(a->high / a->low);
	double every = fmax(ceil(decades / fmax(most, 1)), 1);
	size_t kind = decades * 9 <= most ? 2 : decades * 3 <= most ? 1 : 0;

	a->ticks = 0;
	for (double d = floor(log10(a->low)); d <= ceil(log10(a->high));
	     d += every)
		for (size_t i = 0; i < counts[kind]; i++)
			add_tick(a, steps[kind][i] * pow(10, d));
}

/* A log axis ends at 1, 2 or 5 times a power of ten. */
static double
round_log(double value, bool up)
{
	static const double step[] = { 1, 2, 5, 10 };
	double unit = pow(10, floor(log10(value)));
	size_t i = 0;

	while (i < 3 && (up ? step[i] * unit < value * (1 - 1e-9)
			    : step[i + 1] * unit <= value * (1 + 1e-9)))
		i++;
	return step[i] * unit;
}

static void
fit_axis(struct axis *a, double most)
{
	if (a->low > a->high) {
		a->low = 0;
		a->high = 1;
	}
	if (a->log) {
		a->low = round_log(a->low, false);
		a->high = round_log(a->high, true);
		if (a->high <= a->low)
			a->high = 10 * a->low;
		log_ticks(a, most);
		return;
	}
	/* Zero is shown where it is not far. */
	if (a->low > 0 && a->low < 0.5 * a->high)
		a->low = 0;
	if (a->high <= a->low)
		a->high = a->low + 1;
	linear_ticks(a, most);
}

static void
find_range(struct axis *a, const struct plot *plot, bool is_x)
{
	a->low = HUGE_VAL;
	a->high = -HUGE_VAL;
	a->log = is_x ? plot->x_log : plot->y_log;
	for (size_t i = 0; i < plot->count; i++) {
		const double *v = is_x ? plot->series[i].x : plot->series[i].y;

		for (size_t j = 0; j < plot->series[i].count; j++) {
			if (a->log && !(v[j] > 0))
				continue;
			a->low = fmin(a->low, v[j]);
			a->high = fmax(a->high, v[j]);
		}
	}
	if (!is_x && plot->band_high > plot->band_low)
		a->high = fmax(a->high, plot->band_high);
}

static double
place(const struct axis *a, double value, double from, double to)
{
	double share = (value - a->low) / (a->high - a->low);

	if (a->log)
		share = log(value / a->low) / log(a->high / a->low);
	return from + share * (to - from);
}

static double
x_of(const struct canvas *c, double v)
{
	return place(&c->x, v, c->left, c->right);
}

static double
y_of(const struct canvas *c, double v)
{
	return place(&c->y, v, c->bottom, c->top);
}

/* ---- legend ---- */

static double
entry_width(struct canvas *c, const char *name)
{
	return fmin(text_width(c, name) + 3.5 * c->font,
		    c->width - 2 * c->font);
}

static void
set_dash(struct canvas *c, size_t i)
{
	double dashes[][4] = {
		{ 0, 0, 0, 0 }, { 6, 3, 6, 3 }, { 2, 2, 2, 2 }, { 8, 3, 2, 3 }
	};
	size_t n = i % ARRAY_LEN(dashes);

	cairo_set_dash(c->cr, dashes[n], n ? 4 : 0, 0);
}

static void
put_marker(struct canvas *c, size_t i, double x, double y, double r)
{
	cairo_new_path(c->cr);
	switch (i % 5) {
	case 0:
		cairo_arc(c->cr, x, y, r, 0, 2 * M_PI);
		break;
	case 1:
		cairo_rectangle(c->cr, x - r, y - r, 2 * r, 2 * r);
		break;
	case 2:
		cairo_move_to(c->cr, x, y - 1.3 * r);
		cairo_line_to(c->cr, x + 1.2 * r, y + r);
		cairo_line_to(c->cr, x - 1.2 * r, y + r);
		cairo_close_path(c->cr);
		break;
	case 3:
		cairo_move_to(c->cr, x, y - 1.4 * r);
		cairo_line_to(c->cr, x + 1.4 * r, y);
		cairo_line_to(c->cr, x, y + 1.4 * r);
		cairo_line_to(c->cr, x - 1.4 * r, y);
		cairo_close_path(c->cr);
		break;
	default:
		cairo_move_to(c->cr, x - r, y - r);
		cairo_line_to(c->cr, x + r, y + r);
		cairo_move_to(c->cr, x + r, y - r);
		cairo_line_to(c->cr, x - r, y + r);
		cairo_set_line_width(c->cr, r / 2);
		cairo_set_dash(c->cr, NULL, 0, 0);
		cairo_stroke(c->cr);
		return;
	}
	cairo_fill(c->cr);
}

static void
put_entry(struct canvas *c, size_t i, double x, double y)
{
	const struct plot *plot = c->plot;
	double middle = y - 0.35 * c->font;

	set_colour(c, i);
	if (plot->style != PLOT_DOTS) {
		cairo_set_line_width(c->cr, c->font * 0.14);
		set_dash(c, i);
		cairo_move_to(c->cr, x, middle);
		cairo_line_to(c->cr, x + 2.2 * c->font, middle);
		cairo_stroke(c->cr);
	}
	if (plot->style != PLOT_STEPS)
		put_marker(c, i, x + 1.1 * c->font, middle, 0.28 * c->font);
	cairo_set_source_rgb(c->cr, 0, 0, 0);
	put_text(c, plot->series[i].name, x + 2.6 * c->font, y, 0,
		 c->width - 4.6 * c->font);
}

/* Rows of names below the title; returns where they end. */
static double
put_legend(struct canvas *c, double y, bool draw)
{
	double x = c->font;
	bool any = false;

	for (size_t i = 0; i < c->plot->count; i++) {
		double width = entry_width(c, c->plot->series[i].name);

		if (!c->plot->series[i].name[0])
			continue;
		if (x + width > c->width && x > c->font) {
			x = c->font;
			y += 1.4 * c->font;
		}
		if (draw)
			put_entry(c, i, x, y);
		x += width + c->font;
		any = true;
	}
	return any ? y + 0.8 * c->font : y - 0.6 * c->font;
}

/* ---- frame ---- */

static void
put_grid(struct canvas *c)
{
	cairo_set_line_width(c->cr, 0.5);
	cairo_set_dash(c->cr, NULL, 0, 0);
	for (size_t i = 0; i < c->x.ticks; i++) {
		double x = x_of(c, c->x.tick[i]);

		cairo_set_source_rgb(c->cr, 0.85, 0.85, 0.85);
		cairo_move_to(c->cr, x, c->top);
		cairo_line_to(c->cr, x, c->bottom);
		cairo_stroke(c->cr);
		cairo_set_source_rgb(c->cr, 0, 0, 0);
		put_text(c, c->x.text[i], x, c->bottom + 1.3 * c->font, 0.5,
			 4 * c->font);
	}
	for (size_t i = 0; i < c->y.ticks; i++) {
		double y = y_of(c, c->y.tick[i]);

		cairo_set_source_rgb(c->cr, 0.85, 0.85, 0.85);
		cairo_move_to(c->cr, c->left, y);
		cairo_line_to(c->cr, c->right, y);
		cairo_stroke(c->cr);
		cairo_set_source_rgb(c->cr, 0, 0, 0);
		put_text(c, c->y.text[i], c->left - 0.5 * c->font,
			 y + 0.35 * c->font, 1, c->left);
	}
	cairo_set_line_width(c->cr, 1);
	cairo_rectangle(c->cr, c->left, c->top, c->right - c->left,
			c->bottom - c->top);
	cairo_stroke(c->cr);
}

static void
put_labels(struct canvas *c, const char *title)
{
	cairo_set_source_rgb(c->cr, 0, 0, 0);
	put_text(c, c->plot->x_label, (c->left + c->right) / 2,
		 c->height - 0.6 * c->font, 0.5, c->width - c->font);
	cairo_save(c->cr);
	cairo_translate(c->cr, 1.2 * c->font, (c->top + c->bottom) / 2);
	cairo_rotate(c->cr, -M_PI / 2);
	put_text(c, c->plot->y_label, 0, 0, 0.5, c->height - c->font);
	cairo_restore(c->cr);
	cairo_set_font_size(c->cr, 1.2 * c->font);
	put_text(c, title, c->width / 2, 1.6 * c->font, 0.5,
		 c->width - c->font);
	cairo_set_font_size(c->cr, c->font);
}

static double
widest(struct canvas *c, const struct axis *a)
{
	double width = 0;

	for (size_t i = 0; i < a->ticks; i++)
		width = fmax(width, text_width(c, a->text[i]));
	return width;
}

static void
lay_out(struct canvas *c)
{
	c->top = put_legend(c, 3.2 * c->font, false);
	c->bottom = c->height - 3.2 * c->font;
	find_range(&c->y, c->plot, false);
	fit_axis(&c->y, (c->bottom - c->top) / (2.5 * c->font));
	c->left = 2.4 * c->font + widest(c, &c->y);
	find_range(&c->x, c->plot, true);
	fit_axis(&c->x, (c->width - c->left) / (5 * c->font));
	/* Half of the last number stands out. */
	c->right =
		c->width - 0.6 * c->font -
		(c->x.ticks ? text_width(c, c->x.text[c->x.ticks - 1]) / 2 : 0);
}

/* ---- data ---- */

static void
draw_band(struct canvas *c)
{
	const struct plot *p = c->plot;

	if (!(p->band_high > p->band_low))
		return;
	cairo_set_source_rgb(c->cr, 0.93, 0.93, 0.80);
	cairo_rectangle(c->cr, c->left, y_of(c, p->band_high),
			c->right - c->left,
			y_of(c, p->band_low) - y_of(c, p->band_high));
	cairo_fill(c->cr);
}

/* Over the dots, on a ground of its own. */
static void
name_band(struct canvas *c)
{
	const struct plot *p = c->plot;
	double width = text_width(c, p->band), y = y_of(c, p->band_high);

	if (!(p->band_high > p->band_low))
		return;
	y += y + 1.4 * c->font > c->bottom ? -0.4 * c->font : 1.2 * c->font;
	cairo_set_source_rgba(c->cr, 1, 1, 1, 0.85);
	cairo_rectangle(c->cr, c->right - width - c->font, y - c->font,
			width + 0.8 * c->font, 1.4 * c->font);
	cairo_fill(c->cr);
	cairo_set_source_rgb(c->cr, 0, 0, 0);
	put_text(c, p->band, c->right - 0.5 * c->font, y, 1,
		 c->right - c->left);
}

static bool
is_drawn(const struct canvas *c, const struct plot_series *s, size_t j)
{
	return (!c->x.log || s->x[j] > 0) && (!c->y.log || s->y[j] > 0);
}

static void
draw_line(struct canvas *c, size_t i)
{
	const struct plot_series *s = &c->plot->series[i];
	bool steps = c->plot->style == PLOT_STEPS;

	set_colour(c, i);
	set_dash(c, i);
	cairo_set_line_width(c->cr, c->font * 0.14);
	cairo_new_path(c->cr);
	for (size_t j = 0; j < s->count; j++) {
		if (!is_drawn(c, s, j))
			continue;
		if (steps && j)
			cairo_line_to(c->cr, x_of(c, s->x[j]),
				      y_of(c, s->y[j - 1]));
		cairo_line_to(c->cr, x_of(c, s->x[j]), y_of(c, s->y[j]));
	}
	cairo_stroke(c->cr);
}

static void
draw_markers(struct canvas *c, size_t i)
{
	const struct plot_series *s = &c->plot->series[i];
	bool dots = c->plot->style == PLOT_DOTS;
	size_t every = dots ? 1 : 1 + s->count / 24;
	double r = (dots && s->count > 300 ? 0.14 : 0.28) * c->font;

	set_colour(c, i);
	/* Where curves have many points each shows its markers elsewhere. */
	for (size_t j = every > 1 ? i * 3 % every : 0; j < s->count; j += every)
		if (is_drawn(c, s, j))
			put_marker(c, i, x_of(c, s->x[j]), y_of(c, s->y[j]), r);
}

static void
draw_series(struct canvas *c)
{
	lay_out(c);
	draw_band(c);
	put_grid(c);
	put_labels(c, c->plot->title);
	put_legend(c, 3.2 * c->font, true);
	cairo_save(c->cr);
	cairo_rectangle(c->cr, c->left - c->font, c->top - c->font,
			c->right - c->left + 2 * c->font,
			c->bottom - c->top + 2 * c->font);
	cairo_clip(c->cr);
	for (size_t i = 0; i < c->plot->count; i++) {
		if (c->plot->style != PLOT_DOTS)
			draw_line(c, i);
		if (c->plot->style != PLOT_STEPS)
			draw_markers(c, i);
	}
	cairo_restore(c->cr);
	name_band(c);
}

/* ---- cells ---- */

/* From dark blue over grey to yellow: lightness alone tells the order. */
static double
set_heat(struct canvas *c, double share)
{
	double r = 0.05 + 0.95 * share, g = 0.15 + 0.75 * share;
	double b = 0.40 - 0.15 * share;

	cairo_set_source_rgb(c->cr, r, g, b);
	return 0.3 * r + 0.6 * g + 0.1 * b;
}

static void
draw_cell(struct canvas *c, size_t j, double low, double high)
{
	const struct plot_series *s = &c->plot->series[0];
	double w = (c->right - c->left) / (double)c->plot->columns.count;
	double h = (c->bottom - c->top) / (double)c->plot->rows.count;
	double x = c->left + s->x[j] * w, y = c->top + s->y[j] * h, light;
	char text[24];

	light = set_heat(c, high > low ? (s->z[j] - low) / (high - low) : 0.5);
	cairo_rectangle(c->cr, x, y, w + 0.5, h + 0.5);
	cairo_fill(c->cr);
	if (h < 1.15 * c->font || w < 2 * c->font)
		return;
	cairo_set_source_rgb(c->cr, light < 0.5, light < 0.5, light < 0.5);
	snprintf(text, sizeof(text), "%.4g", s->z[j]);
	put_text(c, text, x + w / 2, y + h / 2 + 0.35 * c->font, 0.5,
		 w - 0.4 * c->font);
}

/* Names of rows and columns; those that would touch are left out. */
static void
name_cells(struct canvas *c)
{
	const struct plot *p = c->plot;
	double w = (c->right - c->left) / (double)p->columns.count;
	double h = (c->bottom - c->top) / (double)p->rows.count;
	size_t across = 1 + (size_t)(1.5 * c->font / w);
	size_t down = 1 + (size_t)(1.1 * c->font / h);

	cairo_set_source_rgb(c->cr, 0, 0, 0);
	for (size_t i = 0; i < p->columns.count; i += across)
		put_text(c, p->columns.text[i], c->left + ((double)i + 0.5) * w,
			 c->bottom + 1.3 * c->font, 0.5,
			 w * (double)across - 0.4 * c->font);
	for (size_t i = 0; i < p->rows.count; i += down)
		put_text(c, p->rows.text[i], c->left - 0.5 * c->font,
			 c->top + ((double)i + 0.5) * h + 0.35 * c->font, 1,
			 c->left - 2.5 * c->font);
}

static void
draw_cells(struct canvas *c)
{
	const struct plot_series *s = &c->plot->series[0];
	double low = HUGE_VAL, high = -HUGE_VAL, width = 0;
	char title[256];

	for (size_t i = 0; i < c->plot->rows.count; i++)
		width = fmax(width, text_width(c, c->plot->rows.text[i]));
	c->left = 2.5 * c->font + fmin(width, 0.3 * c->width);
	c->top = 2.4 * c->font;
	c->right = c->width - c->font;
	c->bottom = c->height - 3.2 * c->font;
	for (size_t j = 0; j < s->count; j++) {
		low = fmin(low, s->z[j]);
		high = fmax(high, s->z[j]);
	}
	for (size_t j = 0; j < s->count; j++)
		draw_cell(c, j, low, high);
	name_cells(c);
	snprintf(title, sizeof(title), "%s, %.4g (dark) to %.4g (bright)",
		 c->plot->title, low, high);
	put_labels(c, s->count ? title : c->plot->title);
}

static void
draw(cairo_t *cr, const struct plot *plot, struct plot_size size)
{
	struct canvas c = { .cr = cr, .plot = plot };

	c.width = size.width;
	c.height = size.height;
	c.font = fmax(7, fmin(14, fmin(size.width, size.height) / 32));
	cairo_set_source_rgb(cr, 1, 1, 1);
	cairo_paint(cr);
	cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
			       CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, c.font);
	if (plot->style == PLOT_CELLS)
		draw_cells(&c);
	else
		draw_series(&c);
}

static bool
ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && strcmp(text + n - m, end) == 0;
}

static cairo_status_t
paint(cairo_surface_t *surface, const struct plot *plot, struct plot_size size,
      const char *png)
{
	cairo_t *cr = cairo_create(surface);
	cairo_status_t status;

	draw(cr, plot, size);
	status = cairo_status(cr);
	cairo_destroy(cr);
	if (!status && png)
		status = cairo_surface_write_to_png(surface, png);
	cairo_surface_finish(surface);
	if (!status)
		status = cairo_surface_status(surface);
	cairo_surface_destroy(surface);
	return status;
}

int
plot_draw(const struct plot *plot, const char *path, struct plot_size size,
	  struct err *e)
{
	cairo_surface_t *surface;
	cairo_status_t status;
	char part[4200];
	bool png = ends_with(path, ".png");

	snprintf(part, sizeof(part), "%s.part", path);
	if (png)
		surface = cairo_image_surface_create(
			CAIRO_FORMAT_RGB24, (int)size.width, (int)size.height);
	else if (ends_with(path, ".svg"))
		surface =
			cairo_svg_surface_create(part, size.width, size.height);
	else if (ends_with(path, ".pdf"))
		surface =
			cairo_pdf_surface_create(part, size.width, size.height);
	else
		return err_set(e, ERR_CONFIG,
			       "%s: the name must end in .svg, .pdf or .png",
			       path);
	status = paint(surface, plot, size, png ? part : NULL);
	if (!status && rename(part, path) == 0)
		return 0;
	unlink(part);
	return err_set(e, ERR_OUTPUT, "%s: %s", path,
		       status ? cairo_status_to_string(status)
			      : "cannot be renamed");
}

#else

int
plot_draw(const struct plot *plot, const char *path, struct plot_size size,
	  struct err *e)
{
	(void)plot;
	(void)size;
	return err_set(e, ERR_CONFIG,
		       "%s: nothing can be drawn: this build was left without "
		       "cairo; --data and --gnuplot work",
		       path);
}

#endif
