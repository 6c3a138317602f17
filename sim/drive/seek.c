/* SPDX-License-Identifier: MIT */
#include "sim/drive/seek.h"

#include "sim/core/wide.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define TIME_MAX_NS (2 * NSEC_PER_SEC)
#define ROOT_BITS   20 /* fraction bits of a square root */
#define SLOPE_BITS  20 /* fraction bits of a fitted coefficient */

static const int64_t micro = 1000000;

/* A curve while it is made: times by distance, [0] is 0. */
struct builder {
	const struct seek_config *config;
	int64_t *ns;
	int64_t cylinders;
	int64_t overridden; /* longest distance that short_ms covers */
	bool is_sparse;     /* ns[] holds only what the buckets are made of */
	struct err *e;
};

/* ---- Arithmetic ------------------------------------------------------------
 */

/*
 * floor(sqrt(x)) for x below 2^100: the hardware's root, put right where it
 * is not exact.
 */
static uint64_t
root_of(uint128_t x)
{
	uint64_t r = (uint64_t)sqrt((double)x);

	while ((uint128_t)r * r > x)
		r--;
	while ((uint128_t)(r + 1) * (r + 1) <= x)
		r++;
	return r;
}

/* sqrt(d) with ROOT_BITS fraction bits, rounded down. */
static int64_t
root_of_distance(int64_t d)
{
	return (int64_t)root_of((uint128_t)d << 2 * ROOT_BITS);
}

/* n / d to the nearest, halves up; d is above 0. */
static int128_t
divide_nearest(int128_t n, int128_t d)
{
	int128_t twice = 2 * n + d, q;

	/* Most are small, and division of 128 bits is slow. */
	if (twice == (int64_t)twice && 2 * d == (int64_t)(2 * d))
		q = (int64_t)twice / (int64_t)(2 * d);
	else
		q = twice / (2 * d);
	return q - (twice < q * (2 * d));
}

/* a + b * sqrt(d) to the nearest; b is not negative. */
static int64_t
root_curve(int64_t a, int64_t b, int64_t d)
{
	uint64_t twice = 2 * (uint64_t)b, distance = (uint64_t)d;
	uint128_t square = (uint128_t)twice * twice * distance;

	assert(b >= 0 && d >= 0);
	return a + (int64_t)((root_of(square) + 1) / 2);
}

/* Ordered pairs of cylinders @d apart. */
static int64_t
pairs_at(const struct builder *b, int64_t d)
{
	return 2 * (b->cylinders - d);
}

/* ---- Tables of points ------------------------------------------------------
 */

static int
check_points(const struct option_list *list, const char *name, struct err *e)
{
	int64_t last = 0;

	if (list->count % 2 || list->count == 0)
		return err_set(e, ERR_CONFIG,
			       "seek.%s: %zu numbers; pairs of distance and "
			       "milliseconds are wanted",
			       name, list->count);
	for (size_t i = 0; i < list->count; i += 2) {
		int64_t d = list->micro[i];

		if (d % micro || d <= last)
			return err_set(e, ERR_CONFIG,
				       "seek.%s: distance number %zu is not a "
				       "whole number above the one before",
				       name, i / 2 + 1);
		last = d;
	}
	return 0;
}

/* The time at @d between points i and i + 1 of a list, or beyond them. */
static int64_t
interpolate(const struct option_list *list, size_t i, int64_t d)
{
	int64_t d0 = list->micro[2 * i] / micro, t0 = list->micro[2 * i + 1];
	int64_t d1 = list->micro[2 * i + 2] / micro;
	int64_t t1 = list->micro[2 * i + 3];

	return t0 +
	       (int64_t)divide_nearest((int128_t)(t1 - t0) * (d - d0), d1 - d0);
}

/* The distance after @d whose time is wanted. */
static int64_t
next_wanted(const struct builder *b, int64_t d)
{
	int64_t last = b->cylinders - 1, next = d + 1;

	if (b->is_sparse)
		next = seek_bucket_start(
			(seek_bucket_bits((uint32_t)d) >> SEEK_FRACTION_BITS) +
			1);
	return d < last && next > last ? last : next;
}

/* Fill distances 1 to @last from a list. */
static void
fill_points(struct builder *b, const struct option_list *list, int64_t last)
{
	size_t points = list->count / 2, i = 0;

	for (int64_t d = 1; d <= last; d = next_wanted(b, d)) {
		while (i + 2 < points && d > list->micro[2 * i + 2] / micro)
			i++;
		if (points == 1 || d < list->micro[0] / micro)
			b->ns[d] = list->micro[1];
		else
			b->ns[d] = interpolate(list, i, d);
	}
}

/* ---- The forms of the curve ------------------------------------------------
 */

static bool
has_root(const struct seek_config *c)
{
	return c->short_a_ns || c->short_b_ns;
}

static bool
has_line(const struct seek_config *c)
{
	return c->long_c_ns || c->long_e_ps;
}

static int
check_break(const struct builder *b)
{
	int64_t at = b->config->break_cyl;

	if (at >= 2 && at < b->cylinders)
		return 0;
	return err_set(b->e, ERR_CONFIG,
		       "seek.break_cyl = %lld: where the straight part begins "
		       "is wanted; 2 to %lld",
		       (long long)at, (long long)b->cylinders - 1);
}

static int
fill_direct(struct builder *b)
{
	const struct seek_config *c = b->config;
	int r = check_break(b);

	if (r < 0)
		return r;
	for (int64_t d = 1; d < b->cylinders; d++) {
		if (d < c->break_cyl)
			b->ns[d] = root_curve(c->short_a_ns, c->short_b_ns, d);
		else
			b->ns[d] = c->long_c_ns +
				   (int64_t)divide_nearest(
					   (int128_t)c->long_e_ps * d, 1000);
	}
	return 0;
}

/*
 * t(d) = base(d) + u * weight(d), with u chosen so that the mean over all
 * pairs is the average.  ns[] holds base; weight[] has SLOPE_BITS of
 * fraction, and so has u.
 */
struct fit {
	int64_t *weight;
	int128_t u;
};

static int
solve_fit(struct builder *b, struct fit *fit)
{
	int128_t pairs = (int128_t)b->cylinders * (b->cylinders - 1);
	int128_t missing = pairs * b->config->average_ns, slope = 0;

	for (int64_t d = 1; d < b->cylinders; d++) {
		missing -= (int128_t)pairs_at(b, d) * b->ns[d];
		slope += (int128_t)pairs_at(b, d) * fit->weight[d];
	}
	/* keep 2^20 * missing * 2^20 within 128 bits: missing < 2^82 */
	if (slope <= 0)
		return err_set(b->e, ERR_CONFIG,
			       "seek.average_ms: nothing is left to fit to it");
	fit->u = divide_nearest(missing * ((int128_t)1 << 2 * SLOPE_BITS),
				slope);
	return 0;
}

static void
apply_fit(struct builder *b, const struct fit *fit)
{
	const int128_t half = (int128_t)1 << (2 * SLOPE_BITS - 1);

	for (int64_t d = 1; d < b->cylinders; d++)
		b->ns[d] += (int64_t)((fit->u * fit->weight[d] + half) >>
				      2 * SLOPE_BITS);
}

static int
run_fit(struct builder *b, struct fit *fit)
{
	int r;

	/* overridden distances keep their time whatever u is */
	for (int64_t d = 1; d <= b->overridden; d++)
		fit->weight[d] = 0;
	if (b->overridden)
		fill_points(b, &b->config->short_ms, b->overridden);
	if (b->config->single_ns) {
		fit->weight[1] = 0;
		b->ns[1] = b->config->single_ns;
	}
	r = solve_fit(b, fit);
	if (r == 0)
		apply_fit(b, fit);
	return r;
}

/* Root given, straight line from its end on with the slope that fits. */
static int
fill_line_to_average(struct builder *b, struct fit *fit)
{
	const struct seek_config *c = b->config;
	int r = check_break(b);

	if (r < 0)
		return r;
	for (int64_t d = 1; d < b->cylinders; d++) {
		bool straight = d > c->break_cyl;
		int64_t root_d = straight ? c->break_cyl : d;

		b->ns[d] = root_curve(c->short_a_ns, c->short_b_ns, root_d);
		if (straight)
			fit->weight[d] = (d - root_d) << SLOPE_BITS;
	}
	r = run_fit(b, fit);
	if (r == 0 && fit->u < 0)
		return err_set(
			b->e, ERR_CONFIG,
			"seek.average_ms: the root alone takes longer on "
			"average");
	return r;
}

/* Single cylinder and full stroke given, root with the factor that fits. */
static int
fill_three_points(struct builder *b, struct fit *fit)
{
	const struct seek_config *c = b->config;
	int64_t full_d = b->cylinders - 1, one = (int64_t)1 << ROOT_BITS;
	int64_t at = c->break_cyl ? c->break_cyl : full_d / 4;
	int64_t rise, top, least;
	int r;

	if (at < 2 || at >= full_d)
		return err_set(b->e, ERR_CONFIG,
			       "seek.break_cyl = %lld: 2 to %lld",
			       (long long)at, (long long)full_d - 1);
	top = root_of_distance(at) - one;
	for (int64_t d = 1; d < b->cylinders; d++) {
		int64_t past = d > at ? d - at : 0;

		b->ns[d] = c->single_ns +
			   (int64_t)divide_nearest(
				   (int128_t)(c->full_ns - c->single_ns) * past,
				   full_d - at);
		fit->weight[d] = root_of_distance(d) - one;
		if (past)
			fit->weight[d] = (int64_t)divide_nearest(
				(int128_t)top * (full_d - d), full_d - at);
	}
	r = run_fit(b, fit);
	if (r < 0)
		return r;
	rise = (int64_t)(fit->u * top >> 2 * SLOPE_BITS);
	least = c->single_ns;
	if (fit->u < 0 || least + rise > c->full_ns)
		return err_set(b->e, ERR_CONFIG,
			       "seek.average_ms: no curve from the single "
			       "cylinder's time to the full stroke's that "
			       "bends at %lld cylinders has this mean",
			       (long long)at);
	return 0;
}

static int
fill_fitted(struct builder *b)
{
	struct fit fit = { 0 };
	int r;

	fit.weight = calloc((size_t)b->cylinders, sizeof(*fit.weight));
	if (!fit.weight)
		return err_nomem(b->e);
	r = has_root(b->config) ? fill_line_to_average(b, &fit)
				: fill_three_points(b, &fit);
	free(fit.weight);
	return r;
}

static int
check_not_falling(const struct builder *b)
{
	for (int64_t d = b->overridden + 2; d < b->cylinders; d++) {
		if (b->ns[d] < b->ns[d - 1])
			return err_set(b->e, ERR_CONFIG,
				       "seek: %lld cylinders would take %lld "
				       "ns, less than the %lld ns of one "
				       "fewer",
				       (long long)d, (long long)b->ns[d],
				       (long long)b->ns[d - 1]);
	}
	return 0;
}

/* Short distances and a single cylinder have the last word. */
static void
apply_overrides(struct builder *b)
{
	if (b->overridden)
		fill_points(b, &b->config->short_ms, b->overridden);
	if (b->config->single_ns && b->cylinders > 1)
		b->ns[1] = b->config->single_ns;
}

static int
fill_curve(struct builder *b)
{
	const struct seek_config *c = b->config;
	int r;

	if (has_root(c) && has_line(c))
		r = fill_direct(b);
	else if (c->average_ns && (has_root(c) || (c->single_ns && c->full_ns)))
		r = fill_fitted(b);
	else
		return err_set(b->e, ERR_CONFIG,
			       "seek: neither table_ms, nor short_a_ms and "
			       "short_b_ms with long_c_ms and long_e_ps or "
			       "with average_ms, nor single_ms, average_ms "
			       "and full_ms");
	if (r < 0)
		return r;
	apply_overrides(b);
	return check_not_falling(b);
}

static int
fill_read(struct builder *b)
{
	const struct option_list *table = &b->config->table_ms;
	const struct option_list *shorts = &b->config->short_ms;
	int r = 0;

	if (table->count)
		r = check_points(table, "table_ms", b->e);
	if (r == 0 && shorts->count)
		r = check_points(shorts, "short_ms", b->e);
	if (r < 0)
		return r;
	if (shorts->count)
		b->overridden = shorts->micro[shorts->count - 2] / micro;
	if (b->overridden >= b->cylinders)
		b->overridden = b->cylinders - 1;
	if (!table->count)
		return b->cylinders > 1 ? fill_curve(b) : 0;
	b->is_sparse = true;
	fill_points(b, table, b->cylinders - 1);
	apply_overrides(b);
	return 0;
}

static void
scale_acoustic(struct builder *b)
{
	int64_t base = b->cylinders > 1 ? b->ns[1] : 0;

	if (b->config->aam_percent == 100)
		return;
	for (int64_t d = 2; d < b->cylinders; d = next_wanted(b, d))
		b->ns[d] = base + (int64_t)divide_nearest(
					  (int128_t)(b->ns[d] - base) *
						  b->config->aam_percent,
					  100);
}

/* ---- The finished tables ---------------------------------------------------
 */

uint32_t
seek_bucket_start(size_t i)
{
	uint32_t octave = (uint32_t)(i / SEEK_EXACT);
	uint32_t within = (uint32_t)(i % SEEK_EXACT);

	return ((SEEK_EXACT + within) << octave) - SEEK_EXACT;
}

size_t
seek_bucket_count(uint32_t cylinders)
{
	return (seek_bucket_bits(cylinders - 1) >> SEEK_FRACTION_BITS) + 1;
}

/* The last bucket may be cut short: its rise still meets the last distance. */
static int32_t
rise_to_last(const int32_t *ns, uint32_t start, uint32_t last)
{
	int64_t fraction =
		seek_bucket_bits(last) & ((1u << SEEK_FRACTION_BITS) - 1);
	int64_t rise = (int64_t)(ns[last] - ns[start]) << SEEK_FRACTION_BITS;

	if (fraction == 0)
		return 0;
	return (int32_t)((rise + fraction - 1) / fraction);
}

void
seek_buckets_make(const int32_t *ns, uint32_t cylinders,
		  struct seek_bucket *buckets)
{
	size_t count = seek_bucket_count(cylinders);

	for (size_t i = 0; i < count; i++) {
		uint32_t start = seek_bucket_start(i);
		uint32_t next = seek_bucket_start(i + 1);

		buckets[i].base_ns = ns[start];
		buckets[i].rise_ns =
			next < cylinders
				? ns[next] - ns[start]
				: rise_to_last(ns, start, cylinders - 1);
	}
}

struct curve_memory {
	struct seek_curve curve;
	struct seek_bucket buckets[];
};

static int
store(const struct builder *b, int64_t extra_ns, const char *what, int32_t *out)
{
	out[0] = 0;
	for (int64_t d = 1; d < b->cylinders; d = next_wanted(b, d)) {
		int64_t ns = b->ns[d] + extra_ns;

		if (ns <= 0 || ns > TIME_MAX_NS)
			return err_set(b->e, ERR_CONFIG,
				       "seek: a %s seek over %lld cylinder(s) "
				       "would take %lld ns; above 0, at most "
				       "2 s",
				       what, (long long)d, (long long)ns);
		out[d] = (int32_t)ns;
	}
	return 0;
}

static int
fill_write(struct builder *b, int32_t *out)
{
	const struct option_list *table = &b->config->write_table_ms;
	int r;

	if (!table->count)
		return store(b, b->config->write_settle_ns, "write", out);
	r = check_points(table, "write_table_ms", b->e);
	if (r < 0)
		return r;
	b->is_sparse = true;
	fill_points(b, table, b->cylinders - 1);
	scale_acoustic(b);
	return store(b, 0, "write", out);
}

/* The table of one direction, from b->ns by way of @ns. */
static int
build_tables(struct builder *b, int32_t *ns, struct curve_memory *memory)
{
	uint32_t cylinders = (uint32_t)b->cylinders;
	size_t count = seek_bucket_count(cylinders);
	int r = fill_read(b);

	if (r < 0)
		return r;
	scale_acoustic(b);
	r = store(b, 0, "read", ns);
	if (r < 0)
		return r;
	seek_buckets_make(ns, cylinders, memory->buckets);
	r = fill_write(b, ns);
	if (r < 0)
		return r;
	seek_buckets_make(ns, cylinders, memory->buckets + count);
	memory->curve.reads = memory->buckets;
	memory->curve.writes = memory->buckets + count;
	memory->curve.cylinders = cylinders;
	return 0;
}

static int32_t
larger(int32_t a, nsec_t b)
{
	return b > a ? (int32_t)b : a;
}

/* See seek_start_ns(). */
static void
set_starts(const struct seek_config *c, struct seek_curve *curve)
{
	int32_t(*start)[2] = curve->start_ns;

	start[0][0] = start[1][0] = 0;
	start[0][1] = curve->head_switch_ns;
	start[1][1] = curve->write_head_switch_ns;
	if (!c->restart_as_seek || curve->cylinders < 2)
		return;
	start[0][1] = larger(start[0][1], seek_bucket_ns(curve->reads, 1));
	start[1][1] = larger(start[1][1], seek_bucket_ns(curve->writes, 1));
	start[1][0] = start[1][1];
}

static int
build_switches(const struct builder *b, struct seek_curve *curve)
{
	const struct seek_config *c = b->config;
	int64_t write_switch = c->head_switch_ns + c->write_settle_ns;

	if (write_switch < 0 || write_switch > TIME_MAX_NS ||
	    c->head_switch_ns < 0 || c->head_switch_ns > TIME_MAX_NS)
		return err_set(b->e, ERR_CONFIG,
			       "seek.head_switch_ms = %lld ns, %lld ns for "
			       "writes; 0 to 2 s",
			       (long long)c->head_switch_ns,
			       (long long)write_switch);
	curve->head_switch_ns = (int32_t)c->head_switch_ns;
	curve->write_head_switch_ns = (int32_t)write_switch;
	set_starts(c, curve);
	return 0;
}

int
seek_create(const struct seek_config *config, uint32_t cylinders,
	    struct seek_curve **out, struct err *e)
{
	struct builder b = { .config = config, .cylinders = cylinders, .e = e };
	struct curve_memory *memory;
	int32_t *ns;
	int r;

	assert(cylinders > 0);
	b.ns = calloc(cylinders, sizeof(*b.ns));
	ns = malloc(cylinders * sizeof(*ns));
	memory = malloc(sizeof(*memory) + 2 * seek_bucket_count(cylinders) *
						  sizeof(memory->buckets[0]));
	r = b.ns && ns && memory ? build_tables(&b, ns, memory) : err_nomem(e);
	if (r >= 0)
		r = build_switches(&b, &memory->curve);
	free(b.ns);
	free(ns);
	if (r < 0)
		free(memory);
	else
		*out = &memory->curve;
	return r;
}

void
seek_free(struct seek_curve *curve)
{
	free(curve); /* the first member of its struct curve_memory */
}

nsec_t
seek_mean_ns(const struct seek_curve *curve)
{
	uint64_t cylinders = curve->cylinders;
	uint128_t sum = 0, pairs = (uint128_t)cylinders * (cylinders - 1);

	for (uint32_t d = 1; d < cylinders; d++) {
		uint64_t ns = (uint64_t)seek_bucket_ns(curve->reads, d);

		sum += (uint128_t)(2 * (cylinders - d)) * ns;
	}
	return pairs ? (nsec_t)((sum + pairs / 2) / pairs) : 0;
}
