/* SPDX-License-Identifier: MIT */
/*
 * Latencies of the captures against btt's files of each I/O: NAME.q2c_*.dat,
 * .q2d_ and .d2c_, lines of a time and a latency in seconds.  Reads
 * $NCQSIM_REFERENCE/../traces/captured; skipped when that is not set.
 */
#include "traces/match.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Time and latency in microseconds, as btt prints them. */
struct point {
	long long time_us;
	long long latency_us;
};

struct points {
	struct point *of;
	size_t count;
};

struct all {
	struct points q2c, q2d, d2c;
};

struct capture {
	const char *name;
	size_t extra; /* bios that btt misses: see test_capture */
};

static long long
microseconds(const char *text, char **end)
{
	long long s = strtoll(text, end, 10);

	assert_int_equal(**end, '.');
	return s * 1000000 + strtoll(*end + 1, end, 10);
}

/* btt prints doubles, so that a half goes either way: print it likewise. */
static long long
round_us(nsec_t ns)
{
	char text[40], *end;

	snprintf(text, sizeof(text), "%.6f", (double)ns / 1e9);
	return microseconds(text, &end);
}

static void
add_point(struct points *p, long long time_us, long long latency_us)
{
	if ((p->count & (p->count + 1)) == 0) {
		p->of = realloc(p->of, (2 * p->count + 2) * sizeof(*p->of));
		assert_non_null(p->of);
	}
	p->of[p->count].time_us = time_us;
	p->of[p->count++].latency_us = latency_us;
}

static void
add_times(struct points *p, nsec_t time_ns, nsec_t latency_ns)
{
	add_point(p, round_us(time_ns), round_us(latency_ns));
}

static void
on_issued(void *ctx, const struct trace_bio *bio)
{
	struct all *all = ctx;

	if (!bio->split)
		add_times(&all->q2d, bio->issue_ns,
			  bio->issue_ns - bio->queue_ns);
}

static void
on_completed(void *ctx, const struct trace_bio *bio)
{
	struct all *all = ctx;

	assert_true(bio->end_ns >= bio->complete_ns);
	if (bio->split || bio->complete_ns < 0)
		return;
	add_times(&all->q2c, bio->queue_ns, bio->complete_ns - bio->queue_ns);
	if (bio->issue_ns >= 0)
		add_times(&all->d2c, bio->complete_ns,
			  bio->complete_ns - bio->issue_ns);
}

static void
capture_path(char *path, size_t size, const char *name, const char *suffix)
{
	snprintf(path, size, "%s/../traces/captured/%s/%s%s",
		 getenv("NCQSIM_REFERENCE"), name, name, suffix);
}

static void
match_capture(const char *name, struct all *all)
{
	struct match_observer observer = { all, on_issued, on_completed, NULL };
	struct trace_match *match = NULL;
	struct trace_reader *reader = NULL;
	struct trace_event ev;
	struct err e = { 0 };
	char path[500];
	const char *p = path;
	int r;

	capture_path(path, sizeof(path), name, "");
	r = trace_open(&p, 1, NULL, &reader, &e);
	assert_int_equal(r, 0);
	assert_int_equal(trace_match_open(&observer, &match, &e), 0);
	while ((r = trace_next(reader, &ev, &e)) > 0)
		assert_int_equal(trace_match_feed(match, &ev, &e), 0);
	assert_int_equal(r, 0);
	assert_int_equal(trace_match_lost(match), 0);
	trace_match_close(match);
	trace_close(reader);
}

static void
read_btt(const char *name, const char *kind, struct points *p)
{
	char pattern[500], suffix[20], line[100];
	glob_t found;
	FILE *f;

	snprintf(suffix, sizeof(suffix), ".%s_*.dat", kind);
	capture_path(pattern, sizeof(pattern), name, suffix);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	f = fopen(found.gl_pathv[0], "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *end = line;
		long long time_us = microseconds(line, &end);

		add_point(p, time_us, microseconds(end, &end));
	}
	fclose(f);
	globfree(&found);
}

static int
compare_points(const void *pa, const void *pb)
{
	const struct point *a = pa, *b = pb;

	if (a->time_us != b->time_us)
		return a->time_us < b->time_us ? -1 : 1;
	return (a->latency_us > b->latency_us) -
	       (a->latency_us < b->latency_us);
}

/* Every point of btt's is one of ours; we have @extra more. */
static void
assert_points(struct points *have, struct points *want, size_t extra)
{
	size_t i = 0;

	qsort(have->of, have->count, sizeof(*have->of), compare_points);
	qsort(want->of, want->count, sizeof(*want->of), compare_points);
	assert_int_equal(have->count, want->count + extra);
	for (size_t k = 0; k < want->count; k++, i++) {
		while (i < have->count &&
		       compare_points(&have->of[i], &want->of[k]) < 0)
			i++;
		assert_true(i < have->count);
		assert_int_equal(have->of[i].time_us, want->of[k].time_us);
		assert_int_equal(have->of[i].latency_us,
				 want->of[k].latency_us);
	}
	free(have->of);
	free(want->of);
}

/*
 * btt does not know splits, and does not find a bio inside the range of an
 * earlier split one that it still holds: those are our extra ones.
 */
static void
test_capture(void **state)
{
	const struct capture *c = *state;
	struct all have = { 0 }, want = { 0 };

	match_capture(c->name, &have);
	read_btt(c->name, "q2c", &want.q2c);
	read_btt(c->name, "q2d", &want.q2d);
	read_btt(c->name, "d2c", &want.d2c);
	assert_points(&have.q2c, &want.q2c, c->extra);
	assert_points(&have.q2d, &want.q2d, c->extra);
	assert_points(&have.d2c, &want.d2c, c->extra);
}

static const struct capture captures[] = {
	{ "4kn-fua-scsidebug", 0 },
	{ "be-s390x", 0 },
	{ "bufwrite-merge-mqd", 0 },
	{ "dropped-events", 0 },
	{ "fs-ext4-untar-mqd", 4 },
	{ "host-loop-ext4-untar-fsync-mqd", 0 },
	{ "host-loop-randread4k-qd1-mqd", 0 },
	{ "host-loop-randread4k-qd32-mqd", 0 },
	{ "host-loop-randrw7030-qd16-bfq", 0 },
	{ "host-loop-seqread128k-qd4-mqd", 0 },
	{ "host-loop-trim-mqd", 0 },
	{ "host-loop-twoproc-bfq", 0 },
	{ "k72-fs-flush-trim-wz-v7", 3 },
	{ "k72-twoproc-mqd-v7", 0 },
	{ "mediumerror-EIO", 0 },
	{ "partition-trace", 0 },
	{ "passthrough-pc", 0 },
	{ "randread4k-qd1-mqd", 0 },
	{ "randread4k-qd128-mqd", 0 },
	{ "randread4k-qd32-mqd", 0 },
	{ "randrw-kyber", 0 },
	{ "randrw7030-bfq", 0 },
	{ "seqread128k-mqd", 0 },
	{ "split-readahead-oddsize", 2 },
	{ "trim-writezeroes", 0 },
};

int
main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(captures)];

	memset(tests, 0, sizeof(tests));
	for (uint32_t i = 0; i < ARRAY_LEN(tests); i++) {
		tests[i].name = captures[i].name;
		tests[i].test_func = test_capture;
		tests[i].initial_state = (void *)(uintptr_t)&captures[i];
	}
	if (!getenv("NCQSIM_REFERENCE")) {
		printf("NCQSIM_REFERENCE is not set\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
