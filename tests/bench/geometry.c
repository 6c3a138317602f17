/* SPDX-License-Identifier: MIT */
/* LBA to place: independent look-ups, and each depending on the last. */
#include "sim/core/rng.h"
#include "sim/drive/geometry.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ZONES  30
#define HEADS  8
#define COUNT  1024
#define ROUNDS 16000

static double
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct geometry *
create(bool per_head)
{
	struct geometry_zone_config zones[ZONES] = { { 0 } };
	struct geometry_config g = { .heads = HEADS,
				     .band_cyl = 64,
				     .mapping = MAP_SERPENTINE,
				     .zones = zones,
				     .zone_count = ZONES };
	struct geometry *geo = NULL;
	struct err e;

	for (uint32_t i = 0; i < ZONES; i++) {
		zones[i].cylinders = 5000;
		zones[i].track_skew = 300;
		zones[i].cyl_skew = 200;
		zones[i].first_slot = GEOMETRY_SLOT_AUTO;
		for (uint32_t h = 0; h < HEADS; h++)
			zones[i].spt[h] = 2400 - 41 * i - (per_head ? h : 0);
	}
	if (geometry_create(&g, &geo, &e) < 0)
		abort();
	return geo;
}

static void
measure(const char *name, const struct geometry *geo, bool dependent)
{
	uint64_t capacity = geometry_capacity(geo), lbas[COUNT], sum = 0;
	struct geometry_place p = { 0 };
	double start, best = 1e9;
	struct rng rng;

	rng_init(&rng, 1, "bench");
	for (int i = 0; i < COUNT; i++)
		lbas[i] = rng_below(&rng, capacity - 8192);
	for (int part = 0; part < 8; part++) {
		start = now_s();
		for (int r = 0; r < ROUNDS / 8; r++) {
			for (int i = 0; i < COUNT; i++) {
				uint64_t lba = lbas[i];

				if (dependent)
					lba += p.slot & 7;
				geometry_decode(geo, lba, &p);
				sum += p.slot + p.cyl;
			}
		}
		start = now_s() - start;
		best = start < best ? start : best;
	}
	printf("geometry %-28s %6.2f ns  (sum %llu)\n", name,
	       best * 1e9 / (COUNT * (ROUNDS / 8)), (unsigned long long)sum);
}

int
main(void)
{
	struct geometry *flat = create(false), *general = create(true);

	measure("decode", flat, false);
	measure("decode, dependent", flat, true);
	measure("decode per-head zones", general, false);
	measure("decode per-head, dependent", general, true);
	geometry_free(flat);
	geometry_free(general);
	return 0;
}
