/* SPDX-License-Identifier: MIT */
/*
 * The result as Markdown tables, to be pasted into an issue or a README.
 */
#include "frontend/report.h"

#include "frontend/text.h"

#include <inttypes.h>

static struct text
ms(nsec_t ns)
{
	return text_decimal(ns, 6, 3);
}

static void
put_latency(FILE *out, const struct report_latency *l)
{
	fprintf(out, " %s | %s | %s | %s |", ms(l->mean_ns).s, ms(l->p50_ns).s,
		ms(l->p90_ns).s, ms(l->p95_ns).s);
	fprintf(out, " %s | %s | %s |\n", ms(l->p99_ns).s, ms(l->p999_ns).s,
		ms(l->max_ns).s);
}

/* A name in a cell: "|" would end it. */
static void
put_name(FILE *out, const char *name)
{
	fputs("| ", out);
	for (; *name; name++)
		fprintf(out, *name == '|' ? "\\%c" : "%c", *name);
	fputs(" |", out);
}

static void
put_rows(FILE *out, const struct report *report)
{
	fputs("\n| Q2C latency, ms | bios | IOPS | MiB/s | mean | p50 | p90 "
	      "| p95 | p99 | p99.9 | max |\n"
	      "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
	      out);
	for (size_t i = 0; i < report->row_count; i++) {
		const struct report_row *row = &report->rows[i];
		uint64_t iops = report_milli_iops(report, row->q2c.count);
		uint64_t mibps = report_milli_mibps(report, row->sectors);

		put_name(out, row->name);
		fprintf(out, " %" PRIu64 " | %s | %s |", row->q2c.count,
			text_decimal((int64_t)iops, 3, 1).s,
			text_decimal((int64_t)mibps, 3, 2).s);
		put_latency(out, &row->q2c);
	}
}

static void
put_part(FILE *out, const struct report *report, const char *name, nsec_t ns)
{
	uint64_t all = (uint64_t)report_drive_ns(report);

	fprintf(out, "| %s | %s | %s %% |\n", name, ms(ns).s,
		text_percent((uint64_t)ns, all, 1).s);
}

static void
put_drive(FILE *out, const struct report *report)
{
	const struct stats_requests *r = &report->requests;

	fputs("\n| the drive's time | ms | share |\n|---|--:|--:|\n", out);
	put_part(out, report, "overhead", r->overhead_ns);
	put_part(out, report, "seek", r->seek_ns);
	put_part(out, report, "switch", r->switch_ns);
	put_part(out, report, "rotate", r->rotate_ns);
	put_part(out, report, "transfer", r->transfer_ns);
	put_part(out, report, "destage", report->totals.destage_ns);
	put_part(out, report, "idle", report->idle_ns);
}

static void
put_means(FILE *out, const struct report *report)
{
	const struct stats_requests *r = &report->requests;

	fputs("\n| mean | |\n|---|--:|\n", out);
	fprintf(out, "| Q2D | %s ms |\n", ms(report->q2d_mean_ns).s);
	fprintf(out, "| D2C | %s ms |\n", ms(report->d2c_mean_ns).s);
	fprintf(out, "| Q2C | %s ms |\n", ms(report->q2c_mean_ns).s);
	fprintf(out, "| seek distance | %" PRIu64 " cylinders |\n",
		text_ratio(r->seek_cyl, 1, r->seeks));
	fprintf(out, "| seek | %s ms |\n",
		ms((nsec_t)text_ratio((uint64_t)r->seek_ns, 1, r->seeks)).s);
	fprintf(out, "| rotational wait | %s ms |\n",
		ms((nsec_t)text_ratio((uint64_t)r->rotate_ns, 1, r->media)).s);
	fprintf(out, "| reads from the buffer | %" PRIu64 " |\n",
		r->hits + r->streams);
	fprintf(out, "| writes kept in the buffer | %" PRIu64 " |\n", r->kept);
	fprintf(out, "| merged | %s %% of bios |\n",
		text_percent(report->merges, r->bios, 1).s);
	fprintf(out, "| reordered | %s %% of commands |\n",
		text_percent(r->passing, r->count, 1).s);
	fprintf(out, "| longest wait in the drive | %s ms |\n",
		ms(r->oldest_wait_ns).s);
}

static void
put_compare(FILE *out, const struct compare *compare)
{
	fputs("\n| ms | demerit | mean | p50 | p90 | p95 | p99 | p99.9 | max "
	      "|\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
	      out);
	for (size_t i = 0; i < COMPARE_PAIRS; i++) {
		const struct compare_pair *pair = &compare->pair[i];
		struct report_latency l = report_latency_of(pair->recorded);

		fprintf(out, "| %s recorded | |", pair->name);
		put_latency(out, &l);
		l = report_latency_of(pair->simulated);
		fprintf(out, "| %s simulated | %s |", pair->name,
			ms((nsec_t)pair->demerit_ns).s);
		put_latency(out, &l);
	}
}

void
report_write_md(FILE *out, const struct report *report)
{
	const struct ncqsim_totals *t = &report->totals;

	fprintf(out, "**%s** on %s: %s, %s\n", report->input,
		report->drive.model, report->stack, report->load);
	if (!report->complete)
		fputs("\nInterrupted: not complete.\n", out);
	if (report_is_saturated(report))
		fprintf(out,
			"\nSaturated: %" PRIu64 " bios waited as the last "
			"record arrived; they took %s more.\n",
			t->backlog_arrival,
			text_time(t->last_complete_ns - t->last_arrival_ns).s);
	put_rows(out, report);
	put_means(out, report);
	put_drive(out, report);
	if (report->compare)
		put_compare(out, report->compare);
}
