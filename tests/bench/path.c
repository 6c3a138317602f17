/* SPDX-License-Identifier: MIT */
/*
 * The whole path of a request: source, block layer, driver, controller with
 * real command building, link, drive, statistics.  One line a case.
 *
 * Targets, one core: random 4 KiB at depth 1 8 million requests/s, depth 32
 * sptf 5 million with AVX2 and 3.5 without, sequential 128 KiB 9 million;
 * 50 processes noop and deadline 3 million, cfq 1 million.
 */
#include "sim/ncqsim.h"
#include "sim/stats.h"
#include "traces/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct bench_case {
	const char *name;
	const char *workload;
	const char *depth;
	const char *firmware;
	const char *elevator;
	const char *target;
	bool no_vector;     /* as on a processor without AVX2 */
	bool has_buffer;    /* the drive's own, else none */
	uint32_t processes; /* that take turns to submit; 0: one */
};

static const struct bench_case cases[] = {
	{ "random-4k-depth-1", "randread,bs=4k,count=3000000", "1", "fcfs",
	  "noop", "8.0", false, false, 0 },
	{ "random-4k-depth-32-sptf", "randread,bs=4k,count=2000000", "32",
	  "sptf", "noop", "5.0", false, false, 0 },
	{ "random-4k-depth-32-sptf-plain", "randread,bs=4k,count=2000000", "32",
	  "sptf", "noop", "3.5", true, false, 0 },
	{ "sequential-128k-depth-1", "read,bs=128k,count=3000000", "1", "fcfs",
	  "noop", "9.0", false, false, 0 },
	{ "sequential-128k-depth-4", "read,bs=128k,count=3000000", "4", "fcfs",
	  "noop", "9.0", false, false, 0 },
	{ "random-write-4k-depth-1", "randwrite,bs=4k,count=2000000", "1",
	  "fcfs", "noop", "-", false, false, 0 },
	{ "random-4k-depth-1-buffer", "randread,bs=4k,count=2000000", "1",
	  "fcfs", "noop", "6.0", false, true, 0 },
	{ "random-4k-depth-32-buffer", "randread,bs=4k,count=2000000", "32",
	  "sptf", "noop", "4.0", false, true, 0 },
	{ "sequential-128k-1-buffer", "read,bs=128k,count=2000000", "1", "fcfs",
	  "noop", "-", false, true, 0 },
	{ "random-write-4k-1-buffer", "randwrite,bs=4k,count=1000000", "1",
	  "fcfs", "noop", "-", false, true, 0 },
	{ "50-processes-noop", "randread,bs=4k,count=1000000", "100", "sptf",
	  "noop", "3.0", false, false, 50 },
	{ "50-processes-deadline", "randread,bs=4k,count=1000000", "100",
	  "sptf", "deadline", "3.0", false, false, 50 },
	{ "50-processes-anticipatory", "randread,bs=4k,count=1000000", "100",
	  "sptf", "anticipatory", "-", false, false, 50 },
	{ "50-processes-cfq", "randread,bs=4k,count=1000000", "100", "sptf",
	  "cfq", "1.0", false, false, 50 },
};

/* Gives the records of a workload to processes in turn. */
struct turns {
	struct io_source source;
	struct io_source *from;
	uint32_t processes;
	uint32_t turn;
};

static int
turns_next(struct io_source *src, struct io_record *rec, struct err *e)
{
	struct turns *t = container_of(src, struct turns, source);
	int rc = t->from->next(t->from, rec, e);

	if (t->processes > 0)
		rec->pid = 1000 + t->turn++ % t->processes;
	return rc;
}

static void
must(int rc, const struct err *e)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "bench: %s\n", e->text);
	exit(1);
}

static double
cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct ncqsim *
machine(const struct bench_case *c, const char *drive)
{
	struct err e;
	struct ncqsim_config *cfg = ncqsim_config_new("models", &e);
	struct ncqsim *sim;

	must(cfg ? 0 : -1, &e);
	must(ncqsim_config_drive(cfg, drive, &e), &e);
	must(ncqsim_config_elevator(cfg, c->elevator, &e), &e);
	must(ncqsim_config_firmware(cfg, c->firmware, &e), &e);
	must(ncqsim_config_set(cfg, "run.replay", "depth", NULL, &e), &e);
	must(ncqsim_config_set(cfg, "run.depth", c->depth, NULL, &e), &e);
	must(ncqsim_config_set(cfg, "host.queue_depth",
			       c->processes ? "31" : "32", NULL, &e),
	     &e);
	must(ncqsim_config_set(cfg, "host.nomerges", "yes", NULL, &e), &e);
	if (!c->has_buffer) {
		must(ncqsim_config_set(cfg, "cache.write_back", "no", NULL, &e),
		     &e);
		must(ncqsim_config_set(cfg, "cache.size_kb", "0", NULL, &e),
		     &e);
	}
	must(ncqsim_config_set(cfg, "firmware.vector",
			       c->no_vector ? "no" : "yes", NULL, &e),
	     &e);
	sim = ncqsim_create(cfg, &e);
	must(sim ? 0 : -1, &e);
	ncqsim_config_free(cfg);
	return sim;
}

static void
run_case(const struct bench_case *c, const char *drive)
{
	struct err e;
	struct ncqsim *sim = machine(c, drive);
	struct stats *stats = stats_create(&e);
	struct ncqsim_drive_info info;
	struct ncqsim_totals totals;
	struct workload workload;
	struct turns turns = {
		.source.next = turns_next,
		.processes = c->processes,
	};
	double began;
	int more;

	ncqsim_drive_info(sim, &info);
	must(workload_parse(c->workload, &workload, &e), &e);
	must(workload_open(&workload, info.sectors, &turns.from, &e), &e);
	ncqsim_attach(sim, stats_probe(stats));
	ncqsim_feed(sim, c->processes ? &turns.source : turns.from);
	began = cpu_seconds();
	do
		more = ncqsim_run(sim, 1000000, &e);
	while (more > 0);
	must(more, &e);
	began = cpu_seconds() - began;
	ncqsim_totals(sim, &totals);
	printf("%-29s %6.2f M requests/s  %6.1f ns  (target %s M)  hash "
	       "%016llx\n",
	       c->name, (double)totals.requests / began * 1e-6,
	       began * 1e9 / (double)totals.requests, c->target,
	       (unsigned long long)totals.hash);
	turns.from->close(turns.from);
	stats_free(stats);
	ncqsim_destroy(sim);
}

int
main(int argc, char **argv)
{
	const char *drive = "wd-4tb-7200";

	if (argc > 2)
		drive = argv[2];
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (argc < 2 || strstr(cases[i].name, argv[1]))
			run_case(&cases[i], drive);
	return 0;
}
