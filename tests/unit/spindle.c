/* SPDX-License-Identifier: MIT */
/*
 * The tick clock against 128-bit arithmetic on absolute slot numbers, at
 * random moments and within a nanosecond of slot starts.
 */
#include "sim/core/rng.h"
#include "sim/core/wide.h"
#include "sim/drive/spindle.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const uint32_t speeds[] = { 7200,  5400, 5900,  10000, 15000,
				   7199,  4200, 5640,  3600,  4002,
				   10001, 6000, 10025, 5411,  30000 };

#define CASES 20000

static struct geometry *
geometry_of_spt(uint32_t spt)
{
	struct geometry_zone_config zone = { .cylinders = 10 };
	struct geometry_config config = {
		.heads = 1,
		.zones = &zone,
		.zone_count = 1,
	};
	struct geometry *geo;
	struct err e;

	zone.spt[0] = spt;
	assert_int_equal(geometry_create(&config, &geo, &e), 0);
	return geo;
}

/* Slot @k, counted on through all revolutions, begins here. */
static nsec_t
slot_start_ns(uint32_t rpm, uint32_t spt, uint128_t k)
{
	uint128_t d = (uint128_t)rpm * spt;

	return (nsec_t)((k * 60000000000u + d - 1) / d);
}

/* The first k congruent to @slot that begins at @from or later. */
static uint128_t
first_pass(uint32_t rpm, uint32_t spt, uint32_t slot, nsec_t from)
{
	uint128_t d = (uint128_t)rpm * spt;
	/* ceil(x) >= from  <=>  x > from - 1 */
	uint128_t k = from ? (uint128_t)(from - 1) * d / 60000000000u + 1 : 0;
	uint128_t rest = k % spt;

	return k + (slot >= rest ? slot - rest : slot + spt - rest);
}

static void
check_pass(const struct spindle *sp, uint32_t spt, nsec_t now_ns,
	   nsec_t ready_ns, uint32_t slot, uint32_t count)
{
	uint128_t k = first_pass(sp->rpm, spt, slot, now_ns + ready_ns);
	uint64_t c = spindle_slot_ticks(sp, 0, slot);
	uint64_t phase = spindle_phase(sp, now_ns);
	uint64_t total = spindle_pass(sp, phase, c, ready_ns);
	uint64_t end;

	assert_true(now_ns + spindle_total_ns(sp, total) ==
		    slot_start_ns(sp->rpm, spt, k));
	end = total + spindle_slot_ticks(sp, 0, (uint64_t)slot + count) - c;
	assert_true(now_ns + spindle_total_ns(sp, end) ==
		    slot_start_ns(sp->rpm, spt, k + count));
}

/* A moment within a nanosecond of a slot start, or near a minute's end. */
static nsec_t
near_moment(struct rng *rng, uint32_t rpm, uint32_t spt, nsec_t latest)
{
	uint64_t minutes = rng_below(rng, (uint64_t)(latest / NSEC_PER_MIN));
	nsec_t t;

	if (rng_below(rng, 8) == 0)
		t = (nsec_t)minutes * NSEC_PER_MIN;
	else
		t = slot_start_ns(rpm, spt,
				  (uint128_t)minutes * rpm * spt +
					  rng_below(rng, (uint64_t)rpm * spt));
	t += (nsec_t)rng_below(rng, 3) - 1;
	return t < 0 ? 0 : t;
}

static void
check_speed(uint32_t rpm, uint32_t spt, struct rng *rng)
{
	struct geometry *geo = geometry_of_spt(spt);
	nsec_t day = 24 * 60 * NSEC_PER_MIN;
	nsec_t century = 100 * 365 * day;
	struct spindle sp;

	assert_int_equal(spindle_init(&sp, rpm, geo, NULL), 0);
	for (int i = 0; i < CASES; i++) {
		nsec_t latest = i % 3 ? day : century;
		nsec_t now = near_moment(rng, rpm, spt, latest);
		nsec_t ready = (nsec_t)rng_below(rng, 40 * 1000 * 1000);
		uint32_t slot = (uint32_t)rng_below(rng, spt);
		uint32_t count = 1 + (uint32_t)rng_below(rng, spt - slot);

		if (i % 2)
			ready = near_moment(rng, rpm, spt, 2 * NSEC_PER_MIN) %
				(nsec_t)(NSEC_PER_SEC);
		if (i % 5 == 0)
			now = (nsec_t)rng_below(rng, (uint64_t)latest);
		check_pass(&sp, spt, now, ready, slot, count);
	}
	check_pass(&sp, spt, 0, 0, 0, 1);
	check_pass(&sp, spt, 1, 0, 0, 1);
	spindle_free(&sp);
	geometry_free(geo);
}

static void
spindle_equals_wide_arithmetic(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, "spindle");
	for (size_t i = 0; i < ARRAY_LEN(speeds); i++) {
		check_speed(speeds[i], 36, &rng);
		check_speed(speeds[i], 2400, &rng);
		check_speed(speeds[i], 1201, &rng);
	}
}

/* Back-to-back whole tracks for a day: every revolution is used. */
static void
spindle_loses_no_revolution_in_a_day(void **state)
{
	struct geometry *geo = geometry_of_spt(1170);
	struct spindle sp;
	nsec_t now = 0;
	uint64_t revolutions = 24 * 60 * 7199;

	(void)state;
	assert_int_equal(spindle_init(&sp, 7199, geo, NULL), 0);
	for (uint64_t i = 0; i < revolutions; i++) {
		uint64_t phase = spindle_phase(&sp, now);
		uint64_t total = spindle_pass(&sp, phase, 0, 0);

		now += spindle_total_ns(&sp, total + sp.rev.d);
		if (i % 1000 == 0)
			assert_true(now ==
				    slot_start_ns(7199, 1170,
						  (uint128_t)(i + 1) * 1170));
	}
	assert_true(now == 24 * 60 * NSEC_PER_MIN);
	spindle_free(&sp);
	geometry_free(geo);
}

static void
spindle_refuses_what_it_cannot_time(void **state)
{
	struct geometry *geo = geometry_of_spt(20000);
	struct spindle sp;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(spindle_init(&sp, 7199, geo, &e), ERR_CONFIG);
	assert_string_equal(e.text, "20000 sectors per track cannot be "
				    "timed exactly at 7199 rpm");
	geometry_free(geo);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spindle_equals_wide_arithmetic),
		cmocka_unit_test(spindle_loses_no_revolution_in_a_day),
		cmocka_unit_test(spindle_refuses_what_it_cannot_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
