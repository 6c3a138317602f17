/* SPDX-License-Identifier: MIT */
/*
 * Whole runs against what can be worked out on paper: media rate with skew,
 * half a turn within a cylinder, one command leaves nothing to choose,
 * observers change nothing, every bio ends once with its stamps in order.
 */
#include "models/firmware/firmware.h"
#include "sim/core/rng.h"
#include "sim/core/wide.h"
#include "tests/sim_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define DRIVE(rpm, heads, zones)                                               \
	"[drive]\nmodel = ORACLE\n[mechanism]\nrpm = " rpm "\nheads = " heads  \
	"\nmapping = cylinder\n" zones                                         \
	"[seek]\nsingle_ms = 1\naverage_ms = 6\nfull_ms = 12\n"                \
	"head_switch_ms = 0.9\n[interface]\nkind = sata\n"                     \
	"link_mbps = 6000\nqueue_depth = 32\ncommand_us = 100\n"               \
	"[firmware]\npolicy = fcfs\n"

static const char plain_drive[] =
	DRIVE("7200", "4",
	      "[zone 0]\ncylinders = 3000\nspt = 1600\ntrack_skew = 180\n"
	      "cyl_skew = 200\n[zone 1]\ncylinders = 3000\nspt = 1000\n"
	      "track_skew = 120\ncyl_skew = 130\n");

static const char flat_drive[] =
	DRIVE("7199", "1",
	      "[zone 0]\ncylinders = 2000\nspt = 1170\ncyl_skew = 160\n");

/* ---- sequential ---- */

struct span_probe {
	struct probe probe;
	nsec_t first_ns, last_ns;
	uint64_t requests;
	nsec_t rotate_ns;
};

static void
span_request(struct probe *probe, const struct probe_request *ev)
{
	struct span_probe *span = container_of(probe, struct span_probe, probe);

	if (span->requests++ == 0)
		span->first_ns = ev->access->done_ns;
	else
		span->rotate_ns += ev->access->rotate_ns;
	span->last_ns = ev->access->done_ns;
}

/*
 * On one surface each track is spt slots and cyl_skew slots of switching, so
 * the n-th track ends exactly n * (spt + skew) slots after the first began.
 * Whatever the requests are, the media ends them to the nanosecond there.
 */
static void
sequential_takes_the_media_rate(void **state)
{
	static const char *const loads[] = { "read,bs=599040,count=200",
					     "write,bs=599040,count=200" };
	const uint64_t spt = 1170, skew = 160, rpm = 7199, tracks = 200;
	struct span_probe span;
	struct rig rig;

	(void)state;
	rig_new(&rig, flat_drive);
	rig_set(&rig, "run.depth", "4");
	for (size_t i = 0; i < ARRAY_LEN(loads); i++) {
		uint64_t first, slots = (tracks - 1) * (spt + skew);
		uint128_t d = (uint128_t)rpm * spt;

		memset(&span, 0, sizeof(span));
		span.probe.request = span_request;
		rig_hash(&rig, loads[i], &span.probe);
		assert_int_equal(span.requests, tracks * 1170 * 512 / 599040);
		/* The first track ended in this slot: */
		first = (uint64_t)((uint128_t)span.first_ns * d / 60000000000u);
		assert_true(span.first_ns ==
			    (nsec_t)((first * (uint128_t)60000000000u + d - 1) /
				     d));
		first += slots;
		assert_true(span.last_ns ==
			    (nsec_t)((first * (uint128_t)60000000000u + d - 1) /
				     d));
	}
	rig_free(&rig);
}

/* With pieces of a track, over heads and a zone border: no turn is lost. */
static void
sequential_loses_no_revolution(void **state)
{
	const nsec_t turn_ns = NSEC_PER_MIN / 7200;
	struct span_probe span = { .probe = { .request = span_request } };
	struct rig rig;
	nsec_t ideal_ns;

	(void)state;
	rig_new(&rig, plain_drive);
	rig_set(&rig, "run.depth", "4");
	/* 2990 to 3010 of the cylinders: 64 KiB pieces. */
	rig_hash(&rig, "read,bs=64k,offset=9797632000,size=53248000,count=812",
		 &span.probe);
	assert_int_equal(span.requests, 812);
	/* 10 cylinders of 4 tracks in each zone, and their switches. */
	ideal_ns = 80 * turn_ns + 60 * turn_ns * 12 / 100 +
		   20 * turn_ns * 13 / 100;
	assert_in_range(span.last_ns - span.first_ns, ideal_ns - 2 * turn_ns,
			ideal_ns + turn_ns);
	rig_free(&rig);
}

/* ---- random ---- */

/* Random sectors of one cylinder: half a turn on average. */
static void
one_cylinder_waits_half_a_turn(void **state)
{
	struct span_probe span = { .probe = { .request = span_request } };
	const nsec_t turn_ns = NSEC_PER_MIN / 7199;
	struct rig rig;
	nsec_t mean_ns;

	(void)state;
	rig_new(&rig, flat_drive);
	rig_set(&rig, "run.depth", "1");
	rig_hash(&rig, "randread,bs=512,offset=0,size=599040,count=40000",
		 &span.probe);
	mean_ns = span.rotate_ns / (nsec_t)(span.requests - 1);
	/* Uniform waits: sigma of the mean is turn / sqrt(12 * 40000). */
	assert_in_range(mean_ns, turn_ns / 2 - turn_ns / 230,
			turn_ns / 2 + turn_ns / 230);
	rig_free(&rig);
}

static void
one_command_leaves_no_choice(void **state)
{
	struct rig rig;
	uint64_t hash[2] = { 0, 0 };
	struct err e;

	(void)state;
	rig_new(&rig, plain_drive);
	rig_set(&rig, "run.depth", "1");
	for (size_t i = 0; firmware_table[i]; i++) {
		assert_int_equal(ncqsim_config_firmware(
					 rig.cfg, firmware_table[i]->name, &e),
				 0);
		hash[i > 0] = rig_hash(&rig, "randrw,bs=4k,count=3000", NULL);
		if (i > 0)
			assert_true(hash[1] == hash[0]);
	}
	/* With a choice they differ, or the test above says nothing. */
	rig_set(&rig, "run.depth", "8");
	ncqsim_config_firmware(rig.cfg, "fcfs", &e);
	hash[0] = rig_hash(&rig, "randrw,bs=4k,count=3000", NULL);
	ncqsim_config_firmware(rig.cfg, "sptf", &e);
	hash[1] = rig_hash(&rig, "randrw,bs=4k,count=3000", NULL);
	assert_true(hash[1] != hash[0]);
	rig_free(&rig);
}

/* ---- every bio once, stamps in order, no tag twice ---- */

#define RECORDS 4000u

struct order_probe {
	struct probe probe;
	uint8_t ended[RECORDS];
	uint32_t bios;
	uint32_t requests;
	nsec_t newest_ns;
	nsec_t tag_free_ns[32];
	uint32_t depth;
	uint32_t decisions;
	nsec_t chosen_at_ns[32];
	nsec_t predicted_ns[32];
};

static void
order_bio(struct probe *probe, const struct probe_bio *ev)
{
	struct order_probe *o = container_of(probe, struct order_probe, probe);

	assert_true(ev->number < RECORDS);
	assert_int_equal(o->ended[ev->number]++, 0);
	assert_int_equal(ev->status, 0);
	assert_true(ev->completed_ns >= ev->queued_ns);
	o->bios++;
}

static void
order_request(struct probe *probe, const struct probe_request *ev)
{
	struct order_probe *o = container_of(probe, struct order_probe, probe);
	const struct probe_access *a = ev->access;

	assert_int_equal(ev->number, o->requests++);
	assert_true(ev->queued_ns <= ev->inserted_ns);
	assert_true(ev->inserted_ns <= ev->issued_ns);
	assert_true(ev->issued_ns < a->arrived_ns);
	assert_true(a->arrived_ns <= a->started_ns);
	assert_true(a->started_ns < a->done_ns);
	assert_true(a->done_ns < ev->completed_ns);
	assert_true(ev->completed_ns >= o->newest_ns);
	o->newest_ns = ev->completed_ns;
	assert_true(a->rotate_ns >= 0);
	assert_true(a->overhead_ns + a->seek_ns + a->switch_ns + a->rotate_ns +
			    a->transfer_ns ==
		    a->done_ns - a->started_ns);
	/* Without deliberate error a prediction is right. */
	if (o->decisions && o->chosen_at_ns[ev->tag] == a->started_ns)
		assert_int_equal(a->done_ns - a->started_ns,
				 o->predicted_ns[ev->tag]);
	/* The tag's last command was over before this one was issued. */
	assert_true(ev->tag < o->depth);
	assert_true(ev->issued_ns >= o->tag_free_ns[ev->tag]);
	o->tag_free_ns[ev->tag] = ev->completed_ns;
}

/* A choice is told with costs that add up, the oldest first. */
static void
order_decide(struct probe *probe, const struct probe_decision *ev)
{
	struct order_probe *o = container_of(probe, struct order_probe, probe);
	const struct probe_candidate *c = ev->candidate;

	assert_in_range(ev->count, 1, o->depth);
	assert_true(ev->chosen < ev->count && c[ev->chosen].is_allowed);
	for (uint32_t i = 0; i < ev->count; i++) {
		assert_true(c[i].overhead_ns + c[i].seek_ns + c[i].settle_ns +
				    c[i].switch_ns + c[i].rotate_ns +
				    c[i].transfer_ns ==
			    c[i].total_ns);
		assert_true(c[i].start_ns < c[i].total_ns);
		assert_true(c[i].arrived_ns <= ev->time_ns);
		assert_true(i == 0 || c[i - 1].arrived_ns <= c[i].arrived_ns);
	}
	o->chosen_at_ns[c[ev->chosen].tag] = ev->time_ns;
	o->predicted_ns[c[ev->chosen].tag] = c[ev->chosen].total_ns;
	o->decisions++;
}

static void
check_order(struct rig *rig, const struct firmware_ops *firmware,
	    const char *depth, const char *load)
{
	struct order_probe *o = test_calloc(1, sizeof(*o));
	uint64_t hash;
	struct err e;

	o->probe.bio = order_bio;
	o->probe.request = order_request;
	o->probe.decide = order_decide;
	o->depth = (uint32_t)atoi(depth);
	ncqsim_config_firmware(rig->cfg, firmware->name, &e);
	rig_set(rig, "host.queue_depth", depth);
	hash = rig_hash(rig, load, &o->probe);
	assert_int_equal(o->bios, RECORDS);
	assert_true(o->decisions > 0);
	/* Nobody looking, the run is the same. */
	assert_true(hash == rig_hash(rig, load, NULL));
	test_free(o);
}

static void
every_bio_ends_once(void **state)
{
	static const char *const depths[] = { "1", "2", "7", "31", "32" };
	static const char *const loads[] = {
		"randread,bs=4k,count=4000", "randrw,bs=16k,count=4000",
		"write,bs=128k,count=4000", "randrw,bs=512,size=1m,count=4000"
	};
	struct rig rig;

	(void)state;
	rig_new(&rig, plain_drive);
	rig_set(&rig, "run.depth", "48");
	for (size_t f = 0; firmware_table[f]; f++)
		for (size_t d = 0; d < ARRAY_LEN(depths); d++)
			for (size_t l = 0; l < ARRAY_LEN(loads); l++)
				check_order(&rig, firmware_table[f], depths[d],
					    loads[l]);
	/* With merging, requests are fewer than bios but no bio is lost. */
	rig_set(&rig, "host.nomerges", "no");
	rig_set(&rig, "run.replay", "timed");
	check_order(&rig, firmware_table[0], "1",
		    "write,bs=4k,rate_iops=20000,count=4000");
	rig_free(&rig);
}

/* ---- sectors larger than 512 bytes ---- */

#define LARGE_SECTORS(logical)                                                 \
	"[drive]\nmodel = LARGE\n[mechanism]\nrpm = 6000\nheads = 1\n"         \
	"mapping = cylinder\nphysical_sector_bytes = 4096\n"                   \
	"logical_sector_bytes = " logical "\n[zone 0]\ncylinders = 400\n"      \
	"spt = 200\ncyl_skew = 30\n[seek]\nsingle_ms = 1\naverage_ms = 3\n"    \
	"full_ms = 5\nhead_switch_ms = 0.9\n[interface]\nkind = sata\n"        \
	"link_mbps = 6000\nqueue_depth = 32\ncommand_us = 100\n"               \
	"[firmware]\npolicy = fcfs\n"

struct turn_probe {
	struct probe probe;
	uint64_t requests;
	nsec_t transfer_ns; /* of each */
	nsec_t least_ns;    /* rotation and transfer together, at least */
	nsec_t most_ns;
};

static void
turn_request(struct probe *probe, const struct probe_request *ev)
{
	struct turn_probe *t = container_of(probe, struct turn_probe, probe);
	const struct probe_access *a = ev->access;
	nsec_t ns = a->rotate_ns + a->transfer_ns;

	t->requests++;
	assert_in_range(a->transfer_ns, t->transfer_ns - 2, t->transfer_ns + 2);
	assert_in_range(ns, t->least_ns, t->most_ns);
}

/* 6000 rpm, 200 sectors: 50 us each, a turn takes 10 ms. */
static void
partial_writes_cost_a_turn(void **state)
{
	const nsec_t turn_ns = 10000000, slot_ns = 50000;
	struct turn_probe whole = { .probe = { .request = turn_request },
				    .transfer_ns = slot_ns,
				    .least_ns = slot_ns,
				    .most_ns = turn_ns + slot_ns };
	struct turn_probe part = { .probe = { .request = turn_request },
				   .transfer_ns = 2 * slot_ns,
				   .least_ns = turn_ns + slot_ns,
				   .most_ns = 2 * turn_ns + slot_ns };
	struct rig rig;

	(void)state;
	rig_new(&rig, LARGE_SECTORS("512"));
	rig_set(&rig, "run.depth", "1");
	rig_hash(&rig, "randread,bs=512,count=2000", &whole.probe);
	rig_hash(&rig, "randwrite,bs=4k,count=2000", &whole.probe);
	rig_hash(&rig, "randwrite,bs=512,count=2000", &part.probe);
	assert_int_equal(whole.requests + part.requests, 6000);
	assert_int_equal(rig.info.sectors, 400 * 200 * 8);
	rig_free(&rig);
}

static void
native_sectors_take_whole_ones(void **state)
{
	struct ncqsim_totals totals;
	struct rig rig;
	struct err e = { 0 };

	(void)state;
	rig_new(&rig, LARGE_SECTORS("4096"));
	rig_hash(&rig, "randrw,bs=12k,count=2000", NULL);
	assert_int_equal(rig.info.sectors, 400 * 200 * 8);
	rig_start(&rig, "read,bs=512,offset=4096,count=9");
	assert_int_equal(ncqsim_run(rig.sim, 100000, &e), ERR_INPUT);
	assert_string_equal(e.text, "record 0: sectors 8+1 are not whole "
				    "4096-byte sectors of the drive");
	ncqsim_totals(rig.sim, &totals);
	assert_int_equal(totals.requests, 0);
	rig_stop(&rig);
	rig_free(&rig);
}

/* ---- beyond the end ---- */

struct lba_probe {
	struct probe probe;
	uint64_t limit;
};

static void
lba_request(struct probe *probe, const struct probe_request *ev)
{
	struct lba_probe *l = container_of(probe, struct lba_probe, probe);

	assert_true(ev->lba + ev->sectors <= l->limit);
}

/* A source of its own: records at given places. */
struct list_source {
	struct io_source source;
	const struct io_record *records;
	size_t count, at;
};

static int
list_next(struct io_source *src, struct io_record *rec, struct err *e)
{
	struct list_source *l = container_of(src, struct list_source, source);

	(void)e;
	if (l->at == l->count)
		return 0;
	*rec = l->records[l->at++];
	return 1;
}

static void
records_beyond_the_end(void **state)
{
	static const char *const ways[] = { "wrap", "scale", "drop", "error" };
	const uint64_t end = UINT64_C(2000) * 1170;
	const struct io_record records[] = {
		{ .lba = 0, .sectors = 8, .number = 0 },
		{ .lba = end - 8, .sectors = 8, .number = 1 },
		{ .lba = end - 7, .sectors = 8, .number = 2 },
		{ .lba = 3 * end + 5, .sectors = 8, .number = 3 },
	};
	struct lba_probe probe = { .probe = { .request = lba_request },
				   .limit = end };
	struct ncqsim_totals totals;
	struct rig rig;

	(void)state;
	rig_new(&rig, flat_drive);
	rig_set(&rig, "run.span_sectors", "7020020");
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct list_source source = {
			{ list_next, NULL }, records, ARRAY_LEN(records), 0
		};
		struct err e = { 0 };
		int more;

		rig_set(&rig, "run.beyond", ways[i]);
		rig.sim = ncqsim_create(rig.cfg, &e);
		ncqsim_attach(rig.sim, &probe.probe);
		ncqsim_feed(rig.sim, &source.source);
		more = ncqsim_run(rig.sim, 1000000, &e);
		ncqsim_totals(rig.sim, &totals);
		ncqsim_destroy(rig.sim);
		if (strcmp(ways[i], "error") == 0) {
			assert_int_equal(more, ERR_INPUT);
			assert_string_equal(
				e.text,
				"record 2: sectors 2339993 to 2340000 lie "
				"beyond the drive's end; it has 2340000 "
				"sectors (--beyond wrap|scale|drop to go on)");
			continue;
		}
		assert_int_equal(more, 0);
		assert_int_equal(totals.dropped,
				 strcmp(ways[i], "drop") ? 0 : 2);
		assert_int_equal(totals.bios + totals.dropped, 4);
	}
	rig_free(&rig);
}

/* More cylinders than any drive has, but within the range of the key. */
static void
millions_of_cylinders(void **state)
{
	static const char wide_drive[] =
		DRIVE("7200", "1",
		      "[zone 0]\ncylinders = 3000000\nspt = 100\n"
		      "cyl_skew = 20\n");
	struct order_probe *o = test_calloc(1, sizeof(*o));
	struct rig rig;

	(void)state;
	rig_new(&rig, wide_drive);
	rig_set(&rig, "run.depth", "32");
	rig_set(&rig, "firmware.policy", "sptf");
	o->probe.bio = order_bio;
	rig_hash(&rig, "randread,bs=4k,count=2000", &o->probe);
	assert_int_equal(o->bios, 2000);
	test_free(o);
	rig_free(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequential_takes_the_media_rate),
		cmocka_unit_test(sequential_loses_no_revolution),
		cmocka_unit_test(one_cylinder_waits_half_a_turn),
		cmocka_unit_test(one_command_leaves_no_choice),
		cmocka_unit_test(every_bio_ends_once),
		cmocka_unit_test(partial_writes_cost_a_turn),
		cmocka_unit_test(native_sectors_take_whole_ones),
		cmocka_unit_test(records_beyond_the_end),
		cmocka_unit_test(millions_of_cylinders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
