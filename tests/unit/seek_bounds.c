/* SPDX-License-Identifier: MIT */
/* The coarse seek bounds against every distance of the curve. */
#include "sim/drive/queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CURVES 40
#define POINTS 12

/* A measured table that may fall, and bends anywhere. */
static void
random_curve(int64_t *micro, int64_t cylinders)
{
	int64_t d = 0;

	for (uint32_t i = 0; i < POINTS; i++) {
		d += 1 + rand() % (1 + cylinders / POINTS);
		micro[2 * i] = d * 1000000;
		micro[2 * i + 1] = 100000 + rand() % 20000000;
	}
	/* The last slope goes on: let it be a rising one. */
	micro[2 * POINTS - 1] = micro[2 * POINTS - 3] + rand() % 1000;
}

static void
make_mech(struct mech *mech, const struct seek_curve *curve)
{
	memset(mech, 0, sizeof(*mech));
	mech->seek = curve;
	mech->spindle.rpm = 7200;
	mech->spindle.rev.d = 25000000;
	mech->spindle.ticks_per_ns = 3;
}

static uint32_t
bucket_of(uint32_t distance)
{
	float f = (float)distance;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return (bits >> SEEK_BOUND_SHIFT) - SEEK_BOUND_BASE;
}

static void
check_bounds(const struct seek_bounds *bounds, const struct mech *mech,
	     bool write)
{
	static int32_t want[SEEK_BOUND_MAX];

	for (uint32_t i = 0; i < SEEK_BOUND_MAX; i++)
		want[i] = INT32_MAX;
	for (uint32_t d = 1; d < mech->seek->cylinders; d++) {
		nsec_t ns = seek_time_ns(mech->seek, d, false, write);
		int32_t units = seek_bounds_angle(bounds, (uint64_t)ns * 3);

		if (units < want[bucket_of(d)])
			want[bucket_of(d)] = units;
	}
	want[0] = 0;
	assert_memory_equal(bounds->units[write], want, sizeof(want));
}

static void
bounds_are_the_least_of_each_bucket(void **state)
{
	static struct seek_bounds bounds;
	int64_t micro[2 * POINTS];
	struct seek_config config = { .table_ms = { micro, 2 * POINTS },
				      .write_settle_ns = 100000,
				      .aam_percent = 100 };
	struct seek_curve *curve = NULL;
	struct mech mech;
	struct err e;

	(void)state;
	srand(1);
	for (uint32_t i = 0; i < CURVES; i++) {
		uint32_t cylinders = i < 8 ? 1u << (i + 1)
					   : 1000 + (uint32_t)rand() % 400000;

		random_curve(micro, cylinders);
		assert_int_equal(seek_create(&config, cylinders, &curve, &e),
				 0);
		make_mech(&mech, curve);
		seek_bounds_init(&bounds, &mech, 200000, 0);
		check_bounds(&bounds, &mech, false);
		check_bounds(&bounds, &mech, true);
		seek_free(curve);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_are_the_least_of_each_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
