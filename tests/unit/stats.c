/* SPDX-License-Identifier: MIT */
#include "sim/stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The statistics, and the probe that feeds them. */
struct fixture {
	struct stats *stats;
	struct probe *probe;
};

static struct fixture
start(void)
{
	struct fixture f;

	f.stats = stats_create(NULL);
	assert_non_null(f.stats);
	f.probe = stats_probe(f.stats);
	return f;
}

static void
bio(struct fixture f, uint32_t pid, uint8_t op, nsec_t q, nsec_t c)
{
	struct probe_bio ev = { .queued_ns = q,
				.completed_ns = c,
				.sectors = 8,
				.pid = pid,
				.op = op };

	f.probe->bio(f.probe, &ev);
}

/* A command of 100 us: overhead 10, seek 30, switch 5, rotate 35, the rest
 * transfer. */
static struct probe_request
request(struct probe_access *access, nsec_t q, nsec_t i, nsec_t d, nsec_t c)
{
	struct probe_request ev = { .queued_ns = q,
				    .inserted_ns = i,
				    .issued_ns = d,
				    .completed_ns = c,
				    .sectors = 8,
				    .bios = 1 };

	*access = (struct probe_access){ .arrived_ns = d,
					 .started_ns = c - 100000,
					 .done_ns = c,
					 .overhead_ns = 10000,
					 .seek_ns = 30000,
					 .switch_ns = 5000,
					 .rotate_ns = 35000,
					 .transfer_ns = 20000,
					 .seek_cyl = 7,
					 .depth = 1 };
	ev.access = access;
	return ev;
}

static void
nothing_happened(void **state)
{
	struct fixture f = start();
	static struct stats_bios all;

	(void)state;
	stats_gather(f.stats, STATS_ANY, STATS_ANY, &all);
	assert_int_equal(all.latency_ns.count, 0);
	assert_int_equal(stats_get_span(f.stats).first_ns, 0);
	assert_int_equal(stats_get_span(f.stats).last_ns, 0);
	assert_int_equal(stats_get_requests(f.stats).count, 0);
	stats_free(f.stats);
}

static void
latency_by_operation_and_process(void **state)
{
	struct fixture f = start();
	static struct stats_bios out;

	(void)state;
	for (int i = 1; i <= 100; i++) {
		bio(f, 20, i % 2 ? IO_READ : IO_WRITE, i * 1000, i * 1000 + 64);
		bio(f, 10, IO_READ, i * 1000, i * 1000 + i);
	}
	assert_int_equal(stats_process_count(f.stats), 2);
	assert_int_equal(stats_process_pid(f.stats, 1), 10);
	assert_int_equal(stats_process_bios(f.stats, 1), 100);

	stats_gather(f.stats, STATS_ANY, STATS_ANY, &out);
	assert_int_equal(out.latency_ns.count, 200);
	assert_int_equal(out.sectors, 1600);
	stats_gather(f.stats, 1, IO_READ, &out);
	assert_int_equal(out.latency_ns.count, 100);
	assert_int_equal(hist_mean(&out.latency_ns), 50);
	assert_int_equal(hist_percentile(&out.latency_ns, 900000), 90);
	stats_gather(f.stats, STATS_ANY, IO_WRITE, &out);
	assert_int_equal(out.latency_ns.count, 50);
	assert_int_equal(out.latency_ns.max, 64);
	stats_gather(f.stats, 1, IO_WRITE, &out);
	assert_int_equal(out.latency_ns.count, 0);
	assert_int_equal(stats_get_span(f.stats).first_ns, 1000);
	assert_int_equal(stats_get_span(f.stats).last_ns, 100100);
	stats_free(f.stats);
}

static void
processes_beyond_the_table_are_pooled(void **state)
{
	struct fixture f = start();
	static struct stats_bios out;

	(void)state;
	for (uint32_t round = 0; round < 3; round++)
		for (uint32_t pid = 0; pid < 1000; pid++)
			bio(f, pid * 128, IO_READ, 0, 5);
	assert_int_equal(stats_process_count(f.stats), STATS_PROCESSES);
	for (size_t i = 0; i + 1 < STATS_PROCESSES; i++)
		assert_int_equal(stats_process_bios(f.stats, i), 3);
	assert_int_equal(stats_process_pid(f.stats, STATS_PROCESSES - 1),
			 STATS_OTHERS);
	assert_int_equal(stats_process_bios(f.stats, STATS_PROCESSES - 1),
			 3 * (1000 - (STATS_PROCESSES - 1)));
	stats_gather(f.stats, STATS_ANY, STATS_ANY, &out);
	assert_int_equal(out.latency_ns.count, 3000);
	stats_free(f.stats);
}

static void
requests_are_summed(void **state)
{
	struct fixture f = start();
	struct probe_access access;
	struct probe_request ev = request(&access, 0, 1000, 3000, 203000);
	struct stats_requests sum;
	static struct hist d2c;

	(void)state;
	f.probe->request(f.probe, &ev);
	ev = request(&access, 10000, 10000, 20000, 320000);
	ev.bios = 3;
	ev.op = IO_WRITE;
	ev.status = -5;
	access.passed = 4;
	access.seek_cyl = 0;
	access.depth = 32;
	f.probe->request(f.probe, &ev);

	sum = stats_get_requests(f.stats);
	assert_int_equal(sum.count, 2);
	assert_int_equal(sum.bios, 4);
	assert_int_equal(sum.errors, 1);
	assert_int_equal(sum.media, 2);
	assert_int_equal(sum.bio_d2c_ns, 200000 + 3 * 300000);
	assert_int_equal(sum.busy_ns, 200000);
	assert_int_equal(sum.overhead_ns + sum.seek_ns + sum.switch_ns +
				 sum.rotate_ns + sum.transfer_ns,
			 sum.busy_ns);
	assert_int_equal(sum.seeks, 1);
	assert_int_equal(sum.seek_cyl, 7);
	assert_int_equal(sum.passing, 1);
	assert_int_equal(sum.passed, 4);
	assert_int_equal(sum.oldest_wait_ns, 200000);
	assert_int_equal(sum.depth[1], 1);
	assert_int_equal(sum.depth[32], 1);
	stats_gather_d2c(f.stats, IO_READ, &d2c);
	assert_int_equal(d2c.max, 200000);
	stats_gather_d2c(f.stats, STATS_ANY, &d2c);
	assert_int_equal(d2c.count, 2);
	assert_int_equal(hist_mean(&d2c), 250000);
	stats_free(f.stats);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_happened),
		cmocka_unit_test(latency_by_operation_and_process),
		cmocka_unit_test(processes_beyond_the_table_are_pooled),
		cmocka_unit_test(requests_are_summed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
