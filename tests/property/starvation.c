/* SPDX-License-Identifier: MIT */
/*
 * No policy starves a command beyond the bound it declares: whole runs on a
 * drive of two thousand sectors, where even the bound of a sweep can be
 * reached, with loads made to starve somebody.
 */
#include "models/firmware/rules.h"
#include "sim/core/rng.h"
#include "sim/ncqsim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* 12000 rpm, 50 sectors of 100 us a track, 20 cylinders of 2 heads. */
#define SECTORS 2000u
#define TURN_NS 5000000
#define SLOT_NS 100000

static const char tiny_drive[] =
	"[drive]\nmodel = TINY\n[mechanism]\nrpm = 12000\nheads = 2\n"
	"[zone 0]\ncylinders = 20\nspt = 50\ntrack_skew = 12\ncyl_skew = 15\n"
	"[seek]\nsingle_ms = 1\naverage_ms = 2\nfull_ms = 4\n"
	"head_switch_ms = 0.9\n[interface]\nkind = sata\nlink_mbps = 6000\n"
	"queue_depth = 32\ncommand_us = 100\n[firmware]\npolicy = fcfs\n";

/* One command's part is a sector: seek, turn and sector at most. */
static const struct firmware_limits limits = {
	.sectors = SECTORS,
	.access_min_ns = SLOT_NS,
	.access_max_ns = 100000 + 4000000 + TURN_NS + SLOT_NS,
};

/* ---- loads: sectors one after the other ---- */

#define RECORDS 6000u

struct load {
	struct io_source source;
	uint64_t (*sector)(struct load *load);
	uint32_t at;
	struct rng rng;
};

static int
load_next(struct io_source *source, struct io_record *rec, struct err *e)
{
	struct load *load = container_of(source, struct load, source);

	(void)e;
	if (load->at == RECORDS)
		return 0;
	*rec = (struct io_record){ .lba = load->sector(load) % SECTORS,
				   .sectors = 1,
				   .pid = 1,
				   .flags = IO_SYNC,
				   .number = load->at++ };
	return 1;
}

static uint64_t
anywhere(struct load *load)
{
	return rng_below(&load->rng, SECTORS);
}

/* Around one cylinder, and now and then the far end. */
static uint64_t
far_and_near(struct load *load)
{
	return load->at % 50 == 20 ? SECTORS - 1 : rng_below(&load->rng, 100);
}

/* A stream from sector 0 on, and now and then one behind it. */
static uint64_t
stream(struct load *load)
{
	return load->at % 100 == 30 ? 1 : load->at;
}

/* The same sector over and over. */
static uint64_t
one_sector(struct load *load)
{
	return load->at % 40 == 10 ? 1 : 40;
}

static uint64_t (*const sectors[])(struct load *) = {
	anywhere,
	far_and_near,
	stream,
	one_sector,
};

/* ---- what happened ---- */

struct served {
	nsec_t arrived_ns, started_ns;
};

struct watch {
	struct probe probe;
	struct served served[RECORDS]; /* in the order of service */
	uint32_t count;
};

static void
watch_request(struct probe *probe, const struct probe_request *ev)
{
	struct watch *w = container_of(probe, struct watch, probe);

	assert_true(w->count < RECORDS);
	assert_true(w->count == 0 || w->served[w->count - 1].started_ns <
					     ev->access->started_ns);
	w->served[w->count++] = (struct served){ ev->access->arrived_ns,
						 ev->access->started_ns };
}

/* The most younger commands that were served while one waited. */
static uint64_t
most_passed(const struct watch *w)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < w->count; i++) {
		uint64_t passed = 0;

		for (uint32_t j = i;
		     j-- > 0 &&
		     w->served[j].started_ns >= w->served[i].arrived_ns;)
			passed += w->served[j].arrived_ns >
				  w->served[i].arrived_ns;
		most = passed > most ? passed : most;
	}
	return most;
}

static nsec_t
longest_wait_ns(const struct watch *w)
{
	nsec_t longest_ns = 0;

	for (uint32_t i = 0; i < w->count; i++) {
		nsec_t ns = w->served[i].started_ns - w->served[i].arrived_ns;

		longest_ns = ns > longest_ns ? ns : longest_ns;
	}
	return longest_ns;
}

/* ---- runs ---- */

static struct ncqsim_config *
configure(void)
{
	char path[] = "/tmp/ncqsim-starvation-XXXXXX";
	struct err e = { 0 };
	struct ncqsim_config *cfg = ncqsim_config_new("models", &e);
	int fd = mkstemp(path);

	assert_true(cfg && fd >= 0);
	assert_int_equal(write(fd, tiny_drive, strlen(tiny_drive)),
			 strlen(tiny_drive));
	close(fd);
	if (ncqsim_config_drive(cfg, path, &e) < 0)
		fail_msg("%s", e.text);
	unlink(path);
	return cfg;
}

static void
set(struct ncqsim_config *cfg, const char *key, const char *text)
{
	struct err e;

	if (ncqsim_config_set(cfg, key, text, NULL, &e) < 0)
		fail_msg("%s", e.text);
}

static void
run(const struct ncqsim_config *cfg, uint64_t (*sector)(struct load *),
    uint64_t seed, struct watch *watch)
{
	struct load load = { .source.next = load_next, .sector = sector };
	struct err e = { 0 };
	struct ncqsim *sim = ncqsim_create(cfg, &e);
	int more;

	if (!sim)
		fail_msg("%s", e.text);
	memset(watch, 0, sizeof(*watch));
	watch->probe.request = watch_request;
	ncqsim_attach(sim, &watch->probe);
	rng_init(&load.rng, seed, "starvation");
	ncqsim_feed(sim, &load.source);
	do
		more = ncqsim_run(sim, 100000, &e);
	while (more > 0);
	assert_int_equal(more, 0);
	assert_int_equal(watch->count, RECORDS);
	ncqsim_destroy(sim);
}

/* Every load and seed at @depth; returns the most passed of all. */
static uint64_t
check_policy(struct ncqsim_config *cfg, const struct firmware_ops *ops,
	     const char *depth, const struct firmware_config *keys)
{
	struct watch *watch = test_malloc(sizeof(*watch));
	struct firmware_config rules;
	uint64_t most = 0, bound;

	rules_init(&rules, keys, ops);
	bound = rules_passed_max(ops, &rules, &limits);
	set(cfg, "run.depth", depth);
	set(cfg, "host.queue_depth", depth);
	for (size_t l = 0; l < ARRAY_LEN(sectors); l++) {
		for (uint64_t seed = 1; seed <= 2; seed++) {
			uint64_t passed;

			run(cfg, sectors[l], seed, watch);
			passed = most_passed(watch);
			if (passed > bound)
				fail_msg("%s, depth %s, load %zu: passed %llu",
					 ops->name, depth, l,
					 (unsigned long long)passed);
			if (keys->age_limit_ns)
				assert_true(longest_wait_ns(watch) <=
					    keys->age_limit_ns +
						    32 * limits.access_max_ns);
			most = passed > most ? passed : most;
		}
	}
	test_free(watch);
	return most;
}

static const char *const depths[] = { "2", "8", "32" };

static void
configure_bare(struct ncqsim_config **cfg)
{
	*cfg = configure();
	set(*cfg, "run.replay", "depth");
	set(*cfg, "host.nomerges", "yes");
}

static void
policies_keep_their_bounds(void **state)
{
	const struct firmware_config none = { .guard_ns = 0 };
	struct ncqsim_config *cfg;
	struct err e;

	(void)state;
	configure_bare(&cfg);
	for (size_t i = 0; firmware_table[i]; i++) {
		const struct firmware_ops *ops = firmware_table[i];
		uint64_t most = 0;

		ncqsim_config_firmware(cfg, ops->name, &e);
		for (size_t d = 0; d < ARRAY_LEN(depths); d++)
			most = check_policy(cfg, ops, depths[d], &none);
		printf("%-12s passed by %llu at most\n", ops->name,
		       (unsigned long long)most);
		/* What declares no bound starves somebody here. */
		if (!ops->passed_max)
			assert_true(most > 300);
	}
	ncqsim_config_free(cfg);
}

/* 200 ms and 50 us of guard, with every policy. */
static void
an_age_limit_bounds_every_policy(void **state)
{
	const struct firmware_config keys = { .age_limit_ns = 200000000 };
	struct ncqsim_config *cfg;
	struct err e;
	char spec[96];

	(void)state;
	configure_bare(&cfg);
	for (size_t i = 0; firmware_table[i]; i++) {
		snprintf(spec, sizeof(spec), "%s:age_limit_ms=200,guard_us=50",
			 firmware_table[i]->name);
		assert_int_equal(ncqsim_config_firmware(cfg, spec, &e), 0);
		check_policy(cfg, firmware_table[i], "32", &keys);
	}
	set(cfg, "firmware.stream_first", "yes");
	check_policy(cfg, firmware_find("sptf"), "32", &keys);
	ncqsim_config_free(cfg);
}

/* ---- the host's priority ---- */

struct urgent {
	struct probe probe;
	nsec_t total_ns[2]; /* D2C of the others, of the urgent */
	nsec_t most_ns[2];
	int64_t count[2];
};

static void
urgent_request(struct probe *probe, const struct probe_request *ev)
{
	struct urgent *u = container_of(probe, struct urgent, probe);
	nsec_t ns = ev->completed_ns - ev->issued_ns;
	size_t i = ev->pid == 2;

	u->total_ns[i] += ns;
	u->count[i]++;
	u->most_ns[i] = ns > u->most_ns[i] ? ns : u->most_ns[i];
}

static int
urgent_next(struct io_source *source, struct io_record *rec, struct err *e)
{
	int more = load_next(source, rec, e);

	if (more > 0 && rec->number % 20 == 7) {
		rec->pid = 2;
		rec->io_class = IO_CLASS_RT;
	}
	return more;
}

static void
run_urgent(const struct ncqsim_config *cfg, struct urgent *u)
{
	struct load load = { .source.next = urgent_next, .sector = anywhere };
	struct err e = { 0 };
	struct ncqsim *sim = ncqsim_create(cfg, &e);

	memset(u, 0, sizeof(*u));
	u->probe.request = urgent_request;
	ncqsim_attach(sim, &u->probe);
	rng_init(&load.rng, 1, "urgent");
	ncqsim_feed(sim, &load.source);
	while (ncqsim_run(sim, 100000, &e) > 0)
		;
	assert_int_equal(u->count[1], RECORDS / 20);
	ncqsim_destroy(sim);
}

static void
priority_reaches_the_drive(void **state)
{
	struct ncqsim_config *cfg;
	struct urgent plain, high, deadline, ignored;
	struct err e;

	(void)state;
	configure_bare(&cfg);
	ncqsim_config_firmware(cfg, "fcfs", &e);
	set(cfg, "run.depth", "32");
	set(cfg, "host.queue_depth", "32");
	run_urgent(cfg, &plain);
	set(cfg, "host.ncq_prio", "yes");
	run_urgent(cfg, &high);
	set(cfg, "host.ncq_deadline_ms", "75");
	set(cfg, "firmware.deadline_margin_ms", "20");
	run_urgent(cfg, &deadline);
	set(cfg, "firmware.priority", "no");
	run_urgent(cfg, &ignored);
	ncqsim_config_free(cfg);
	/* First come: 32 times 5 ms.  High: only other urgent ones. */
	assert_true(plain.most_ns[1] > 150000000);
	assert_true(high.total_ns[1] / high.count[1] < 20000000);
	assert_true(high.most_ns[1] < 80000000);
	/* Isochronous: not before its last 20 ms of 70 (in steps of 10),
	 * and with several at once not far behind. */
	assert_in_range(deadline.total_ns[1] / deadline.count[1], 50000000,
			70000000);
	assert_true(deadline.most_ns[1] < 100000000);
	assert_true(ignored.total_ns[1] == plain.total_ns[1]);
}

/* ---- errors of estimation ---- */

static void
errors_follow_the_seed(void **state)
{
	static const char *const seeds[] = { "1", "1", "2" };
	struct watch *watch = test_malloc(3 * sizeof(*watch));
	struct ncqsim_config *cfg;
	struct err e;

	(void)state;
	configure_bare(&cfg);
	set(cfg, "run.depth", "32");
	set(cfg, "host.queue_depth", "32");
	ncqsim_config_firmware(
		cfg, "sptf:seek_error_us=300,rotate_error_us=300", &e);
	for (size_t i = 0; i < 3; i++) {
		set(cfg, "run.seed", seeds[i]);
		run(cfg, anywhere, 1, &watch[i]);
	}
	assert_memory_equal(watch[0].served, watch[1].served,
			    sizeof(watch[0].served));
	assert_true(memcmp(watch[0].served, watch[2].served,
			   sizeof(watch[0].served)) != 0);
	/* And they cost something. */
	set(cfg, "firmware.seek_error_us", "0");
	set(cfg, "firmware.rotate_error_us", "0");
	run(cfg, anywhere, 1, &watch[1]);
	assert_true(watch[1].served[RECORDS - 1].started_ns <
		    watch[0].served[RECORDS - 1].started_ns);
	ncqsim_config_free(cfg);
	test_free(watch);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(policies_keep_their_bounds),
		cmocka_unit_test(an_age_limit_bounds_every_policy),
		cmocka_unit_test(priority_reaches_the_drive),
		cmocka_unit_test(errors_follow_the_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
