/* SPDX-License-Identifier: MIT */
/*
 * The firmware's policies and rules on queues made by hand and at random,
 * against what their names promise, worked out the long way.
 */
#include "models/firmware/rules.h"
#include "sim/core/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CYLINDERS 500u
#define HEADS     2u
#define SPT       100u
#define SECTORS   (CYLINDERS * HEADS * SPT)

/* One surface after the other, cylinder by cylinder; 6000 rpm: 10 ms. */
struct rig {
	struct geometry *geo;
	struct seek_curve *seek;
	struct mech mech;
	struct seek_bounds bounds;
	struct drive_queue queue;
	struct firmware_config rules;
	struct drive_view view;
	struct rng rng;
};

static struct rig *
rig_new(void)
{
	struct rig *rig = test_calloc(1, sizeof(*rig));
	struct geometry_zone_config zone = { .cylinders = CYLINDERS,
					     .track_skew = 12,
					     .cyl_skew = 15 };
	struct geometry_config config = { .heads = HEADS,
					  .zones = &zone,
					  .zone_count = 1 };
	struct seek_config seek = { .single_ns = 1000000,
				    .average_ns = 5000000,
				    .full_ns = 10000000,
				    .head_switch_ns = 900000,
				    .aam_percent = 100 };
	struct err e = { 0 };

	zone.spt[0] = zone.spt[1] = SPT;
	assert_int_equal(geometry_create(&config, &rig->geo, &e), 0);
	if (seek_create(&seek, CYLINDERS, &rig->seek, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(mech_init(&rig->mech, 6000, rig->geo, rig->seek, &e),
			 0);
	seek_bounds_init(&rig->bounds, &rig->mech, 300000, 0);
	rng_init(&rig->rng, 7, "policies");
	rig->view = (struct drive_view){ .mech = &rig->mech,
					 .queue = &rig->queue,
					 .bounds = &rig->bounds,
					 .now_ns = 5000000000,
					 .overhead_ns = 300000,
					 .next_sector = UINT64_MAX,
					 .firmware = &rig->rules };
	return rig;
}

static void
rig_free(struct rig *rig)
{
	mech_free(&rig->mech);
	seek_free(rig->seek);
	geometry_free(rig->geo);
	test_free(rig);
}

static void
add(struct rig *rig, uint32_t tag, uint64_t sector, nsec_t arrived_ns)
{
	struct mech_range range = { .sector = sector, .count = 1 };

	queue_insert(&rig->queue, &rig->mech, &rig->bounds, tag, &range,
		     arrived_ns);
	rig->view.tags = rig->queue.tags;
}

static void
clear(struct rig *rig)
{
	rig->queue.tags = rig->queue.count = 0;
}

static void
fill(struct rig *rig, uint32_t count)
{
	clear(rig);
	for (uint32_t i = 0; i < count; i++)
		add(rig, (i * 7 + 3) % QUEUE_TAGS,
		    rng_below(&rig->rng, SECTORS), (nsec_t)i * 1000);
	rig->mech.cyl = (uint32_t)rng_below(&rig->rng, CYLINDERS);
	rig->mech.head = (uint32_t)rng_below(&rig->rng, HEADS);
	rig->view.now_ns += (nsec_t)rng_below(&rig->rng, 100000000);
}

static uint32_t
pick(struct rig *rig, const char *policy)
{
	const struct firmware_ops *ops = firmware_find(policy);
	uint32_t tag = ops->pick(&rig->view);

	assert_true(rig->view.tags >> tag & 1);
	return tag;
}

/* ---- policies ---- */

static void
no_policy_leaves_its_candidates(void **state)
{
	struct rig *rig = rig_new();

	(void)state;
	for (uint32_t round = 0; round < 300; round++) {
		uint32_t count = 1 + (uint32_t)rng_below(&rig->rng, 32);
		uint32_t tags;

		fill(rig, count);
		tags = rig->queue.tags & (uint32_t)rng_next(&rig->rng);
		rig->view.tags = tags ? tags : rig->queue.tags;
		for (size_t i = 0; firmware_table[i]; i++)
			pick(rig, firmware_table[i]->name);
	}
	rig_free(rig);
}

static void
sstf_takes_the_nearest_cylinder(void **state)
{
	struct rig *rig = rig_new();

	(void)state;
	for (uint32_t round = 0; round < 2000; round++) {
		uint32_t tag;
		int here;

		fill(rig, 1 + (uint32_t)rng_below(&rig->rng, 32));
		tag = pick(rig, "sstf");
		here = abs(rig->queue.cyl[tag] - (int)rig->mech.cyl);
		for (uint32_t i = 0; i < QUEUE_TAGS; i++)
			if (rig->queue.tags >> i & 1)
				assert_true(here <= abs(rig->queue.cyl[i] -
							(int)rig->mech.cyl));
	}
	rig_free(rig);
}

/* Serve everything by @policy; the sectors in that order. */
static void
serve(struct rig *rig, const char *policy, const uint64_t *order, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t tag = pick(rig, policy);
		uint64_t first = rig->queue.first[tag];

		assert_int_equal(first, order[i]);
		if (first != rig->view.last_first)
			rig->view.is_falling = first < rig->view.last_first;
		rig->view.last_first = first;
		queue_remove(&rig->queue, tag);
		rig->view.tags = rig->queue.tags;
	}
}

static void
sweeps_go_as_their_names_say(void **state)
{
	static const uint64_t sectors[] = { 500, 90, 4000, 700, 300, 9000 };
	static const uint64_t up[] = { 700, 4000, 9000, 500, 300, 90 };
	static const uint64_t down[] = { 500, 300, 90, 700, 4000, 9000 };
	static const uint64_t around[] = { 700, 4000, 9000, 90, 300, 500 };
	struct rig *rig = rig_new();

	(void)state;
	for (uint32_t round = 0; round < 4; round++) {
		clear(rig);
		for (uint32_t i = 0; i < 6; i++)
			add(rig, i, sectors[i], 0);
		rig->view.last_first = 600;
		rig->view.is_falling = round & 1;
		if (round < 2)
			serve(rig, "look", round ? down : up, 6);
		else
			serve(rig, "c-look", around, 6);
	}
	rig_free(rig);
}

/* Of two on one sector the older goes first, and the other much later. */
static void
a_sweep_takes_a_sector_once(void **state)
{
	static const uint64_t order[] = { 10, 20, 30, 10, 20 };
	static const uint64_t back[] = { 10, 20, 30, 20, 10 };
	struct rig *rig = rig_new();

	(void)state;
	for (uint32_t round = 0; round < 2; round++) {
		clear(rig);
		for (uint32_t i = 0; i < 5; i++)
			add(rig, i, order[i], 0);
		rig->view.last_first = 0;
		rig->view.is_falling = false;
		serve(rig, round ? "c-look" : "look", round ? order : back, 5);
	}
	rig_free(rig);
}

/* When the last of @left ends, in the best order, by trying them all. */
static nsec_t
best_end(const struct rig *rig, struct mech at, nsec_t after_ns,
	 uint64_t next_sector, uint32_t left)
{
	nsec_t best = INT64_MAX;

	if (!left)
		return after_ns;
	for (uint32_t rest = left; rest; rest &= rest - 1) {
		uint32_t tag = (uint32_t)__builtin_ctz(rest);
		struct mech_range range = { rig->queue.first[tag], 1, false };
		struct mech then = at;
		struct mech_access access;
		nsec_t end;

		mech_access(&at, rig->view.now_ns + after_ns,
			    range.sector == next_sector ? 0 : 300000, &range,
			    &rig->queue.target[tag], &access);
		mech_move(&then, &access);
		end = best_end(rig, then, after_ns + access.end_ns,
			       range.sector + 1, left & ~(1u << tag));
		best = end < best ? end : best;
	}
	return best;
}

/* The same when @tag goes first. */
static nsec_t
end_after(const struct rig *rig, uint32_t tag)
{
	struct mech_range range = { rig->queue.first[tag], 1, false };
	struct mech then = rig->mech;
	struct mech_access access;
	nsec_t delay_ns = range.sector == rig->view.next_sector ? 0 : 300000;

	mech_access(&rig->mech, rig->view.now_ns, delay_ns, &range,
		    &rig->queue.target[tag], &access);
	mech_move(&then, &access);
	return best_end(rig, then, access.end_ns, range.sector + 1,
			rig->queue.tags & ~(1u << tag));
}

static void
optimal_begins_a_best_order(void **state)
{
	struct rig *rig = rig_new();
	uint32_t better_than_sptf = 0;

	(void)state;
	for (uint32_t round = 0; round < 300; round++) {
		nsec_t best;
		uint32_t first;

		fill(rig, 1 + (uint32_t)rng_below(&rig->rng, 6));
		/* Sometimes two that follow each other. */
		if (round % 3 == 0 && rig->queue.count < 6)
			add(rig, 30, rig->queue.first[3] + 1, 0);
		rig->view.next_sector =
			round % 2 ? rig->queue.first[3] : UINT64_MAX;
		best = best_end(rig, rig->mech, 0, rig->view.next_sector,
				rig->queue.tags);
		first = pick(rig, "optimal");
		assert_int_equal(end_after(rig, first), best);
		better_than_sptf += end_after(rig, pick(rig, "sptf")) > best;
	}
	/* Or there would be no need of it. */
	assert_true(better_than_sptf > 30);
	rig_free(rig);
}

/* Beyond eight commands, the youngest do not matter. */
static void
optimal_looks_at_eight(void **state)
{
	struct rig *rig = rig_new();

	(void)state;
	for (uint32_t round = 0; round < 200; round++) {
		uint32_t tag;

		fill(rig, 9 + (uint32_t)rng_below(&rig->rng, 24));
		tag = pick(rig, "optimal");
		rig->view.tags = rules_oldest(&rig->view, rig->view.tags, 8);
		assert_int_equal(tag, pick(rig, "sptf"));
	}
	rig_free(rig);
}

static void
aging_takes_the_least_score(void **state)
{
	struct rig *rig = rig_new();
	const struct spindle *sp = &rig->mech.spindle;

	(void)state;
	rig->rules.age_credit = 40;
	for (uint32_t round = 0; round < 500; round++) {
		uint64_t phase;
		nsec_t least = INT64_MAX;
		uint32_t right = QUEUE_TAGS;

		fill(rig, 1 + (uint32_t)rng_below(&rig->rng, 32));
		for (uint32_t i = 0; i < QUEUE_TAGS; i++)
			rig->queue.arrived_ns[i] =
				rig->view.now_ns -
				(nsec_t)rng_below(&rig->rng, NSEC_PER_SEC);
		phase = spindle_phase(sp, rig->view.now_ns);
		for (uint32_t i = 0; i < QUEUE_TAGS; i++) {
			nsec_t waited_ns =
				rig->view.now_ns - rig->queue.arrived_ns[i];
			nsec_t score;

			if (!(rig->queue.tags >> i & 1))
				continue;
			score = spindle_total_ns(sp,
						 view_start_total(&rig->view,
								  phase, i)) -
				waited_ns * 40 / 1000;
			if (score < least) {
				least = score;
				right = i;
			}
		}
		assert_int_equal(pick(rig, "sptf-aged"), right);
		/* sptf with the key does the same. */
		assert_int_equal(pick(rig, "sptf"), right);
	}
	rig_free(rig);
}

/* ---- rules ---- */

static uint32_t
restricted(struct rig *rig, enum probe_rule expected)
{
	enum probe_rule rule;
	uint32_t tags = rules_restrict(&rig->view, &rule);

	assert_int_equal(rule, expected);
	return tags;
}

/* Tag i came at i seconds, the youngest half a second ago. */
static void
ten_seconds(struct rig *rig)
{
	clear(rig);
	for (uint32_t i = 0; i < 10; i++)
		add(rig, i, i * 1000, i * NSEC_PER_SEC);
	rig->view.now_ns = 9 * NSEC_PER_SEC + NSEC_PER_SEC / 2;
	rig->view.oldest_ns = queue_oldest_ns(&rig->queue);
	assert_int_equal(rig->view.oldest_ns, 0);
}

static void
rules_take_candidates_away(void **state)
{
	struct rig *rig = rig_new();

	(void)state;
	ten_seconds(rig);
	rig->rules.priority = true;
	assert_int_equal(restricted(rig, PROBE_RULE_NONE), 0x3ff);
	rig->rules.window = 3;
	assert_int_equal(restricted(rig, PROBE_RULE_WINDOW), 7);
	rig->rules.stream_first = true;
	assert_int_equal(restricted(rig, PROBE_RULE_WINDOW), 7);
	rig->view.next_sector = 6000;
	assert_int_equal(restricted(rig, PROBE_RULE_STREAM), 1 << 6);
	rig->queue.high = 1 << 8 | 1 << 9 | 1u << 31;
	assert_int_equal(restricted(rig, PROBE_RULE_PRIORITY), 3 << 8);
	rig->view.next_sector = 9000;
	assert_int_equal(restricted(rig, PROBE_RULE_STREAM), 1 << 9);
	rig->queue.isochronous = 1 << 4 | 1 << 5;
	rig->queue.deadline_ns[4] = rig->view.now_ns + 101;
	rig->queue.deadline_ns[5] = rig->view.now_ns + 100;
	rig->rules.deadline_margin_ns = 99;
	assert_int_equal(restricted(rig, PROBE_RULE_STREAM), 1 << 9);
	rig->rules.deadline_margin_ns = 101;
	assert_int_equal(restricted(rig, PROBE_RULE_DEADLINE), 1 << 5);
	rig->rules.age_limit_ns = rig->view.now_ns;
	assert_int_equal(restricted(rig, PROBE_RULE_DEADLINE), 1 << 5);
	rig->rules.age_limit_ns = rig->view.now_ns - 1;
	assert_int_equal(restricted(rig, PROBE_RULE_AGE), 1);
	rig_free(rig);
}

static void
priority_can_be_ignored(void **state)
{
	struct rig *rig = rig_new();

	(void)state;
	ten_seconds(rig);
	rig->queue.high = 2;
	rig->queue.isochronous = 4;
	assert_int_equal(restricted(rig, PROBE_RULE_NONE), 0x3ff);
	rig_free(rig);
}

static void
keys_stand_above_the_policy(void **state)
{
	const struct firmware_config none = { .guard_ns = 5 };
	const struct firmware_config own = { .age_credit = 3, .window = 4 };
	const struct firmware_ops *aged = firmware_find("sptf-aged");
	const struct firmware_ops *window = firmware_find("sptf-window");
	struct firmware_config rules;

	(void)state;
	rules_init(&rules, &none, aged);
	assert_int_equal(rules.age_credit, 25);
	assert_int_equal(rules.guard_ns, 5);
	assert_false(rules_restrict_always(&rules));
	rules_init(&rules, &own, aged);
	assert_int_equal(rules.age_credit, 3);
	rules_init(&rules, &none, window);
	assert_int_equal(rules.window, 12);
	assert_true(rules_restrict_always(&rules));
	rules_init(&rules, &own, window);
	assert_int_equal(rules.window, 4);
}

/* An error of half a turn makes a sector seem half a turn off. */
static void
errors_move_the_estimate(void **state)
{
	struct rig *rig = rig_new();
	const struct spindle *sp = &rig->mech.spindle;
	uint64_t phase = spindle_phase(sp, rig->view.now_ns);
	nsec_t exact_ns, ready_ns;

	(void)state;
	add(rig, 0, 70, 0);
	/* Head 0, cylinder 0: no seek, ready after the overhead. */
	exact_ns = rules_start_ns(&rig->view, phase, 0);
	ready_ns = rig->view.overhead_ns;
	rig->rules.rotate_error_ns = 1;
	rig->queue.rotate_error_ticks[0] = 0;
	assert_int_equal(rules_start_ns(&rig->view, phase, 0), exact_ns);
	rig->queue.rotate_error_ticks[0] = sp->rev.d / 2;
	assert_int_equal(rules_start_ns(&rig->view, phase, 0),
			 exact_ns - 5000000 >= ready_ns ? exact_ns - 5000000
							: exact_ns + 5000000);
	/* No seek has no error; of another cylinder it has, to a floor. */
	rig->rules.seek_error_ns = 1;
	rig->queue.seek_error_ns[0] = 1234567;
	assert_int_equal(rules_move_ns(&rig->view, 0), 0);
	add(rig, 1, 200, 0);
	rig->queue.seek_error_ns[1] = 1234567;
	assert_int_equal(rules_move_ns(&rig->view, 1), 2234567);
	rig->queue.seek_error_ns[1] = -2000000;
	assert_int_equal(rules_move_ns(&rig->view, 1), 0);
	rig_free(rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_policy_leaves_its_candidates),
		cmocka_unit_test(sstf_takes_the_nearest_cylinder),
		cmocka_unit_test(sweeps_go_as_their_names_say),
		cmocka_unit_test(a_sweep_takes_a_sector_once),
		cmocka_unit_test(optimal_begins_a_best_order),
		cmocka_unit_test(optimal_looks_at_eight),
		cmocka_unit_test(aging_takes_the_least_score),
		cmocka_unit_test(rules_take_candidates_away),
		cmocka_unit_test(priority_can_be_ignored),
		cmocka_unit_test(keys_stand_above_the_policy),
		cmocka_unit_test(errors_move_the_estimate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
