/* SPDX-License-Identifier: MIT */
/*
 * The result for people: fio's shape (rates, then percentiles), btt's split
 * and what the drive did, within 80 columns.
 */
#include "frontend/report.h"

#include "frontend/text.h"

#include <inttypes.h>
#include <string.h>

#define BAR_WIDTH     28
#define PROCESSES_MAX 10 /* lines; the rest is summed up */

/* Milliseconds with as many decimals as fit in seven columns. */
static struct text
ms(nsec_t ns)
{
	uint32_t digits = 3;

	if (ns >= 100000 * NSEC_PER_MSEC)
		digits = 0;
	else if (ns >= 10000 * NSEC_PER_MSEC)
		digits = 1;
	else if (ns >= 1000 * NSEC_PER_MSEC)
		digits = 2;
	return text_decimal(ns, 6, digits);
}

static void
print_head(FILE *out, const struct report *report)
{
	const struct ncqsim_drive_info *d = &report->drive;
	const struct ncqsim_totals *t = &report->totals;

	text_put(out, report->input);
	fprintf(out, ": %" PRIu64 " record%s in %s%s\n", t->records,
		t->records == 1 ? "" : "s", text_time(t->last_arrival_ns).s,
		report->complete ? "" : "  (INTERRUPTED: not complete)");
	fputs("  drive   ", out);
	text_put(out, d->model);
	fprintf(out, ", %s, %" PRIu32 " rpm, %" PRIu32 " head%s, seek %s\n",
		text_bytes(d->sectors * SECTOR_BYTES).s, d->rpm, d->heads,
		d->heads == 1 ? "" : "s", text_time(d->seek_mean_ns).s);
	fputs("  stack   ", out);
	text_put(out, report->stack);
	fputs("\n  load    ", out);
	text_put(out, report->load);
	putc('\n', out);
	if (t->dropped)
		fprintf(out,
			"  dropped %" PRIu64 " record%s beyond the drive's "
			"end\n",
			t->dropped, t->dropped == 1 ? "" : "s");
	if (report->damaged)
		fprintf(out,
			"  damaged %" PRIu64 " place%s of the trace left out\n",
			report->damaged, report->damaged == 1 ? "" : "s");
	if (report_is_saturated(report)) {
		char text[160];

		snprintf(text, sizeof(text),
			 "SATURATED: %" PRIu64 " bios waited as the last "
			 "record arrived, and took %s more",
			 t->backlog_arrival,
			 text_time(t->last_complete_ns - t->last_arrival_ns).s);
		fputs("  ", out);
		text_wrap(out, text, 10, 2);
	}
}

static void
print_rates(FILE *out, const struct report *report)
{
	fputs("\n", out);
	for (size_t i = 0; i < report->row_count; i++) {
		const struct report_row *row = &report->rows[i];
		uint64_t iops = report_milli_iops(report, row->q2c.count);
		uint64_t mibps = report_milli_mibps(report, row->sectors);

		/* A lone operation is all there is. */
		if (row->group == REPORT_PROCESS ||
		    (row->group == REPORT_ALL && report->row_count > 1 &&
		     report->rows[1].q2c.count == row->q2c.count))
			continue;
		if (!row->sectors) {
			fprintf(out, "  %-8s IOPS=%s, %" PRIu64 " bios\n",
				row->name, text_decimal((int64_t)iops, 3, 1).s,
				row->q2c.count);
			continue;
		}
		fprintf(out,
			"  %-8s IOPS=%s, BW=%s MiB/s (%s in %s), %" PRIu64
			" bios\n",
			row->name, text_decimal((int64_t)iops, 3, 1).s,
			text_decimal((int64_t)mibps, 3, 2).s,
			text_bytes(row->sectors * SECTOR_BYTES).s,
			text_time(report->elapsed_ns).s, row->q2c.count);
	}
	if (report->requests.errors)
		fprintf(out, "  errors   %" PRIu64 " requests failed\n",
			report->requests.errors);
	fprintf(out, "  merged   %" PRIu64 " of %" PRIu64 " bios (%s %%)\n",
		report->merges, report->requests.bios,
		text_percent(report->merges, report->requests.bios, 1).s);
}

/* "a very long name[123]" in @width columns: "a very ~[123]". */
static struct text
short_name(const char *name, size_t width)
{
	const char *pid = strrchr(name, '[');
	size_t n = strlen(name);
	struct text t;

	if (n <= width || !pid || strlen(pid) + 1 >= width)
		snprintf(t.s, sizeof(t.s), "%.*s", (int)width, name);
	else
		snprintf(t.s, sizeof(t.s), "%.*s~%s",
			 (int)(width - strlen(pid) - 1), name, pid);
	for (char *c = t.s; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	return t;
}

static void
print_latency_line(FILE *out, const char *name, const struct report_latency *l)
{
	fprintf(out, "  %-14s%8" PRIu64, short_name(name, 14).s, l->count);
	fprintf(out, "%8s%8s%8s%8s", ms(l->mean_ns).s, ms(l->p50_ns).s,
		ms(l->p90_ns).s, ms(l->p95_ns).s);
	fprintf(out, "%8s%8s%8s\n", ms(l->p99_ns).s, ms(l->p999_ns).s,
		ms(l->max_ns).s);
}

static void
print_latencies(FILE *out, const struct report *report)
{
	size_t processes = 0, ops = 0;

	fprintf(out, "\n%-16s%8s%8s%8s%8s%8s%8s%8s%8s\n", "latency (ms)",
		"count", "mean", "p50", "p90", "p95", "p99", "p99.9", "max");
	for (size_t i = 0; i < report->row_count; i++) {
		ops += report->rows[i].group == REPORT_OP;
		processes += report->rows[i].group == REPORT_PROCESS;
	}
	for (size_t i = 0, shown = 0; i < report->row_count; i++) {
		const struct report_row *row = &report->rows[i];

		if (row->group == REPORT_OP && ops < 2)
			continue;
		if (row->group == REPORT_PROCESS &&
		    (processes < 2 || shown++ >= PROCESSES_MAX))
			continue;
		print_latency_line(
			out, row->group == REPORT_ALL ? "Q2C all" : row->name,
			&row->q2c);
	}
	if (processes > PROCESSES_MAX)
		fprintf(out, "  ... and %zu processes more\n",
			processes - PROCESSES_MAX);
	print_latency_line(out, "D2C requests", &report->d2c);
}

/* The end of a line with a share: the bar, without blanks behind. */
static void
print_bar(FILE *out, uint64_t part, uint64_t whole, uint32_t width)
{
	struct text bar = text_bar(part, whole, width);

	fprintf(out, "%s%s\n", *bar.s ? "  " : "", bar.s);
}

static void
print_split_line(FILE *out, const struct report *report, const char *name,
		 nsec_t ns)
{
	uint64_t all = (uint64_t)report->q2c_mean_ns;

	fprintf(out, "  %-32s%9s ms%8s %%", name, ms(ns).s,
		text_percent((uint64_t)ns, all, 1).s);
	print_bar(out, (uint64_t)ns, all, BAR_WIDTH - 6);
}

static void
print_split(FILE *out, const struct report *report)
{
	fputs("\nwhere a bio's time goes, on average\n", out);
	print_split_line(out, report, "Q2D  in the host, to be issued",
			 report->q2d_mean_ns);
	print_split_line(out, report, "D2C  issued, until complete",
			 report->d2c_mean_ns);
}

static void
print_part(FILE *out, const struct report *report, const char *name,
	   nsec_t total_ns, uint64_t commands)
{
	uint64_t all = (uint64_t)report_drive_ns(report);
	uint64_t part = (uint64_t)total_ns;

	fprintf(out, "  %-10s%11s", name, text_time(total_ns).s);
	if (commands)
		fprintf(out, "%11s ms",
			ms((nsec_t)text_ratio(part, 1, commands)).s);
	else
		fprintf(out, "%14s", "");
	fprintf(out, "%8s %%", text_percent(part, all, 1).s);
	print_bar(out, part, all, BAR_WIDTH);
}

/* What needed no access of its own. */
static void
print_buffer(FILE *out, const struct stats_requests *r)
{
	if (r->hits + r->streams + r->kept == 0)
		return;
	fprintf(out,
		"  buffer: %" PRIu64 " reads hit, %" PRIu64
		" by look-ahead under way, %" PRIu64 " writes kept\n",
		r->hits, r->streams, r->kept);
}

static void
print_drive_time(FILE *out, const struct report *report)
{
	const struct stats_requests *r = &report->requests;
	uint64_t n = r->count;

	fprintf(out, "\n%-12s%11s%14s%10s\n", "the drive", "total", "a command",
		"share");
	print_part(out, report, "overhead", r->overhead_ns, n);
	print_part(out, report, "seek", r->seek_ns, n);
	print_part(out, report, "switch", r->switch_ns, n);
	print_part(out, report, "rotate", r->rotate_ns, n);
	print_part(out, report, "transfer", r->transfer_ns, n);
	if (report->totals.destage_ns)
		print_part(out, report, "destage", report->totals.destage_ns,
			   0);
	print_part(out, report, "idle", report->idle_ns, 0);
	print_buffer(out, r);
	if (r->seeks)
		fprintf(out,
			"  seeks: %" PRIu64 " of %" PRIu64
			" commands, over %" PRIu64
			" cylinders in %s on average\n",
			r->seeks, n, text_ratio(r->seek_cyl, 1, r->seeks),
			text_time((nsec_t)text_ratio((uint64_t)r->seek_ns, 1,
						     r->seeks))
				.s);
	if (r->media)
		fprintf(out,
			"  rotational wait: %s on average; a turn takes "
			"%s\n",
			text_time((nsec_t)text_ratio((uint64_t)r->rotate_ns, 1,
						     r->media))
				.s,
			text_time(report->drive.revolution_ns).s);
}

/* Depths of one line: 1, 2, 3-4, 5-8, 9-16, 17-31 (the host's most), 32. */
static void
print_depths(FILE *out, const struct stats_requests *r, uint32_t from,
	     uint32_t to)
{
	uint64_t n = 0;
	char range[24];

	for (uint32_t i = from; i <= to; i++)
		n += r->depth[i];
	if (from == to)
		snprintf(range, sizeof(range), "%" PRIu32, from);
	else
		snprintf(range, sizeof(range), "%" PRIu32 "-%" PRIu32, from,
			 to);
	fprintf(out, "  %-10s%11" PRIu64 "%22s %%", range, n,
		text_percent(n, r->count, 1).s);
	print_bar(out, n, r->count, BAR_WIDTH);
}

static void
print_queue(FILE *out, const struct report *report)
{
	const struct stats_requests *r = &report->requests;
	uint32_t deepest = 0, from = 1;

	for (uint32_t i = 0; i < STATS_DEPTHS; i++)
		if (r->depth[i])
			deepest = i;
	fprintf(out, "\n%-12s%11s%24s\n", "queue depth", "commands", "share");
	for (uint32_t to = 1; from <= deepest; to *= 2) {
		if (from == 17)
			to = 31;
		if (from == 32)
			to = deepest;
		if (to > deepest)
			to = deepest;
		print_depths(out, r, from, to);
		from = to + 1;
	}
	fprintf(out, "  reordered: %s %% of commands passed older ones",
		text_percent(r->passing, r->count, 1).s);
	if (r->passing)
		fprintf(out, ", %s on average",
			text_decimal((int64_t)text_ratio(r->passed, 1000,
							 r->passing),
				     3, 1)
				.s);
	fprintf(out, "\n  longest wait in the drive's queue: %s\n",
		text_time(r->oldest_wait_ns).s);
}

static void
print_pair(FILE *out, const struct compare_pair *pair)
{
	struct report_latency recorded = report_latency_of(pair->recorded);
	struct report_latency simulated = report_latency_of(pair->simulated);
	char name[32];

	if (!recorded.count || !simulated.count) {
		fprintf(out, "  %s: %s holds none\n", pair->name,
			recorded.count ? "the run" : "the trace");
		return;
	}
	snprintf(name, sizeof(name), "%s recorded", pair->name);
	print_latency_line(out, name, &recorded);
	snprintf(name, sizeof(name), "%s simulated", pair->name);
	print_latency_line(out, name, &simulated);
	fprintf(out, "  demerit %s ms, %s %% of the recorded mean\n",
		ms((nsec_t)pair->demerit_ns).s,
		text_percent(pair->demerit_ns, (uint64_t)recorded.mean_ns, 1)
			.s);
}

static void
print_compare(FILE *out, const struct compare *compare)
{
	fprintf(out, "\n%-16s%8s%8s%8s%8s%8s%8s%8s%8s\n", "compared (ms)",
		"count", "mean", "p50", "p90", "p95", "p99", "p99.9", "max");
	for (size_t i = 0; i < COMPARE_PAIRS; i++)
		print_pair(out, &compare->pair[i]);
}

void
report_write_human(FILE *out, const struct report *report)
{
	print_head(out, report);
	if (!report->requests.count) {
		fputs("\n  no request completed\n", out);
		return;
	}
	print_rates(out, report);
	print_latencies(out, report);
	print_split(out, report);
	print_drive_time(out, report);
	print_queue(out, report);
	if (report->compare)
		print_compare(out, report->compare);
}
