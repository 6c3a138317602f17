/* SPDX-License-Identifier: MIT */
#include "traces/match.h"

#include "tests/trace_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SEEN_MAX 16

struct seen {
	struct trace_bio bios[SEEN_MAX];
	struct trace_request requests[SEEN_MAX];
	uint32_t bio_count;
	uint32_t request_count;
	uint32_t issued;
	uint32_t pending;
};

static void
on_issued(void *ctx, const struct trace_bio *bio)
{
	struct seen *seen = ctx;

	assert_true(bio->issue_ns >= bio->queue_ns);
	seen->issued++;
}

static void
on_completed(void *ctx, const struct trace_bio *bio)
{
	struct seen *seen = ctx;

	assert_true(seen->bio_count < SEEN_MAX);
	seen->bios[seen->bio_count++] = *bio;
}

static void
on_request(void *ctx, const struct trace_request *request)
{
	struct seen *seen = ctx;

	assert_true(seen->request_count < SEEN_MAX);
	seen->requests[seen->request_count++] = *request;
}

static struct seen
match(const char *lines)
{
	struct seen seen = { .bio_count = 0 };
	struct match_observer observer = { &seen, on_issued, on_completed,
					   on_request };
	struct trace_match *m;
	struct trace_reader *reader;
	struct trace_event ev;
	char path[TRACE_PATH_MAX];
	const char *p = path;
	struct err e;

	trace_text_write(path, lines);
	assert_int_equal(trace_open(&p, 1, NULL, &reader, &e), 0);
	unlink(path);
	assert_int_equal(trace_match_open(&observer, &m, &e), 0);
	while (trace_next(reader, &ev, &e) > 0)
		assert_int_equal(trace_match_feed(m, &ev, &e), 0);
	seen.pending = trace_match_pending(m);
	trace_match_close(m);
	trace_close(reader);
	return seen;
}

static void
test_merged(void **state)
{
	struct seen s = match("0 1 Q W 8 + 8 [a]; 5 1 G W 8 + 8 [a];"
			      "10 2 Q W 16 + 8 [b]; 12 2 M W 16 + 8 [b];"
			      "20 1 I W 8 + 16 [a]; 30 1 D W 8 + 16 [a];"
			      "90 0 C W 8 + 16 [0]");

	(void)state;
	assert_int_equal(s.bio_count, 2);
	assert_int_equal(s.bios[0].queue_ns, 0);
	assert_int_equal(s.bios[0].get_ns, 5);
	assert_false(s.bios[0].merged);
	assert_int_equal(s.bios[1].queue_ns, 10);
	assert_int_equal(s.bios[1].get_ns, 12);
	assert_true(s.bios[1].merged);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(s.bios[i].insert_ns, 20);
		assert_int_equal(s.bios[i].issue_ns, 30);
		assert_int_equal(s.bios[i].complete_ns, 90);
		assert_int_equal(s.bios[i].end_ns, 90);
	}
	assert_int_equal(s.request_count, 1);
	assert_int_equal(s.requests[0].bytes, 16 * 512);
	assert_int_equal(s.requests[0].issue_ns, 30);
	assert_int_equal(s.requests[0].complete_ns, 90);
	assert_int_equal(s.pending, 0);
}

/* The first D is given back: D2C counts from the second. */
static void
test_requeued(void **state)
{
	struct seen s = match("0 1 Q R 8 + 8 [a]; 10 1 D R 8 + 8 [a];"
			      "20 1 R R 8 + 8 [0]; 40 1 D R 8 + 8 [a];"
			      "100 0 C R 8 + 8 [65531]");

	(void)state;
	assert_int_equal(s.issued, 2);
	assert_int_equal(s.bio_count, 1);
	assert_int_equal(s.bios[0].issue_ns, 40);
	assert_int_equal(s.bios[0].requeues, 1);
	assert_int_equal(s.request_count, 1);
	assert_int_equal(s.requests[0].issue_ns, 40);
	assert_int_equal(s.requests[0].error, -5);
}

/* A split bio is complete with its last part, in whatever order. */
static void
test_split(void **state)
{
	struct seen s = match("0 1 Q R 0 + 600 [a]; 1 1 X R 0 / 256 [a];"
			      "2 1 X R 256 / 512 [a]; 3 1 D R 256 + 256 [a];"
			      "4 1 D R 0 + 256 [a]; 5 1 D R 512 + 88 [a];"
			      "10 0 C R 512 + 88 [0]; 20 0 C R 0 + 256 [0];"
			      "30 0 C R 256 + 256 [0]");

	(void)state;
	assert_int_equal(s.bio_count, 1);
	assert_true(s.bios[0].split);
	assert_int_equal(s.bios[0].issue_ns, 3);
	assert_int_equal(s.bios[0].complete_ns, 30);
	assert_int_equal(s.request_count, 3);
	assert_int_equal(s.pending, 0);
}

/* A request completed in two pieces, and a bio across the border. */
static void
test_partial(void **state)
{
	struct seen s = match("0 1 Q R 0 + 8 [a]; 1 1 Q R 8 + 16 [a];"
			      "2 1 Q R 24 + 8 [a]; 5 1 D R 0 + 32 [a];"
			      "10 0 C R 0 + 16 [0]; 20 0 C R 16 + 16 [0]");

	(void)state;
	assert_int_equal(s.bio_count, 3);
	assert_int_equal(s.bios[0].complete_ns, 10);
	assert_int_equal(s.bios[1].sector, 8);
	assert_int_equal(s.bios[1].complete_ns, 20);
	assert_int_equal(s.bios[2].complete_ns, 20);
	assert_int_equal(s.request_count, 1);
	assert_int_equal(s.requests[0].complete_ns, 20);
}

/* Flush, write, flush: a journal commit on a drive without FUA. */
static void
test_commit(void **state)
{
	struct seen s = match("0 1 Q FWFSM 96 + 2 [j]; 1 1 G FWFSM 96 + 2 [j];"
			      "10 9 D FN [k]; 20 0 C FN 0 [0];"
			      "30 9 D WSM 96 + 2 [k]; 40 0 C WSM 96 + 2 [0];"
			      "50 9 D FN [k]; 70 0 C FN 0 [0];"
			      "71 0 C WSM 96 [0]");

	(void)state;
	assert_int_equal(s.bio_count, 1);
	assert_int_equal(s.bios[0].get_ns, 1);
	assert_int_equal(s.bios[0].issue_ns, 30);
	assert_int_equal(s.bios[0].complete_ns, 40);
	assert_int_equal(s.bios[0].end_ns, 71);
	assert_int_equal(s.request_count, 3);
	assert_int_equal(s.requests[2].complete_ns - s.requests[2].issue_ns,
			 20);
}

/* With FUA in the drive the write is its own end. */
static void
test_fua(void **state)
{
	struct seen s = match("0 1 Q WFS 96 + 8 [j]; 10 1 D WFS 96 + 8 [j];"
			      "20 0 C WFS 96 + 8 [0]");

	(void)state;
	assert_int_equal(s.bio_count, 1);
	assert_int_equal(s.bios[0].end_ns, 20);
}

static void
test_empty_flush(void **state)
{
	struct seen s = match("0 1 Q FWS [f]; 1 1 G FWS [f]; 5 9 D FN [k];"
			      "20 0 C FN 0 [0]; 22 0 C WS 0 [0]");

	(void)state;
	assert_int_equal(s.bio_count, 1);
	assert_int_equal(s.bios[0].complete_ns, -1);
	assert_int_equal(s.bios[0].end_ns, 22);
	assert_int_equal(s.request_count, 1);
	assert_int_equal(s.pending, 0);
}

/* Other devices, unfinished bios and passthrough do not interfere. */
static void
test_apart(void **state)
{
	struct seen s = match("0 1 Q R 8 + 8 [a]; 8,16 1 1 Q R 8 + 8 [a];"
			      "2 1 D R 96 [sg]; 3 1 C R [0];"
			      "8,16 9 0 C R 8 + 8 [0]");

	(void)state;
	assert_int_equal(s.bio_count, 1);
	assert_int_equal(s.bios[0].device, 8 << 20 | 16);
	assert_int_equal(s.pending, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merged),
		cmocka_unit_test(test_requeued),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_commit),
		cmocka_unit_test(test_fua),
		cmocka_unit_test(test_empty_flush),
		cmocka_unit_test(test_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
