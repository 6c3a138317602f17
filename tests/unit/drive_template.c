/* SPDX-License-Identifier: MIT */
/*
 * models/drives/TEMPLATE.ini lists every key of the tables with its help,
 * range and default.  It is written from the tables when UPDATE is set:
 *
 *	UPDATE=1 build/release/tests/unit/drive_template
 */
#include "sim/drive/drive_config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEMPLATE  "models/drives/TEMPLATE.ini"
#define WIDTH     77
#define BYTES_MAX (1 << 20)

/* Values that make a drive of it, where a default does not. */
static const char *const examples[][2] = {
	{ "drive.model", "MY DRIVE" }, { "mechanism.rpm", "7200" },
	{ "mechanism.heads", "2" },    { "zone 0.cylinders", "1000" },
	{ "zone 0.spt", "500" },       { "zone 1.cylinders", "1000" },
	{ "zone 1.spt", "400 392" },   { "zones.track_skew_us", "1000" },
	{ "seek.single_ms", "0.8" },   { "seek.average_ms", "8.5" },
	{ "seek.full_ms", "16" },      { "seek.head_switch_ms", "0.7" },
};

static const char *
example(const char *section, const char *key)
{
	char name[128];

	snprintf(name, sizeof(name), "%s.%s", section, key);
	for (size_t i = 0; i < ARRAY_LEN(examples); i++)
		if (strcmp(examples[i][0], name) == 0)
			return examples[i][1];
	return NULL;
}

/* Write @text as comment lines of at most WIDTH columns. */
static void
write_comment(FILE *f, const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t word = strcspn(text, " ");

		if (column && column + 1 + word > WIDTH) {
			fputc('\n', f);
			column = 0;
		}
		fprintf(f, "%s%.*s", column ? " " : "# ", (int)word, text);
		column += word + (column ? 1 : 2);
		text += word;
		text += strspn(text, " ");
	}
	fputc('\n', f);
}

static void
write_option(FILE *f, const char *section, const struct option *opt)
{
	const char *value = example(section, opt->name);
	char range[256], text[1024];

	write_comment(f, opt->help);
	option_format_range(opt, range, sizeof(range));
	if (!opt->initial)
		snprintf(text, sizeof(text), "(%s; must be given)", range);
	else
		snprintf(text, sizeof(text), "(%s; default %s)", range,
			 opt->initial[0] ? opt->initial : "none");
	write_comment(f, text);
	if (!value)
		value = opt->initial;
	assert_non_null(value);
	fprintf(f, "%s%s =%s%s\n\n", value[0] ? "" : "; ", opt->name,
		value[0] ? " " : "", value);
}

static void
write_table(FILE *f, const struct option_table *t, const char *section)
{
	write_comment(f, t->help);
	fprintf(f, "[%s]\n\n", section);
	for (size_t i = 0; i < t->count; i++)
		write_option(f, section, &t->options[i]);
}

static void
write_template(FILE *f)
{
	fputs("# SPDX-License-Identifier: MIT\n", f);
	write_comment(f, "Every key of a drive file with what it means, its "
			 "range and its default. Copy what differs, and give "
			 "each number its source: datasheet, measured, "
			 "extracted, inferred, recalled or "
			 "fitted(EXPERIMENT).");
	fputc('\n', f);
	for (const struct option_table *t = drive_config_tables; t->section;
	     t++)
		write_table(f, t, t->section);
	write_table(f, &drive_zone_table, "zone 0");
	fputs("[zone 1]\n\n", f);
	for (size_t i = 0; i < drive_zone_table.count; i++) {
		const char *key = drive_zone_table.options[i].name;
		const char *value = example("zone 1", key);

		if (value)
			fprintf(f, "%s = %s\n", key, value);
	}
}

static char *
expected_text(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	write_template(f);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void
test_lists_every_key(void **state)
{
	char *want = expected_text(), *have = calloc(1, BYTES_MAX);
	FILE *f;

	(void)state;
	if (getenv("UPDATE")) {
		f = fopen(TEMPLATE, "w");
		assert_non_null(f);
		assert_true(fputs(want, f) >= 0);
		assert_int_equal(fclose(f), 0);
	}
	f = fopen(TEMPLATE, "r");
	assert_non_null(f);
	assert_non_null(have);
	assert_true(fread(have, 1, BYTES_MAX - 1, f) > 0);
	fclose(f);
	if (strcmp(want, have) != 0)
		fail_msg(TEMPLATE " is not what the tables say; run "
				  "UPDATE=1 build/release/tests/unit/"
				  "drive_template");
	free(want);
	free(have);
}

static void
test_loads(void **state)
{
	struct seek_curve *seek;
	struct drive_config c;
	struct geometry *geo;
	struct err e;

	(void)state;
	if (drive_config_read(TEMPLATE, NULL, &c, &e) < 0)
		fail_msg("%s", e.text);
	if (drive_config_geometry(&c, &geo, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(geometry_capacity(geo), 1000 * 1000 + 1000 * 792);
	if (drive_config_seek(&c, geometry_cylinders(geo), &seek, &e) < 0)
		fail_msg("%s", e.text);
	seek_free(seek);
	geometry_free(geo);
	drive_config_free(&c);
}

/* Every table: defaults are in range, and go out and in unchanged. */
static void
check_round_trip(const struct option_table *t, void *config, void *again,
		 size_t size)
{
	char text[4096], back[4096];

	memset(config, 0, size);
	memset(again, 0, size);
	option_defaults(t, config);
	option_defaults(t, again);
	for (size_t i = 0; i < t->count; i++) {
		const struct option *o = &t->options[i];
		struct err e;

		assert_true(strlen(o->help) > 10);
		if (!o->initial)
			continue;
		option_format(o, config, text, sizeof(text));
		if (option_set(t, again, o->name, text, NULL, &e) < 0)
			fail_msg("%s", e.text);
		option_format(o, again, back, sizeof(back));
		assert_string_equal(text, back);
	}
	option_table_free(t, config);
	option_table_free(t, again);
}

static void
test_tables_round_trip(void **state)
{
	static struct drive_config a, b;
	struct zone_config x, y;

	(void)state;
	for (const struct option_table *t = drive_config_tables; t->section;
	     t++)
		check_round_trip(t, &a, &b, sizeof(a));
	check_round_trip(&drive_zone_table, &x, &y, sizeof(x));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists_every_key),
		cmocka_unit_test(test_loads),
		cmocka_unit_test(test_tables_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
