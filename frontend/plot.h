/* SPDX-License-Identifier: MIT */
/*
 * A plot as plain numbers: filled from results (plot_data.c), drawn with
 * cairo (plot_draw.c), or exported.
 */
#ifndef NCQSIM_FRONTEND_PLOT_H
#define NCQSIM_FRONTEND_PLOT_H

#include "frontend/cli.h"

#include <stdio.h>

#define PLOT_SERIES_MAX 32

enum plot_kind {
	PLOT_DEPTH,    /* sweep: the metric against a number that varies */
	PLOT_LATENCY,  /* the same with p99, on a log axis */
	PLOT_HEATMAP,  /* sweep: two axes */
	PLOT_CDF,      /* request logs: share below a latency */
	PLOT_HIST,     /* request logs: how many of a latency */
	PLOT_SCATTER,  /* request logs: service time against LBA */
	PLOT_OFFSET,   /* request log: LBA against time, by process */
	PLOT_TIMELINE, /* request logs: latency against time */
	PLOT_SEEK,     /* request logs: how many of a seek distance */
};

enum plot_style {
	PLOT_LINE,  /* points joined, with markers when there are few */
	PLOT_DOTS,  /* markers alone */
	PLOT_STEPS, /* a histogram's outline */
	PLOT_CELLS, /* coloured cells: x is the column, y the row */
};

struct plot_series {
	char name[96];
	double *x, *y, *z; /* owned; z only for cells */
	size_t count, room;
};

struct plot {
	char title[160];
	char x_label[64], y_label[64];
	bool x_log, y_log;
	enum plot_style style;
	double band_low, band_high; /* a band behind the data; equal: none */
	char band[48];
	struct plot_series series[PLOT_SERIES_MAX];
	size_t count;
	struct cli_list columns, rows; /* owned names of cells */
};

struct plot_source {
	enum plot_kind kind;
	const struct cli_list *files;
	const char *metric; /* NULL: of the kind */
	double rpm;         /* for the band of one turn; 0: none */
};

int
plot_fill(struct plot *plot, const struct plot_source *source, struct err *e);
void plot_free(struct plot *plot);
int plot_add(struct plot_series *series, double x, double y, struct err *e);

/* The format follows from the name: .svg, .pdf or .png. */
struct plot_size {
	double width, height; /* pixels, or points */
};
int plot_draw(const struct plot *plot, const char *path, struct plot_size size,
	      struct err *e);

/* series,x,y[,z]; and a gnuplot script with the data in it. */
void plot_write_csv(FILE *out, const struct plot *plot);
void plot_write_gnuplot(FILE *out, const struct plot *plot);

#endif
