/* SPDX-License-Identifier: MIT */
/*
 * What holds for every elevator, kernel, depth and seed: each bio ends
 * exactly once and after it was submitted, the drive never has more than it
 * can hold, nothing passes a barrier in either direction; and deadline's
 * promise that an expired request waits for one batch at most.
 */
#include "sim/core/rng.h"
#include "sim/host/blk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define BIOS      300
#define DEPTH_MAX 31
#define PIDS      6
#define SEEDS     8
#define NEAR      8

struct test_bio {
	struct event arrival;
	struct bio bio;
	struct world *world;
	bool is_submitted;
	bool is_queued; /* has a request: its process does not sleep */
	bool has_ended;
	uint32_t epoch; /* barriers queued before it */
};

struct slot {
	struct event done;
	struct world *world;
	struct request *rq;
};

struct world {
	struct calendar cal;
	struct blk_queue *q;
	struct rng rng;
	enum host_era era;
	uint32_t depth;
	uint32_t busy;
	struct slot slots[DEPTH_MAX];
	struct test_bio bios[BIOS];
	uint32_t epochs; /* barriers queued */
	uint32_t ended;
};

static struct test_bio *
test_bio_of(struct bio *bio)
{
	return container_of(bio, struct test_bio, bio);
}

static bool
is_barrier(const struct bio *bio)
{
	return (bio->flags & IO_BARRIER) != 0;
}

/*
 * Everything submitted before a barrier has ended when it starts, and it has
 * ended when anything submitted after it starts.
 */
static void
check_order(struct world *w, const struct request *rq)
{
	for (struct bio *b = rq->first; b; b = b->next) {
		struct test_bio *t = test_bio_of(b);

		for (int i = 0; i < BIOS; i++) {
			struct test_bio *o = &w->bios[i];

			if (!o->is_queued || o->has_ended || o == t)
				continue;
			if (is_barrier(b))
				assert_true(o->epoch >= t->epoch);
			if (is_barrier(&o->bio))
				assert_true(t->epoch <= o->epoch);
		}
	}
}

static void
run(void *ctx)
{
	struct world *w = ctx;
	struct request *rq;

	while ((rq = blk_peek(w->q)) && w->busy < w->depth) {
		struct slot *s = w->slots;

		while (s->rq)
			s++;
		assert_true(s < w->slots + w->depth);
		blk_start(w->q, rq);
		if (w->era < ERA_MODERN)
			check_order(w, rq);
		s->rq = rq;
		w->busy++;
		calendar_add(&w->cal, &s->done,
			     w->cal.now_ns + 100000 +
				     (nsec_t)rng_below(&w->rng, 8000000));
	}
}

/* A bio is ordered by when it gets its request, or joins one. */
static void
observe(void *ctx, enum blk_action action, const struct request *rq,
	const struct bio *bio)
{
	struct world *w = ctx;
	struct test_bio *t;

	(void)rq;
	if (action != BLK_G && action != BLK_M && action != BLK_F)
		return;
	t = &w->bios[(size_t)(uintptr_t)bio->cookie];
	t->is_queued = true;
	t->epoch = w->epochs;
	w->epochs += is_barrier(bio);
}

/* Now and then the drive refuses what it was given. */
static void
slot_done(struct event *ev, nsec_t now_ns)
{
	struct slot *s = container_of(ev, struct slot, done);
	struct world *w = s->world;
	struct request *rq = s->rq;

	(void)now_ns;
	s->rq = NULL;
	w->busy--;
	if (rng_below(&w->rng, 50) == 0) {
		blk_requeue(w->q, rq);
		blk_run(w->q);
	} else {
		blk_complete(w->q, rq, 0);
	}
}

static void
bio_ended(struct bio *bio, nsec_t now_ns, int status)
{
	struct test_bio *t = test_bio_of(bio);

	assert_true(t->is_submitted);
	assert_false(t->has_ended);
	assert_int_equal(status, 0);
	assert_true(now_ns >= bio->queued_ns);
	t->has_ended = true;
	t->world->ended++;
}

static void
arrive(struct event *ev, nsec_t now_ns)
{
	struct test_bio *t = container_of(ev, struct test_bio, arrival);
	struct world *w = t->world;

	(void)now_ns;
	t->is_submitted = true;
	blk_submit(w->q, &t->bio);
}

static void
make_bio(struct world *w, struct test_bio *t)
{
	struct rng *r = &w->rng;
	uint32_t kind = (uint32_t)rng_below(r, 100);

	t->world = w;
	t->bio = (struct bio){
		.op = kind < 55 ? IO_READ : IO_WRITE,
		.lba = 8 * rng_below(r, 400) + 1000000 * rng_below(r, 3),
		.sectors = 8 * (1 + (uint32_t)rng_below(r, 4)),
		.io_class = (uint8_t)rng_below(r, 4),
		.io_level = (uint8_t)rng_below(r, 8),
		.process = blk_process(w->q, 1 + (uint32_t)rng_below(r, PIDS),
				       NULL),
		.end = bio_ended,
		.cookie = (void *)(t - w->bios),
	};
	if (rng_below(r, 2))
		t->bio.flags |= IO_UNPLUG;
	if (rng_below(r, 3) == 0)
		t->bio.flags |= IO_SYNC;
	if (kind >= 96 && w->era < ERA_MODERN)
		t->bio.flags |= IO_BARRIER;
	if (kind >= 96 && w->era == ERA_MODERN)
		t->bio.flags |= IO_PREFLUSH | IO_FUA;
	event_init(&t->arrival, PRIO_SUBMIT, arrive);
	calendar_add(&w->cal, &t->arrival,
		     (nsec_t)rng_below(r, 1000) * 1000000);
}

static void
run_world(const struct elevator_ops *ops, enum host_era era, uint32_t depth,
	  uint64_t seed)
{
	struct world *w = calloc(1, sizeof(*w));
	struct blk_driver driver = { .run = run, .ctx = w };
	struct blk_observer observer = { .event = observe, .ctx = w };
	struct blk_config config;
	uint64_t steps = 0;

	assert_non_null(w);
	w->era = era;
	w->depth = depth;
	rng_init(&w->rng, seed, "elevators");
	calendar_init(&w->cal);
	assert_int_equal(calendar_reserve(&w->cal, BIOS + DEPTH_MAX, NULL), 0);
	blk_config_init(&config);
	config.era = era;
	config.elevator = ops;
	config.nr_requests = seed % 2 ? 128 : 8;
	w->q = blk_create(&config, &w->cal, &driver, NULL);
	assert_non_null(w->q);
	blk_observe(w->q, &observer);
	for (int i = 0; i < DEPTH_MAX; i++) {
		w->slots[i].world = w;
		event_init(&w->slots[i].done, PRIO_COMPLETE, slot_done);
	}
	for (int i = 0; i < BIOS; i++)
		make_bio(w, &w->bios[i]);
	while (w->ended < BIOS && steps++ < 1000000 && calendar_step(&w->cal))
		;
	if (w->ended != BIOS)
		fail_msg("%s, %s, depth %u, seed %llu: %u of %u ended",
			 ops->name, host_era_name(era), depth,
			 (unsigned long long)seed, w->ended, BIOS);
	assert_int_equal(blk_allocated(w->q), 0);
	assert_int_equal(blk_in_flight(w->q), 0);
	blk_destroy(w->q);
	calendar_free(&w->cal);
	free(w);
}

static void
test_every_bio_ends_once(void **state)
{
	static const uint32_t depths[] = { 1, 2, 4, 31 };

	(void)state;
	for (int i = 0; elevator_table[i]; i++) {
		const struct elevator_ops *ops = elevator_table[i];

		for (int era = (int)ops->first_era; era <= (int)ops->last_era;
		     era++)
			for (size_t d = 0; d < ARRAY_LEN(depths); d++)
				for (uint64_t s = 1; s <= SEEDS; s++)
					run_world(ops, (enum host_era)era,
						  depths[d], s);
	}
}

/* ---- deadline's promise ---- */

struct stream {
	struct calendar cal;
	struct blk_queue *q;
	struct request *rq;
	struct event done;
	struct bio near[NEAR];
	struct bio far;
	nsec_t far_ended_ns;
};

static void
stream_run(void *ctx)
{
	struct stream *s = ctx;
	struct request *rq = blk_peek(s->q);

	if (!rq || s->rq)
		return;
	s->rq = rq;
	blk_start(s->q, rq);
	calendar_add(&s->cal, &s->done, s->cal.now_ns + 4 * NSEC_PER_MSEC);
}

static void
stream_done(struct event *ev, nsec_t now_ns)
{
	struct stream *s = container_of(ev, struct stream, done);
	struct request *rq = s->rq;

	(void)now_ns;
	s->rq = NULL;
	blk_complete(s->q, rq, 0);
}

/* Near reads never end: each is followed by one a little higher up. */
static void
near_ended(struct bio *bio, nsec_t now_ns, int status)
{
	struct stream *s = bio->cookie;

	(void)now_ns, (void)status;
	bio->lba += 1000;
	if (s->far_ended_ns == 0)
		blk_submit(s->q, bio);
}

static void
far_ended(struct bio *bio, nsec_t now_ns, int status)
{
	struct stream *s = bio->cookie;

	(void)status;
	s->far_ended_ns = now_ns;
}

/*
 * A read far behind waits at most until its deadline, for the batch that
 * has begun, and for itself; one request is already chosen.
 */
static void
test_deadline_bounds_starvation(void **state)
{
	struct stream s = { 0 };
	struct blk_driver driver = { .run = stream_run, .ctx = &s };
	struct blk_config config;
	nsec_t bound = 500 * NSEC_PER_MSEC + (16 + 2) * 4 * NSEC_PER_MSEC;

	(void)state;
	calendar_init(&s.cal);
	assert_int_equal(calendar_reserve(&s.cal, 1, NULL), 0);
	blk_config_init(&config);
	config.elevator = elevator_find("deadline", config.era, NULL);
	s.q = blk_create(&config, &s.cal, &driver, NULL);
	event_init(&s.done, PRIO_COMPLETE, stream_done);
	for (int i = 0; i <= NEAR; i++) {
		struct bio *bio = i < NEAR ? &s.near[i] : &s.far;

		*bio = (struct bio){
			.op = IO_READ,
			.lba = i < NEAR ? 1000000 + 100 * (sector_t)i : 0,
			.sectors = 8,
			.flags = IO_UNPLUG,
			.process = blk_process(s.q, 1, NULL),
			.end = i < NEAR ? near_ended : far_ended,
			.cookie = &s,
		};
		blk_submit(s.q, bio);
	}
	while (s.far_ended_ns == 0 && calendar_step(&s.cal))
		;
	assert_true(s.far_ended_ns > 500 * NSEC_PER_MSEC);
	assert_true(s.far_ended_ns <= bound);
	blk_destroy(s.q);
	calendar_free(&s.cal);
}

/* ---- bfq's promise ---- */

struct share {
	struct stream stream;
	struct bio bios[2][NEAR];
	uint64_t sectors[2];
};

static void
share_ended(struct bio *bio, nsec_t now_ns, int status)
{
	struct share *s = bio->cookie;

	(void)now_ns, (void)status;
	s->sectors[bio >= s->bios[1]] += bio->sectors;
	bio->lba += 1000;
	blk_submit(s->stream.q, bio);
}

/* Level 0 weighs 80, level 4 weighs 40: twice the sectors. */
static void
test_bfq_shares_by_weight(void **state)
{
	struct share *s = calloc(1, sizeof(*s));
	struct blk_driver driver = { .run = stream_run, .ctx = s };
	struct blk_config config;

	(void)state;
	assert_non_null(s);
	calendar_init(&s->stream.cal);
	assert_int_equal(calendar_reserve(&s->stream.cal, 1, NULL), 0);
	blk_config_init(&config);
	config.era = ERA_MODERN;
	config.elevator = elevator_find("bfq", config.era, NULL);
	s->stream.q = blk_create(&config, &s->stream.cal, &driver, NULL);
	event_init(&s->stream.done, PRIO_COMPLETE, stream_done);
	for (unsigned i = 0; i < 2 * NEAR; i++) {
		struct bio *bio = &s->bios[i / NEAR][i % NEAR];

		*bio = (struct bio){
			.op = IO_READ,
			.lba = 100 * i,
			.sectors = 64,
			.io_class = IO_CLASS_BE,
			.io_level = i < NEAR ? 0 : 4,
			.process = blk_process(s->stream.q, 1 + i / NEAR, NULL),
			.end = share_ended,
			.cookie = s,
		};
		blk_submit(s->stream.q, bio);
	}
	while (s->sectors[0] + s->sectors[1] < 3000000)
		assert_true(calendar_step(&s->stream.cal));
	assert_in_range(s->sectors[0], 1950000, 2050000);
	blk_destroy(s->stream.q);
	calendar_free(&s->stream.cal);
	free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_bio_ends_once),
		cmocka_unit_test(test_deadline_bounds_starvation),
		cmocka_unit_test(test_bfq_shares_by_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
