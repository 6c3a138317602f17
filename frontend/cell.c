/* SPDX-License-Identifier: MIT */
#include "frontend/cell.h"

#include "frontend/models.h"

#include "sim/core/hash.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_AT_A_TIME 50000 /* some milliseconds */

int
cell_init(struct cell *cell, const struct cli_line *line, struct err *e)
{
	const struct cli_list *set;
	int err = 0;

	memset(cell, 0, sizeof(*cell));
	cell->line = *line;
	memcpy(&cell->args, line->args, sizeof(cell->args));
	cell->line.args = &cell->args;
	set = &((const struct run_args *)line->args)->set;
	cell->args.set = (struct cli_list){ NULL, 0 };
	for (size_t i = 0; !err && i < set->count; i++)
		err = cli_list_add(&cell->args.set, set->text[i], e);
	return err;
}

static int
set_workload(struct cell *cell, const char *word, const char *value,
	     struct err *e)
{
	char *text;

	if (!cell->args.workload)
		return err_set(e, ERR_CONFIG,
			       "workload.%s: there is no --workload", word);
	if (asprintf(&text, "%s,%s=%s", cell->args.workload, word, value) < 0)
		return err_nomem(e);
	free(cell->workload);
	cell->workload = text;
	cell->args.workload = text;
	return 0;
}

/* The option of @key with "_" for "-", or -1. */
static int
find_option(const struct cli_option *options, const char *key)
{
	char name[64];
	int i;

	snprintf(name, sizeof(name), "%s", key);
	for (char *p = name; *p; p++)
		if (*p == '_')
			*p = '-';
	i = cli_find(options, name);
	return i >= 0 && options[i].repeats && options[i].kind != CLI_LIST ? i
									   : -1;
}

/* "--set KEY=VALUE"; the text is the cell's. */
static int
set_key(struct cell *cell, const char *key, const char *value, struct err *e)
{
	int i = cli_find(cell->line.options, "set");
	char *pair;

	if (asprintf(&pair, "%s=%s", key, value) < 0)
		return err_nomem(e);
	if (cli_list_add(&cell->pairs, pair, e)) {
		free(pair);
		return e->code;
	}
	return cli_set(&cell->line, (size_t)i, pair, e);
}

int
cell_set(struct cell *cell, const char *key, const char *value, struct err *e)
{
	int i;

	if (strncmp(key, "workload.", 9) == 0)
		return set_workload(cell, key + 9, value, e);
	if (strchr(key, '.'))
		return set_key(cell, key, value, e);
	i = find_option(cell->line.options, key);
	if (i < 0)
		return err_set(e, ERR_CONFIG,
			       "%s: no option of run, and no SECTION.KEY of "
			       "\"ncqsim help keys\"",
			       key);
	return cli_set(&cell->line, (size_t)i, value, e);
}

int
cell_configure(struct cell *cell, const struct records *records, struct err *e)
{
	int err = load_init(&cell->load, &cell->line, e);

	if (!err)
		err = run_choose_replay(&cell->line, &cell->load, e);
	cell->cfg = err ? NULL : models_config(e);
	if (!err && !cell->cfg)
		err = e->code;
	if (!err)
		err = run_configure(&cell->line, cell->cfg, e);
	if (!err)
		err = run_set_span(&cell->line, cell->cfg, records, e);
	return err;
}

static int
open_load(struct cell *cell, const struct records *records, struct err *e)
{
	struct ncqsim_drive_info drive;

	if (records && !cell->args.workload) {
		load_share(&cell->load, records);
		return 0;
	}
	ncqsim_drive_info(cell->sim, &drive);
	return load_open(&cell->load, &cell->line, drive.sectors, e);
}

static int
build(struct cell *cell, const struct records *records, struct err *e)
{
	int err;

	cell->sim = ncqsim_create(cell->cfg, e);
	if (!cell->sim)
		return e->code;
	cell->stats = stats_create(e);
	if (!cell->stats)
		return e->code;
	ncqsim_attach(cell->sim, stats_probe(cell->stats));
	err = open_load(cell, records, e);
	if (!err)
		ncqsim_feed(cell->sim, &cell->load.source);
	return err;
}

static int
gather(struct cell *cell, bool complete, struct err *e)
{
	struct report *report = &cell->report;

	*report = (struct report){
		.line = &cell->line,
		.config = cell->cfg,
		.input = cell->load.title,
		.stack = cell->texts.stack,
		.load = cell->texts.load,
		.input_hash = hash_final(cell->load.hash),
		.damaged = load_damaged(&cell->load),
		.complete = complete,
		.open_loop = cell->args.replay == REPLAY_TIMED,
	};
	if (report_gather(report, cell->sim, cell->stats, load_process_name,
			  &cell->load, e) < 0)
		return e->code;
	run_describe(&cell->args, cell->cfg, &report->drive, &cell->texts);
	return 0;
}

int
cell_run(struct cell *cell, const struct records *records, cell_stop_fn *stop,
	 void *ctx, struct err *e)
{
	int more = 1;
	int err = build(cell, records, e);

	if (err)
		return err;
	while (more > 0 && !stop(ctx, cell))
		more = ncqsim_run(cell->sim, EVENTS_AT_A_TIME, e);
	return more < 0 ? more : gather(cell, more == 0, e);
}

static void
free_pairs(struct cell *cell)
{
	for (size_t i = 0; i < cell->pairs.count; i++)
		free((char *)(uintptr_t)cell->pairs.text[i]);
	free(cell->pairs.text);
	free(cell->args.set.text);
}

void
cell_free(struct cell *cell)
{
	load_close(&cell->load);
	ncqsim_destroy(cell->sim);
	stats_free(cell->stats);
	ncqsim_config_free(cell->cfg);
	report_free(&cell->report);
	free_pairs(cell);
	free(cell->workload);
}
