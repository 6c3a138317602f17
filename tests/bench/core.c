/* SPDX-License-Identifier: MIT */
/* What every completion pays for: histogram, hash, random numbers, JSON. */
#include "sim/core/hash.h"
#include "sim/core/hist.h"
#include "sim/core/json.h"
#include "sim/core/rng.h"

#include <stdio.h>
#include <time.h>

#define COUNT  4096
#define ROUNDS 500
#define PARTS  8

static double
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct bench {
	struct hist hist;
	struct rng rng;
	uint64_t values[COUNT], sum;
};

static void
run_hist(struct bench *b)
{
	for (int i = 0; i < COUNT; i++)
		hist_add(&b->hist, b->values[i]);
}

static void
run_hash(struct bench *b)
{
	uint64_t hash = b->sum;

	for (int i = 0; i < COUNT; i++)
		hash = hash_add(hash, (nsec_t)b->values[i], b->values[i] >> 3,
				i & 31);
	b->sum = hash;
}

static void
run_below(struct bench *b)
{
	for (int i = 0; i < COUNT; i++)
		b->sum += rng_below(&b->rng, 976773168);
}

static void
run_exponential(struct bench *b)
{
	for (int i = 0; i < COUNT; i++)
		b->sum += (uint64_t)rng_exponential_ns(&b->rng, 1000000);
}

static int
count_bytes(void *ctx, const char *data, size_t size)
{
	(void)data;
	*(uint64_t *)ctx += size;
	return 0;
}

static void
run_json(struct bench *b)
{
	struct json j;

	json_init(&j, JSON_COMPACT, count_bytes, &b->sum);
	json_begin_array(&j, NULL);
	for (int i = 0; i < COUNT; i++)
		json_decimal(&j, NULL, (int64_t)b->values[i], 6);
	json_end_array(&j);
	json_finish(&j);
}

static void
measure(struct bench *b, const char *name, void (*run)(struct bench *))
{
	double best = 1e9;

	for (int part = 0; part < PARTS; part++) {
		double start = now_s();

		for (int r = 0; r < ROUNDS / PARTS; r++)
			run(b);
		start = now_s() - start;
		best = start < best ? start : best;
	}
	printf("core     %-28s %6.2f ns  (sum %llu)\n", name,
	       best * 1e9 / (COUNT * (ROUNDS / PARTS)),
	       (unsigned long long)(b->sum + b->hist.count));
}

int
main(void)
{
	static struct bench b;

	hist_init(&b.hist);
	rng_init(&b.rng, 1, "bench");
	for (int i = 0; i < COUNT; i++)
		b.values[i] = (uint64_t)rng_exponential_ns(&b.rng, 8000000);
	measure(&b, "histogram add", run_hist);
	measure(&b, "result hash add", run_hash);
	measure(&b, "random number below n", run_below);
	measure(&b, "random exponential", run_exponential);
	measure(&b, "JSON decimal", run_json);
	return 0;
}
