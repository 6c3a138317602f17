/* SPDX-License-Identifier: MIT */
/*
 * Read segments and dirty extents: by hand for the rules, against a map of
 * sectors for the bookkeeping.
 */
#include "sim/core/rng.h"
#include "sim/drive/cache.h"
#include "sim/drive/dirty.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ---- read segments ---- */

static struct cache_config
config(int64_t segments, int look_ahead)
{
	return (struct cache_config){
		.size_kb = 64, /* 128 sectors */
		.segments = segments,
		.look_ahead = look_ahead,
		.keep_sent = true,
		.hit_ns = 300000,
		.sequential_hit_ns = 80000,
	};
}

static void
read_through(struct cache *cache, uint64_t sector, uint32_t count)
{
	uint32_t segment = cache_begin(cache, sector);

	cache_extend(cache, segment, sector + count);
	cache_sent(cache, segment, sector, count);
}

static void
a_read_is_found_again(void **state)
{
	struct cache_config c = config(4, LOOK_AHEAD_ALWAYS);
	struct cache cache;
	struct cache_hit hit;

	(void)state;
	assert_int_equal(cache_init(&cache, &c, 512, NULL), 0);
	assert_int_equal(cache.segment_sectors, 32);
	assert_int_equal(cache_lookup(&cache, 100, 8).segment, CACHE_NONE);
	read_through(&cache, 100, 8);
	hit = cache_lookup(&cache, 100, 8);
	assert_int_equal(hit.count, 8);
	hit = cache_lookup(&cache, 104, 8); /* its front only */
	assert_int_equal(hit.count, 4);
	assert_int_equal(cache_lookup(&cache, 108, 8).segment, CACHE_NONE);
	/* One that continues uses the same segment, and pushes its front out.
	 */
	assert_int_equal(cache_begin(&cache, 108), hit.segment);
	cache_extend(&cache, hit.segment, 100 + 40);
	assert_int_equal(cache_lookup(&cache, 107, 1).segment, CACHE_NONE);
	assert_int_equal(cache_lookup(&cache, 108, 32).count, 32);
	/* A continued hit is quick, another is not. */
	cache_sent(&cache, hit.segment, 108, 8);
	assert_int_equal(cache_hit_ns(&cache, 116), 80000);
	assert_int_equal(cache_hit_ns(&cache, 117), 300000);
}

static void
the_oldest_segment_goes(void **state)
{
	struct cache_config c = config(4, LOOK_AHEAD_ALWAYS);
	struct cache cache;

	(void)state;
	cache_init(&cache, &c, 512, NULL);
	for (uint64_t i = 0; i < 4; i++)
		read_through(&cache, 1000 * i, 8);
	/* The first is used again, so the second is the oldest. */
	cache_sent(&cache, cache_lookup(&cache, 0, 8).segment, 0, 8);
	read_through(&cache, 9000, 8);
	assert_int_equal(cache_lookup(&cache, 0, 8).count, 8);
	assert_int_equal(cache_lookup(&cache, 1000, 8).segment, CACHE_NONE);
	assert_int_equal(cache_lookup(&cache, 2000, 8).count, 8);
}

static void
what_was_sent_may_go(void **state)
{
	struct cache_config c = config(4, LOOK_AHEAD_ALWAYS);
	struct cache cache;
	uint32_t segment;

	(void)state;
	c.keep_sent = false;
	cache_init(&cache, &c, 512, NULL);
	segment = cache_begin(&cache, 100);
	cache_extend(&cache, segment, 130);
	cache_sent(&cache, segment, 100, 8);
	assert_int_equal(cache_lookup(&cache, 100, 8).segment, CACHE_NONE);
	assert_int_equal(cache_lookup(&cache, 108, 22).count, 22);
}

static void
look_ahead_ends_where_it_should(void **state)
{
	struct cache_config c = config(4, LOOK_AHEAD_ALWAYS);
	struct cache cache;

	(void)state;
	cache_init(&cache, &c, 512, NULL);
	assert_int_equal(cache_look_ahead_end(&cache, 100, 8, 500, 9999), 140);
	assert_int_equal(cache_look_ahead_end(&cache, 100, 8, 500, 120), 120);
	cache.config.look_ahead_max_sectors = 10;
	assert_int_equal(cache_look_ahead_end(&cache, 100, 8, 500, 9999), 118);
	cache.config.look_ahead = LOOK_AHEAD_TRACK;
	assert_int_equal(cache_look_ahead_end(&cache, 100, 8, 112, 9999), 112);
	cache.config.look_ahead = LOOK_AHEAD_OFF;
	assert_int_equal(cache_look_ahead_end(&cache, 100, 8, 500, 9999), 108);
	cache.config.look_ahead = LOOK_AHEAD_ADAPTIVE;
	assert_int_equal(cache_look_ahead_end(&cache, 100, 8, 500, 9999), 108);
	read_through(&cache, 92, 8);
	assert_int_equal(cache_look_ahead_end(&cache, 100, 8, 500, 9999), 118);
}

static void
a_write_empties_what_it_covers(void **state)
{
	struct cache_config c = config(4, LOOK_AHEAD_ALWAYS);
	struct cache cache;

	(void)state;
	cache_init(&cache, &c, 512, NULL);
	read_through(&cache, 100, 20);
	read_through(&cache, 200, 20);
	read_through(&cache, 300, 20);
	cache_written(&cache, 95, 10);  /* a front */
	cache_written(&cache, 215, 10); /* a tail */
	cache_written(&cache, 303, 2);  /* the longer part stays */
	assert_int_equal(cache_lookup(&cache, 104, 1).segment, CACHE_NONE);
	assert_int_equal(cache_lookup(&cache, 105, 15).count, 15);
	assert_int_equal(cache_lookup(&cache, 200, 20).count, 15);
	assert_int_equal(cache_lookup(&cache, 302, 1).segment, CACHE_NONE);
	assert_int_equal(cache_lookup(&cache, 305, 15).count, 15);
	cache_written(&cache, 0, 1000);
	for (uint64_t s = 0; s < 1000; s++)
		assert_int_equal(cache_lookup(&cache, s, 1).segment,
				 CACHE_NONE);
}

static void
segments_too_small_are_refused(void **state)
{
	struct cache_config c = config(200, LOOK_AHEAD_ALWAYS);
	struct cache cache;
	struct err e;

	(void)state;
	assert_int_equal(cache_init(&cache, &c, 512, &e), ERR_CONFIG);
	assert_string_equal(e.text, "cache.segments = 200: 64 KiB divided by "
				    "them leave no sector of 512 bytes in one");
}

/* ---- dirty extents ---- */

#define SPACE 200u

struct model {
	bool dirty[SPACE];
	bool writing[SPACE]; /* in an extent on its way to the media */
};

static uint64_t
model_count(const struct model *m)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < SPACE; i++)
		n += m->dirty[i];
	return n;
}

static void
check_against(const struct dirty_list *list, const struct model *m,
	      struct rng *rng)
{
	uint32_t first = (uint32_t)rng_below(rng, SPACE - 1);
	uint32_t count = 1 + (uint32_t)rng_below(rng, SPACE - first);
	uint32_t covered = 0;
	bool any = false;

	while (covered < count &&
	       (m->dirty[first + covered] || m->writing[first + covered]))
		covered++;
	for (uint32_t i = 0; i < count; i++)
		any |= m->dirty[first + i] || m->writing[first + i];
	assert_int_equal(dirty_covers(list, first, count), covered);
	assert_int_equal(dirty_overlaps(list, first, count), any);
}

static void
model_write_out(struct dirty_list *list, struct model *m, struct rng *rng)
{
	uint32_t i = (uint32_t)rng_below(rng, list->limit);
	struct dirty_extent *x = &list->extent[i];

	if (x->state == DIRTY_WRITING) {
		for (uint64_t s = x->first; s < x->end; s++)
			m->writing[s] = false;
		dirty_written(list, i);
	} else if (x->state == DIRTY_IN_PASS) {
		for (uint64_t s = x->first; s < x->end; s++) {
			assert_true(m->dirty[s]);
			m->dirty[s] = false;
			m->writing[s] = true;
		}
		dirty_write(list, i);
	} else {
		dirty_pass(list);
	}
}

static bool
is_writing(const struct dirty_list *list)
{
	for (uint32_t i = 0; i < list->limit; i++)
		if (list->extent[i].state == DIRTY_WRITING)
			return true;
	return false;
}

/* One write at a time is on its way, as in a drive. */
static void
dirty_list_equals_a_map(void **state)
{
	struct dirty_list list;
	struct model m;
	struct rng rng;
	uint32_t full = 0;

	(void)state;
	rng_init(&rng, 5, "dirty");
	memset(&m, 0, sizeof(m));
	dirty_init(&list, 9, 60);
	for (int i = 0; i < 200000; i++) {
		uint32_t first = (uint32_t)rng_below(&rng, SPACE - 8);
		uint32_t count = 1 + (uint32_t)rng_below(&rng, 8);
		uint64_t before = model_count(&m);
		struct dirty_added added;

		check_against(&list, &m, &rng);
		if (rng_below(&rng, 3) || is_writing(&list)) {
			model_write_out(&list, &m, &rng);
			continue;
		}
		added = dirty_add(&list, first, count);
		full += added.is_full;
		if (added.is_full) {
			assert_true(list.used == 9 ||
				    list.sectors + count > 60);
			continue;
		}
		for (uint32_t s = first; s < first + count; s++)
			m.dirty[s] = true;
		assert_int_equal(added.new_sectors, model_count(&m) - before);
		assert_true(list.used <= 9 && list.sectors <= 60 + 8);
	}
	assert_in_range(full, 1000, 100000);
}

static void
a_pass_takes_what_is_there(void **state)
{
	struct dirty_list list;

	(void)state;
	dirty_init(&list, 4, 1000);
	assert_false(dirty_pass(&list));
	dirty_add(&list, 10, 5);
	dirty_add(&list, 100, 5);
	assert_true(dirty_pass(&list));
	assert_true(dirty_add(&list, 200, 5).is_new); /* the next pass */
	assert_int_equal(list.extent[2].state, DIRTY_WAITING);
	assert_false(dirty_add(&list, 105, 5).is_new); /* grows in the pass */
	assert_int_equal(list.extent[1].state, DIRTY_IN_PASS);
	dirty_write(&list, 0);
	/* Being written, it takes nothing more. */
	assert_true(dirty_add(&list, 12, 5).is_new);
	dirty_written(&list, 0);
	dirty_write(&list, 1);
	assert_true(dirty_pass(&list));
	assert_int_equal(list.extent[2].state, DIRTY_WAITING);
	dirty_written(&list, 1);
	assert_true(dirty_pass(&list));
	assert_int_equal(list.extent[2].state, DIRTY_IN_PASS);
	assert_int_equal(dirty_covers(&list, 12, 5), 5);
	dirty_clear(&list);
	assert_false(dirty_pass(&list));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_read_is_found_again),
		cmocka_unit_test(the_oldest_segment_goes),
		cmocka_unit_test(what_was_sent_may_go),
		cmocka_unit_test(look_ahead_ends_where_it_should),
		cmocka_unit_test(a_write_empties_what_it_covers),
		cmocka_unit_test(segments_too_small_are_refused),
		cmocka_unit_test(dirty_list_equals_a_map),
		cmocka_unit_test(a_pass_takes_what_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
