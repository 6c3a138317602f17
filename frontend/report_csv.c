/* SPDX-License-Identifier: MIT */
/*
 * The result as tidy CSV: one figure a line, so that a table program or R
 * needs no knowledge of the layout.  Columns: group, name, figure, unit,
 * value.
 */
#include "frontend/report.h"

#include "frontend/text.h"

#include <inttypes.h>
#include <string.h>

/* RFC 4180: quoted when it must be. */
static void
put_field(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, out);
		return;
	}
	putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

/* Where a figure belongs. */
struct subject {
	FILE *out;
	const char *group;
	const char *name;
};

static void
put_value(const struct subject *s, const char *figure, const char *unit,
	  const char *value)
{
	fprintf(s->out, "%s,", s->group);
	put_field(s->out, s->name);
	fprintf(s->out, ",%s,%s,%s\n", figure, unit, value);
}

static void
put_uint(const struct subject *s, const char *figure, const char *unit,
	 uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	put_value(s, figure, unit, text);
}

static void
put_milli(const struct subject *s, const char *figure, const char *unit,
	  uint64_t milli)
{
	put_value(s, figure, unit, text_decimal((int64_t)milli, 3, 3).s);
}

static void
put_latency(const struct subject *s, const struct report_latency *l)
{
	for (size_t i = 0; i < REPORT_FIGURES; i++)
		put_uint(s, report_figures[i].name, "ns",
			 (uint64_t)report_figure_ns(l, i));
}

static void
put_rows(FILE *out, const struct report *report)
{
	static const char *const groups[] = { "all", "operation", "process" };

	for (size_t i = 0; i < report->row_count; i++) {
		const struct report_row *row = &report->rows[i];
		struct subject s = { out, groups[row->group], row->name };

		put_uint(&s, "bios", "", row->q2c.count);
		put_uint(&s, "bytes", "B", row->sectors * SECTOR_BYTES);
		put_milli(&s, "iops", "1/s",
			  report_milli_iops(report, row->q2c.count));
		put_milli(&s, "bandwidth", "MiB/s",
			  report_milli_mibps(report, row->sectors));
		put_latency(&s, &row->q2c);
	}
}

static void
put_run(FILE *out, const struct report *report)
{
	const struct ncqsim_totals *t = &report->totals;
	struct subject s = { out, "run", report->input };

	put_uint(&s, "complete", "", report->complete);
	put_uint(&s, "records", "", t->records);
	put_uint(&s, "dropped", "", t->dropped);
	put_uint(&s, "damaged", "", report->damaged);
	put_uint(&s, "requests", "", t->requests);
	put_uint(&s, "merges", "", report->merges);
	put_uint(&s, "errors", "", report->requests.errors);
	put_uint(&s, "interrupts", "", t->interrupts);
	put_uint(&s, "saturated", "", report_is_saturated(report));
	put_uint(&s, "backlog_max", "", t->backlog_max);
	put_uint(&s, "elapsed", "ns", (uint64_t)report->elapsed_ns);
	put_uint(&s, "q2d_mean", "ns", (uint64_t)report->q2d_mean_ns);
	put_uint(&s, "d2c_mean", "ns", (uint64_t)report->d2c_mean_ns);
	put_uint(&s, "q2c_mean", "ns", (uint64_t)report->q2c_mean_ns);
}

static void
put_drive(FILE *out, const struct report *report)
{
	const struct stats_requests *r = &report->requests;
	struct subject s = { out, "drive", report->drive.model };

	put_uint(&s, "overhead", "ns", (uint64_t)r->overhead_ns);
	put_uint(&s, "seek", "ns", (uint64_t)r->seek_ns);
	put_uint(&s, "switch", "ns", (uint64_t)r->switch_ns);
	put_uint(&s, "rotate", "ns", (uint64_t)r->rotate_ns);
	put_uint(&s, "transfer", "ns", (uint64_t)r->transfer_ns);
	put_uint(&s, "destage", "ns", (uint64_t)report->totals.destage_ns);
	put_uint(&s, "idle", "ns", (uint64_t)report->idle_ns);
	put_uint(&s, "buffer_hits", "", r->hits);
	put_uint(&s, "buffer_streams", "", r->streams);
	put_uint(&s, "buffer_writes", "", r->kept);
	put_uint(&s, "seeks", "", r->seeks);
	put_milli(&s, "seek_mean_distance", "cyl",
		  text_ratio(r->seek_cyl, 1000, r->seeks));
	put_uint(&s, "seek_mean", "ns",
		 text_ratio((uint64_t)r->seek_ns, 1, r->seeks));
	put_uint(&s, "rotate_mean", "ns",
		 text_ratio((uint64_t)r->rotate_ns, 1, r->media));
	put_uint(&s, "reordered", "", r->passing);
	put_milli(&s, "reorder_mean_distance", "",
		  text_ratio(r->passed, 1000, r->passing));
	put_uint(&s, "oldest_wait", "ns", (uint64_t)r->oldest_wait_ns);
}

static void
put_depths(FILE *out, const struct stats_requests *r)
{
	char name[16];
	struct subject s = { out, "depth", name };

	for (uint32_t i = 0; i < STATS_DEPTHS; i++) {
		snprintf(name, sizeof(name), "%" PRIu32, i);
		if (r->depth[i])
			put_uint(&s, "commands", "", r->depth[i]);
	}
}

static void
put_compare(FILE *out, const struct compare *compare)
{
	for (size_t i = 0; i < COMPARE_PAIRS; i++) {
		const struct compare_pair *pair = &compare->pair[i];
		struct report_latency recorded =
			report_latency_of(pair->recorded);
		struct report_latency simulated =
			report_latency_of(pair->simulated);
		struct subject s = { out, "recorded", pair->name };

		put_latency(&s, &recorded);
		s.group = "simulated";
		put_latency(&s, &simulated);
		s.group = "compare";
		put_uint(&s, "demerit", "ns", pair->demerit_ns);
	}
}

void
report_write_csv(FILE *out, const struct report *report)
{
	fputs("group,name,figure,unit,value\n", out);
	put_run(out, report);
	put_rows(out, report);
	put_drive(out, report);
	put_depths(out, &report->requests);
	if (report->compare)
		put_compare(out, report->compare);
}
