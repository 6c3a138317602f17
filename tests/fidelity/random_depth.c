/* SPDX-License-Identifier: MIT */
/*
 * Random reads of 4 KiB over the first 32 GiB of four drives of 2006, as
 * measured with fio (linux-kernel, June 2006): one outstanding,
 * 48 that the elevator sorts for a drive of depth 1, and 48 of which the
 * drive holds 31.  The drives' seek curves were fitted to the first two
 * columns and their guard times to the third, so this says how well the
 * machine follows, not how well it predicts.
 *
 * The elevator is deadline without its deadlines, which sorts one way.
 */
#include "sim/ncqsim.h"
#include "sim/stats.h"
#include "traces/workload.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COLUMNS     3
#define TOLERANCE   0.02 /* a run of 20 s has 1 to 1.5 % of chance */
#define BLOCK_KIB   4
#define RECORDS     "20000"
#define READ_EXPIRE "deadline:read_expire=1000000"

struct reference {
	const char *drive;
	double kib_per_s[COLUMNS];
};

static const struct reference references[] = {
	{ "maxtor-7b300s0", { 397, 513, 673 } },
	{ "maxtor-7l320s0", { 397, 535, 741 } },
	{ "samsung-hd160jj", { 372, 449, 507 } },
	{ "hitachi-hds725050kla360", { 489, 650, 941 } },
};

static const struct {
	const char *outstanding, *drive_depth;
} columns[COLUMNS] = { { "1", "1" }, { "48", "1" }, { "48", "31" } };

static void
set(struct ncqsim_config *cfg, const char *key, const char *text)
{
	struct err e;

	if (ncqsim_config_set(cfg, key, text, NULL, &e) < 0)
		fail_msg("%s", e.text);
}

static struct ncqsim_config *
configure(const char *drive, size_t column)
{
	struct err e = { 0 };
	struct ncqsim_config *cfg = ncqsim_config_new("models", &e);

	assert_non_null(cfg);
	set(cfg, "host.kernel", "2.6.18");
	if (ncqsim_config_drive(cfg, drive, &e) < 0 ||
	    ncqsim_config_elevator(cfg, READ_EXPIRE, &e) < 0)
		fail_msg("%s", e.text);
	set(cfg, "host.queue_depth", columns[column].drive_depth);
	set(cfg, "run.replay", "depth");
	set(cfg, "run.depth", columns[column].outstanding);
	return cfg;
}

static double
kib_per_s(const char *drive, size_t column)
{
	struct ncqsim_config *cfg = configure(drive, column);
	struct ncqsim_totals totals;
	struct ncqsim_drive_info info;
	struct workload workload;
	struct io_source *source = NULL;
	struct err e = { 0 };
	struct ncqsim *sim = ncqsim_create(cfg, &e);

	if (!sim)
		fail_msg("%s", e.text);
	ncqsim_drive_info(sim, &info);
	if (workload_parse("randread,bs=4k,size=32g,count=" RECORDS, &workload,
			   &e) < 0 ||
	    workload_open(&workload, info.sectors, &source, &e) < 0)
		fail_msg("%s", e.text);
	ncqsim_feed(sim, source);
	while (ncqsim_run(sim, 100000, &e) > 0)
		;
	ncqsim_totals(sim, &totals);
	source->close(source);
	ncqsim_destroy(sim);
	ncqsim_config_free(cfg);
	return (double)totals.bios * BLOCK_KIB * (double)NSEC_PER_SEC /
	       (double)totals.last_complete_ns;
}

static void
drives_of_2006(void **state)
{
	uint32_t bad = 0;

	(void)state;
	printf("%-24s %11s %8s %9s %7s\n", "drive", "depth", "measured",
	       "simulated", "error");
	for (size_t i = 0; i < ARRAY_LEN(references); i++) {
		for (size_t c = 0; c < COLUMNS; c++) {
			const struct reference *r = &references[i];
			double is = kib_per_s(r->drive, c);
			double error = is / r->kib_per_s[c] - 1;

			printf("%-24s %5s of %-2s %7.0f %9.1f %+6.1f %%\n",
			       r->drive, columns[c].drive_depth,
			       columns[c].outstanding, r->kib_per_s[c], is,
			       100 * error);
			bad += fabs(error) > TOLERANCE;
		}
	}
	assert_int_equal(bad, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drives_of_2006),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
