/* SPDX-License-Identifier: MIT */
#include "frontend/report.h"

#include "frontend/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct report_figure report_figures[REPORT_FIGURES] = {
	{ "min", offsetof(struct report_latency, min_ns) },
	{ "mean", offsetof(struct report_latency, mean_ns) },
	{ "stddev", offsetof(struct report_latency, stddev_ns) },
	{ "p50", offsetof(struct report_latency, p50_ns) },
	{ "p90", offsetof(struct report_latency, p90_ns) },
	{ "p95", offsetof(struct report_latency, p95_ns) },
	{ "p99", offsetof(struct report_latency, p99_ns) },
	{ "p99_9", offsetof(struct report_latency, p999_ns) },
	{ "max", offsetof(struct report_latency, max_ns) },
};

static const char *const op_names[STATS_OPS] = { "read", "write", "discard",
						 "flush" };

struct report_latency
report_latency_of(const struct hist *hist)
{
	struct report_latency l = { .count = hist->count };

	if (!hist->count)
		return l;
	l.min_ns = (nsec_t)hist->min;
	l.max_ns = (nsec_t)hist->max;
	l.mean_ns = (nsec_t)hist_mean(hist);
	l.stddev_ns = (nsec_t)hist_stddev(hist);
	l.p50_ns = (nsec_t)hist_percentile(hist, 500000);
	l.p90_ns = (nsec_t)hist_percentile(hist, 900000);
	l.p95_ns = (nsec_t)hist_percentile(hist, 950000);
	l.p99_ns = (nsec_t)hist_percentile(hist, 990000);
	l.p999_ns = (nsec_t)hist_percentile(hist, 999000);
	return l;
}

uint64_t
report_milli_iops(const struct report *report, uint64_t count)
{
	return text_ratio(count, 1000 * (uint64_t)NSEC_PER_SEC,
			  (uint64_t)report->elapsed_ns);
}

uint64_t
report_milli_mibps(const struct report *report, uint64_t sectors)
{
	return text_ratio(sectors, 1000 * (uint64_t)NSEC_PER_SEC / 2048,
			  (uint64_t)report->elapsed_ns);
}

/*
 * The drive fell behind when more than its queue was waiting as the last
 * record arrived, and what was left took a twentieth of the run or more; or
 * when arrivals had to wait for run.backlog_max.
 */
bool
report_is_saturated(const struct report *report)
{
	const struct ncqsim_totals *t = &report->totals;

	if (!report->open_loop)
		return false;
	return t->stalls || (t->backlog_arrival > report->drive.queue_depth &&
			     t->last_complete_ns - t->last_arrival_ns >=
				     report->elapsed_ns / 20);
}

nsec_t
report_drive_ns(const struct report *report)
{
	return report->requests.busy_ns + report->totals.destage_ns +
	       report->idle_ns;
}

static void
fill_row(struct report_row *row, const struct stats *stats, int process, int op)
{
	struct stats_bios bios; /* 43 kB */

	stats_gather(stats, process, op, &bios);
	row->sectors = bios.sectors;
	row->q2c = report_latency_of(&bios.latency_ns);
}

static void
name_process(struct report_row *row, uint32_t pid, report_name_fn *name,
	     void *ctx)
{
	const char *known = name ? name(ctx, pid) : NULL;

	if (pid == STATS_OTHERS)
		snprintf(row->name, sizeof(row->name), "others");
	else if (known)
		snprintf(row->name, sizeof(row->name), "%.40s[%" PRIu32 "]",
			 known, pid);
	else
		snprintf(row->name, sizeof(row->name), "[%" PRIu32 "]", pid);
}

static int
compare_rows(const void *a, const void *b)
{
	const struct report_row *x = a, *y = b;

	if (x->q2c.count != y->q2c.count)
		return x->q2c.count < y->q2c.count ? 1 : -1;
	return strcmp(x->name, y->name);
}

static int
gather_rows(struct report *report, const struct stats *stats,
	    report_name_fn *name, void *ctx, struct err *e)
{
	size_t processes = stats_process_count(stats);
	struct report_row *row;

	report->rows = calloc(1 + STATS_OPS + processes, sizeof(*row));
	if (!report->rows)
		return err_nomem(e);
	row = report->rows;
	snprintf(row->name, sizeof(row->name), "all");
	fill_row(row++, stats, STATS_ANY, STATS_ANY);
	for (int op = 0; op < STATS_OPS; op++) {
		fill_row(row, stats, STATS_ANY, op);
		if (!row->q2c.count)
			continue;
		row->group = REPORT_OP;
		snprintf(row->name, sizeof(row->name), "%s", op_names[op]);
		row++;
	}
	for (size_t i = 0; i < processes; i++, row++) {
		row->group = REPORT_PROCESS;
		fill_row(row, stats, (int)i, STATS_ANY);
		name_process(row, stats_process_pid(stats, i), name, ctx);
	}
	qsort(row - processes, processes, sizeof(*row), compare_rows);
	report->row_count = (size_t)(row - report->rows);
	return 0;
}

/*
 * btt's split, each mean over bios; Q2D is what is left, so that the parts
 * add up to the whole.
 */
static void
gather_split(struct report *report)
{
	const struct report_latency *all = &report->rows[0].q2c;

	if (report->requests.bios)
		report->d2c_mean_ns = report->requests.bio_d2c_ns /
				      (nsec_t)report->requests.bios;
	report->q2c_mean_ns = all->mean_ns;
	report->q2d_mean_ns = report->q2c_mean_ns - report->d2c_mean_ns;
	if (report->q2d_mean_ns < 0)
		report->q2d_mean_ns = 0;
}

int
report_gather(struct report *report, const struct ncqsim *sim,
	      const struct stats *stats, report_name_fn *name, void *ctx,
	      struct err *e)
{
	struct stats_span span = stats_get_span(stats);
	struct hist d2c;
	int err;

	if (stats_is_short(stats))
		return err_nomem(e);
	ncqsim_totals(sim, &report->totals);
	ncqsim_drive_info(sim, &report->drive);
	report->requests = stats_get_requests(stats);
	report->elapsed_ns = span.last_ns - span.first_ns;
	report->idle_ns = report->elapsed_ns - report->requests.busy_ns -
			  report->totals.destage_ns;
	if (report->idle_ns < 0)
		report->idle_ns = 0;
	if (report->requests.bios > report->requests.count)
		report->merges = report->requests.bios - report->requests.count;
	err = gather_rows(report, stats, name, ctx, e);
	if (err)
		return err;
	gather_split(report);
	stats_gather_d2c(stats, STATS_ANY, &d2c);
	report->d2c = report_latency_of(&d2c);
	return 0;
}

void
report_free(struct report *report)
{
	free(report->rows);
	report->rows = NULL;
	report->row_count = 0;
}
