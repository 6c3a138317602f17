/* SPDX-License-Identifier: MIT */
#include "models/elevators/elevator.h"
#include "sim/host/blk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bool
elevator_stays(struct elevator *el, bool is_forced)
{
	(void)el, (void)is_forced;
	return false;
}

static void
elevator_takes(struct elevator *el, struct request *rq)
{
	(void)el, (void)rq;
}

static struct request *
elevator_neighbour(struct elevator *el, struct request *rq)
{
	(void)el;
	return rq;
}

static const struct elevator_ops good = {
	.abi = ELEVATOR_ABI,
	.name = "test",
	.help = "a test",
	.last_era = ERA_MODERN,
	.state_size = sizeof(struct elevator),
	.insert = elevator_takes,
	.dispatch = elevator_stays,
};

static void
expect_refused(const struct elevator_ops *ops, const char *sentence)
{
	struct err e;

	assert_int_equal(elevator_check(ops, &e), ERR_CONFIG);
	assert_string_equal(e.text, sentence);
}

static void
test_check_names_what_is_wrong(void **state)
{
	struct elevator_ops ops = good;

	(void)state;
	assert_int_equal(elevator_check(&ops, NULL), 0);
	ops.abi = ELEVATOR_ABI + 1;
	expect_refused(&ops, "the elevator was compiled for version 2 of the "
			     "elevator interface, this is version 1: compile "
			     "it again");
	ops = good;
	ops.name = NULL;
	expect_refused(&ops, "the elevator has no name or no help text");
	ops = good;
	ops.dispatch = NULL;
	expect_refused(&ops, "elevator test lacks insert() or dispatch(), "
			     "which are required");
	ops = good;
	ops.latter = elevator_neighbour;
	expect_refused(&ops, "elevator test: former(), latter() and swallow() "
			     "go together, all three or none");
	ops = good;
	ops.state_size = 1;
	expect_refused(&ops, "elevator test: its state is smaller than the "
			     "struct elevator it must begin with");
}

static void
test_check_looks_at_tunables(void **state)
{
	struct option outside = {
		.name = "far",
		.unit = "",
		.initial = "1",
		.help = "Far.",
		.type = OPTION_INT,
		.max = 2,
		.offset = 4096,
	};
	const struct option_table table = { "elevator", "", &outside, 1 };
	struct elevator_ops ops = good;

	(void)state;
	ops.options = &table;
	expect_refused(&ops, "elevator test: tunable far lies outside the "
			     "elevator's state");
	outside.type = OPTION_BOOL;
	expect_refused(&ops, "elevator test: tunable far is no OPTION_INT");
}

static void
test_table_is_sound(void **state)
{
	struct err e;

	(void)state;
	for (size_t i = 0; elevator_table[i]; i++)
		if (elevator_check(elevator_table[i], &e) < 0)
			fail_msg("%s", e.text);
	assert_non_null(elevator_find("cfq", ERA_2_6_18, NULL));
	assert_ptr_not_equal(elevator_find("cfq", ERA_2_6_18, NULL),
			     elevator_find("cfq", ERA_2_6_32, NULL));
	assert_null(elevator_find("cfg", ERA_2_6_32, &e));
	assert_int_equal(e.code, ERR_CONFIG);
	assert_non_null(strstr(e.text, "noop, deadline, anticipatory, cfq"));
}

/* ---- a shared object ---- */

static const char *
compile(const char *folder, const char *source)
{
	static char object[128];
	char command[512];

	snprintf(object, sizeof(object), "%s/e.so", folder);
	snprintf(command, sizeof(command),
		 "${CC:-cc} -shared -fPIC -O2 -std=c11 -I. %s -o %s", source,
		 object);
	assert_int_equal(system(command), 0);
	return object;
}

struct order {
	struct blk_queue *q;
	uint64_t served[4];
	size_t count;
};

static void
bio_ended(struct bio *bio, nsec_t now_ns, int status)
{
	(void)bio, (void)now_ns, (void)status;
}

static void
take_all(void *ctx)
{
	struct order *o = ctx;
	struct request *rq;

	while ((rq = blk_peek(o->q))) {
		assert_true(o->count < ARRAY_LEN(o->served));
		blk_start(o->q, rq);
		o->served[o->count++] = rq->lba;
		rq->driver = o->count;
	}
}

/* Four bios, the last one waited for, no merging: 30, then 20, 10, 0. */
static void
test_shared_object_runs(void **state)
{
	char folder[] = "/tmp/elevator.XXXXXX";
	struct order o = { 0 };
	struct blk_driver driver = { .run = take_all, .ctx = &o };
	struct bio bios[4];
	struct blk_config config;
	struct calendar cal;
	const char *object;
	struct err e;

	(void)state;
	assert_non_null(mkdtemp(folder));
	object = compile(folder, "tests/elevators/example/lifo.c");
	blk_config_init(&config);
	config.elevator = elevator_find(object, config.era, &e);
	if (!config.elevator)
		fail_msg("%s", e.text);
	unlink(object);
	rmdir(folder);
	calendar_init(&cal);
	o.q = blk_create(&config, &cal, &driver, &e);
	assert_non_null(o.q);
	assert_int_equal(blk_set(o.q, "patience", "8", NULL, &e), 0);
	for (unsigned i = 0; i < 4; i++) {
		bios[i] = (struct bio){
			.lba = 10 * i,
			.sectors = 8,
			.op = IO_READ,
			.flags = i == 3 ? IO_UNPLUG : 0,
			.process = blk_process(o.q, 1, &e),
			.end = bio_ended,
		};
		blk_submit(o.q, &bios[i]);
	}
	assert_int_equal(o.count, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(o.served[i], 30 - 10 * i);
	blk_destroy(o.q);
	calendar_free(&cal);
}

static void
test_shared_object_is_checked(void **state)
{
	char folder[] = "/tmp/elevator.XXXXXX";
	char source[64];
	const char *object;
	struct err e;
	FILE *f;

	(void)state;
	assert_null(elevator_find("./nowhere.so", ERA_2_6_32, &e));
	assert_int_equal(e.code, ERR_CONFIG);
	assert_non_null(mkdtemp(folder));
	snprintf(source, sizeof(source), "%s/e.c", folder);
	f = fopen(source, "w");
	assert_non_null(f);
	fputs("#include \"models/elevators/elevator.h\"\n"
	      "const struct elevator_ops ncqsim_elevator = { .abi = 99 };\n",
	      f);
	fclose(f);
	object = compile(folder, source);
	assert_null(elevator_find(object, ERA_2_6_32, &e));
	assert_non_null(strstr(e.text, "compiled for version 99"));
	unlink(source);
	unlink(object);
	rmdir(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check_names_what_is_wrong),
		cmocka_unit_test(test_check_looks_at_tunables),
		cmocka_unit_test(test_table_is_sound),
		cmocka_unit_test(test_shared_object_runs),
		cmocka_unit_test(test_shared_object_is_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
