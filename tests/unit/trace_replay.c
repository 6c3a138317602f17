/* SPDX-License-Identifier: MIT */
#include "traces/replay.h"

#include "tests/trace_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define RECORDS_MAX 16

struct replayed {
	int open_status;
	int status;
	struct err e;
	uint32_t count;
	struct io_record rec[RECORDS_MAX];
	struct replay_stats stats;
	uint32_t device;
	sector_t sectors;
	char warning[300];
};

static struct replayed
replay(const char *lines, const struct replay_options *opt)
{
	struct replay_options none = { 0 };
	struct replayed r = { 0 };
	struct trace_replay *rp = NULL;
	const char *const *warnings;
	struct io_source *source;
	char path[TRACE_PATH_MAX];
	const char *p = path;

	trace_text_write(path, lines);
	r.open_status = trace_replay_open(&p, 1, opt ? opt : &none, &rp, &r.e);
	unlink(path);
	if (r.open_status)
		return r;
	source = trace_replay_source(rp);
	while ((r.status = source->next(source, &r.rec[r.count], &r.e)) > 0) {
		r.count++;
		assert_true(r.count < RECORDS_MAX);
	}
	r.stats = *trace_replay_stats(rp);
	r.device = trace_replay_device(rp);
	r.sectors = trace_replay_sectors(rp);
	if (trace_replay_warnings(rp, &warnings))
		strncpy(r.warning, warnings[0], sizeof(r.warning) - 1);
	trace_replay_close(rp);
	return r;
}

static void
assert_record(const struct io_record *rec, nsec_t time_ns, uint8_t op,
	      sector_t lba, uint32_t sectors)
{
	assert_int_equal(rec->time_ns, time_ns);
	assert_int_equal(rec->op, op);
	assert_int_equal(rec->lba, lba);
	assert_int_equal(rec->sectors, sectors);
}

static void
test_operations(void **state)
{
	struct replayed r = replay("5000 7 Q R 100 + 8 [a];"
				   "6000 7 Q WS 200 + 16 [a];"
				   "7000 7 Q DS 300 + 1000 [a];"
				   "8000 7 Q FWS [a];"
				   "9000 7 Q FWFSM 400 + 2 [a];"
				   "9500 7 Q WFS 500 + 8 [a];"
				   "9600 7 Q RA 600 + 8 [a]",
				   NULL);

	(void)state;
	assert_int_equal(r.status, 0);
	assert_int_equal(r.count, 7);
	assert_record(&r.rec[0], 0, IO_READ, 100, 8);
	/* Without D every sync one counts as waited for. */
	assert_int_equal(r.rec[0].flags, IO_SYNC | IO_UNPLUG);
	assert_int_equal(r.rec[2].flags, IO_SYNC | IO_UNPLUG);
	assert_int_equal(r.rec[0].pid, 7);
	assert_int_equal(r.rec[0].number, 0);
	assert_record(&r.rec[1], 1000, IO_WRITE, 200, 16);
	assert_record(&r.rec[2], 2000, IO_DISCARD, 300, 1000);
	assert_record(&r.rec[3], 3000, IO_FLUSH, 0, 0);
	assert_record(&r.rec[4], 4000, IO_WRITE, 400, 2);
	assert_int_equal(r.rec[4].flags,
			 IO_PREFLUSH | IO_FUA | IO_SYNC | IO_META | IO_UNPLUG);
	assert_record(&r.rec[5], 4500, IO_WRITE, 500, 8);
	assert_int_equal(r.rec[5].flags, IO_FUA | IO_SYNC | IO_UNPLUG);
	assert_int_equal(r.rec[6].flags, IO_AHEAD | IO_SYNC | IO_UNPLUG);
	assert_int_equal(r.rec[6].number, 6);
	assert_int_equal(r.sectors, 1300);
}

/* Nothing but I/O becomes a record, and what is left out is counted. */
static void
test_left_out(void **state)
{
	struct replayed r = replay("1000 1 Q R 36 [a];"
				   "2000 1 P N [a];"
				   "3000 1 Q R 8 + 8 [a];"
				   "4000 1 Q W 16 + 0 [a]",
				   NULL);

	(void)state;
	assert_int_equal(r.count, 1);
	assert_record(&r.rec[0], 2000, IO_READ, 8, 8);
	assert_int_equal(r.stats.passthrough, 1);
	assert_int_equal(r.stats.empty, 1);
}

/* A bio of a partition or a stacked device counts once. */
static void
test_remap(void **state)
{
	struct replay_options opt = { .has_device = true,
				      .device = 8u << 20 | 1 };
	const char *lines = "253,0 0 9 Q R 0 + 8 [a];"
			    "8,1 10 9 A R 2048 + 8 <- (253,0) 0;"
			    "8,1 20 9 Q R 2048 + 8 [a];"
			    "8,1 30 9 D R 2048 + 8 [a]";
	struct replayed r = replay(lines, NULL);

	(void)state;
	assert_int_equal(r.count, 1);
	assert_record(&r.rec[0], 20, IO_READ, 2048, 8);
	assert_int_equal(r.device, 8u << 20 | 1);
	assert_non_null(strstr(r.warning, "several devices; replaying 8,1"));
	r = replay(lines, &opt);
	assert_int_equal(r.count, 1);
	assert_string_equal(r.warning, "");
	opt.device = 8u << 20;
	r = replay(lines, &opt);
	assert_int_equal(r.open_status, ERR_CONFIG);
	assert_non_null(strstr(r.e.text, "no device 8,0 in this trace; it has "
					 "253,0 8,1"));
}

/* Times are scaled in whole numbers, from the trace's own each time. */
static void
test_speed(void **state)
{
	struct replay_options opt = { .speed = 3, .speed_unit = 2 };
	struct replayed r = replay("0 1 Q R 8 + 8 [a]; 1 1 Q R 8 + 8 [a];"
				   "2 1 Q R 8 + 8 [a]; 3 1 Q R 8 + 8 [a];"
				   "3000000000000000001 1 Q R 8 + 8 [a]",
				   &opt);

	(void)state;
	/* 3e18 ns is a gap: strict. */
	assert_int_equal(r.open_status, ERR_INPUT);
	opt.trace.lenient = true;
	r = replay("0 1 Q R 8 + 8 [a]; 1 1 Q R 8 + 8 [a];"
		   "2 1 Q R 8 + 8 [a]; 3 1 Q R 8 + 8 [a];"
		   "3000000000000000001 1 Q R 8 + 8 [a]",
		   &opt);
	assert_int_equal(r.count, 5);
	assert_int_equal(r.rec[1].time_ns, 0);
	assert_int_equal(r.rec[2].time_ns, 1);
	assert_int_equal(r.rec[3].time_ns, 2);
	assert_int_equal(r.rec[4].time_ns, INT64_C(2000000000000000000));
}

/* From D the process is the one that queued the first bio. */
static void
test_issued(void **state)
{
	struct replay_options opt = { .from = REPLAY_ISSUED };
	struct replayed r = replay("0 5 Q WS 8 + 8 [a];"
				   "10 6 Q WS 16 + 8 [b];"
				   "11 6 M WS 16 + 8 [b];"
				   "20 99 D WS 8 + 16 [kworker/0:1H];"
				   "25 98 D FN [kworker/0:1H];"
				   "26 98 D WFS 96 + 8 [kworker/0:1H]",
				   &opt);

	(void)state;
	assert_int_equal(r.count, 3);
	assert_record(&r.rec[0], 20, IO_WRITE, 8, 16);
	assert_int_equal(r.rec[0].pid, 5);
	assert_record(&r.rec[1], 25, IO_FLUSH, 0, 0);
	assert_int_equal(r.rec[1].pid, 98);
	assert_int_equal(r.rec[2].flags, IO_SYNC | IO_FUA | IO_UNPLUG);
}

/* A record that the queue ran for at once is unplugged, others are not. */
static void
test_unplug(void **state)
{
	struct replayed r = replay("0 5 Q R 8 + 8 [a];" /* issued alone */
				   "5 5 D R 8 + 8 [a];"
				   "10 5 Q R 16 + 8 [a];" /* two in a plug */
				   "11 5 P N [a];"
				   "20 5 Q R 24 + 8 [a];"
				   "21 6 U N [b] 1;" /* another's */
				   "30 5 Q R 90 + 8 [a];"
				   "31 5 U N [a] 3;"
				   "40 6 Q W 400 + 8 [b];"
				   "50 6 Q W 408 + 8 [b]",
				   NULL);
	const bool unplugs[] = { true, false, false, true, false, false };

	(void)state;
	assert_int_equal(r.count, 6);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal((r.rec[i].flags & IO_UNPLUG) != 0, unplugs[i]);
}

static void
test_nothing(void **state)
{
	struct replay_options opt = { .from = REPLAY_ISSUED };
	struct replayed r =
		replay("0 5 D R 8 + 8 [a]; 9 0 C R 8 + 8 [0]", NULL);

	(void)state;
	assert_int_equal(r.open_status, ERR_INPUT);
	assert_non_null(strstr(r.e.text, "no Q events on device 8,0, but 1 D "
					 "events: use --from D (2 records "
					 "read)"));
	r = replay("0 5 Q R 8 + 8 [a]; 9 0 C R 8 + 8 [0]", &opt);
	assert_non_null(strstr(r.e.text, "use --from Q"));
	r = replay("9 0 C R 8 + 8 [0]", &opt);
	assert_non_null(strstr(r.e.text, "neither Q nor D"));
	r = replay("0 1 Q R 36 [a]", NULL);
	assert_int_equal(r.status, ERR_INPUT);
	assert_non_null(strstr(r.e.text, "that a drive can do"));
}

/* An old kernel queues the second part of a split again. */
static void
test_split_again(void **state)
{
	struct replayed r = replay("0 1 Q R 0 + 512 [a];"
				   "1 1 X R 0 / 256 [a];"
				   "2 1 Q R 256 + 256 [a];"
				   "3 1 Q R 256 + 256 [a]",
				   NULL);

	(void)state;
	assert_int_equal(r.count, 2);
	assert_record(&r.rec[0], 0, IO_READ, 0, 512);
	assert_record(&r.rec[1], 3, IO_READ, 256, 256);
	assert_int_equal(r.stats.queued_again, 1);
}

static void
test_lost_fua(void **state)
{
	struct replayed r = replay("0 1 Q R 0 + 8 [a]; 1 1 D FN [a]", NULL);

	(void)state;
	assert_non_null(strstr(r.warning, "Linux 6.19"));
}

static void
test_parse_device(void **state)
{
	struct err e;
	uint32_t device;

	(void)state;
	assert_int_equal(trace_parse_device("259,3", &device, &e), 0);
	assert_int_equal(device, 259u << 20 | 3);
	assert_int_equal(trace_parse_device("8", &device, &e), ERR_CONFIG);
	assert_int_equal(trace_parse_device("8,0x", &device, &e), ERR_CONFIG);
	assert_int_equal(trace_parse_device("4096,0", &device, &e), ERR_CONFIG);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_remap),
		cmocka_unit_test(test_speed),
		cmocka_unit_test(test_issued),
		cmocka_unit_test(test_unplug),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_split_again),
		cmocka_unit_test(test_lost_fua),
		cmocka_unit_test(test_parse_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
