/* SPDX-License-Identifier: MIT */
#include "sim/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef NCQSIM_DATADIR
#define NCQSIM_DATADIR "/usr/local/share/ncqsim"
#endif

/* ---- the tables ---- */

static const char *const era_choices[] = { "2.6.18", "2.6.27",    "2.6.31",
					   "2.6.32", "2.6.32.71", "modern",
					   NULL };

static const struct option host_option[] = {
	{ .name = "kernel",
	  .help = "Linux whose block layer and elevators are simulated",
	  .initial = "2.6.32",
	  .type = OPTION_CHOICE,
	  .choices = era_choices,
	  .offset = offsetof(struct host_options, kernel) },
	{ .name = "queue_depth",
	  .help = "commands the host gives the drive at once; 1 turns NCQ "
		  "off; the drive may take fewer",
	  .unit = "commands",
	  .initial = "31",
	  .source = "libata: one of 32 tags was kept for internal commands "
		    "before Linux 4.18",
	  .type = OPTION_INT,
	  .min = 1,
	  .max = 32,
	  .offset = offsetof(struct host_options, queue_depth) },
	{ .name = "nr_requests",
	  .help = "requests the block layer makes of each kind before "
		  "submitters sleep",
	  .unit = "requests",
	  .initial = "128",
	  .type = OPTION_INT,
	  .min = 1,
	  .max = 65536,
	  .offset = offsetof(struct host_options, nr_requests) },
	{ .name = "max_sectors_kb",
	  .help = "largest request; longer transfers are split",
	  .unit = "KiB",
	  .initial = "512",
	  .type = OPTION_INT,
	  .min = 4,
	  .max = 32768,
	  .offset = offsetof(struct host_options, max_sectors_kb) },
	{ .name = "nomerges",
	  .help = "do not merge contiguous transfers into one request",
	  .initial = "no",
	  .type = OPTION_BOOL,
	  .offset = offsetof(struct host_options, nomerges) },
	{ .name = "ncq_prio",
	  .help = "send requests of the real-time class as NCQ commands of "
		  "high priority",
	  .initial = "no",
	  .source = "Linux 4.10: device/ncq_prio_enable",
	  .type = OPTION_BOOL,
	  .offset = offsetof(struct host_options, ncq_prio) },
	{ .name = "ncq_deadline_ms",
	  .help = "with host.ncq_prio, send them as isochronous commands to "
		  "be done within this time instead; above 1280 in steps of "
		  "500; 0: high priority",
	  .unit = "ms",
	  .initial = "0",
	  .source = "ACS-3, READ FPDMA QUEUED: PRIO, ICC",
	  .type = OPTION_INT,
	  .min = 0,
	  .max = 64000,
	  .offset = offsetof(struct host_options, ncq_deadline_ms) },
	{ .name = "unplug_thresh",
	  .help = "requests that a plugged queue collects before it runs",
	  .unit = "requests",
	  .initial = "4",
	  .type = OPTION_INT,
	  .min = 1,
	  .max = 128,
	  .offset = offsetof(struct host_options, unplug_thresh) },
	{ .name = "unplug_delay_ms",
	  .help = "time after which a plugged queue runs in any case",
	  .unit = "ms",
	  .initial = "3",
	  .type = OPTION_INT,
	  .min = 1,
	  .max = 1000,
	  .offset = offsetof(struct host_options, unplug_delay_ms) },
};

static const char *const replay_choices[] = { "timed", "depth", "think", NULL };
static const char *const beyond_choices[] = { "error", "wrap", "scale", "drop",
					      NULL };

static const struct option run_option[] = {
	{ .name = "replay",
	  .help = "timed: submit each record at its time (open loop); depth: "
		  "keep run.depth outstanding (closed loop); think: as long "
		  "after the completion before it as recorded (closed loop)",
	  .initial = "timed",
	  .type = OPTION_CHOICE,
	  .choices = replay_choices,
	  .offset = offsetof(struct run_options, replay) },
	{ .name = "depth",
	  .help = "transfers kept outstanding by run.replay = depth",
	  .unit = "transfers",
	  .initial = "32",
	  .type = OPTION_INT,
	  .min = 1,
	  .max = 65536,
	  .offset = offsetof(struct run_options, depth) },
	{ .name = "beyond",
	  .help = "what to do with a record past the drive's end: stop with "
		  "an error, wrap its address, scale all addresses, or drop "
		  "it",
	  .initial = "error",
	  .type = OPTION_CHOICE,
	  .choices = beyond_choices,
	  .offset = offsetof(struct run_options, beyond) },
	{ .name = "span_sectors",
	  .help = "size of the device the records come from, for run.beyond "
		  "= scale; 0 = as large as the drive",
	  .unit = "sectors",
	  .initial = "0",
	  .type = OPTION_INT,
	  .min = 0,
	  .max = INT64_C(1) << 48,
	  .offset = offsetof(struct run_options, span_sectors) },
	{ .name = "backlog_max",
	  .help = "most transfers outstanding in a timed run; further ones "
		  "wait, and the run counts as saturated",
	  .unit = "transfers",
	  .initial = "65536",
	  .type = OPTION_INT,
	  .min = 1,
	  .max = 1 << 24,
	  .offset = offsetof(struct run_options, backlog_max) },
	{ .name = "seed",
	  .help = "seed of every random stream",
	  .initial = "1",
	  .type = OPTION_INT,
	  .min = 0,
	  .max = INT64_MAX,
	  .offset = offsetof(struct run_options, seed) },
};

static const struct option_table host_table = {
	"host", "the Linux block layer and its driver", host_option,
	ARRAY_LEN(host_option)
};
static const struct option_table run_table = { "run", "how records become load",
					       run_option,
					       ARRAY_LEN(run_option) };

/* ---- the elevator's tunables as a table ---- */

static int
elevator_choose(struct ncqsim_config *cfg, const struct elevator_ops *ops,
		struct err *e)
{
	static const struct option_table none = { .section = "elevator" };
	struct elevator_options *own = &cfg->elevator;
	int rc = elevator_check(ops, e);
	void *values;

	if (rc < 0)
		return rc;
	values = calloc(1, ops->state_size);
	if (!values)
		return err_nomem(e);
	free(own->values);
	own->ops = ops;
	own->table = ops->options ? *ops->options : none;
	own->values = values;
	option_defaults(&own->table, values);
	return 0;
}

/* Each "key=value" of the comma-separated @list, as option of @section. */
static int
set_list(struct ncqsim_config *cfg, const char *section, const char *list,
	 const char *spec, struct err *e)
{
	const struct option_place place = { .file = spec };
	char key[OPTION_NAME_MAX], text[OPTION_NAME_MAX];
	int rc = 0, used;

	while (rc >= 0 && *list) {
		used = 0;
		if (sscanf(list, "%100[^=,]=%200[^,]%n", key, text, &used) != 2)
			return err_set(e, ERR_CONFIG,
				       "%s: \"%s\" is not key=value", spec,
				       list);
		memmove(key + strlen(section) + 1, key, strlen(key) + 1);
		memcpy(key, section, strlen(section));
		key[strlen(section)] = '.';
		rc = ncqsim_config_set(cfg, key, text, &place, e);
		list += used;
		list += *list == ',';
	}
	return rc;
}

/* The name before the colon of "NAME:key=value,..."; the rest is returned. */
static const char *
spec_name(const char *spec, char *name, size_t size)
{
	size_t n = strcspn(spec, ":");

	snprintf(name, size, "%.*s", (int)n, spec);
	return spec[n] ? spec + n + 1 : spec + n;
}

int
ncqsim_config_elevator(struct ncqsim_config *cfg, const char *spec,
		       struct err *e)
{
	char name[OPTION_NAME_MAX];
	const char *list = spec_name(spec, name, sizeof(name));
	const struct elevator_ops *ops =
		elevator_find(name, (enum host_era)cfg->host.kernel, e);
	int rc;

	if (!ops)
		return ERR_CONFIG;
	rc = elevator_choose(cfg, ops, e);
	return rc < 0 ? rc : set_list(cfg, "elevator", list, spec, e);
}

int
ncqsim_config_firmware(struct ncqsim_config *cfg, const char *spec,
		       struct err *e)
{
	char name[OPTION_NAME_MAX], names[OPTION_NAME_MAX] = "";
	const char *list = spec_name(spec, name, sizeof(name));
	const struct firmware_ops *ops = firmware_find(name);

	if (ops) {
		cfg->firmware = ops;
		return set_list(cfg, "firmware", list, spec, e);
	}
	for (size_t i = 0; firmware_table[i]; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names),
			 "%s%s", i ? ", " : "", firmware_table[i]->name);
	return err_set(e, ERR_CONFIG,
		       "firmware policy \"%s\" does not exist; there are: %s",
		       name, names);
}

/* Callers stop at the first NULL, so @i is never past the table's end. */
const char *
ncqsim_elevator_name(size_t i)
{
	return elevator_table[i] ? elevator_table[i]->name : NULL;
}

const char *
ncqsim_elevator_help(size_t i)
{
	return elevator_table[i] ? elevator_table[i]->help : NULL;
}

void
ncqsim_elevator_eras(size_t i, const char **first, const char **last)
{
	*first = host_era_name(elevator_table[i]->first_era);
	*last = host_era_name(elevator_table[i]->last_era);
}

const char *
ncqsim_firmware_name(size_t i)
{
	return firmware_table[i] ? firmware_table[i]->name : NULL;
}

const char *
ncqsim_firmware_help(size_t i)
{
	return firmware_table[i] ? firmware_table[i]->help : NULL;
}

/* ---- the drive ---- */

static bool
is_file(const char *path)
{
	return access(path, F_OK) == 0;
}

int
ncqsim_config_drive(struct ncqsim_config *cfg, const char *name, struct err *e)
{
	char dir[sizeof(cfg->models_dir) + 16], path[sizeof(dir) + 512];
	struct drive_config drive;
	int rc;

	snprintf(dir, sizeof(dir), "%s/drives", cfg->models_dir);
	if (strchr(name, '/') || is_file(name))
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "%s/%s.ini", dir, name);
	if (!is_file(path))
		return err_set(e, ERR_CONFIG,
			       "drive \"%s\": there is no %s (\"ncqsim drive "
			       "list\" shows the drives)",
			       name, path);
	rc = drive_config_read(path, dir, &drive, e);
	if (rc < 0)
		return rc;
	if (cfg->has_drive)
		drive_config_free(&cfg->drive);
	cfg->drive = drive;
	cfg->has_drive = true;
	snprintf(cfg->drive_name, sizeof(cfg->drive_name), "%s", name);
	return 0;
}

/* ---- keys ---- */

/* The table of @section and its struct; NULL when there is none. */
static const struct option_table *
table_find(const struct ncqsim_config *cfg, const char *section, size_t len,
	   const void **config)
{
	const struct option_table *const tables[] = { &host_table, &run_table,
						      &cfg->elevator.table };
	const void *const configs[] = { &cfg->host, &cfg->run,
					cfg->elevator.values };

	for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
		if (strlen(tables[i]->section) == len &&
		    memcmp(tables[i]->section, section, len) == 0) {
			*config = configs[i];
			return tables[i];
		}
	}
	return NULL;
}

int
ncqsim_config_set(struct ncqsim_config *cfg, const char *key, const char *text,
		  const struct option_place *place, struct err *e)
{
	static const struct option_place by_hand = { .file = "--set" };
	const struct option_table *table;
	const void *config;
	size_t len = strcspn(key, ".");

	if (!place)
		place = &by_hand;
	if (!key[len])
		return err_set(e, ERR_CONFIG,
			       "%s: \"%s\" is not a key; keys are "
			       "section.name, such as host.queue_depth",
			       place->file, key);
	table = table_find(cfg, key, len, &config);
	/* The tables are const, what they describe is ours to change. */
	if (table)
		return option_set(table, (void *)(uintptr_t)config,
				  key + len + 1, text, place, e);
	if (!cfg->has_drive)
		return err_set(e, ERR_CONFIG,
			       "%s: %s = %s: choose a drive first", place->file,
			       key, text);
	/* The last word counts, not that of ncqsim_config_firmware(). */
	if (strcmp(key, "firmware.policy") == 0)
		cfg->firmware = NULL;
	return drive_config_set(&cfg->drive, key, text, place, e);
}

int
ncqsim_config_get(const struct ncqsim_config *cfg, const char *key, char *buf,
		  size_t size, struct err *e)
{
	const struct option *opt = NULL;
	const void *config = NULL;
	size_t len = strcspn(key, ".");
	const struct option_table *table = table_find(cfg, key, len, &config);

	if (table && key[len])
		opt = option_find(table, key + len + 1);
	if (opt)
		return option_format(opt, config, buf, size);
	return drive_config_get(&cfg->drive, key, buf, size, e);
}

const struct option_table *
ncqsim_config_table(const struct ncqsim_config *cfg, size_t i)
{
	const struct option_table *const own[] = { &host_table, &run_table,
						   &cfg->elevator.table };

	if (i < ARRAY_LEN(own))
		return own[i];
	for (size_t n = 0; drive_config_tables[n].options; n++)
		if (n == i - ARRAY_LEN(own))
			return &drive_config_tables[n];
	return NULL;
}

/* ---- life ---- */

struct ncqsim_config *
ncqsim_config_new(const char *models_dir, struct err *e)
{
	struct ncqsim_config *cfg = calloc(1, sizeof(*cfg));

	if (!cfg) {
		err_nomem(e);
		return NULL;
	}
	snprintf(cfg->models_dir, sizeof(cfg->models_dir), "%s",
		 models_dir ? models_dir : NCQSIM_DATADIR);
	option_defaults(&host_table, &cfg->host);
	option_defaults(&run_table, &cfg->run);
	if (ncqsim_config_elevator(cfg, "noop", e) < 0) {
		ncqsim_config_free(cfg);
		return NULL;
	}
	return cfg;
}

struct ncqsim_config *
ncqsim_config_copy(const struct ncqsim_config *cfg, struct err *e)
{
	struct ncqsim_config *copy = malloc(sizeof(*copy));

	if (!copy) {
		err_nomem(e);
		return NULL;
	}
	*copy = *cfg;
	copy->has_drive = false;
	copy->elevator.values = malloc(cfg->elevator.ops->state_size);
	if (!copy->elevator.values) {
		err_nomem(e);
		ncqsim_config_free(copy);
		return NULL;
	}
	memcpy(copy->elevator.values, cfg->elevator.values,
	       cfg->elevator.ops->state_size);
	if (cfg->has_drive &&
	    drive_config_copy(&cfg->drive, &copy->drive, e) < 0) {
		ncqsim_config_free(copy);
		return NULL;
	}
	copy->has_drive = cfg->has_drive;
	return copy;
}

void
ncqsim_config_free(struct ncqsim_config *cfg)
{
	if (!cfg)
		return;
	if (cfg->has_drive)
		drive_config_free(&cfg->drive);
	free(cfg->elevator.values);
	free(cfg);
}
