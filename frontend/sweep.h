/* SPDX-License-Identifier: MIT */
/*
 * A sweep: many cells, each a simulation, and what is known of each.
 *
 *	cell = combo * reps + repetition
 *
 * Steps: sweep_plan() checks every configuration before anything runs;
 * sweep_file_open() takes what an earlier, killed command finished;
 * sweep_run() does the rest in threads; a writer prints it.
 *
 * The file is JSON Lines: a head that says what is swept, then a line for
 * each finished cell, each line with a checksum.  While a sweep runs the
 * lines are in FILE.part, in the order in which cells finish, each safe on
 * the disk before the next; FILE appears, ordered, when all are done.
 */
#ifndef NCQSIM_FRONTEND_SWEEP_H
#define NCQSIM_FRONTEND_SWEEP_H

#include "frontend/figures.h"
#include "frontend/records.h"
#include "frontend/run.h"
#include "frontend/vary.h"

#define SWEEP_SCHEMA         "ncqsim-sweep"
#define SWEEP_SCHEMA_VERSION 1
#define SWEEP_REPS_MAX       10000

struct sweep_args {
	struct run_args run; /* .file: the JSON Lines; .output: what is shown */
	struct cli_list vary;
	bool zip;
	uint64_t reps; /* 0: not given */
	uint64_t jobs; /* 0: as many as there are processors */
	const char *shard;
	const char *metric;
	bool resume;
};

struct sweep_cell {
	char *line; /* as in the file, with its newline; NULL: not done */
	struct figures figures;
};

struct sweep {
	struct cli_line *line; /* NULL when read from files */
	const struct sweep_args *args;
	struct vary vary;
	uint32_t reps;
	uint64_t seed; /* of repetition 0 */
	size_t cells;
	struct sweep_cell *cell; /* owned array */
	uint32_t shard, shards;  /* from 1; cell % shards == shard - 1 */
	uint64_t config_hash, input_hash;
	struct records records; /* .record NULL: each cell reads again */
	char *head;             /* first line of the file, owned */
};

/* Everything up to the first simulation, checked. */
int sweep_plan(struct sweep *sweep, struct err *e);
void sweep_free(struct sweep *sweep);

static inline bool
sweep_is_ours(const struct sweep *sweep, size_t cell)
{
	return cell % sweep->shards == sweep->shard - 1;
}

/* Cells of this shard, and how many of them are done. */
size_t sweep_count(const struct sweep *sweep, bool done);

/* The cell ready to run: command line changed, configured. */
struct cell;
int sweep_configure_cell(const struct sweep *sweep, size_t index,
			 struct cell *cell, struct err *e);

/* ---- sweep_line.c: lines of the file, in memory the caller frees ---- */

/* The head names the shard; merged files have 1 of 1. */
char *sweep_head_line(const struct sweep *sweep, struct err *e);
char *sweep_whole_head(const char *head, struct err *e); /* 1 of 1 */
char *sweep_cell_line(const struct sweep *sweep, size_t index,
		      const struct cell *cell, struct err *e);

/* Is the checksum at the end of this line (without newline) right? */
bool sweep_line_is_whole(const char *line, size_t length);

/* ---- sweep_file.c ---- */

struct sweep_file {
	char *part; /* FILE.part, owned; NULL: nothing is kept */
	const char *path;
	int fd;
	size_t end;    /* bytes that are whole */
	size_t broken; /* lines that were left out when it was read */
};

/* With --resume, takes the cells that are there already. */
int
sweep_file_open(struct sweep_file *file, struct sweep *sweep, struct err *e);

/* Append @lines, which are then on the disk; ERR_OUTPUT leaves the file as
 * it was before. */
int sweep_file_append(struct sweep_file *file, const char *lines, size_t length,
		      struct err *e);

/* Write FILE, ordered, and remove FILE.part. */
int sweep_file_finish(struct sweep_file *file, const struct sweep *sweep,
		      struct err *e);
void sweep_file_close(struct sweep_file *file);

/* ---- sweep_read.c, which needs jansson ---- */

/*
 * Take every whole line of @text into @sweep, whose head must be that of
 * the file: ERR_CONFIG names what differs.  A sweep without a head takes
 * the file's.  Adds to @broken the lines that are not whole, and sets @end
 * to where the last whole one ends.
 */
struct sweep_text {
	const char *path;
	const char *text;
	size_t length;
	bool any_shard; /* the shard may differ: merge */
	size_t end, broken;
};
int sweep_read(struct sweep *sweep, struct sweep_text *text, struct err *e);

/* The whole file, with a NUL after it; the caller frees.  An empty string
 * when there is none and @missing is true. */
char *
sweep_slurp(const char *path, bool missing, size_t *length, struct err *e);

/* ---- sweep_run.c ---- */

/* Run the cells that are not done.  Stops early for a signal. */
int sweep_run(struct sweep *sweep, struct sweep_file *file, struct err *e);

/* ---- sweep_report.c ---- */

/* Mean over the repetitions of a combo and half the width of its 95 %
 * confidence interval (Student's t), in the unit of struct figures. */
struct sweep_mean {
	int64_t mean;
	int64_t half;
	uint32_t count;
};
struct sweep_mean
sweep_mean(const struct sweep *sweep, size_t combo, enum figure figure);

int sweep_write(FILE *out, const struct sweep *sweep, int format,
		const char *metric, struct err *e);

#endif
