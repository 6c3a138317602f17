/* SPDX-License-Identifier: MIT */
/* mq-deadline: how many requests there may be besides reads. */
#include "models/elevators/elevator.h"
#include "sim/host/blk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define BIOS 24

struct rig {
	struct calendar cal;
	struct blk_driver driver;
	struct blk_queue *q;
	struct bio bios[BIOS];
	uint32_t submitted;
	uint32_t ended;
};

static void
driver_waits(void *ctx)
{
	(void)ctx;
}

static void
bio_ended(struct bio *bio, nsec_t now_ns, int status)
{
	struct rig *rig = bio->cookie;

	(void)now_ns, (void)status;
	rig->ended++;
}

static struct rig *
rig_new(uint32_t nr_requests)
{
	struct rig *rig = calloc(1, sizeof(*rig));
	struct blk_config config;
	struct err e;

	assert_non_null(rig);
	calendar_init(&rig->cal);
	rig->driver.run = driver_waits;
	blk_config_init(&config);
	config.era = ERA_MODERN;
	config.nr_requests = nr_requests;
	config.elevator = elevator_find("mq-deadline", ERA_MODERN, &e);
	assert_non_null(config.elevator);
	rig->q = blk_create(&config, &rig->cal, &rig->driver, &e);
	assert_non_null(rig->q);
	return rig;
}

static void
rig_free(struct rig *rig)
{
	blk_destroy(rig->q);
	calendar_free(&rig->cal);
	free(rig);
}

/* @count bios by as many processes, none of which can merge. */
static void
submit(struct rig *rig, uint32_t count, uint8_t op, uint8_t flags)
{
	struct err e;

	while (count-- > 0) {
		uint32_t n = rig->submitted++;
		struct bio *bio = &rig->bios[n];

		*bio = (struct bio){
			.lba = 100 * n,
			.sectors = 8,
			.op = op,
			.flags = flags,
			.process = blk_process(rig->q, n + 1, &e),
			.end = bio_ended,
			.cookie = rig,
		};
		blk_submit(rig->q, bio);
	}
}

static void
test_writes_stop_at_three_quarters(void **state)
{
	struct rig *rig = rig_new(8);

	(void)state;
	submit(rig, 7, IO_WRITE, 0);
	assert_int_equal(blk_allocated(rig->q), 6);
	submit(rig, 7, IO_READ, IO_SYNC);
	assert_int_equal(blk_allocated(rig->q), 13);
	rig_free(rig);
}

static void
test_sync_writes_are_counted_apart(void **state)
{
	struct rig *rig = rig_new(8);

	(void)state;
	submit(rig, 7, IO_WRITE, 0);
	submit(rig, 7, IO_WRITE, IO_SYNC);
	assert_int_equal(blk_allocated(rig->q), 12);
	rig_free(rig);
}

static void
test_depth_can_be_set(void **state)
{
	struct rig *rig = rig_new(8);
	struct err e;

	(void)state;
	assert_int_equal(blk_set(rig->q, "async_depth", "2", NULL, &e), 0);
	submit(rig, 7, IO_WRITE, 0);
	assert_int_equal(blk_allocated(rig->q), 2);
	rig_free(rig);
}

static void
run_to_end(struct rig *rig)
{
	struct request *rq;

	while ((rq = blk_peek(rig->q))) {
		blk_start(rig->q, rq);
		blk_complete(rig->q, rq, 0);
		calendar_run(&rig->cal, 1000);
	}
}

/* Whoever had to wait goes on as others finish, to the last one. */
static void
test_all_end(void **state)
{
	struct rig *rig = rig_new(1);

	(void)state;
	submit(rig, 8, IO_WRITE, 0);
	submit(rig, 8, IO_WRITE, IO_SYNC);
	submit(rig, 8, IO_READ, IO_SYNC);
	run_to_end(rig);
	assert_int_equal(rig->ended, BIOS);
	assert_int_equal(blk_allocated(rig->q), 0);
	rig_free(rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writes_stop_at_three_quarters),
		cmocka_unit_test(test_sync_writes_are_counted_apart),
		cmocka_unit_test(test_depth_can_be_set),
		cmocka_unit_test(test_all_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
