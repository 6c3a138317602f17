/* SPDX-License-Identifier: MIT */
/* Reading drive files. */
#include "sim/drive/drive_config.h"

#include "sim/core/ini.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INHERIT_MAX 8 /* files in a chain */
#define PATH_BYTES  (OPTION_NAME_MAX * 2)

/* A key that this file has given, to find it given twice. */
struct seen {
	char *name; /* "section.key" */
	int line;
};

/* One file of a chain of inherit being read. */
struct file {
	const char *path, *models_dir;
	struct drive_config *config;
	struct seen *seen;
	size_t seen_count, seen_capacity;
	char inherit[OPTION_NAME_MAX];
	int depth;
	bool has_count, has_zone; /* this file says zones in this way */
};

/* ---- Tables and zones ------------------------------------------------------
 */

static const struct option_table *
find_table(const char *section)
{
	const struct option_table *t = drive_config_tables;

	while (t->section && strcmp(t->section, section) != 0)
		t++;
	return t->section ? t : NULL;
}

/* "zone 12" as 12; -1 when it is something else. */
static int
parse_zone_section(const char *section)
{
	char *end;
	long number;

	if (strncmp(section, "zone ", 5) != 0 || section[5] < '0' ||
	    section[5] > '9')
		return -1;
	number = strtol(section + 5, &end, 10);
	return *end || number >= GEOMETRY_ZONES_MAX ? -1 : (int)number;
}

static int
fail_section(const char *section, const struct option_place *place,
	     struct err *e)
{
	const char *names[16] = { NULL }, *nearest;
	size_t count = 0;

	for (const struct option_table *t = drive_config_tables; t->section;
	     t++) {
		assert(count + 2 < ARRAY_LEN(names));
		names[count++] = t->section;
	}
	names[count] = "zone 0";
	nearest = option_nearest(section, names);
	err_set(e, ERR_CONFIG, "unknown section [%s]%s%s%s", section,
		nearest ? "; did you mean [" : "", nearest ? nearest : "",
		nearest ? "]?" : "");
	if (!place || !place->file)
		return ERR_CONFIG;
	if (place->line)
		err_prefix(e, "%s:%d:%d", place->file, place->line,
			   place->key_column);
	else
		err_prefix(e, "%s", place->file);
	return ERR_CONFIG;
}

static int
fail_at(const struct option_place *place, struct err *e, const char *message)
{
	return err_set(e, ERR_CONFIG, "%s:%d:%d: %s", place->file, place->line,
		       place->key_column, message);
}

static void
drop_zones(struct drive_config *config)
{
	for (uint32_t i = 0; i < config->zone_count; i++)
		option_table_free(&drive_zone_table, &config->zones[i]);
	free(config->zones);
	config->zones = NULL;
	config->zone_count = 0;
}

static int
add_zone(struct drive_config *config, struct err *e)
{
	struct zone_config *zones;

	zones = realloc(config->zones,
			(config->zone_count + 1) * sizeof(*zones));
	if (!zones)
		return err_nomem(e);
	config->zones = zones;
	option_defaults(&drive_zone_table, &zones[config->zone_count++]);
	return 0;
}

/* ---- One entry -------------------------------------------------------------
 */

static int
note_seen(struct file *f, const char *section, const char *key,
	  const struct option_place *place, struct err *e)
{
	char name[OPTION_NAME_MAX], message[OPTION_NAME_MAX + 64];

	snprintf(name, sizeof(name), "%s.%s", section, key);
	for (size_t i = 0; i < f->seen_count; i++) {
		if (strcmp(f->seen[i].name, name) != 0)
			continue;
		snprintf(message, sizeof(message),
			 "%s is given twice, first in line %d", name,
			 f->seen[i].line);
		return fail_at(place, e, message);
	}
	if (f->seen_count == f->seen_capacity) {
		size_t capacity = 2 * f->seen_capacity + 64;
		struct seen *grown =
			realloc(f->seen, capacity * sizeof(*grown));

		if (!grown)
			return err_nomem(e);
		f->seen = grown;
		f->seen_capacity = capacity;
	}
	f->seen[f->seen_count].name = strdup(name);
	if (!f->seen[f->seen_count].name)
		return err_nomem(e);
	f->seen[f->seen_count++].line = place->line;
	return 0;
}

/* A section [zone N] begins: it must follow those there are. */
static int
begin_zone(struct file *f, int number, const struct option_place *place,
	   struct err *e)
{
	struct drive_config *config = f->config;
	char message[96];

	if (f->has_count)
		return fail_at(place, e,
			       "[zone N] beside a count in [zones]: give one "
			       "or the other");
	if (!f->has_zone)
		config->all_zones.count = 0; /* an inherited one */
	f->has_zone = true;
	if (number < (int)config->zone_count)
		return 0;
	if (number == (int)config->zone_count)
		return add_zone(config, e);
	snprintf(message, sizeof(message),
		 "[zone %d] without [zone %u] before it", number,
		 config->zone_count);
	return fail_at(place, e, message);
}

static int
set_common(struct file *f, const struct option_table *table, const char *key,
	   const char *value, const struct option_place *place, struct err *e)
{
	int r = option_set(table, f->config, key, value, place, e);

	if (r < 0 || !f->config->all_zones.count ||
	    strcmp(table->section, "zones") != 0 || strcmp(key, "count") != 0)
		return r;
	if (f->has_zone)
		return fail_at(
			place, e,
			"a count beside [zone N]: give one or the other");
	f->has_count = true;
	drop_zones(f->config);
	return 0;
}

static int
apply_entry(void *ctx, const char *section, const char *key, const char *value,
	    const struct option_place *place, struct err *e)
{
	const struct option_table *table = find_table(section);
	struct file *f = ctx;
	int zone = parse_zone_section(section), r;

	if (!section[0])
		return fail_at(place, e, "a key before the first [section]");
	if (!table && zone < 0)
		return fail_section(section, place, e);
	if (!key)
		return zone < 0 ? 0 : begin_zone(f, zone, place, e);
	r = note_seen(f, section, key, place, e);
	if (r < 0)
		return r;
	if (zone >= 0)
		return option_set(&drive_zone_table, &f->config->zones[zone],
				  key, value, place, e);
	return set_common(f, table, key, value, place, e);
}

/* First reading: which file is inherited? */
static int
find_inherit(void *ctx, const char *section, const char *key, const char *value,
	     const struct option_place *place, struct err *e)
{
	struct file *f = ctx;

	(void)place, (void)e;
	if (key && strcmp(section, "drive") == 0 && strcmp(key, "inherit") == 0)
		snprintf(f->inherit, sizeof(f->inherit), "%s", value);
	return 0;
}

/* ---- Files -----------------------------------------------------------------
 */

static bool
is_readable(const char *path)
{
	FILE *file = fopen(path, "rb");

	if (file)
		fclose(file);
	return file != NULL;
}

/* Does @dir/@name exist, with or without ".ini"?  Fills @path. */
static bool
try_path(const char *dir, size_t dir_length, const char *name, char *path)
{
	snprintf(path, PATH_BYTES, "%.*s%s", (int)dir_length, dir, name);
	if (is_readable(path))
		return true;
	snprintf(path, PATH_BYTES, "%.*s%s.ini", (int)dir_length, dir, name);
	return is_readable(path);
}

static int
find_inherited(const struct file *f, char *path, struct err *e)
{
	const char *slash = strrchr(f->path, '/');
	size_t folder = slash ? (size_t)(slash - f->path) + 1 : 0;
	char dir[PATH_BYTES];

	if (try_path(f->path, folder, f->inherit, path))
		return 0;
	for (int i = 0; f->models_dir && i < 2; i++) {
		snprintf(dir, sizeof(dir), "%s/%s", f->models_dir,
			 i ? "drives/" : "");
		if (try_path(dir, strlen(dir), f->inherit, path))
			return 0;
	}
	return err_set(e, ERR_CONFIG,
		       "%s: inherit = %s: no such file beside it%s%s", f->path,
		       f->inherit, f->models_dir ? " or in " : "",
		       f->models_dir ? f->models_dir : "");
}

static void
free_seen(struct file *f)
{
	for (size_t i = 0; i < f->seen_count; i++)
		free(f->seen[i].name);
	free(f->seen);
	f->seen = NULL;
	f->seen_count = 0;
}

static int
open_next(struct file *files, int count, struct err *e)
{
	struct file *last = &files[count - 1];
	int r = ini_read_file(last->path, find_inherit, last, e);

	if (r < 0 || !last->inherit[0])
		return r;
	if (count == INHERIT_MAX)
		return err_set(e, ERR_CONFIG,
			       "%s: inherit = %s: more than %d files inherit "
			       "from each other; a circle?",
			       last->path, last->inherit, INHERIT_MAX);
	files[count] = (struct file){ .models_dir = last->models_dir,
				      .config = last->config };
	return 1;
}

/* Read a chain of files, the one all others inherit from first. */
static int
read_chain(const char *path, const char *models_dir,
	   struct drive_config *config, struct file *keys, struct err *e)
{
	char paths[INHERIT_MAX][PATH_BYTES];
	struct file files[INHERIT_MAX] = {
		{ .path = path, .models_dir = models_dir, .config = config }
	};
	int count = 1, r;

	while ((r = open_next(files, count, e)) > 0) {
		r = find_inherited(&files[count - 1], paths[count], e);
		if (r < 0)
			return r;
		files[count].path = paths[count];
		count++;
	}
	while (r == 0 && count-- > 0) {
		struct file *f = &files[count];

		r = ini_read_file(f->path, apply_entry, f, e);
		/* only names of given keys are wanted after this */
		for (size_t i = 0; r == 0 && i < f->seen_count; i++) {
			char *dot = strrchr(f->seen[i].name, '.');
			struct option_place place = { path, 0, 0, 0 };

			*dot = '\0';
			note_seen(keys, f->seen[i].name, dot + 1, &place, NULL);
		}
		free_seen(f);
	}
	return r;
}

/* ---- Missing keys ----------------------------------------------------------
 */

static bool
is_given(const struct file *keys, const char *section, const char *key)
{
	char name[OPTION_NAME_MAX];

	snprintf(name, sizeof(name), "%s.%s", section, key);
	for (size_t i = 0; i < keys->seen_count; i++) {
		if (strcmp(keys->seen[i].name, name) == 0)
			return true;
	}
	return false;
}

static int
check_table(const struct file *keys, const struct option_table *table,
	    const char *section, struct err *e)
{
	char range[256];

	for (size_t i = 0; i < table->count; i++) {
		const struct option *opt = &table->options[i];

		if (opt->initial || is_given(keys, section, opt->name))
			continue;
		option_format_range(opt, range, sizeof(range));
		return err_set(e, ERR_CONFIG,
			       "%s: the key \"%s\" is missing in [%s]; %s",
			       keys->path, opt->name, section, range);
	}
	return 0;
}

static int
check_missing(const struct file *keys, const struct drive_config *config,
	      struct err *e)
{
	char section[32];
	int r = 0;

	for (const struct option_table *t = drive_config_tables;
	     r == 0 && t->section; t++)
		r = check_table(keys, t, t->section, e);
	for (uint32_t i = 0; r == 0 && i < config->zone_count; i++) {
		snprintf(section, sizeof(section), "zone %u", i);
		r = check_table(keys, &drive_zone_table, section, e);
	}
	return r;
}

/* ---- The interface ---------------------------------------------------------
 */

int
drive_config_read(const char *path, const char *models_dir,
		  struct drive_config *config, struct err *e)
{
	struct file keys = { .path = path };
	int r;

	memset(config, 0, sizeof(*config));
	for (const struct option_table *t = drive_config_tables; t->section;
	     t++)
		option_defaults(t, config);
	snprintf(config->path, sizeof(config->path), "%s", path);
	r = read_chain(path, models_dir, config, &keys, e);
	if (r == 0)
		r = check_missing(&keys, config, e);
	free_seen(&keys);
	if (r < 0)
		drive_config_free(config);
	return r;
}

void
drive_config_free(struct drive_config *config)
{
	for (const struct option_table *t = drive_config_tables; t->section;
	     t++)
		option_table_free(t, config);
	drop_zones(config);
}

static int
own_zones(struct drive_config *copy, const struct drive_config *config,
	  struct err *e)
{
	copy->zones = calloc(config->zone_count + 1, sizeof(*copy->zones));
	if (!copy->zones)
		return err_nomem(e);
	while (copy->zone_count < config->zone_count) {
		struct zone_config *z = &copy->zones[copy->zone_count];
		int r;

		*z = config->zones[copy->zone_count];
		r = option_table_own(&drive_zone_table, z, e);
		if (r < 0)
			return r;
		copy->zone_count++;
	}
	return 0;
}

int
drive_config_copy(const struct drive_config *config, struct drive_config *copy,
		  struct err *e)
{
	int r = 0;

	*copy = *config;
	copy->zones = NULL;
	copy->zone_count = 0;
	/* every table is gone through: none may keep another's lists */
	for (const struct option_table *t = drive_config_tables; t->section;
	     t++) {
		int failed = option_table_own(t, copy, e);

		r = r < 0 ? r : failed;
	}
	if (r == 0)
		r = own_zones(copy, config, e);
	if (r < 0)
		drive_config_free(copy);
	return r;
}

/* What a key names. */
struct named {
	const struct option_table *table;
	int zone; /* -1: none */
	const char *name;
};

static int
find_key(const struct drive_config *config, const char *key,
	 const struct option_place *place, struct named *named, struct err *e)
{
	const char *dot = strrchr(key, '.');
	char section[OPTION_NAME_MAX];

	if (!dot)
		return err_set(e, ERR_CONFIG,
			       "\"%s\": a key is named section.key, for "
			       "example mechanism.rpm",
			       key);
	snprintf(section, sizeof(section), "%.*s", (int)(dot - key), key);
	named->name = dot + 1;
	named->zone = parse_zone_section(section);
	named->table = &drive_zone_table;
	if (named->zone >= 0 && (uint32_t)named->zone < config->zone_count)
		return 0;
	named->zone = -1;
	named->table = find_table(section);
	return named->table ? 0 : fail_section(section, place, e);
}

int
drive_config_set(struct drive_config *config, const char *key, const char *text,
		 const struct option_place *place, struct err *e)
{
	struct named named;
	int rc = find_key(config, key, place, &named, e);

	if (rc < 0)
		return rc;
	if (named.zone >= 0)
		return option_set(named.table, &config->zones[named.zone],
				  named.name, text, place, e);
	return option_set(named.table, config, named.name, text, place, e);
}

int
drive_config_get(const struct drive_config *config, const char *key, char *buf,
		 size_t size, struct err *e)
{
	static const struct option_place place = { .file = "drive" };
	const struct option *opt;
	struct named named;
	int rc = find_key(config, key, &place, &named, e);

	if (rc < 0)
		return rc;
	opt = option_find(named.table, named.name);
	if (!opt)
		return err_set(e, ERR_CONFIG, "%s: there is no such key", key);
	if (named.zone >= 0)
		return option_format(opt, &config->zones[named.zone], buf,
				     size);
	return option_format(opt, config, buf, size);
}
