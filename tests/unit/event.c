/* SPDX-License-Identifier: MIT */
#include "sim/core/event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define EVENTS 300u

/*
 * The model: each event's place in the order, kept apart from the calendar,
 * and searched in full for the earliest.
 */
struct timer {
	struct event ev;
	struct fixture *fx;
	bool armed;
	nsec_t at_ns;
	uint64_t armed_as; /* how many were armed before it */
};

struct fixture {
	struct calendar cal;
	struct timer timers[EVENTS];
	uint64_t arms;
	uint64_t fired;
	uint64_t random;
	uint32_t rearm_within_ns; /* 0: a timer that fires stays off */
	uint32_t armed;
};

static uint32_t
random_below(struct fixture *fx, uint32_t n)
{
	fx->random = fx->random * UINT64_C(6364136223846793005) + 1442695041u;
	return (uint32_t)((fx->random >> 33) % n);
}

static bool
is_before(const struct timer *a, const struct timer *b)
{
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns;
	if (a->ev.prio != b->ev.prio)
		return a->ev.prio < b->ev.prio;
	return a->armed_as < b->armed_as;
}

static struct timer *
model_first(struct fixture *fx)
{
	struct timer *first = NULL;

	for (uint32_t i = 0; i < EVENTS; i++) {
		struct timer *t = &fx->timers[i];

		if (t->armed && (!first || is_before(t, first)))
			first = t;
	}
	return first;
}

static void
arm(struct timer *t, nsec_t at_ns)
{
	t->armed = true;
	t->at_ns = at_ns;
	t->armed_as = t->fx->arms++;
	t->fx->armed++;
	calendar_add(&t->fx->cal, &t->ev, at_ns);
}

static void
disarm(struct timer *t)
{
	if (t->armed)
		t->fx->armed--;
	t->armed = false;
	calendar_cancel(&t->fx->cal, &t->ev);
}

static void
timer_fire(struct event *ev, nsec_t now_ns)
{
	struct timer *t = container_of(ev, struct timer, ev);
	struct fixture *fx = t->fx;

	assert_ptr_equal(t, model_first(fx));
	assert_int_equal(now_ns, t->at_ns);
	assert_int_equal(fx->cal.now_ns, now_ns);
	assert_false(ev->pending);
	t->armed = false;
	fx->armed--;
	fx->fired++;
	if (fx->rearm_within_ns)
		arm(t, now_ns + random_below(fx, fx->rearm_within_ns));
}

static int
setup(void **state)
{
	static struct fixture fx;

	memset(&fx, 0, sizeof(fx));
	calendar_init(&fx.cal);
	assert_int_equal(calendar_reserve(&fx.cal, EVENTS, NULL), 0);
	for (uint32_t i = 0; i < EVENTS; i++) {
		fx.timers[i].fx = &fx;
		event_init(&fx.timers[i].ev, i % (PRIO_OBSERVE + 1),
			   timer_fire);
	}
	*state = &fx;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *fx = *state;

	calendar_free(&fx->cal);
	return 0;
}

static void
check_against_model(struct fixture *fx)
{
	const struct timer *first = model_first(fx);

	assert_int_equal(fx->cal.count, fx->armed);
	assert_int_equal(calendar_next_ns(&fx->cal), first ? first->at_ns : -1);
}

static void
test_empty_does_nothing(void **state)
{
	struct fixture *fx = *state;

	assert_false(calendar_step(&fx->cal));
	assert_int_equal(calendar_next_ns(&fx->cal), -1);
	calendar_cancel(&fx->cal, &fx->timers[0].ev);
	assert_int_equal(fx->cal.now_ns, 0);
}

static void
test_priority_then_arming_decides_a_tie(void **state)
{
	struct fixture *fx = *state;

	for (uint32_t i = 40; i-- > 0;)
		arm(&fx->timers[i], 1000);
	for (uint32_t prio = 0; prio <= PRIO_OBSERVE; prio++) {
		for (uint32_t i = 40; i-- > 0;) {
			if (i % (PRIO_OBSERVE + 1) != prio)
				continue;
			assert_true(fx->timers[i].armed);
			assert_true(calendar_step(&fx->cal));
			assert_false(fx->timers[i].armed);
		}
	}
	assert_false(calendar_step(&fx->cal));
	assert_int_equal(fx->cal.now_ns, 1000);
}

static void
test_an_event_may_arm_itself_for_now(void **state)
{
	struct fixture *fx = *state;

	fx->rearm_within_ns = 1;
	arm(&fx->timers[0], 7);
	for (int i = 0; i < 10; i++)
		assert_true(calendar_step(&fx->cal));
	assert_int_equal(fx->cal.now_ns, 7);
	assert_true(fx->timers[0].armed);
}

static void
test_reserve_keeps_what_is_pending(void **state)
{
	struct fixture *fx = *state;

	for (uint32_t i = 0; i < EVENTS; i++)
		arm(&fx->timers[i], (nsec_t)random_below(fx, 500));
	assert_int_equal(calendar_reserve(&fx->cal, 10000, NULL), 0);
	while (calendar_step(&fx->cal))
		check_against_model(fx);
	assert_int_equal(fx->fired, EVENTS);
}

/* Fill to @high and drain to @low pending, with cancels among them. */
static void
run_wave(struct fixture *fx, uint32_t low, uint32_t high, uint32_t spread_ns)
{
	while (fx->armed < high) {
		struct timer *t = &fx->timers[random_below(fx, EVENTS)];

		disarm(t);
		arm(t, fx->cal.now_ns + random_below(fx, spread_ns));
		if (random_below(fx, 4) == 0)
			disarm(&fx->timers[random_below(fx, EVENTS)]);
		if (random_below(fx, 8) == 0)
			calendar_step(&fx->cal);
		check_against_model(fx);
	}
	while (fx->armed > low) {
		if (random_below(fx, 3) == 0)
			disarm(&fx->timers[random_below(fx, EVENTS)]);
		else
			calendar_step(&fx->cal);
		check_against_model(fx);
	}
}

static void
test_random_waves_across_the_heap_switch(void **state)
{
	const uint32_t spreads_ns[] = { 1, 5, 1000, 100000000 };
	struct fixture *fx = *state;
	uint32_t switched = 0;

	for (uint32_t wave = 0; wave < 400; wave++) {
		const uint32_t low = random_below(fx, 60);
		const uint32_t high = 60 + random_below(fx, 140);
		bool was_heap;

		run_wave(fx, low, high,
			 spreads_ns[wave % ARRAY_LEN(spreads_ns)]);
		was_heap = fx->cal.is_heap;
		run_wave(fx, 0, CALENDAR_SORTED_MAX + 1, 50);
		assert_false(fx->cal.is_heap);
		switched += was_heap;
	}
	/* Some waves ended between the two thresholds, still as a heap. */
	assert_true(switched > 20 && switched < 380);
}

static void
test_steady_load_on_both_sides_of_the_switch(void **state)
{
	struct fixture *fx = *state;

	fx->rearm_within_ns = 100;
	for (uint32_t i = 0; i < EVENTS; i++) {
		arm(&fx->timers[i], fx->cal.now_ns);
		for (uint32_t n = 0; n < 50; n++) {
			calendar_step(&fx->cal);
			check_against_model(fx);
		}
		assert_int_equal(fx->cal.is_heap, i >= CALENDAR_SORTED_MAX);
	}
	assert_int_equal(fx->fired, EVENTS * 50);
}

/* Cancelling the first, the last and the one in between, in both forms. */
static void
test_cancel_leaves_the_order_of_the_others(void **state)
{
	const uint32_t sizes[] = { 1, 2, 3, 33, 64, 65, 66, 200 };
	struct fixture *fx = *state;

	for (uint32_t s = 0; s < ARRAY_LEN(sizes); s++) {
		for (uint32_t victim = 0; victim < sizes[s]; victim++) {
			for (uint32_t i = 0; i < sizes[s]; i++)
				arm(&fx->timers[i],
				    fx->cal.now_ns + random_below(fx, 100));
			fx->fired = 0;
			disarm(&fx->timers[victim]);
			disarm(&fx->timers[victim]);
			while (calendar_step(&fx->cal))
				;
			assert_int_equal(fx->fired, sizes[s] - 1);
		}
	}
}

#define each(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		each(test_empty_does_nothing),
		each(test_priority_then_arming_decides_a_tie),
		each(test_an_event_may_arm_itself_for_now),
		each(test_reserve_keeps_what_is_pending),
		each(test_random_waves_across_the_heap_switch),
		each(test_steady_load_on_both_sides_of_the_switch),
		each(test_cancel_leaves_the_order_of_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
