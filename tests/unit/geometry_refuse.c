/* SPDX-License-Identifier: MIT */
/* Layouts that the map refuses, and what it says. */
#include "sim/drive/geometry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct refusal {
	const char *text;
	struct geometry_zone_config zone;
	struct geometry_config config;
	struct geometry_defect defects[2];
};

#define ZONE_OF(...)                                                           \
	{                                                                      \
		.cylinders = 4, .spt = { 10, 10 }, __VA_ARGS__                 \
	}
#define DRIVE_OF(...)                                                          \
	{                                                                      \
		.heads = 2, .zone_count = 1, __VA_ARGS__                       \
	}
static const struct refusal refusals[] = {
	{ "0 heads; 1 to 32", ZONE_OF(), { .zone_count = 1 }, { { 0 } } },
	{ "0 zones; 1 to 256", ZONE_OF(), { .heads = 2 }, { { 0 } } },
	{ "zone 0: 0 cylinders; 1 to 16776192",
	  { .spt = { 10, 10 } },
	  DRIVE_OF(),
	  { { 0 } } },
	{ "zone 0: 1 sectors per track on head 1; 2 to 1048576",
	  { .cylinders = 1, .spt = { 10, 1 } },
	  DRIVE_OF(),
	  { { 0 } } },
	{ "the zones hold 80 sectors, 1 fewer than the capacity of 81",
	  ZONE_OF(),
	  DRIVE_OF(.capacity = 81),
	  { { 0 } } },
	{ "zone 0: cyl_skew of 10 slots; a track has 10",
	  ZONE_OF(.cyl_skew = 10),
	  DRIVE_OF(),
	  { { 0 } } },
	{ "zone 0: 9 spare sectors leave fewer than 2 of the 10 of a "
	  "track",
	  ZONE_OF(.spare_sectors = 9),
	  DRIVE_OF(.sparing = SPARE_TRACK),
	  { { 0 } } },
	{ "zone 0: 9 unused tracks in front; it has 8",
	  ZONE_OF(.front_tracks = 9),
	  DRIVE_OF(),
	  { { 0 } } },
	{ "zone 0: 7 unused tracks and 10 sectors in front and the spares "
	  "leave no sector",
	  ZONE_OF(.front_tracks = 7, .front_sectors = 10),
	  DRIVE_OF(),
	  { { 0 } } },
	{ "zone 0: 3 spare sectors, but the drive has sparing = none",
	  ZONE_OF(.spare_sectors = 3),
	  DRIVE_OF(),
	  { { 0 } } },
	{ "band_cyl is 0; a mapping by bands needs the cylinders of a "
	  "band",
	  ZONE_OF(),
	  DRIVE_OF(.mapping = MAP_BAND),
	  { { 0 } } },
	{ "defect 4 0 0: the last cylinder is 3",
	  ZONE_OF(),
	  DRIVE_OF(.defect_count = 1),
	  { { .cyl = 4 } } },
	{ "defect 3 1 10: the track's last sector is 9",
	  ZONE_OF(),
	  DRIVE_OF(.defect_count = 1),
	  { { .cyl = 3, .head = 1, .sector = 10 } } },
	{ "defect 0 0 4: more slipped sectors than the 1 spare(s) here",
	  ZONE_OF(.spare_sectors = 1),
	  DRIVE_OF(.sparing = SPARE_TRACK, .defect_count = 2),
	  { { .sector = 3 }, { .sector = 4 } } },
	{ "defect 0 0 3 is listed twice",
	  ZONE_OF(.spare_sectors = 2),
	  DRIVE_OF(.sparing = SPARE_TRACK, .defect_count = 2),
	  { { .sector = 3 }, { .sector = 3 } } },
	{ "defect 0 0 3 to 0 0 8: the latter is no free spare",
	  ZONE_OF(.spare_sectors = 1),
	  DRIVE_OF(.sparing = SPARE_TRACK, .defect_count = 1),
	  { { .sector = 3, .remapped = true, .to_sector = 8 } } },
	{ "defect 0 0 9: no LBA is there to be remapped",
	  ZONE_OF(.spare_sectors = 1),
	  DRIVE_OF(.sparing = SPARE_TRACK, .defect_count = 1),
	  { { .sector = 9, .remapped = true, .to_sector = 9 } } },
	{ "defects remapped to 1 0 9 and 1 0 9: the same spare",
	  ZONE_OF(.spare_sectors = 1),
	  DRIVE_OF(.sparing = SPARE_TRACK, .defect_count = 2),
	  { { .sector = 3, .remapped = true, .to_cyl = 1, .to_sector = 9 },
	    { .sector = 4, .remapped = true, .to_cyl = 1, .to_sector = 9 } } },
	{ "zone 0: 8589934592 sectors in groups of 4294967296; give it "
	  "as several zones",
	  { .cylinders = 1 << 22, .spt = { 1024, 1024 } },
	  DRIVE_OF(.mapping = MAP_BAND, .band_cyl = 1 << 21),
	  { { 0 } } },
};

static void
test_refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		struct geometry_config g = refusals[i].config;
		struct geometry *geo = NULL;
		struct err e = { 0 };

		g.zones = &refusals[i].zone;
		g.defects = refusals[i].defects;
		assert_int_equal(geometry_create(&g, &geo, &e), ERR_CONFIG);
		assert_string_equal(e.text, refusals[i].text);
		assert_null(geo);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
