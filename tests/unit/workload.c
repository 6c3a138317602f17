/* SPDX-License-Identifier: MIT */
#include "traces/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct io_source *
open_line(const char *line, sector_t drive_sectors)
{
	struct workload w;
	struct io_source *src;

	assert_int_equal(workload_parse(line, &w, NULL), 0);
	assert_int_equal(workload_open(&w, drive_sectors, &src, NULL), 0);
	return src;
}

static void
assert_refused(const char *line, const char *message)
{
	struct workload w;
	struct err e = { 0 };

	assert_int_equal(workload_parse(line, &w, &e), ERR_CONFIG);
	assert_string_equal(e.text, message);
}

static void
sequence_wraps_at_the_end(void **state)
{
	struct io_source *src =
		open_line("read,bs=1k,offset=512,size=5120,count=7", 1000);
	static const sector_t expected[] = { 1, 3, 5, 7, 9, 1, 3 };
	struct io_record rec;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		assert_int_equal(src->next(src, &rec, NULL), 1);
		assert_int_equal(rec.lba, expected[i]);
		assert_int_equal(rec.sectors, 2);
		assert_int_equal(rec.op, IO_READ);
		assert_int_equal(rec.time_ns, 0);
		assert_int_equal(rec.number, i);
	}
	assert_int_equal(src->next(src, &rec, NULL), 0);
	src->close(src);
}

static void
random_covers_the_span_evenly(void **state)
{
	struct io_source *src =
		open_line("randrw,bs=4k,count=100000,rwmixread=70", 8 * 10 + 3);
	uint32_t seen[10] = { 0 }, reads = 0;
	struct io_record rec;

	(void)state;
	while (src->next(src, &rec, NULL) > 0) {
		assert_int_equal(rec.lba % 8, 0);
		assert_true(rec.lba + rec.sectors <= 83);
		seen[rec.lba / 8]++;
		reads += rec.op == IO_READ;
	}
	/* Five standard deviations of a binomial. */
	for (size_t i = 0; i < 10; i++)
		assert_in_range(seen[i], 10000 - 475, 10000 + 475);
	assert_in_range(reads, 70000 - 725, 70000 + 725);
	src->close(src);
}

static void
arrivals_are_evenly_spaced(void **state)
{
	struct io_source *src =
		open_line("randread,rate_iops=3,count=4", 1 << 20);
	static const nsec_t expected[] = { 0, 333333333, 666666666,
					   1000000000 };
	struct io_record rec;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		assert_int_equal(src->next(src, &rec, NULL), 1);
		assert_int_equal(rec.time_ns, expected[i]);
	}
	src->close(src);
}

static void
mistakes_are_explained(void **state)
{
	struct workload w;
	struct io_source *src;
	struct err e = { 0 };

	(void)state;
	assert_refused("randraed", "workload: randraed: must be read, write, "
				   "rw, randread, randwrite or randrw; did "
				   "you mean randread?");
	assert_refused("read,bs", "workload: bs: must be KEY=VALUE");
	assert_refused("read,bs=1000",
		       "workload: bs=1000: must be a multiple of 512, 512 to "
		       "33554432");
	assert_refused("read,bs=4x", "workload: bs=4x: not a number such as "
				     "4096, 4k or 10g");
	assert_refused("rw,rwmixread=101",
		       "workload: rwmixread=101: must be 0 to 100");
	assert_refused("read,cuont=3",
		       "workload: unknown key cuont; did you mean count?");
	assert_int_equal(workload_parse("read,bs=1m", &w, NULL), 0);
	assert_int_equal(workload_open(&w, 2047, &src, &e), ERR_CONFIG);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequence_wraps_at_the_end),
		cmocka_unit_test(random_covers_the_span_evenly),
		cmocka_unit_test(arrivals_are_evenly_spaced),
		cmocka_unit_test(mistakes_are_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
