/* SPDX-License-Identifier: MIT */
#include "frontend/figures.h"

#include "frontend/text.h"

#include <string.h>

const struct figure_kind figure_kinds[FIGURES] = {
	[FIGURE_IOPS] = { "iops", "IOPS", "1/s", 3, 1 },
	[FIGURE_MIBPS] = { "mib_per_s", "MiB/s", "MiB/s", 3, 1 },
	[FIGURE_MEAN] = { "mean_ns", "mean", "ns", 0, -1 },
	[FIGURE_P50] = { "p50_ns", "p50", "ns", 0, -1 },
	[FIGURE_P90] = { "p90_ns", "p90", "ns", 0, -1 },
	[FIGURE_P95] = { "p95_ns", "p95", "ns", 0, -1 },
	[FIGURE_P99] = { "p99_ns", "p99", "ns", 0, -1 },
	[FIGURE_P999] = { "p99_9_ns", "p99.9", "ns", 0, -1 },
	[FIGURE_MAX] = { "max_ns", "max", "ns", 0, -1 },
	[FIGURE_Q2D_MEAN] = { "q2d_mean_ns", "Q2D", "ns", 0, -1 },
	[FIGURE_D2C_MEAN] = { "d2c_mean_ns", "D2C", "ns", 0, -1 },
	[FIGURE_SEEK_MEAN] = { "seek_mean_ns", "seek", "ns", 0, -1 },
	[FIGURE_ROTATE_MEAN] = { "rotate_mean_ns", "rotate", "ns", 0, -1 },
	[FIGURE_BIOS] = { "bios", "bios", "", 0, 0 },
	[FIGURE_REQUESTS] = { "requests", "requests", "", 0, 0 },
	[FIGURE_MERGES] = { "merges", "merges", "", 0, 0 },
	[FIGURE_REORDERED] = { "reordered", "reordered", "", 0, 0 },
	[FIGURE_ELAPSED] = { "elapsed_ns", "elapsed", "ns", 0, -1 },
	[FIGURE_IDLE] = { "idle_ns", "idle", "ns", 0, 0 },
	[FIGURE_OLDEST_WAIT] = { "oldest_wait_ns", "oldest", "ns", 0, -1 },
	[FIGURE_ERRORS] = { "errors", "errors", "", 0, -1 },
	[FIGURE_SATURATED] = { "saturated", "saturated", "", 0, 0 },
};

static void
take_latency(struct figures *f, const struct report_latency *l)
{
	f->value[FIGURE_MEAN] = l->mean_ns;
	f->value[FIGURE_P50] = l->p50_ns;
	f->value[FIGURE_P90] = l->p90_ns;
	f->value[FIGURE_P95] = l->p95_ns;
	f->value[FIGURE_P99] = l->p99_ns;
	f->value[FIGURE_P999] = l->p999_ns;
	f->value[FIGURE_MAX] = l->max_ns;
}

struct figures
figures_of_report(const struct report *report)
{
	const struct report_row *all = &report->rows[0];
	const struct stats_requests *r = &report->requests;
	struct figures f = { {
		[FIGURE_IOPS] =
			(int64_t)report_milli_iops(report, all->q2c.count),
		[FIGURE_MIBPS] =
			(int64_t)report_milli_mibps(report, all->sectors),
		[FIGURE_Q2D_MEAN] = report->q2d_mean_ns,
		[FIGURE_D2C_MEAN] = report->d2c_mean_ns,
		[FIGURE_SEEK_MEAN] =
			(int64_t)text_ratio((uint64_t)r->seek_ns, 1, r->seeks),
		[FIGURE_ROTATE_MEAN] = (int64_t)text_ratio(
			(uint64_t)r->rotate_ns, 1, r->media),
		[FIGURE_BIOS] = (int64_t)report->totals.bios,
		[FIGURE_REQUESTS] = (int64_t)report->totals.requests,
		[FIGURE_MERGES] = (int64_t)report->merges,
		[FIGURE_REORDERED] = (int64_t)r->passing,
		[FIGURE_ELAPSED] = report->elapsed_ns,
		[FIGURE_IDLE] = report->idle_ns,
		[FIGURE_OLDEST_WAIT] = r->oldest_wait_ns,
		[FIGURE_ERRORS] = (int64_t)r->errors,
		[FIGURE_SATURATED] = report_is_saturated(report),
	} };

	take_latency(&f, &all->q2c);
	return f;
}

/* Does @name with its unit replaced by "ns" equal @key? */
static bool
same_but_unit(const char *key, const char *name, double *scale)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	const char *end = strrchr(name, '_');
	size_t n = end ? (size_t)(end - name) : 0;

	if (!end || strncmp(key, name, n) != 0 || strcmp(key + n, "_ns") != 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		*scale = units[i].ns;
		if (strcmp(units[i].unit, end + 1) == 0)
			return true;
	}
	return false;
}

int
figure_find(const char *name, double *scale, struct err *e)
{
	const char *names[FIGURES + 1] = { NULL };

	for (int i = 0; i < FIGURES; i++) {
		const struct figure_kind *kind = &figure_kinds[i];

		names[i] = kind->key;
		*scale = kind->digits == 3 ? 1e3 : 1;
		if (strcmp(kind->key, name) == 0 ||
		    same_but_unit(kind->key, name, scale))
			return i;
	}
	cli_unknown("figure", name, names,
		    "iops, mib_per_s, mean_ms, p50_ms, p90_ms, p95_ms, p99_ms, "
		    "p99_9_ms, max_ms, elapsed_s and others of \"ncqsim help "
		    "sweep\"",
		    e);
	return -1;
}

struct text
figure_text(enum figure figure, int64_t value)
{
	const struct figure_kind *kind = &figure_kinds[figure];

	if (strcmp(kind->unit, "ns") == 0)
		return text_decimal(value, 6,
				    value >= 1000 * NSEC_PER_MSEC ? 1 : 3);
	return text_decimal(value, kind->digits,
			    kind->digits ? (value < 100000 ? 2 : 1) : 0);
}

struct text
figure_exact(enum figure figure, int64_t value)
{
	uint32_t digits = figure_kinds[figure].digits;

	return text_decimal(value, digits, digits);
}

bool
figure_is_better(enum figure figure, int64_t a, int64_t b)
{
	int better = figure_kinds[figure].better;

	return better > 0 ? a > b : better < 0 && a < b;
}
