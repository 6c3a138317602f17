/* SPDX-License-Identifier: MIT */
/* Every drive file of models/drives: it loads, and gives known figures. */
#include "sim/drive/drive_config.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define FOLDER "models/drives"

struct loaded {
	struct drive_config config;
	struct geometry *geo;
	struct seek_curve *seek;
};

static void
load(const char *name, struct loaded *d)
{
	char path[512];
	struct err e = { 0 };

	snprintf(path, sizeof(path), FOLDER "/%s", name);
	if (drive_config_read(path, "models", &d->config, &e) < 0 ||
	    drive_config_geometry(&d->config, &d->geo, &e) < 0 ||
	    drive_config_seek(&d->config, geometry_cylinders(d->geo), &d->seek,
			      &e) < 0)
		fail_msg("%s", e.text);
}

static void
unload(struct loaded *d)
{
	drive_config_free(&d->config);
	geometry_free(d->geo);
	seek_free(d->seek);
}

/* One step from the end of a run to the next one: gap in ns, time needed. */
static double
gap_ns(const struct loaded *d, const struct geometry_place *from,
       const struct geometry_place *to)
{
	double turn_ns = 60e9 / (double)d->config.mechanism.rpm;
	double end = (double)(from->slot + from->run) / from->spt;
	double gap = (double)to->slot / to->spt - end;

	gap -= floor(gap + 1e-12);
	return gap * turn_ns;
}

static double
switch_ns(const struct loaded *d, const struct geometry_place *from,
	  const struct geometry_place *to)
{
	uint32_t distance =
		from->cyl > to->cyl ? from->cyl - to->cyl : to->cyl - from->cyl;

	return (double)seek_time_ns(d->seek, distance, from->head != to->head,
				    false);
}

/*
 * Bytes per second of a sequential read of @sectors, when every switch is
 * over before its skew is: that it is so is checked on the way.
 */
static double
sustained_rate(const struct loaded *d, uint64_t sectors)
{
	double turn_ns = 60e9 / (double)d->config.mechanism.rpm, ns = 0;
	struct geometry_place p, next;
	uint64_t lba = 0;

	geometry_decode(d->geo, lba, &p);
	while (lba < sectors) {
		lba += p.run;
		geometry_decode(d->geo, lba, &next);
		assert_true(switch_ns(d, &p, &next) <= gap_ns(d, &p, &next));
		ns += (double)p.run / p.spt * turn_ns + gap_ns(d, &p, &next);
		p = next;
	}
	return (double)lba * 1e9 / ns *
	       (double)d->config.mechanism.physical_sector_bytes;
}

static const struct {
	const char *name;
	uint64_t capacity_sectors; /* of 512 bytes */
	double seek_mean_ms;       /* data sheet; 0 = none */
	double seek_tolerance;
	double outer_mb_s; /* sustained; 0 = not known */
	double rate_tolerance;
} known[] = {
	{ "wd3200bjkt.ini", 625142448, 12.0, .001, 86.40, .002 },
	{ "maxtor-7b300s0.ini", 586114704, 9.3, .001, 65, .01 },
	{ "maxtor-7l320s0.ini", 625142448, 9.3, .001, 66, .01 },
	{ "samsung-hd160jj.ini", 312581808, 8.9, .001, 59, .01 },
	{ "hitachi-hds725050kla360.ini", 976773168, 8.5, .001, 64.8, .002 },
	{ "seagate-st3320613as-sd11.ini", 625142448, 8.5, .001, 133, .005 },
	{ "seagate-st3160023as.ini", 312581808, 8.5, .001, 58.37, .002 },
	{ "maxtor-6y080p0.ini", 160086528, 9.3, .001, 59.6, .002 },
	/* the published curve is 5 % below the data sheet's 13.5 ms */
	{ "hp97560.ini", 2684016, 13.5, .05, 0, 0 },
	{ "maxtor-atlas10k5-300.ini", 585937500, 4.82, .02, 0, 0 },
	/* its table's mean over these cylinders; 7.93 over all its distances */
	{ "wd-4tb-7200.ini", 7725673570, 7.502, .001, 0, 0 },
	{ "seagate-exos-x18.ini", 35156656128, 7.4, .001, 270, .005 },
	{ "teaching.ini", 1440, 5, .001, 0, 0 },
};

static void
test_known_figures(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		struct loaded d;
		uint64_t unit;
		double mean, rate;

		load(known[i].name, &d);
		unit = (uint64_t)d.config.mechanism.physical_sector_bytes / 512;
		assert_int_equal(geometry_capacity(d.geo) * unit,
				 known[i].capacity_sectors);
		mean = (double)seek_mean_ns(d.seek) / 1e6;
		if (fabs(mean / known[i].seek_mean_ms - 1) >
		    known[i].seek_tolerance)
			fail_msg("%s: mean seek %f ms", known[i].name, mean);
		rate = sustained_rate(&d, geometry_capacity(d.geo) / 200) / 1e6;
		if (known[i].outer_mb_s > 0 &&
		    fabs(rate / known[i].outer_mb_s - 1) >
			    known[i].rate_tolerance)
			fail_msg("%s: %f MB/s", known[i].name, rate);
		unload(&d);
	}
}

/* The whole drive without a lost revolution, where that is to be so. */
static void
test_small_drives_throughout(void **state)
{
	static const char *const names[] = { "teaching.ini", "hp97560.ini",
					     "maxtor-6y080p0.ini" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct loaded d;

		load(names[i], &d);
		sustained_rate(&d, geometry_capacity(d.geo) - 1200);
		unload(&d);
	}
}

static void
test_every_file_loads(void **state)
{
	DIR *folder = opendir(FOLDER);
	struct dirent *entry;
	int count = 0;

	(void)state;
	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		size_t length = strlen(entry->d_name);
		struct geometry_place p;
		struct loaded d;
		uint64_t last;

		if (length < 4 || strcmp(entry->d_name + length - 4, ".ini"))
			continue;
		load(entry->d_name, &d);
		last = geometry_capacity(d.geo) - 1;
		geometry_decode(d.geo, last, &p);
		assert_int_equal(
			geometry_encode(d.geo, p.cyl, p.head, p.sector), last);
		unload(&d);
		count++;
	}
	closedir(folder);
	assert_true(count >= (int)ARRAY_LEN(known));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_file_loads),
		cmocka_unit_test(test_known_figures),
		cmocka_unit_test(test_small_drives_throughout),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
