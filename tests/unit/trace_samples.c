/* SPDX-License-Identifier: MIT */
/*
 * The sample traces: their events, and the mean latencies that btt 1.2.0 gives
 * for them.
 */
#include "traces/match.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct sample {
	const char *path;
	uint64_t q, m, g, i, d, c, a, x;
	uint64_t bios; /* of one part, with bytes */
	double q2c_ms; /* mean; 0: not compared */
	double d2c_ms;
};

static const struct sample samples[] = {
	{ "traces/samples/randread-qd128", 1536, 2, 1534, 1534, 1534, 1534, 0,
	  0, 1536, 18.820733, 7.041349 },
	{ "traces/samples/ext4-untar-fsync", 2750, 1406, 1346, 1329, 1561, 1689,
	  0, 0, 2735, 1.178200, 1.033219 },
	/* btt does not find four bios inside earlier split ones. */
	{ "traces/samples/ext4-untar", 3141, 1915, 1464, 1387, 1424, 1447, 3126,
	  184, 3082, 0, 0 },
};

struct sums {
	uint64_t bios;
	nsec_t q2c_ns;
	nsec_t d2c_ns;
};

static void
on_completed(void *ctx, const struct trace_bio *bio)
{
	struct sums *sums = ctx;

	if (bio->split || bio->complete_ns < 0)
		return;
	assert_true(bio->queue_ns <= bio->get_ns);
	assert_true(bio->get_ns <= bio->issue_ns);
	assert_true(bio->issue_ns < bio->complete_ns);
	sums->bios++;
	sums->q2c_ns += bio->complete_ns - bio->queue_ns;
	sums->d2c_ns += bio->complete_ns - bio->issue_ns;
}

static void
assert_mean(nsec_t sum_ns, uint64_t count, double want_ms)
{
	double ms = (double)sum_ns / (double)count / 1e6;

	if (want_ms > 0)
		assert_true(fabs(ms - want_ms) < 0.6e-6);
}

static void
test_sample(void **state)
{
	const struct sample *s = *state;
	struct sums sums = { 0 };
	struct match_observer observer = { &sums, NULL, on_completed, NULL };
	struct trace_match *match;
	struct trace_reader *reader;
	const struct trace_stats *st;
	struct trace_event ev;
	struct err e;

	assert_int_equal(trace_open(&s->path, 1, NULL, &reader, &e), 0);
	assert_int_equal(trace_match_open(&observer, &match, &e), 0);
	while (trace_next(reader, &ev, &e) > 0)
		assert_int_equal(trace_match_feed(match, &ev, &e), 0);
	trace_match_close(match);
	st = trace_get_stats(reader);
	assert_int_equal(st->counts[TRACE_QUEUE], s->q);
	assert_int_equal(st->counts[TRACE_BACK_MERGE] +
				 st->counts[TRACE_FRONT_MERGE],
			 s->m);
	assert_int_equal(st->counts[TRACE_GET_RQ], s->g);
	assert_int_equal(st->counts[TRACE_INSERT], s->i);
	assert_int_equal(st->counts[TRACE_ISSUE], s->d);
	assert_int_equal(st->counts[TRACE_COMPLETE], s->c);
	assert_int_equal(st->counts[TRACE_REMAP], s->a);
	assert_int_equal(st->counts[TRACE_SPLIT], s->x);
	trace_close(reader);
	assert_int_equal(sums.bios, s->bios);
	assert_mean(sums.q2c_ns, sums.bios, s->q2c_ms);
	assert_mean(sums.d2c_ns, sums.bios, s->d2c_ms);
}

int
main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(samples)];

	memset(tests, 0, sizeof(tests));
	for (uint32_t i = 0; i < ARRAY_LEN(tests); i++) {
		tests[i].name = samples[i].path;
		tests[i].test_func = test_sample;
		tests[i].initial_state = (void *)(uintptr_t)&samples[i];
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
