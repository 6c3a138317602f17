/* SPDX-License-Identifier: MIT */
/*
 * The blktrace writer: read back by our reader, and by the real blkparse and
 * btt where they are installed.
 */
#include "traces/blktrace_write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define DEVICE  (8u << 20)
#define WALL_NS (INT64_C(1700000000) * NSEC_PER_SEC + 5)

struct fixture {
	char dir[40];
	char prefix[60];
};

static int
set_up(void **state)
{
	static struct fixture f;

	strcpy(f.dir, "/tmp/ncqsim-test-XXXXXX");
	if (!mkdtemp(f.dir))
		return -1;
	snprintf(f.prefix, sizeof(f.prefix), "%s/sim", f.dir);
	*state = &f;
	return 0;
}

static int
tear_down(void **state)
{
	struct fixture *f = *state;
	char command[100];

	snprintf(command, sizeof(command), "rm -r %s", f->dir);
	return system(command);
}

static struct trace_event
event(nsec_t time_ns, uint8_t action, sector_t sector, uint32_t bytes)
{
	return (struct trace_event){
		.time_ns = time_ns,
		.sector = sector,
		.bytes = bytes,
		.action = action,
		.category = TRACE_READ | TRACE_FS,
		.device = DEVICE,
		.pid = 77,
	};
}

static void
put(struct blktrace_writer *w, struct trace_event ev)
{
	struct err e = { 0 };

	assert_int_equal(blktrace_writer_event(w, &ev, &e), 0);
}

static void
test_round_trip(void **state)
{
	struct fixture *f = *state;
	const char *prefix = f->prefix;
	struct trace_event in[] = {
		event(0, TRACE_QUEUE, 100, 4096),
		event(10, TRACE_GET_RQ, 100, 4096),
		event(10, TRACE_PLUG, 0, 0),
		event(20, TRACE_UNPLUG, 0, 0),
		event(30, TRACE_SPLIT, 100, 2048),
		event(40, TRACE_REMAP, 2148, 4096),
		event(50, TRACE_ISSUE, 100, 4096),
		event(60, TRACE_COMPLETE, 100, 4096),
	};
	struct trace_event out;
	struct blktrace_writer *w;
	struct trace_reader *reader;
	struct err e;

	in[3].arg = 3;
	in[4].arg = 104;
	in[5].arg = 100;
	in[5].arg_device = DEVICE | 1;
	in[7].error = -5;
	in[7].cpu = 2;
	assert_int_equal(blktrace_writer_open(prefix, 3, WALL_NS, &w, &e), 0);
	assert_int_equal(blktrace_writer_process(w, 77, "writer", &e), 0);
	assert_int_equal(blktrace_writer_process(w, 77, "other", &e), 0);
	for (uint32_t i = 0; i < ARRAY_LEN(in); i++)
		put(w, in[i]);
	assert_int_equal(trace_open(&prefix, 1, NULL, &reader, &e), ERR_INPUT);
	assert_int_equal(blktrace_writer_close(w, true, &e), 0);

	assert_int_equal(trace_open(&prefix, 1, NULL, &reader, &e), 0);
	for (uint32_t i = 0; i < ARRAY_LEN(in);) {
		assert_int_equal(trace_next(reader, &out, &e), 1);
		if (out.action == TRACE_PROCESS ||
		    out.action == TRACE_TIMESTAMP)
			continue;
		out.sequence = 0;
		out.payload = NULL;
		out.payload_bytes = 0;
		assert_memory_equal(&out, &in[i], sizeof(out));
		i++;
	}
	assert_int_equal(trace_next(reader, &out, &e), 0);
	assert_string_equal(trace_process_name(reader, 77), "writer");
	assert_int_equal(trace_get_stats(reader)->wall_ns, WALL_NS);
	assert_int_equal(trace_get_stats(reader)->warning_count, 0);
	assert_int_equal(trace_get_stats(reader)->file_count, 3);
	trace_close(reader);
	assert_int_equal(blktrace_writer_open(prefix, 2, WALL_NS, &w, &e),
			 ERR_OUTPUT);
	assert_non_null(strstr(e.text, "sim.blktrace.2 is of an older trace"));
}

static void
test_errors(void **state)
{
	struct fixture *f = *state;
	struct blktrace_writer *w;
	char path[100];
	struct err e;

	snprintf(path, sizeof(path), "%s/missing/x", f->dir);
	assert_int_equal(blktrace_writer_open(path, 1, 0, &w, &e), ERR_OUTPUT);
	assert_non_null(strstr(e.text, "missing/x.blktrace.0.tmp: cannot "
				       "write: No such file"));
	snprintf(path, sizeof(path), "%s/gone", f->dir);
	assert_int_equal(blktrace_writer_open(path, 1, 0, &w, &e), 0);
	assert_int_equal(blktrace_writer_close(w, false, &e), 0);
	snprintf(path, sizeof(path), "%s/gone.blktrace.0.tmp", f->dir);
	assert_int_not_equal(access(path, F_OK), 0);
}

/* A full disk shows when the buffer is written out. */
static void
test_full(void **state)
{
	struct fixture *f = *state;
	struct trace_event ev = event(0, TRACE_QUEUE, 8, 4096);
	struct blktrace_writer *w;
	char path[100];
	struct err e;
	int r = 0;

	snprintf(path, sizeof(path), "%s/full.blktrace.0.tmp", f->dir);
	assert_int_equal(symlink("/dev/full", path), 0);
	snprintf(path, sizeof(path), "%s/full", f->dir);
	assert_int_equal(blktrace_writer_open(path, 1, 0, &w, &e), 0);
	for (int i = 0; !r && i < 1000; i++)
		r = blktrace_writer_event(w, &ev, &e);
	assert_int_equal(r, ERR_OUTPUT);
	assert_non_null(strstr(e.text, "No space left"));
	assert_int_equal(blktrace_writer_close(w, true, &e), 0);
	snprintf(path, sizeof(path), "%s/full.blktrace.0", f->dir);
	assert_int_not_equal(access(path, F_OK), 0);
}

/* 100 reads; the i-th waits i us from Q to D and takes 1000 + i us after. */
static void
write_reads(const char *prefix)
{
	struct blktrace_writer *w;
	struct err e;

	assert_int_equal(blktrace_writer_open(prefix, 2, WALL_NS, &w, &e), 0);
	assert_int_equal(blktrace_writer_process(w, 77, "reader", &e), 0);
	for (uint32_t i = 0; i < 100; i++) {
		nsec_t t = i * 10 * NSEC_PER_MSEC;
		nsec_t d = t + (i + 1) * NSEC_PER_USEC;
		struct trace_event c;

		put(w, event(t, TRACE_QUEUE, 1000 * i, 4096));
		put(w, event(t, TRACE_GET_RQ, 1000 * i, 4096));
		put(w, event(t + 500, TRACE_INSERT, 1000 * i, 4096));
		put(w, event(d, TRACE_ISSUE, 1000 * i, 4096));
		c = event(d + (1000 + i) * NSEC_PER_USEC, TRACE_COMPLETE,
			  1000 * i, 4096);
		c.cpu = 1;
		c.pid = 0;
		put(w, c);
	}
	assert_int_equal(blktrace_writer_close(w, true, &e), 0);
}

/* The line of @command's output that begins with @begin, into @line. */
static void
output_line(const char *command, const char *begin, char *line, size_t size)
{
	FILE *p = popen(command, "r");
	bool found = false;

	assert_non_null(p);
	while (fgets(line, (int)size, p))
		if (strncmp(line, begin, strlen(begin)) == 0) {
			found = true;
			break;
		}
	while (!found && fgets(line, (int)size, p))
		;
	pclose(p);
	assert_true(found);
}

static void
test_real_tools(void **state)
{
	struct fixture *f = *state;
	char command[300], line[300];
	double min, avg, max;
	int n;

	if (system("command -v blkparse >/dev/null && command -v btt "
		   ">/dev/null") != 0)
		skip();
	write_reads(f->prefix);
	snprintf(command, sizeof(command), "blkparse -i %s 2>&1", f->prefix);
	output_line(command, "  8,0    0        4", line, sizeof(line));
	assert_string_equal(line, "  8,0    0        4     0.000001000    77  "
				  "D   R 0 + 8 [reader]\n");
	output_line(command, "  8,0    1      100", line, sizeof(line));
	assert_string_equal(line, "  8,0    1      100     0.991199000     0  "
				  "C   R 99000 + 8 [0]\n");
	snprintf(command, sizeof(command),
		 "cd %s && blkparse -q -i sim -d sim.bin >/dev/null && "
		 "btt -i sim.bin 2>&1",
		 f->dir);
	output_line(command, "Q2C", line, sizeof(line));
	assert_int_equal(
		sscanf(line, "Q2C %lf %lf %lf %d", &min, &avg, &max, &n), 4);
	/* Means of i + 1 + 1000 + i and of 1000 + i over 0 to 99, in us. */
	assert_int_equal(n, 100);
	assert_true(avg > 0.0010999994 && avg < 0.0011000006);
	output_line(command, "D2C", line, sizeof(line));
	assert_int_equal(
		sscanf(line, "D2C %lf %lf %lf %d", &min, &avg, &max, &n), 4);
	assert_int_equal(n, 100);
	assert_true(avg > 0.0010494994 && avg < 0.0010495006);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_round_trip, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_errors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_full, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_real_tools, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
