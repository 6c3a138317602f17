/* SPDX-License-Identifier: MIT */
/*
 * The block layer and its elevators alone: PROCESSES processes with OPEN
 * random bios each against a disk that serves in the order of arrival.
 */
#include "sim/core/rng.h"
#include "sim/host/blk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROCESSES_MAX 50
#define OPEN          4
#define DEPTH_MAX     31

struct bench {
	struct calendar cal;
	struct blk_queue *q;
	struct rng rng;
	uint32_t depth;
	struct request *held[DEPTH_MAX + 1];
	uint32_t first, outstanding;
	struct event done;
	struct bio bios[PROCESSES_MAX * OPEN];
	uint64_t left;
};

static double
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
run(void *ctx)
{
	struct bench *b = ctx;
	struct request *rq;

	while ((rq = blk_peek(b->q)) && b->outstanding < b->depth) {
		blk_start(b->q, rq);
		b->held[(b->first + b->outstanding) % b->depth] = rq;
		if (b->outstanding++ == 0)
			calendar_add(&b->cal, &b->done, b->cal.now_ns + 100000);
	}
}

static void
disk_done(struct event *ev, nsec_t now_ns)
{
	struct bench *b = container_of(ev, struct bench, done);
	struct request *rq = b->held[b->first];

	b->first = (b->first + 1) % b->depth;
	if (--b->outstanding > 0)
		calendar_add(&b->cal, ev, now_ns + 100000);
	blk_complete(b->q, rq, 0);
}

static void
submit(struct bench *b, struct bio *bio)
{
	if (b->left == 0)
		return;
	b->left--;
	bio->lba = rng_below(&b->rng, 1000000000);
	blk_submit(b->q, bio);
}

static void
bio_ended(struct bio *bio, nsec_t now_ns, int status)
{
	(void)now_ns, (void)status;
	submit(bio->cookie, bio);
}

static void
measure(const char *name, uint32_t processes, uint32_t depth, uint64_t bios)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct blk_driver driver = { .run = run, .ctx = b };
	uint32_t open = depth == 1 ? 1 : OPEN;
	struct blk_config config;
	double start;

	if (!b)
		return;
	b->depth = depth;
	b->left = bios;
	rng_init(&b->rng, 1, "bench");
	calendar_init(&b->cal);
	calendar_reserve(&b->cal, 1, NULL);
	event_init(&b->done, PRIO_COMPLETE, disk_done);
	blk_config_init(&config);
	if (strchr("nmkb", name[0]) && strcmp(name, "noop") != 0)
		config.era = ERA_MODERN;
	config.nr_requests = 256;
	config.elevator = elevator_find(name, config.era, NULL);
	b->q = blk_create(&config, &b->cal, &driver, NULL);
	start = now_s();
	for (uint32_t i = 0; i < processes * open; i++) {
		b->bios[i] = (struct bio){
			.sectors = 8,
			.op = IO_READ,
			.flags = IO_UNPLUG,
			.process = blk_process(b->q, 1 + i / open, NULL),
			.end = bio_ended,
			.cookie = b,
		};
		submit(b, &b->bios[i]);
	}
	while (calendar_step(&b->cal))
		;
	start = now_s() - start;
	printf("elevator %-12s depth %2u, %2u processes  %6.1f ns/bio  "
	       "%5.2f M bios/s\n",
	       name, depth, processes, start / (double)bios * 1e9,
	       (double)bios / start * 1e-6);
	blk_destroy(b->q);
	calendar_free(&b->cal);
	free(b);
}

int
main(void)
{
	static const char *const names[] = { "noop",         "deadline",
					     "anticipatory", "cfq",
					     "none",         "mq-deadline",
					     "kyber",        "bfq" };

	measure("noop", 1, 1, 10000000);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		measure(names[i], PROCESSES_MAX, DEPTH_MAX, 1000000);
	return 0;
}
