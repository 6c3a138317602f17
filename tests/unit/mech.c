/* SPDX-License-Identifier: MIT */
/*
 * Accesses of the mechanism in cases that can be worked out on paper: a
 * switch inside a transfer, a head that lands within what it reads, and the
 * division of the time.
 */
#include "sim/core/rng.h"
#include "sim/drive/mech.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define CYLINDERS 50u
#define HEADS     2u
#define SPT       100u
#define SLOT_NS   100000 /* 6000 rpm: a turn of 10 ms, 100 slots */
#define TURN_NS   (SPT * SLOT_NS)

struct rig {
	struct geometry *geo;
	struct seek_bucket buckets[CYLINDERS + 1];
	struct seek_curve curve;
	struct mech mech;
};

/* Seeks of 1 ms + 0.1 ms a cylinder; track skew 8 slots, cylinder 15. */
static void
rig_init(struct rig *rig)
{
	struct geometry_zone_config zone = {
		.cylinders = CYLINDERS,
		.spt = { SPT, SPT },
		.track_skew = 8,
		.cyl_skew = 15,
	};
	struct geometry_config config = { .heads = HEADS,
					  .zones = &zone,
					  .zone_count = 1 };
	int32_t ns[CYLINDERS] = { 0 };

	memset(rig, 0, sizeof(*rig));
	for (int32_t d = 1; d < (int32_t)CYLINDERS; d++)
		ns[d] = 1000000 + 100000 * d;
	seek_buckets_make(ns, CYLINDERS, rig->buckets);
	rig->curve = (struct seek_curve){
		.reads = rig->buckets,
		.writes = rig->buckets,
		.cylinders = CYLINDERS,
		.head_switch_ns = 800000,
		.write_head_switch_ns = 900000,
		.start_ns = { { 0, 800000 }, { 0, 900000 } },
	};
	assert_int_equal(geometry_create(&config, &rig->geo, NULL), 0);
	assert_int_equal(
		mech_init(&rig->mech, 6000, rig->geo, &rig->curve, NULL), 0);
}

static void
rig_free(struct rig *rig)
{
	mech_free(&rig->mech);
	geometry_free(rig->geo);
}

static struct mech_access
access_at(const struct rig *rig, nsec_t now_ns, nsec_t delay_ns,
	  const struct mech_range *range)
{
	struct mech_target target;
	struct mech_access access;

	mech_aim(&rig->mech, range->sector, &target);
	mech_access(&rig->mech, now_ns, delay_ns, range, &target, &access);
	return access;
}

static void
access_divides_into_its_parts(void **state)
{
	struct rig rig;
	struct mech_access a;

	(void)state;
	rig_init(&rig);
	/* Cylinder 10, head 0, sector 7: 3.5 ms of delay and 2 of seek. */
	a = access_at(&rig, 0, 3500000,
		      &(struct mech_range){ geometry_encode(rig.geo, 10, 0, 7),
					    5, false });
	assert_int_equal(a.seek_cyl, 10);
	assert_int_equal(a.seek_ns, 2000000);
	assert_int_equal(a.switch_ns, 0);
	assert_int_equal(a.transfer_ns, 5 * SLOT_NS);
	assert_int_equal(a.end_ns, 5500000 + a.rotate_ns + a.transfer_ns);
	/* Ten steps and ten switches before it: slot 7 + 230, mod 100. */
	assert_int_equal(a.start_ns, TURN_NS + 37 * SLOT_NS);
	assert_int_equal(a.cyl, 10);
	assert_int_equal(a.head, 0);
	rig_free(&rig);
}

/* The last 10 sectors of a track and the first 10 of the next. */
static void
switch_within_the_skew_costs_the_skew(void **state)
{
	struct mech_range range = { .sector = 90, .count = 20 };
	struct mech_access a;
	struct rig rig;

	(void)state;
	rig_init(&rig);
	a = access_at(&rig, 0, 0, &range);
	assert_int_equal(a.start_ns, 90 * SLOT_NS);
	assert_int_equal(a.end_ns, (90 + 20 + 8) * SLOT_NS);
	assert_int_equal(a.switch_ns, 800000); /* the skew, exactly */
	assert_int_equal(a.rotate_ns, 90 * SLOT_NS);
	assert_int_equal(a.head, 1);
	/* A write's switch takes 0.1 ms more than the skew: a lost turn. */
	range.write = true;
	a = access_at(&rig, 0, 0, &range);
	assert_int_equal(a.end_ns, TURN_NS + (90 + 20 + 8) * SLOT_NS);
	assert_int_equal(a.switch_ns, 900000);
	assert_int_equal(a.rotate_ns, 90 * SLOT_NS + TURN_NS - 100000);
	rig_free(&rig);
}

/* What a zero-latency drive needs for one track's part, by trying all. */
static nsec_t
brute_zero_latency_ns(nsec_t ready_ns, uint32_t slot, uint32_t count)
{
	nsec_t best = INT64_MAX;

	/* Begin with the i-th sector, take the front when it comes round. */
	for (uint32_t i = 0; i < count; i++) {
		nsec_t begin = (nsec_t)(slot + i) * SLOT_NS, end;

		while (begin < ready_ns)
			begin += TURN_NS;
		end = begin + (nsec_t)(i ? SPT : count) * SLOT_NS;
		if (end < best)
			best = end;
	}
	return best;
}

static void
zero_latency_begins_within(void **state)
{
	struct rig rig;
	struct rng rng;

	(void)state;
	rig_init(&rig);
	rng_init(&rng, 4, "mech");
	rig.mech.zero_latency = true;
	for (int i = 0; i < 20000; i++) {
		uint32_t slot = (uint32_t)rng_below(&rng, SPT);
		uint32_t count = 1 + (uint32_t)rng_below(&rng, SPT - slot);
		nsec_t ready = (nsec_t)rng_below(&rng, 3 * TURN_NS);
		struct mech_access a;

		if (i % 3 == 0)
			ready -= ready % SLOT_NS;
		a = access_at(&rig, 0, ready,
			      &(struct mech_range){ slot, count, false });
		assert_int_equal(a.end_ns,
				 brute_zero_latency_ns(ready, slot, count));
		assert_int_equal(a.transfer_ns, (nsec_t)count * SLOT_NS);
		assert_int_equal(a.end_ns, ready + a.rotate_ns + a.transfer_ns);
	}
	rig_free(&rig);
}

/* The sectors that have passed, against accesses of every length. */
static void
passed_sectors_are_those_that_ended(void **state)
{
	struct rig rig;
	struct rng rng;

	(void)state;
	rig_init(&rig);
	rng_init(&rng, 6, "passed");
	for (int i = 0; i < 20000; i++) {
		struct mech_range range = { .sector = rng_below(&rng, SPT) };
		nsec_t began = (nsec_t)rng_below(&rng, 50 * TURN_NS);
		nsec_t elapsed = (nsec_t)rng_below(&rng, 2 * TURN_NS);
		struct mech_target target;
		uint32_t passed = 0;

		if (i % 2)
			began -= began % SLOT_NS;
		if (i % 3)
			elapsed = elapsed % (20 * SLOT_NS) / SLOT_NS * SLOT_NS +
				  i % 5 - 2;
		if (elapsed < 0)
			elapsed = 0;
		mech_aim(&rig.mech, range.sector, &target);
		for (range.count = 1; range.count <= target.place.run;
		     range.count++) {
			if (access_at(&rig, began, 0, &range).end_ns > elapsed)
				break;
			passed = range.count;
		}
		assert_int_equal(
			mech_passed_in_run(&rig.mech, began, elapsed, &target),
			passed);
	}
	rig_free(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(access_divides_into_its_parts),
		cmocka_unit_test(switch_within_the_skew_costs_the_skew),
		cmocka_unit_test(zero_latency_begins_within),
		cmocka_unit_test(passed_sectors_are_those_that_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
