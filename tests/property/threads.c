/* SPDX-License-Identifier: MIT */
/*
 * Any number of simulations in as many threads: each gives what it gives
 * alone.  Under the thread sanitizer this shows that they share nothing.
 */
#include "sim/ncqsim.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define THREADS 8u
#define RECORDS 2000u

/* Random small reads and writes, seeded; arrivals faster than the drive. */
struct random_source {
	struct io_source source;
	uint64_t state;
	sector_t sectors;
	uint32_t done;
};

static uint64_t
random_next(struct random_source *src)
{
	src->state = src->state * UINT64_C(6364136223846793005) + 1442695041u;
	return src->state >> 20;
}

static int
random_record(struct io_source *source, struct io_record *rec, struct err *e)
{
	struct random_source *src =
		container_of(source, struct random_source, source);

	(void)e;
	if (src->done == RECORDS)
		return 0;
	memset(rec, 0, sizeof(*rec));
	rec->time_ns = (nsec_t)src->done * 2 * NSEC_PER_MSEC;
	rec->sectors = 8 * (1 + (uint32_t)(random_next(src) % 8));
	rec->lba = random_next(src) % (src->sectors / 8 - 8) * 8;
	rec->op = random_next(src) % 3 ? IO_READ : IO_WRITE;
	rec->pid = 1 + (uint32_t)(random_next(src) % 4);
	rec->io_level = 4;
	rec->number = src->done++;
	return 1;
}

struct job {
	pthread_t thread;
	uint64_t seed;
	const char *firmware;
	struct ncqsim_totals totals;
	int status;
	struct err e;
};

static int
run_machine(struct job *job, struct ncqsim *sim)
{
	struct ncqsim_drive_info info;
	struct random_source src = {
		.source = { .next = random_record },
		.state = job->seed,
	};
	int more;

	ncqsim_drive_info(sim, &info);
	src.sectors = info.sectors;
	ncqsim_feed(sim, &src.source);
	while ((more = ncqsim_run(sim, 1000, &job->e)) > 0)
		;
	ncqsim_totals(sim, &job->totals);
	return more;
}

static int
run_config(struct job *job, struct ncqsim_config *cfg)
{
	struct ncqsim *sim;
	int status;

	status = ncqsim_config_drive(cfg, "wd3200bjkt", &job->e);
	if (status == 0)
		status = ncqsim_config_elevator(cfg, "noop", &job->e);
	if (status == 0)
		status = ncqsim_config_firmware(cfg, job->firmware, &job->e);
	if (status < 0)
		return status;
	sim = ncqsim_create(cfg, &job->e);
	if (!sim)
		return job->e.code;
	status = run_machine(job, sim);
	ncqsim_destroy(sim);
	return status;
}

static void *
run_job(void *arg)
{
	struct job *job = arg;
	struct ncqsim_config *cfg = ncqsim_config_new("models", &job->e);

	job->status = cfg ? run_config(job, cfg) : job->e.code;
	ncqsim_config_free(cfg);
	return NULL;
}

static void
test_threads_do_not_disturb_each_other(void **state)
{
	static const char *const firmware[] = { "fcfs", "sptf" };
	struct job alone[THREADS], together[THREADS];

	(void)state;
	memset(alone, 0, sizeof(alone));
	for (uint32_t i = 0; i < THREADS; i++) {
		/* Two of each, so that equal ones meet as well. */
		alone[i].seed = i / 4;
		alone[i].firmware = firmware[i % 2];
		together[i] = alone[i];
	}
	for (uint32_t i = 0; i < THREADS; i++)
		run_job(&alone[i]);
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&together[i].thread, NULL,
						run_job, &together[i]),
				 0);
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(together[i].thread, NULL);
	for (uint32_t i = 0; i < THREADS; i++) {
		if (alone[i].status < 0)
			fail_msg("%s", alone[i].e.text);
		assert_int_equal(together[i].status, 0);
		assert_int_equal(alone[i].totals.records, RECORDS);
		assert_memory_equal(&together[i].totals, &alone[i].totals,
				    sizeof(alone[i].totals));
	}
	assert_int_equal(alone[0].totals.hash, alone[2].totals.hash);
	assert_int_not_equal(alone[0].totals.hash, alone[1].totals.hash);
	assert_int_not_equal(alone[0].totals.hash, alone[4].totals.hash);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_do_not_disturb_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
