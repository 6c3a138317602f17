/* SPDX-License-Identifier: MIT */
#include "frontend/sweep.h"

#include "frontend/cell.h"

#include "sim/core/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "3/8" */
static int
parse_shard(struct sweep *sweep, const char *text, struct err *e)
{
	char *end = NULL;
	unsigned long i, n = 0;

	i = strtoul(text, &end, 10);
	if (*end == '/' && end[1] >= '0' && end[1] <= '9')
		n = strtoul(end + 1, &end, 10);
	if (*text < '0' || *text > '9' || *end || !i || i > n || n > 1000000)
		return err_set(e, ERR_CONFIG,
			       "--shard %s: must be I/N with I from 1 to N",
			       text);
	sweep->shard = (uint32_t)i;
	sweep->shards = (uint32_t)n;
	return 0;
}

static uint32_t
env_number(const char *name, uint32_t without)
{
	const char *text = getenv(name);
	char *end;
	unsigned long n;

	if (!text || *text < '0' || *text > '9')
		return without;
	n = strtoul(text, &end, 10);
	return *end || n > 1000000 ? without : (uint32_t)n;
}

/* A task of a Slurm array knows its part by itself. */
static int
choose_shard(struct sweep *sweep, struct err *e)
{
	uint32_t count = env_number("SLURM_ARRAY_TASK_COUNT", 0);
	uint32_t step = env_number("SLURM_ARRAY_TASK_STEP", 1);
	uint32_t low = env_number("SLURM_ARRAY_TASK_MIN", 1);
	uint32_t id = env_number("SLURM_ARRAY_TASK_ID", 0);

	sweep->shard = sweep->shards = 1;
	if (sweep->args->shard)
		return parse_shard(sweep, sweep->args->shard, e);
	if (!count || !getenv("SLURM_ARRAY_TASK_ID"))
		return 0;
	if (!step || id < low || (id - low) / step >= count)
		return err_set(e, ERR_CONFIG,
			       "SLURM_ARRAY_TASK_ID=%" PRIu32
			       " is none of %" PRIu32 " tasks from %" PRIu32
			       "; give --shard I/N",
			       id, count, low);
	sweep->shard = (id - low) / step + 1;
	sweep->shards = count;
	if (!sweep->args->run.quiet)
		fprintf(stderr,
			"ncqsim: shard %" PRIu32 " of %" PRIu32
			", by SLURM_ARRAY_TASK_ID\n",
			sweep->shard, sweep->shards);
	return 0;
}

static int
choose_reps(struct sweep *sweep, struct err *e)
{
	const struct sweep_args *args = sweep->args;
	struct workload workload;
	int err;

	sweep->reps = 1;
	if (!args->run.workload && args->reps > 1)
		return err_set(e, ERR_CONFIG,
			       "--reps needs a --workload, whose seed changes: "
			       "a trace gives the same every time");
	if (!args->run.workload)
		return 0;
	err = workload_parse(args->run.workload, &workload, e);
	if (err)
		return err;
	sweep->seed = workload.seed;
	if (args->reps > SWEEP_REPS_MAX)
		return err_set(e, ERR_CONFIG, "--reps: at most %d",
			       SWEEP_REPS_MAX);
	if (args->reps)
		sweep->reps = (uint32_t)args->reps;
	for (size_t i = 0; i < sweep->vary.axes; i++)
		if (sweep->reps > 1 &&
		    strcmp(sweep->vary.axis[i].key, "workload.seed") == 0)
			return err_set(e, ERR_CONFIG,
				       "--reps changes workload.seed, which is "
				       "varied too");
	return 0;
}

/* What is read must be the same in every cell. */
static int
check_axes(const struct vary *vary, struct err *e)
{
	static const char *const fixed[] = { "from",    "device",    "format",
					     "columns", "time-unit", "workload",
					     "lenient" };

	for (size_t i = 0; i < vary->axes; i++)
		for (size_t j = 0; j < ARRAY_LEN(fixed); j++)
			if (strcmp(vary->axis[i].key, fixed[j]) == 0)
				return err_set(e, ERR_CONFIG,
					       "--vary %s: every cell has the "
					       "same input",
					       fixed[j]);
	return 0;
}

static int
read_input(struct sweep *sweep, struct err *e)
{
	const struct run_args *args = &sweep->args->run;
	int err;

	if (args->workload) {
		sweep->input_hash =
			hash_bytes(args->workload, strlen(args->workload));
		return 0;
	}
	err = records_read(&sweep->records, sweep->line, RECORDS_BYTES_MAX, e);
	if (err)
		return err;
	sweep->input_hash = hash_final(sweep->records.hash);
	if (sweep->records.too_many &&
	    strcmp(sweep->line->words.text[0], "-") == 0)
		return err_set(e, ERR_CONFIG,
			       "standard input is too long to "
			       "be kept for several runs");
	if (args->file && load_trace_reads(sweep->records.trace, args->file))
		return err_set(e, ERR_CONFIG,
			       "--output: %s is the trace itself", args->file);
	if (!args->quiet)
		load_trace_print_warnings(sweep->records.trace);
	return 0;
}

int
sweep_configure_cell(const struct sweep *sweep, size_t index, struct cell *cell,
		     struct err *e)
{
	size_t combo = index / sweep->reps;
	char seed[24];
	int err = cell_init(cell, sweep->line, e);

	for (size_t i = 0; !err && i < sweep->vary.axes; i++) {
		const char *key = sweep->vary.axis[i].key;

		err = cell_set(cell, key, vary_value(&sweep->vary, i, combo),
			       e);
		if (err)
			err_prefix(e, "--vary %s", key);
	}
	snprintf(seed, sizeof(seed), "%" PRIu64,
		 sweep->seed + index % sweep->reps);
	if (!err && sweep->reps > 1)
		err = cell_set(cell, "workload.seed", seed, e);
	if (err)
		return err;
	return cell_configure(
		cell, sweep->records.record ? &sweep->records : NULL, e);
}

static uint64_t
hash_text(uint64_t hash, const char *text)
{
	return hash_add(hash, 0, text ? hash_bytes(text, strlen(text)) : 0, 0);
}

/* Everything that decides the cell's numbers, but for the input. */
static uint64_t
hash_config(uint64_t hash, const struct cell *cell)
{
	const struct option_table *table;
	char value[4096];

	hash = hash_text(hash, cell->args.workload);
	hash = hash_text(hash, cell->args.speed);
	for (size_t i = 0; (table = ncqsim_config_table(cell->cfg, i)); i++) {
		hash = hash_text(hash, table->section);
		for (size_t j = 0; j < table->count; j++) {
			char key[128];

			snprintf(key, sizeof(key), "%s.%s", table->section,
				 table->options[j].name);
			ncqsim_config_get(cell->cfg, key, value, sizeof(value),
					  NULL);
			hash = hash_text(hash, value);
		}
	}
	return hash;
}

/* One repetition stands for all: only the seed differs. */
static int
check_cells(struct sweep *sweep, struct err *e)
{
	uint64_t hash = hash_text(HASH_INITIAL, NCQSIM_VERSION);
	int err = 0;

	for (size_t i = 0; !err && i < sweep->vary.combos; i++) {
		struct cell cell;

		err = sweep_configure_cell(sweep, i * sweep->reps, &cell, e);
		if (!err)
			hash = hash_config(hash, &cell);
		cell_free(&cell);
	}
	hash = hash_add(hash, 0, sweep->reps, 0);
	sweep->config_hash = hash_final(hash);
	return err;
}

int
sweep_plan(struct sweep *sweep, struct err *e)
{
	const struct sweep_args *args = sweep->args;
	struct load load;
	int err = load_init(&load, sweep->line, e);

	/* Once, since it looks into the trace. */
	if (!err)
		err = run_choose_replay(sweep->line, &load, e);
	if (!err && args->run.compare)
		err = err_set(e, ERR_CONFIG, "--compare needs ncqsim run");
	if (!err)
		err = vary_parse(&sweep->vary, &args->vary, args->zip,
				 &args->run, e);
	if (!err)
		err = check_axes(&sweep->vary, e);
	if (!err)
		err = choose_shard(sweep, e);
	if (!err)
		err = choose_reps(sweep, e);
	if (!err)
		err = read_input(sweep, e);
	if (err)
		return err;
	sweep->cells = sweep->vary.combos * sweep->reps;
	sweep->cell = calloc(sweep->cells, sizeof(*sweep->cell));
	if (!sweep->cell)
		return err_nomem(e);
	err = check_cells(sweep, e);
	if (err)
		return err;
	sweep->head = sweep_head_line(sweep, e);
	return sweep->head ? 0 : e->code;
}

size_t
sweep_count(const struct sweep *sweep, bool done)
{
	size_t count = 0;

	for (size_t i = 0; i < sweep->cells; i++)
		count += sweep_is_ours(sweep, i) &&
			 (!done || sweep->cell[i].line);
	return count;
}

void
sweep_free(struct sweep *sweep)
{
	for (size_t i = 0; sweep->cell && i < sweep->cells; i++)
		free(sweep->cell[i].line);
	free(sweep->cell);
	free(sweep->head);
	vary_free(&sweep->vary);
	records_free(&sweep->records);
}
