/* SPDX-License-Identifier: MIT */
#include "sim/drive/seek.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static int32_t
read_ns(const struct seek_curve *s, int64_t distance_cyl)
{
	return (int32_t)seek_time_ns(s, (uint32_t)distance_cyl, false, false);
}

static int32_t
write_ns(const struct seek_curve *s, int64_t distance_cyl)
{
	return (int32_t)seek_time_ns(s, (uint32_t)distance_cyl, false, true);
}

#define MS(x) ((nsec_t)((x)*1e6 + 0.5))

static struct seek_curve *
create(const struct seek_config *config, uint32_t cylinders)
{
	struct seek_curve *curve = NULL;
	struct err e = { 0 };

	if (seek_create(config, cylinders, &curve, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(curve->cylinders, cylinders);
	return curve;
}

static void
test_table_interpolates(void **state)
{
	int64_t points[] = { 2000000, 1000000, 4000000,  1000003,
			     8000000, 3000003, 16000000, 3000007 };
	struct seek_config c = { .table_ms = { points, 8 },
				 .write_settle_ns = 500,
				 .head_switch_ns = 77,
				 .aam_percent = 100 };
	struct seek_curve *s = create(&c, 21);

	(void)state;
	assert_int_equal(read_ns(s, 0), 0);
	assert_int_equal(read_ns(s, 1), 1000000); /* held */
	assert_int_equal(read_ns(s, 2), 1000000);
	assert_int_equal(read_ns(s, 3), 1000002); /* 1.5 up */
	assert_int_equal(read_ns(s, 4), 1000003);
	assert_int_equal(read_ns(s, 7), 2500003);
	assert_int_equal(read_ns(s, 16), 3000007);
	assert_int_equal(read_ns(s, 20), 3000009); /* last slope goes on */
	assert_int_equal(write_ns(s, 7), 2500503);
	assert_int_equal(seek_time_ns(s, 0, false, false), 0);
	assert_int_equal(seek_time_ns(s, 0, true, false), 77);
	assert_int_equal(seek_time_ns(s, 0, true, true), 577);
	assert_int_equal(seek_time_ns(s, 7, true, true), 2500503);
	seek_free(s);
}

static void
test_falling_table_is_kept(void **state)
{
	int64_t points[] = { 1000000, 1800000, 3000000, 1400000 };
	struct seek_config c = { .table_ms = { points, 4 },
				 .aam_percent = 100 };
	struct seek_curve *s = create(&c, 4);

	(void)state;
	assert_int_equal(read_ns(s, 2), 1600000);
	assert_int_equal(read_ns(s, 3), 1400000);
	seek_free(s);
}

/* HP 97560: 3.24 + .4 sqrt(d) below 383, 8.00 + .008 d from there (ms). */
static void
test_published_curve(void **state)
{
	struct seek_config c = { .short_a_ns = MS(3.24),
				 .short_b_ns = MS(.4),
				 .long_c_ns = MS(8),
				 .long_e_ps = 8000000,
				 .break_cyl = 383,
				 .aam_percent = 100 };
	struct seek_curve *s = create(&c, 1962);
	double sum = 0, pairs = 1962.0 * 1961.0;

	(void)state;
	for (int d = 1; d < 1962; d++) {
		double ms = d < 383 ? 3.24 + .4 * sqrt(d) : 8 + .008 * d;

		assert_true(fabs(read_ns(s, d) - ms * 1e6) <= 0.51);
		sum += 2 * (1962 - d) * ms;
	}
	assert_int_equal(read_ns(s, 1), 3640000);
	assert_int_equal(read_ns(s, 1961), 23688000);
	assert_true(fabs((double)seek_mean_ns(s) - sum / pairs * 1e6) < 1);
	seek_free(s);
}

static void
check_mean(const struct seek_curve *s, nsec_t average_ns)
{
	double sum = 0, pairs = (double)s->cylinders * (s->cylinders - 1);

	for (uint32_t d = 1; d < s->cylinders; d++)
		sum += 2.0 * (s->cylinders - d) * read_ns(s, d);
	assert_true(fabs(sum / pairs / (double)average_ns - 1) < 1e-6);
}

static void
test_three_points(void **state)
{
	static const struct {
		double single, average, full;
		uint32_t cylinders;
	} sheets[] = {
		{ 1.1, 8.5, 14.7, 106400 }, { 1.0, 12.0, 20.0, 128000 },
		{ 0.8, 8.9, 18.0, 93000 },  { 0.23, 7.4, 15.0, 300000 },
		{ 0.5, 4.8, 9.6, 80512 },   { 2.0, 9.0, 18.0, 30 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sheets); i++) {
		struct seek_config c = { .single_ns = MS(sheets[i].single),
					 .average_ns = MS(sheets[i].average),
					 .full_ns = MS(sheets[i].full),
					 .aam_percent = 100 };
		struct seek_curve *s = create(&c, sheets[i].cylinders);
		uint32_t last = sheets[i].cylinders - 1;

		assert_int_equal(read_ns(s, 1), c.single_ns);
		assert_int_equal(read_ns(s, last), c.full_ns);
		check_mean(s, c.average_ns);
		for (uint32_t d = 1; d < last; d++)
			assert_true(read_ns(s, d) <= read_ns(s, d + 1));
		seek_free(s);
	}
}

/* A root for short distances, a straight line that meets the average. */
static void
test_line_to_average(void **state)
{
	int64_t shorts[] = { 1000000, 800000, 3000000, 1000000 };
	struct seek_config c = { .short_a_ns = MS(1.16),
				 .short_b_ns = MS(.0641),
				 .break_cyl = 9576,
				 .average_ns = MS(8.5),
				 .aam_percent = 100 };
	struct seek_curve *s = create(&c, 106400);

	(void)state;
	check_mean(s, c.average_ns);
	assert_int_equal(read_ns(s, 1), MS(1.16) + 64100);
	assert_int_equal(read_ns(s, 400), MS(1.16) + 20 * 64100);
	assert_true(abs(read_ns(s, 9577) - read_ns(s, 9576)) < 1000);
	seek_free(s);
	c.short_ms = (struct option_list){ shorts, 4 };
	s = create(&c, 106400);
	check_mean(s, c.average_ns);
	assert_int_equal(read_ns(s, 1), 800000);
	assert_int_equal(read_ns(s, 2), 900000);
	assert_int_equal(read_ns(s, 4), MS(1.16) + 2 * 64100);
	seek_free(s);
}

static void
test_acoustic_mode(void **state)
{
	struct seek_config c = { .single_ns = MS(1),
				 .average_ns = MS(8),
				 .full_ns = MS(15),
				 .write_settle_ns = MS(.5),
				 .aam_percent = 100 };
	struct seek_curve *fast = create(&c, 1000), *slow;

	(void)state;
	c.aam_percent = 150;
	slow = create(&c, 1000);
	assert_int_equal(read_ns(slow, 1), MS(1));
	assert_int_equal(read_ns(slow, 999), MS(22));
	for (int d = 1; d < 1000; d++) {
		double want = 1e6 + 1.5 * (read_ns(fast, d) - 1e6);

		assert_true(fabs(read_ns(slow, d) - want) <= 0.5);
		assert_int_equal(write_ns(slow, d), read_ns(slow, d) + 500000);
	}
	seek_free(fast);
	seek_free(slow);
}

static void
test_one_cylinder(void **state)
{
	struct seek_config c = { .aam_percent = 100 };
	struct seek_curve *s = create(&c, 1);

	(void)state;
	assert_int_equal(seek_mean_ns(s), 0);
	seek_free(s);
}

static void
refuse(const struct seek_config *c, const char *text)
{
	struct seek_curve *curve = NULL;
	struct err e = { 0 };

	assert_int_equal(seek_create(c, 1000, &curve, &e), ERR_CONFIG);
	assert_null(curve);
	assert_string_equal(e.text, text);
}

static void
test_refusals(void **state)
{
	int64_t odd[] = { 1000000, 1, 2000000 };
	int64_t back[] = { 2000000, 1, 2000000, 3 };

	(void)state;
	refuse(&(struct seek_config){ .aam_percent = 100 },
	       "seek: neither table_ms, nor short_a_ms and short_b_ms with "
	       "long_c_ms and long_e_ps or with average_ms, nor single_ms, "
	       "average_ms and full_ms");
	refuse(&(struct seek_config){ .single_ns = MS(1),
				      .average_ns = MS(14),
				      .full_ns = MS(15) },
	       "seek.average_ms: no curve from the single cylinder's time to "
	       "the "
	       "full stroke's that bends at 249 cylinders has this mean");
	refuse(&(struct seek_config){ .single_ns = MS(1),
				      .average_ns = MS(3),
				      .full_ns = MS(15) },
	       "seek.average_ms: no curve from the single cylinder's time to "
	       "the "
	       "full stroke's that bends at 249 cylinders has this mean");
	refuse(&(struct seek_config){ .table_ms = { odd, 3 } },
	       "seek.table_ms: 3 numbers; pairs of distance and milliseconds "
	       "are wanted");
	refuse(&(struct seek_config){ .table_ms = { back, 4 } },
	       "seek.table_ms: distance number 2 is not a whole number above "
	       "the one before");
	refuse(&(struct seek_config){ .table_ms = { back, 2 },
				      .write_settle_ns = -1 },
	       "seek: a write seek over 1 cylinder(s) would take 0 ns; above "
	       "0, at most 2 s");
	refuse(&(struct seek_config){ .short_a_ns = MS(3),
				      .short_b_ns = MS(1),
				      .long_c_ns = MS(4),
				      .break_cyl = 16 },
	       "seek: 16 cylinders would take 4000000 ns, less than the "
	       "6872983 ns of one fewer");
}

/* A command that begins settles as after a seek; streaming does not. */
static void
test_restart_as_seek(void **state)
{
	struct seek_config config = { .single_ns = 1000000,
				      .average_ns = 5000000,
				      .full_ns = 9000000,
				      .write_settle_ns = 200000,
				      .head_switch_ns = 300000,
				      .restart_as_seek = true,
				      .aam_percent = 100 };
	struct seek_curve *curve = NULL;

	(void)state;
	assert_int_equal(seek_create(&config, 1000, &curve, NULL), 0);
	assert_int_equal(seek_time_ns(curve, 0, true, false), 300000);
	assert_int_equal(seek_time_ns(curve, 0, true, true), 500000);
	assert_int_equal(seek_start_ns(curve, 0, false, false), 0);
	assert_int_equal(seek_start_ns(curve, 0, true, false), 1000000);
	assert_int_equal(seek_start_ns(curve, 0, false, true), 1200000);
	assert_int_equal(seek_start_ns(curve, 0, true, true), 1200000);
	assert_int_equal(seek_start_ns(curve, 1, true, false), 1000000);
	seek_free(curve);
	config.restart_as_seek = false;
	assert_int_equal(seek_create(&config, 1000, &curve, NULL), 0);
	assert_int_equal(seek_start_ns(curve, 0, true, false), 300000);
	assert_int_equal(seek_start_ns(curve, 0, false, true), 0);
	seek_free(curve);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_interpolates),
		cmocka_unit_test(test_falling_table_is_kept),
		cmocka_unit_test(test_published_curve),
		cmocka_unit_test(test_three_points),
		cmocka_unit_test(test_line_to_average),
		cmocka_unit_test(test_acoustic_mode),
		cmocka_unit_test(test_one_cylinder),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_restart_as_seek),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
