/* SPDX-License-Identifier: MIT */
/*
 * The firmware's choice by position against a brute search in 128-bit
 * arithmetic, on random queues and on queues built from near ties: slots of
 * two zones whose angles differ by less than a nanosecond.
 */
#include "models/firmware/firmware.h"
#include "sim/core/rng.h"
#include "sim/core/wide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

extern const struct firmware_ops firmware_sptf;

#define CYLINDERS 4000u
#define HEADS     4u

struct rig {
	struct geometry *geo;
	struct seek_curve curve;
	int32_t ns[CYLINDERS];
	struct seek_bucket reads[4096], writes[4096];
	struct mech mech;
	struct seek_bounds bounds;
	struct drive_queue queue;
	uint32_t spt[2]; /* of the outer and the inner half */
	nsec_t overhead_ns;
	uint64_t next; /* sector after the one the media ended with */
	nsec_t guard_ns;
};

static void
rig_curve(struct rig *rig, nsec_t scale_ns)
{
	assert_true(seek_bucket_count(CYLINDERS) <= ARRAY_LEN(rig->reads));
	for (uint32_t d = 1; d < CYLINDERS; d++) {
		nsec_t ns =
			scale_ns + (nsec_t)wide_sqrt((uint128_t)d * 1000000) *
					   (scale_ns / 8000);

		rig->ns[d] = (int32_t)ns;
	}
	seek_buckets_make(rig->ns, CYLINDERS, rig->reads);
	for (uint32_t d = 1; d < CYLINDERS; d++)
		rig->ns[d] += 431000;
	seek_buckets_make(rig->ns, CYLINDERS, rig->writes);
	rig->curve = (struct seek_curve){
		.reads = rig->reads,
		.writes = rig->writes,
		.cylinders = CYLINDERS,
		.head_switch_ns = 700001,
		.write_head_switch_ns = 1000003,
		.start_ns = { { 0, 700001 }, { 0, 1000003 } },
	};
}

static void
rig_init(struct rig *rig, uint32_t rpm, const uint32_t spt[2], nsec_t scale_ns,
	 nsec_t guard_ns)
{
	struct geometry_zone_config zones[2] = {
		{ .cylinders = CYLINDERS / 2, .track_skew = 3 },
		{ .cylinders = CYLINDERS / 2, .cyl_skew = 5 },
	};
	struct geometry_config config = { .heads = HEADS,
					  .zones = zones,
					  .zone_count = 2 };
	struct err e;

	memset(rig, 0, sizeof(*rig));
	for (uint32_t h = 0; h < HEADS; h++) {
		zones[0].spt[h] = spt[0];
		zones[1].spt[h] = spt[1];
	}
	memcpy(rig->spt, spt, sizeof(rig->spt));
	assert_int_equal(geometry_create(&config, &rig->geo, &e), 0);
	rig_curve(rig, scale_ns);
	rig->overhead_ns = 200000;
	rig->guard_ns = guard_ns;
	assert_int_equal(mech_init(&rig->mech, rpm, rig->geo, &rig->curve, &e),
			 0);
	seek_bounds_init(&rig->bounds, &rig->mech, rig->overhead_ns,
			 rig->guard_ns);
}

static void
rig_free(struct rig *rig)
{
	mech_free(&rig->mech);
	geometry_free(rig->geo);
}

/* When @tag's first sector would begin, without any of our arithmetic. */
static nsec_t
start_ns(const struct rig *rig, nsec_t now_ns, uint32_t tag)
{
	const struct geometry_place *p = &rig->queue.target[tag].place;
	bool write = rig->queue.writes >> tag & 1;
	uint32_t d = p->cyl > rig->mech.cyl ? p->cyl - rig->mech.cyl
					    : rig->mech.cyl - p->cyl;
	nsec_t delay =
		rig->queue.first[tag] == rig->next ? 0 : rig->overhead_ns;
	nsec_t from =
		now_ns + delay +
		seek_time_ns(&rig->curve, d, p->head != rig->mech.head, write);
	uint128_t per = (uint128_t)rig->mech.spindle.rpm * p->spt;
	uint128_t k = from ? (uint128_t)(from - 1) * per / 60000000000u + 1 : 0;
	uint128_t rest = k % p->spt;
	nsec_t start;

	k += p->slot >= rest ? p->slot - rest : p->slot + p->spt - rest;
	start = (nsec_t)((k * 60000000000u + per - 1) / per);
	if (start - from >= rig->guard_ns || rig->queue.first[tag] == rig->next)
		return start;
	return (nsec_t)(((k + p->spt) * 60000000000u + per - 1) / per);
}

static uint32_t
brute_pick(const struct rig *rig, nsec_t now_ns)
{
	uint32_t best = QUEUE_TAGS;

	for (uint32_t tag = 0; tag < QUEUE_TAGS; tag++) {
		if (!(rig->queue.tags >> tag & 1))
			continue;
		if (best == QUEUE_TAGS ||
		    start_ns(rig, now_ns, tag) < start_ns(rig, now_ns, best) ||
		    (start_ns(rig, now_ns, tag) ==
			     start_ns(rig, now_ns, best) &&
		     rig->queue.age[tag] < rig->queue.age[best]))
			best = tag;
	}
	return best;
}

static void
add_at(struct rig *rig, struct rng *rng, uint32_t cyl, uint32_t sector,
       bool write)
{
	struct mech_range range = {
		.sector = geometry_encode(
			rig->geo, cyl, (uint32_t)rng_below(rng, HEADS), sector),
		.count = 1,
		.write = write,
	};
	uint32_t tag;

	do
		tag = (uint32_t)rng_below(rng, QUEUE_TAGS);
	while (rig->queue.tags >> tag & 1);
	queue_insert(&rig->queue, &rig->mech, &rig->bounds, tag, &range, 0);
}

static void
fill_scattered(struct rig *rig, struct rng *rng, uint32_t count)
{
	uint32_t span = rng_below(rng, 2) ? CYLINDERS : 40;
	uint32_t from = (uint32_t)rng_below(rng, CYLINDERS - span + 1);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t cyl = from + (uint32_t)rng_below(rng, span);
		uint32_t spt = rig->spt[cyl >= CYLINDERS / 2];

		add_at(rig, rng, cyl, (uint32_t)rng_below(rng, spt),
		       rng_below(rng, 3) == 0);
	}
}

/* The sector of @cyl that lies in angular @slot, whatever the skew. */
static uint32_t
sector_in_slot(const struct rig *rig, uint32_t cyl, uint32_t head,
	       uint32_t slot)
{
	struct geometry_place place;
	uint32_t spt = rig->spt[cyl >= CYLINDERS / 2];

	geometry_decode(rig->geo, geometry_encode(rig->geo, cyl, head, 0),
			&place);
	return (slot + spt - place.slot) % spt;
}

/*
 * Pairs of slots s1 of p and s2 of q with |s1*q - s2*p| = 1: neighbours in
 * angle, 1/(p*q) of a revolution apart, around the border of the zones.
 */
static void
fill_near_ties(struct rig *rig, struct rng *rng, uint32_t pairs)
{
	uint32_t p = rig->spt[0], q = rig->spt[1], border = CYLINDERS / 2;

	for (uint32_t i = 0; i < pairs; i++) {
		uint32_t s1 = (uint32_t)rng_below(rng, p), s2 = 0;
		uint32_t head = (uint32_t)rng_below(rng, HEADS);

		/* p and q are coprime: walk to such a slot. */
		for (;; s1 = (s1 + 1) % p) {
			uint64_t a = (uint64_t)s1 * q;

			s2 = (uint32_t)((a + 1) / p);
			if (s2 < q && ((uint64_t)s2 * p + 1 == a ||
				       (uint64_t)s2 * p == a + 1))
				break;
		}
		for (uint32_t side = 0; side < 2; side++) {
			uint32_t cyl = border - 1 + side;
			struct mech_range range = { .count = 1 };
			uint32_t tag = 2 * i + side;

			range.sector = geometry_encode(
				rig->geo, cyl, head,
				sector_in_slot(rig, cyl, head, side ? s2 : s1));
			queue_insert(&rig->queue, &rig->mech, &rig->bounds, tag,
				     &range, 0);
		}
	}
}

static const struct firmware_config no_rules;

static void
check_pick(struct rig *rig, nsec_t now_ns)
{
	struct drive_view view = {
		.mech = &rig->mech,
		.queue = &rig->queue,
		.bounds = &rig->bounds,
		.now_ns = now_ns,
		.overhead_ns = rig->overhead_ns,
		.next_sector = rig->next,
		.tags = rig->queue.tags,
		.guard_ticks = (uint64_t)rig->guard_ns *
			       rig->mech.spindle.ticks_per_ns,
		.firmware = &no_rules,
	};
	bool has_avx2 = rig->bounds.has_avx2;
	uint32_t right = brute_pick(rig, now_ns);

	assert_int_equal(firmware_sptf.pick(&view), right);
	rig->bounds.has_avx2 = false;
	assert_int_equal(firmware_sptf.pick(&view), right);
	rig->bounds.has_avx2 = has_avx2;
}

struct speed {
	uint32_t rpm;
	uint32_t spt[2];
	nsec_t scale_ns; /* of the seek curve */
};

static const struct speed speeds[] = {
	{ 7200, { 2400, 1201 }, 1200000 }, { 7200, { 7993, 5003 }, 900000 },
	{ 15000, { 1201, 800 }, 2500000 }, { 15000, { 6007, 5003 }, 9000000 },
	{ 7199, { 2399, 1200 }, 1200000 }, { 5900, { 7993, 6007 }, 1000000 },
	{ 4002, { 72, 71 }, 3640000 },     { 10001, { 1171, 616 }, 526000 },
};

static void
each_speed(void (*fill)(struct rig *, struct rng *, uint32_t), uint32_t most,
	   uint32_t rounds, nsec_t guard_ns)
{
	struct rig *rig = test_malloc(sizeof(*rig));
	struct rng rng;

	rng_init(&rng, 2, "sptf");
	for (size_t s = 0; s < ARRAY_LEN(speeds); s++) {
		rig_init(rig, speeds[s].rpm, speeds[s].spt, speeds[s].scale_ns,
			 guard_ns);
		for (uint32_t i = 0; i < rounds; i++) {
			rig->queue.tags = rig->queue.count = 0;
			rig->mech.cyl = (uint32_t)rng_below(&rng, CYLINDERS);
			rig->mech.head = (uint32_t)rng_below(&rng, HEADS);
			fill(rig, &rng, 1 + (uint32_t)rng_below(&rng, most));
			/* Often one of them goes on where the media ended. */
			rig->next = UINT64_MAX;
			if (rng_below(&rng, 2))
				rig->next = rig->queue.first[__builtin_ctz(
					rig->queue.tags)];
			check_pick(rig,
				   (nsec_t)rng_below(&rng, UINT64_C(1) << 50));
		}
		rig_free(rig);
	}
	test_free(rig);
}

static void
sptf_equals_brute_search(void **state)
{
	(void)state;
	each_speed(fill_scattered, QUEUE_TAGS, 4000, 0);
}

static void
sptf_equals_brute_search_on_near_ties(void **state)
{
	(void)state;
	each_speed(fill_near_ties, QUEUE_TAGS / 2, 2000, 0);
}

static void
sptf_with_guard_equals_brute_search(void **state)
{
	static const nsec_t guards_ns[] = { 1, 240000, 1200000, 20000000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(guards_ns); i++) {
		each_speed(fill_scattered, QUEUE_TAGS, 1000, guards_ns[i]);
		each_speed(fill_near_ties, QUEUE_TAGS / 2, 500, guards_ns[i]);
	}
}

static void
fcfs_takes_the_oldest(void **state)
{
	struct rig *rig = test_malloc(sizeof(*rig));
	struct drive_view view = { .queue = &rig->queue };
	struct rng rng;

	(void)state;
	rng_init(&rng, 3, "fcfs");
	rig_init(rig, 7200, speeds[0].spt, 1000000, 0);
	fill_scattered(rig, &rng, QUEUE_TAGS);
	for (uint64_t age = 0; age < QUEUE_TAGS; age++) {
		view.tags = rig->queue.tags;
		uint32_t tag = firmware_find("fcfs")->pick(&view);

		assert_int_equal(rig->queue.age[tag], age);
		queue_remove(&rig->queue, tag);
	}
	rig_free(rig);
	test_free(rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sptf_equals_brute_search),
		cmocka_unit_test(sptf_equals_brute_search_on_near_ties),
		cmocka_unit_test(sptf_with_guard_equals_brute_search),
		cmocka_unit_test(fcfs_takes_the_oldest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
