/* SPDX-License-Identifier: MIT */
#include "sim/drive/drive_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Files are written into a fresh folder, which is the working directory. */
static int
enter_folder(void **state)
{
	char folder[] = "/tmp/ncqsim-drive-XXXXXX";

	if (!mkdtemp(folder) || chdir(folder) < 0)
		return -1;
	*state = strdup(folder);
	return *state ? 0 : -1;
}

static int
leave_folder(void **state)
{
	char command[128];
	int r;

	snprintf(command, sizeof(command), "rm -r %s", (char *)*state);
	r = chdir("/");
	r |= system(command);
	free(*state);
	return r;
}

static void
write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void
read_ok(const char *name, struct drive_config *config)
{
	struct err e = { 0 };

	if (drive_config_read(name, NULL, config, &e) < 0)
		fail_msg("%s", e.text);
}

static struct geometry *
geometry_ok(const struct drive_config *config)
{
	struct geometry *geo = NULL;
	struct err e = { 0 };

	if (drive_config_geometry(config, &geo, &e) < 0)
		fail_msg("%s", e.text);
	return geo;
}

#define HEAD "[drive]\nmodel = X\n[mechanism]\nrpm = 6000\nheads = 2\n"

static void
test_zones_one_by_one(void **state)
{
	struct geometry_place p;
	struct drive_config c;
	struct geometry *geo;

	(void)state;
	write_file("a.ini", HEAD "[zones]\ntrack_skew_us = 1000\n"
				 "[zone 0]\ncylinders = 3\nspt = 100\n"
				 "cyl_skew = 7\n"
				 "[zone 1]\ncylinders = 2\nspt = 80, 90\n"
				 "first_slot = 5\n");
	read_ok("a.ini", &c);
	assert_string_equal(c.identity.model, "X");
	geo = geometry_ok(&c);
	assert_int_equal(geometry_capacity(geo), 3 * 200 + 2 * 170);
	/* 10 ms a revolution: 1 ms is 10 of 100 slots */
	geometry_decode(geo, 100, &p);
	assert_int_equal(p.head, 1);
	assert_int_equal(p.slot, 10);
	geometry_decode(geo, 200, &p);
	assert_int_equal(p.cyl, 1);
	assert_int_equal(p.slot, 17);
	/* 8 of 80 and one of margin: 5 + 9 of 80 is 15.75 of 90 */
	geometry_decode(geo, 680, &p);
	assert_int_equal(p.head, 1);
	assert_int_equal(p.spt, 90);
	assert_int_equal(p.slot, 16);
	geometry_free(geo);
	drive_config_free(&c);
}

static void
test_zones_by_count(void **state)
{
	static const uint32_t spt[] = { 100, 88, 75, 63, 50 };
	static const uint32_t cylinders[] = { 3, 3, 2, 2, 2 };
	struct drive_config c;
	struct geometry *geo;
	uint32_t cyl = 0;

	(void)state;
	write_file("a.ini", HEAD "[zones]\ncount = 5\ncylinders = 12\n"
				 "spt_outer = 100\nspt_inner = 50\n");
	read_ok("a.ini", &c);
	geo = geometry_ok(&c);
	assert_int_equal(geometry_cylinders(geo), 12);
	for (int z = 0; z < 5; z++)
		for (uint32_t i = 0; i < cylinders[z]; i++, cyl++)
			assert_int_equal(geometry_spt(geo, cyl, 0), spt[z]);
	geometry_free(geo);
	drive_config_free(&c);
}

static void
test_inherit(void **state)
{
	struct drive_config c;
	struct geometry *geo;

	(void)state;
	write_file("base.ini", HEAD "[zones]\ncount = 2\ncylinders = 4\n"
				    "spt_outer = 100\nspt_inner = 50\n"
				    "[seek]\nsingle_ms = 1\n");
	write_file("mid.ini", "[drive]\ninherit = base\nyear = 1999\n"
			      "[mechanism]\nrpm = 7200\n"
			      "[seek]\nfull_ms = 9.5\n");
	write_file("top.ini", "[drive]\ninherit = mid.ini\nmodel = Y\n"
			      "[zone 0]\ncylinders = 5\nspt = 10\n");
	read_ok("mid.ini", &c);
	assert_string_equal(c.identity.model, "X");
	assert_int_equal(c.mechanism.rpm, 7200);
	assert_int_equal(c.all_zones.count, 2);
	drive_config_free(&c);
	read_ok("top.ini", &c);
	assert_string_equal(c.identity.model, "Y");
	assert_int_equal(c.identity.year, 1999);
	assert_int_equal(c.seek.single_ns, 1000000);
	assert_int_equal(c.seek.full_ns, 9500000);
	geo = geometry_ok(&c);
	assert_int_equal(geometry_capacity(geo), 100);
	geometry_free(geo);
	drive_config_free(&c);
}

static void
test_models_folder(void **state)
{
	struct drive_config c;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(system("mkdir -p m/drives"), 0);
	write_file("m/drives/far.ini", HEAD "[zone 0]\ncylinders = 3\n"
					    "spt = 9\n");
	write_file("a.ini", "[drive]\ninherit = far\n");
	assert_int_equal(drive_config_read("a.ini", "m", &c, &e), 0);
	drive_config_free(&c);
	assert_int_equal(drive_config_read("a.ini", NULL, &c, &e), ERR_CONFIG);
	assert_string_equal(e.text,
			    "a.ini: inherit = far: no such file beside it");
}

static void
test_defects_and_sector_size(void **state)
{
	struct geometry_place p;
	struct drive_config c;
	struct geometry *geo;

	(void)state;
	write_file("a.ini", "[drive]\nmodel = X\ncapacity_sectors = 192\n"
			    "[mechanism]\nrpm = 6000\nheads = 1\n"
			    "sparing = track\nphysical_sector_bytes = 4096\n"
			    "slipped = 0 0 2 \\\n  1 0 0 # two of them\n"
			    "remapped = 2 0 3  2 0 9\n"
			    "[zone 0]\ncylinders = 3\nspt = 10\n"
			    "spare_sectors = 2\n");
	read_ok("a.ini", &c);
	geo = geometry_ok(&c);
	assert_int_equal(geometry_capacity(geo), 24);
	geometry_decode(geo, 2, &p);
	assert_int_equal(p.sector, 3);
	geometry_decode(geo, 8, &p);
	assert_int_equal(p.sector, 1);
	geometry_decode(geo, 19, &p);
	assert_int_equal(p.cyl, 2);
	assert_int_equal(p.sector, 9);
	geometry_free(geo);
	drive_config_free(&c);
}

/* A slipped track moves the next ones up; a zone may be a gap. */
static void
test_tracks_and_gaps(void **state)
{
	struct geometry_place p;
	struct drive_config c;
	struct geometry *geo;

	(void)state;
	write_file("a.ini", HEAD "sparing = zone\nslipped_tracks = 0 1, 5 0\n"
				 "[zone 0]\ncylinders = 3\nspt = 10\n"
				 "spare_sectors = 10\ntrack_skew = 2\n"
				 "cyl_skew = 3\n"
				 "[zone 1]\ncylinders = 2\nspt = 9\n"
				 "front_tracks = 4\n"
				 "[zone 2]\ncylinders = 2\nspt = 8\n"
				 "spare_sectors = 8\n");
	read_ok("a.ini", &c);
	geo = geometry_ok(&c);
	assert_int_equal(geometry_capacity(geo), 50 + 24);
	geometry_decode(geo, 10, &p);
	assert_int_equal(p.cyl, 1);
	assert_int_equal(p.head, 0);
	assert_int_equal(p.slot, 5);
	geometry_decode(geo, 49, &p);
	assert_int_equal(p.cyl, 2);
	assert_int_equal(p.head, 1);
	geometry_decode(geo, 50, &p);
	assert_int_equal(p.cyl, 5);
	assert_int_equal(p.head, 1);
	geometry_free(geo);
	drive_config_free(&c);
}

static void
test_copy_is_apart(void **state)
{
	struct drive_config a, b;
	struct geometry *geo;

	(void)state;
	write_file("a.ini", HEAD "[seek]\ntable_ms = 1 2  3 4\n"
				 "[zone 0]\ncylinders = 3\nspt = 9 8\n");
	read_ok("a.ini", &a);
	assert_int_equal(drive_config_copy(&a, &b, NULL), 0);
	drive_config_free(&a);
	assert_int_equal(b.seek.table_ms.count, 4);
	assert_int_equal(b.seek.table_ms.micro[3], 4000000);
	assert_int_equal(drive_config_set(&b, "zone 0.spt", "7 6", NULL, NULL),
			 0);
	geo = geometry_ok(&b);
	assert_int_equal(geometry_capacity(geo), 39);
	geometry_free(geo);
	drive_config_free(&b);
}

static void
refuse_read(const char *text, const char *message)
{
	struct drive_config c;
	struct err e = { 0 };

	write_file("a.ini", text);
	assert_int_equal(drive_config_read("a.ini", NULL, &c, &e), ERR_CONFIG);
	assert_string_equal(e.text, message);
}

static void
test_malformed_files(void **state)
{
	struct drive_config c;
	struct err e = { 0 };

	(void)state;
	refuse_read("[drive]\nmodel = X\n[mechanism]\nrmp = 7200\n",
		    "a.ini:4:1: unknown key \"rmp\" in [mechanism]; did you "
		    "mean \"rpm\"?");
	refuse_read("[drive]\nmodel = X\n[mechanism]\nrpm = 72OO\n",
		    "a.ini:4:7: rpm = 72OO: not a number; 60 to 30000 "
		    "revolutions/min");
	refuse_read("[drive]\nmodel = X\n[mechanim]\n",
		    "a.ini:3:1: unknown section [mechanim]; did you mean "
		    "[mechanism]?");
	refuse_read("rpm = 1\n", "a.ini:1:1: a key before the first [section]");
	refuse_read("[drive]\nmodel = X\n[mechanism]\nheads = 2\n",
		    "a.ini: the key \"rpm\" is missing in [mechanism]; 60 to "
		    "30000 revolutions/min");
	refuse_read(HEAD "[zone 0]\nspt = 3\n",
		    "a.ini: the key \"cylinders\" is missing in [zone 0]; 1 to "
		    "16777216 cylinders");
	refuse_read(HEAD "[zone 1]\nspt = 3\n",
		    "a.ini:6:1: [zone 1] without [zone 0] before it");
	refuse_read(HEAD "rpm = 3\n",
		    "a.ini:6:1: mechanism.rpm is given twice, first in line "
		    "4");
	refuse_read(HEAD "[zones]\ncount = 3\n[zone 0]\n",
		    "a.ini:8:1: [zone N] beside a count in [zones]: give one "
		    "or the other");
	refuse_read("[drive]\ninherit = a\n",
		    "a.ini: inherit = a: more than 8 files inherit from each "
		    "other; a circle?");
	assert_int_equal(drive_config_read("none.ini", NULL, &c, &e),
			 ERR_INPUT);
	assert_string_equal(e.text, "none.ini: No such file or directory");
}

static void
refuse_layout(const char *text, const char *message)
{
	struct geometry *geo = NULL;
	struct drive_config c;
	struct err e = { 0 };

	write_file("a.ini", text);
	read_ok("a.ini", &c);
	assert_int_equal(drive_config_geometry(&c, &geo, &e), ERR_CONFIG);
	assert_string_equal(e.text, message);
	drive_config_free(&c);
}

#define ZONE0 "[zone 0]\ncylinders = 3\nspt = 9\n"

static void
test_contradictions(void **state)
{
	(void)state;
	refuse_layout(HEAD, "a.ini: no zones: neither [zone 0] nor a count in "
			    "[zones]");
	refuse_layout(HEAD "[zones]\ncount = 3\ncylinders = 2\n",
		      "a.ini: [zones] count = 3 wants cylinders (3 or more), "
		      "spt_outer and spt_inner (2 or more)");
	refuse_layout(HEAD "[zone 0]\ncylinders = 3\nspt = 9 8 7\n",
		      "a.ini: [zone 0] spt has 3 numbers; one, or one for "
		      "each of 2 heads");
	refuse_layout(HEAD ZONE0 "track_skew = 1\ntrack_skew_us = 2\n",
		      "a.ini: track_skew and track_skew_us in one section: "
		      "give one of them");
	refuse_layout(HEAD "slipped = 1 2\n" ZONE0,
		      "a.ini: mechanism.slipped: 2 numbers; a multiple of 3 "
		      "is wanted");
	refuse_layout(HEAD "slipped_tracks = 3 0\n" ZONE0,
		      "a.ini: mechanism.slipped_tracks: there is no track "
		      "3 0");
	refuse_layout(HEAD "remapped = 1 0 2 3 0 1.5\n" ZONE0,
		      "a.ini: mechanism.remapped: number 6 is not a whole "
		      "number within a drive");
	refuse_layout(HEAD "logical_sector_bytes = 4096\n" ZONE0,
		      "a.ini: sectors of 512 bytes on the platter, 4096 on "
		      "the interface; 512 or 4096, the latter not larger");
	refuse_layout("[drive]\ncapacity_sectors = 55\nmodel = X\n"
		      "[mechanism]\nrpm = 6000\nheads = 2\n" ZONE0,
		      "a.ini: the zones hold 54 sectors, 1 fewer than the "
		      "capacity of 55");
}

static void
test_set_by_hand(void **state)
{
	struct option_place place = { "--set", 0, 0, 0 };
	struct drive_config c;
	struct err e = { 0 };

	(void)state;
	write_file("a.ini", HEAD ZONE0);
	read_ok("a.ini", &c);
	assert_int_equal(
		drive_config_set(&c, "seek.single_ms", "1.5", &place, &e), 0);
	assert_int_equal(c.seek.single_ns, 1500000);
	assert_int_equal(drive_config_set(&c, "mechanism.rpm", "0", &place, &e),
			 ERR_CONFIG);
	assert_string_equal(e.text, "--set: mechanism.rpm = 0: too small; 60 "
				    "to 30000 revolutions/min");
	assert_int_equal(drive_config_set(&c, "rpm", "0", &place, &e),
			 ERR_CONFIG);
	assert_string_equal(e.text, "\"rpm\": a key is named section.key, for "
				    "example mechanism.rpm");
	assert_int_equal(drive_config_set(&c, "sek.x", "0", &place, &e),
			 ERR_CONFIG);
	assert_string_equal(e.text, "--set: unknown section [sek]; did you "
				    "mean [seek]?");
	drive_config_free(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zones_one_by_one),
		cmocka_unit_test(test_zones_by_count),
		cmocka_unit_test(test_inherit),
		cmocka_unit_test(test_models_folder),
		cmocka_unit_test(test_defects_and_sector_size),
		cmocka_unit_test(test_tracks_and_gaps),
		cmocka_unit_test(test_copy_is_apart),
		cmocka_unit_test(test_malformed_files),
		cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_set_by_hand),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
