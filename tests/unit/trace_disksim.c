/* SPDX-License-Identifier: MIT */
/* DiskSim's validate format, and the closed loop that replays it. */
#include "traces/replay.h"
#include "traces/trace.h"

#include "sim/core/types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/ncqsim-validate-XXXXXX";

static void
write_trace(const char *text)
{
	FILE *f;

	strcpy(path + strlen(path) - 6, "XXXXXX");
	f = fdopen(mkstemp(path), "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

#define TWO                                                                    \
	"# measured\n"                                                         \
	"R Hit 2992396 4 13670.00000 35942.00000\r\n"                          \
	"\n"                                                                   \
	"W Miss    7   16   1971.0004  29.0005\n"

static void
check_event(struct trace_reader *reader, uint8_t action, nsec_t time_ns)
{
	struct trace_event ev;
	struct err e = { 0 };

	if (trace_next(reader, &ev, &e) != 1)
		fail_msg("%s", e.text);
	assert_int_equal(ev.action, action);
	assert_int_equal(ev.time_ns, time_ns);
	assert_int_equal(ev.bytes, time_ns < 49612000 ? 2048 : 8192);
	assert_int_equal(ev.sector, time_ns < 49612000 ? 2992396 : 7);
}

static void
test_events(void **state)
{
	const char *paths[] = { path };
	struct trace_reader *reader = NULL;
	struct trace_event ev;

	(void)state;
	write_trace(TWO);
	assert_int_equal(trace_open(paths, 1, NULL, &reader, NULL), 0);
	assert_string_equal(trace_get_stats(reader)->format,
			    "disksim-validate");
	assert_true(trace_is_waiting(reader));
	check_event(reader, TRACE_QUEUE, 0);
	check_event(reader, TRACE_ISSUE, 0);
	check_event(reader, TRACE_COMPLETE, 13670000);
	check_event(reader, TRACE_QUEUE, 49612000);
	check_event(reader, TRACE_ISSUE, 49612000);
	/* 1971.0004 us is nearer to 1971000 ns */
	check_event(reader, TRACE_COMPLETE, 49612000 + 1971000);
	assert_int_equal(trace_next(reader, &ev, NULL), 0);
	trace_close(reader);
	unlink(path);
}

static void
test_records(void **state)
{
	const char *paths[] = { path };
	struct replay_options opt = { 0 };
	struct trace_replay *rp = NULL;
	struct io_record rec;
	struct io_source *source;

	(void)state;
	write_trace(TWO);
	assert_int_equal(trace_replay_open(paths, 1, &opt, &rp, NULL), 0);
	source = trace_replay_source(rp);
	assert_int_equal(source->next(source, &rec, NULL), 1);
	assert_int_equal(rec.op, IO_READ);
	assert_true(rec.think_ns < 0);
	assert_int_equal(source->next(source, &rec, NULL), 1);
	assert_int_equal(rec.op, IO_WRITE);
	assert_int_equal(rec.think_ns, 35942000);
	assert_int_equal(rec.time_ns, 49612000);
	assert_int_equal(source->next(source, &rec, NULL), 0);
	trace_replay_close(rp);
	unlink(path);
}

struct bad {
	const char *line, *text;
};

static const struct bad bad[] = {
	{ "X Hit 1 4 5.0 6.0\n", "1: not a line of DiskSim's validate "
				 "format: R or W expected" },
	{ "R 1 4 5.0 6.0 7.0\n", "3: not a line of DiskSim's validate "
				 "format: a word such as Hit or Miss "
				 "expected" },
	{ "R Hit -1 4 5.0 6.0\n", "7: not a line of DiskSim's validate "
				  "format: the first block expected" },
	{ "R Hit 1 0 5.0 6.0\n", "1: not a line of DiskSim's validate "
				 "format: one block or more expected" },
	{ "R Hit 1 4 5.0x 6.0\n", "14: not a line of DiskSim's "
				  "validate format: a service time in us "
				  "expected" },
	{ "R Hit 1 4 5.0\n", "14: not a line of DiskSim's validate "
			     "format: a think time in us expected" },
	{ "R Hit 1 4 5.0 6.0 7\n", "19: not a line of DiskSim's "
				   "validate format: the end of the line "
				   "expected" },
};

static void
test_bad_lines(void **state)
{
	const char *paths[] = { path };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct trace_reader *reader = NULL;
		struct trace_event ev;
		struct err e = { 0 };
		char text[256];
		int r;

		snprintf(text, sizeof(text), "R Hit 1 4 1.0 1.0\n%s",
			 bad[i].line);
		write_trace(text);
		assert_int_equal(trace_open(paths, 1, NULL, &reader, &e), 0);
		while ((r = trace_next(reader, &ev, &e)) > 0)
			;
		assert_int_equal(r, ERR_INPUT);
		if (!strstr(e.text, bad[i].text))
			fail_msg("%s: %s", bad[i].line, e.text);
		trace_close(reader);
		unlink(path);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_bad_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
