/* SPDX-License-Identifier: MIT */
/*
 * Whole runs on a drive with a buffer: look-ahead streams at the media rate,
 * hits cost the firmware and the link, a flush waits for what is dirty, and
 * whatever the load, every bio ends once and the parts add up.
 */
#include "sim/core/wide.h"
#include "tests/sim_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* 7200 rpm, 1200 sectors a track, skew 200: 1.3889 ms, 6 us a sector. */
#define DRIVE(cache)                                                           \
	"[drive]\nmodel = BUFFER\n[mechanism]\nrpm = 7200\nheads = 1\n"        \
	"mapping = cylinder\n[zone 0]\ncylinders = 4000\nspt = 1200\n"         \
	"cyl_skew = 200\n[seek]\nsingle_ms = 1\naverage_ms = 6\n"              \
	"full_ms = 12\nhead_switch_ms = 0.9\nwrite_settle_ms = 0.2\n"          \
	"[interface]\nkind = sata\nlink_mbps = 6000\nqueue_depth = 32\n"       \
	"command_us = 300\nturnaround_us = 0\n[firmware]\npolicy = sptf\n"     \
	"[cache]\nhit_us = 50\nsequential_hit_us = 20\nwrite_us = 40\n"        \
	"sequential_write_us = 30\n" cache

static const char reads_drive[] = DRIVE("size_kb = 8192\nsegments = 8\n");
static const char writes_drive[] =
	DRIVE("size_kb = 8192\nsegments = 8\nwrite_back = yes\nextents = 12\n");

static const nsec_t turn_ns = NSEC_PER_MIN / 7200;

/* ---- a probe that keeps every request ---- */

#define KEPT_MAX 6000u

struct kept {
	struct probe probe;
	uint32_t count;
	struct probe_request request[KEPT_MAX];
	struct probe_access access[KEPT_MAX];
	uint8_t ended[KEPT_MAX];
};

static void
kept_request(struct probe *probe, const struct probe_request *ev)
{
	struct kept *k = container_of(probe, struct kept, probe);
	const struct probe_access *a = ev->access;

	assert_true(k->count < KEPT_MAX);
	k->request[k->count] = *ev;
	if (a && (ev->op == IO_READ || ev->op == IO_WRITE)) {
		k->access[k->count] = *a;
		assert_true(ev->issued_ns < a->arrived_ns);
		assert_true(a->arrived_ns <= a->started_ns);
		assert_true(a->started_ns <= a->done_ns);
		assert_true(a->done_ns < ev->completed_ns);
		assert_true(a->overhead_ns + a->seek_ns + a->switch_ns +
				    a->rotate_ns + a->transfer_ns ==
			    a->done_ns - a->started_ns);
	}
	k->count++;
}

static void
kept_bio(struct probe *probe, const struct probe_bio *ev)
{
	struct kept *k = container_of(probe, struct kept, probe);

	assert_true(ev->number < KEPT_MAX);
	assert_int_equal(k->ended[ev->number]++, 0);
}

static struct kept *
kept_new(void)
{
	struct kept *k = test_calloc(1, sizeof(*k));

	k->probe.request = kept_request;
	k->probe.bio = kept_bio;
	return k;
}

static nsec_t
service_ns(const struct kept *k, uint32_t i)
{
	return k->request[i].completed_ns - k->request[i].issued_ns;
}

/* ---- reads ---- */

/*
 * At depth 1 the host asks for the next piece only when the last has come.
 * Without look-ahead that loses a turn each time; with it the media never
 * stops: N tracks take N turns and N - 1 skews.
 */
static void
look_ahead_streams_at_the_media_rate(void **state)
{
	const uint64_t slots = 59 * (1200 + 200) + 1200, d = 7200 * 1200;
	struct kept *k = kept_new();
	struct rig rig;
	nsec_t ideal_ns, took_ns;

	(void)state;
	rig_new(&rig, reads_drive);
	rig_set(&rig, "run.depth", "1");
	/* 60 tracks in pieces of 150 sectors. */
	rig_hash(&rig, "read,bs=76800,count=480", &k->probe);
	assert_int_equal(k->count, 480);
	ideal_ns = (nsec_t)((uint128_t)slots * 60000000000u / d);
	took_ns = k->access[479].done_ns - k->access[0].done_ns +
		  150 * turn_ns / 1200;
	assert_in_range(took_ns, ideal_ns - 10, ideal_ns + 10);
	test_free(k);

	k = kept_new();
	rig_set(&rig, "cache.look_ahead", "off");
	rig_hash(&rig, "read,bs=76800,count=480", &k->probe);
	took_ns = k->access[479].done_ns - k->access[0].done_ns;
	assert_true(took_ns > 470 * turn_ns);
	test_free(k);
	rig_free(&rig);
}

static void
hits_cost_the_firmware_and_the_link(void **state)
{
	const struct io_record records[] = {
		{ .lba = 5000, .sectors = 8, .op = IO_READ },
		{ .lba = 900000, .sectors = 8, .op = IO_READ }, /* elsewhere */
		{ .lba = 5000, .sectors = 8, .op = IO_READ },   /* again */
		{ .lba = 5002, .sectors = 2, .op = IO_READ },
		{ .lba = 5004, .sectors = 2, .op = IO_READ }, /* continues */
		{ .lba = 3000000, .sectors = 8, .op = IO_READ },
	};
	struct kept *k = kept_new();
	struct rig rig;

	(void)state;
	rig_new(&rig, reads_drive);
	rig_set(&rig, "run.depth", "1");
	rig_hash_records(&rig, records, ARRAY_LEN(records), &k->probe);
	assert_int_equal(k->count, 6);
	/* Commands and answers take under 10 us on this link. */
	assert_in_range(service_ns(k, 2), 50000, 60000);
	assert_in_range(service_ns(k, 3), 50000, 60000);
	assert_in_range(service_ns(k, 4), 20000, 30000);
	for (uint32_t i = 0; i < 6; i += i == 1 ? 4 : 1)
		assert_true(service_ns(k, i) > 300000);
	test_free(k);
	rig_free(&rig);
}

/* A hit moves all its data over the link: 128 KiB at 600 MB/s. */
static void
large_hits_are_limited_by_the_link(void **state)
{
	const struct io_record records[] = {
		{ .lba = 5000, .sectors = 256, .op = IO_READ },
		{ .lba = 5000, .sectors = 256, .op = IO_READ },
	};
	struct kept *k = kept_new();
	struct rig rig;

	(void)state;
	rig_new(&rig, reads_drive);
	rig_set(&rig, "run.depth", "1");
	rig_hash_records(&rig, records, ARRAY_LEN(records), &k->probe);
	assert_in_range(service_ns(k, 1), 50000 + 131072 * 1000 / 600,
			50000 + 131072 * 1000 / 600 + 10000);
	test_free(k);
	rig_free(&rig);
}

/* ---- writes ---- */

static void
a_flush_waits_for_what_is_dirty(void **state)
{
	struct io_record records[12] = {
		[10] = { .op = IO_FLUSH },
		[11] = { .op = IO_FLUSH },
	};
	struct kept *k = kept_new();
	struct rig rig;

	(void)state;
	for (uint32_t i = 0; i < 10; i++)
		records[i] = (struct io_record){ .lba = 400000 * i,
						 .sectors = 8,
						 .op = IO_WRITE };
	rig_new(&rig, writes_drive);
	rig_set(&rig, "run.depth", "1");
	rig_hash_records(&rig, records, ARRAY_LEN(records), &k->probe);
	for (uint32_t i = 0; i < 10; i++)
		assert_in_range(service_ns(k, i), 40000, 70000);
	/* Ten extents far apart: a seek and part of a turn for each. */
	assert_in_range(service_ns(k, 10), 10 * 2000000, 10 * 20000000);
	/* Nothing is left: the firmware's time alone. */
	assert_in_range(service_ns(k, 11), 300000, 310000);
	test_free(k);
	rig_free(&rig);
}

static void
reads_see_what_is_dirty(void **state)
{
	const struct io_record records[] = {
		{ .lba = 70000, .sectors = 16, .op = IO_WRITE },
		{ .lba = 70004, .sectors = 8, .op = IO_READ },
		{ .lba = 70010, .sectors = 8, .op = IO_READ }, /* half of it */
		{ .lba = 80000, .sectors = 8, .op = IO_WRITE, .flags = IO_FUA },
	};
	struct kept *k = kept_new();
	struct rig rig;

	(void)state;
	rig_new(&rig, writes_drive);
	rig_set(&rig, "run.depth", "1");
	rig_hash_records(&rig, records, ARRAY_LEN(records), &k->probe);
	assert_in_range(service_ns(k, 1), 50000, 70000);
	assert_true(service_ns(k, 2) > 300000);
	assert_true(service_ns(k, 3) > 300000); /* FUA: on the media */
	test_free(k);
	rig_free(&rig);
}

/* More extents than the list holds: writes wait for the media. */
static void
a_full_list_slows_writes_to_the_media(void **state)
{
	struct kept *k = kept_new();
	struct rig rig;
	nsec_t mean_ns;

	(void)state;
	rig_new(&rig, writes_drive);
	rig_set(&rig, "run.depth", "1");
	rig_hash(&rig, "randwrite,bs=4k,count=2000", &k->probe);
	mean_ns = (k->request[1999].completed_ns - k->request[0].issued_ns) /
		  2000;
	/* Twelve at a time in positioning order: under a random access of
	 * 6 ms and half a turn, over a third of it. */
	assert_in_range(mean_ns, 3400000, 9000000);
	test_free(k);
	rig_free(&rig);
}

/* ---- any load ---- */

static void
every_bio_ends_once(void **state)
{
	static const char *const drives[] = { reads_drive, writes_drive };
	static const char *const ways[] = { "off", "track", "always",
					    "adaptive" };
	static const char *const depths[] = { "1", "2", "31" };
	static const char *const loads[] = {
		"randread,bs=4k,count=1500",
		"randrw,bs=4k,size=4m,count=3000",
		"rw,bs=16k,size=16m,count=3000",
		"randwrite,bs=64k,size=64m,count=1500",
		"randrw,bs=1k,size=40k,count=4000",
	};
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < 2 * 4 * 3 * ARRAY_LEN(loads); i++) {
		const char *load = loads[i / 24];
		struct kept *k = kept_new();
		uint64_t hash;

		rig_new(&rig, drives[i % 2]);
		rig_set(&rig, "cache.look_ahead", ways[i / 2 % 4]);
		rig_set(&rig, "cache.keep_sent", i % 3 ? "yes" : "no");
		rig_set(&rig, "run.depth", depths[i / 8 % 3]);
		rig_set(&rig, "host.queue_depth", depths[i / 8 % 3]);
		hash = rig_hash(&rig, load, &k->probe);
		for (uint32_t n = 0; n < k->count; n++)
			assert_int_equal(k->ended[n], 1);
		assert_true(hash == rig_hash(&rig, load, NULL));
		test_free(k);
		rig_free(&rig);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(look_ahead_streams_at_the_media_rate),
		cmocka_unit_test(hits_cost_the_firmware_and_the_link),
		cmocka_unit_test(large_hits_are_limited_by_the_link),
		cmocka_unit_test(a_flush_waits_for_what_is_dirty),
		cmocka_unit_test(reads_see_what_is_dirty),
		cmocka_unit_test(a_full_list_slows_writes_to_the_media),
		cmocka_unit_test(every_bio_ends_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
