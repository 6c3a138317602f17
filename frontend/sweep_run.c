/* SPDX-License-Identifier: MIT */
/*
 * Workers take the next cell that is not done; the thread that called
 * writes what they finish, several lines a write when they are faster than
 * the disk.  Results do not depend on who ran what.
 */
#include "frontend/sweep.h"

#include "frontend/cell.h"
#include "frontend/signals.h"
#include "frontend/sweep_progress.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define JOBS_MAX 1024

struct pool {
	struct sweep *sweep;
	pthread_mutex_t lock; /* of everything below */
	pthread_cond_t news;  /* a cell was finished, or a worker ended */
	size_t next;          /* the first that nobody has taken */
	char **line;          /* of finished cells, not yet in the sweep */
	size_t *finished;     /* their indexes, in order */
	size_t ready;
	size_t workers; /* still at work */
	bool stop;
	size_t failed; /* the lowest cell that failed */
	struct err err;
};

struct worker {
	pthread_t thread;
	struct pool *pool;
};

static bool
must_stop(void *ctx, const struct cell *cell)
{
	struct pool *pool = ctx;
	bool stop;

	(void)cell;
	pthread_mutex_lock(&pool->lock);
	stop = pool->stop;
	pthread_mutex_unlock(&pool->lock);
	return stop || signals_pending();
}

/* The next cell of this shard, or SIZE_MAX. */
static size_t
take(struct pool *pool)
{
	const struct sweep *sweep = pool->sweep;
	size_t index = SIZE_MAX;

	pthread_mutex_lock(&pool->lock);
	while (pool->next < sweep->cells && index == SIZE_MAX) {
		size_t i = pool->next++;

		if (sweep_is_ours(sweep, i) && !sweep->cell[i].line)
			index = i;
	}
	if (pool->stop || signals_pending())
		index = SIZE_MAX;
	pthread_mutex_unlock(&pool->lock);
	return index;
}

static int
run_cell(struct pool *pool, size_t index, char **line, struct err *e)
{
	struct sweep *sweep = pool->sweep;
	struct cell cell;
	int err = sweep_configure_cell(sweep, index, &cell, e);

	*line = NULL;
	if (!err)
		err = cell_run(&cell,
			       sweep->records.record ? &sweep->records : NULL,
			       must_stop, pool, e);
	if (!err && cell.report.complete) {
		sweep->cell[index].figures = figures_of_report(&cell.report);
		*line = sweep_cell_line(sweep, index, &cell, e);
		err = *line ? 0 : e->code;
	}
	cell_free(&cell);
	return err;
}

static void
hand_over(struct pool *pool, size_t index, char *line, const struct err *e)
{
	pthread_mutex_lock(&pool->lock);
	if (line) {
		pool->line[index] = line;
		pool->finished[pool->ready++] = index;
	} else if (e->code && index < pool->failed) {
		pool->failed = index;
		pool->err = *e;
		pool->stop = true;
	}
	pthread_cond_signal(&pool->news);
	pthread_mutex_unlock(&pool->lock);
}

static void *
work(void *arg)
{
	struct worker *worker = arg;
	struct pool *pool = worker->pool;
	size_t index;

	while ((index = take(pool)) != SIZE_MAX) {
		struct err e = { 0 };
		char *line;

		if (run_cell(pool, index, &line, &e) < 0)
			err_prefix(&e, "cell %zu", index);
		hand_over(pool, index, line, &e);
	}
	pthread_mutex_lock(&pool->lock);
	pool->workers--;
	pthread_cond_signal(&pool->news);
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* Wait for news, or a fifth of a second. */
static void
wait_for_news(struct pool *pool)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += NSEC_PER_SEC / 5;
	if (until.tv_nsec >= NSEC_PER_SEC) {
		until.tv_nsec -= NSEC_PER_SEC;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&pool->news, &pool->lock, &until);
}

/* Put lines where they belong, and on the disk. */
static int
keep(struct pool *pool, struct sweep_file *file, const size_t *finished,
     size_t count, struct err *e)
{
	struct sweep *sweep = pool->sweep;
	size_t length = 0, at = 0;
	char *text;
	int err = 0;

	for (size_t i = 0; i < count; i++) {
		sweep->cell[finished[i]].line = pool->line[finished[i]];
		length += strlen(pool->line[finished[i]]);
	}
	if (!file->part || !count)
		return 0;
	text = malloc(length + 1);
	if (!text)
		return err_nomem(e);
	for (size_t i = 0; i < count; i++) {
		const char *line = pool->line[finished[i]];

		memcpy(text + at, line, strlen(line));
		at += strlen(line);
	}
	err = sweep_file_append(file, text, length, e);
	free(text);
	return err;
}

/* Until every worker has ended and all they did is kept. */
static int
collect(struct pool *pool, struct sweep_file *file, struct err *e)
{
	size_t kept = 0, had = sweep_count(pool->sweep, true);
	struct sweep_progress progress;
	int err = 0;

	sweep_progress_start(&progress, pool->sweep, had);
	pthread_mutex_lock(&pool->lock);
	while (pool->workers || kept < pool->ready) {
		size_t ready = pool->ready;

		if (kept == ready) {
			wait_for_news(pool);
			continue;
		}
		pthread_mutex_unlock(&pool->lock);
		if (!err)
			err = keep(pool, file, pool->finished + kept,
				   ready - kept, e);
		sweep_progress_show(&progress, had + ready);
		pthread_mutex_lock(&pool->lock);
		pool->stop |= err != 0;
		/* What could not be written is let go. */
		for (; kept < ready; kept++)
			if (!pool->sweep->cell[pool->finished[kept]].line)
				free(pool->line[pool->finished[kept]]);
	}
	pthread_mutex_unlock(&pool->lock);
	sweep_progress_end(&progress);
	return err;
}

static size_t
count_jobs(const struct sweep *sweep)
{
	size_t left = sweep_count(sweep, false) - sweep_count(sweep, true);
	size_t jobs = (size_t)sweep->args->jobs;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	if (!jobs)
		jobs = processors > 0 ? (size_t)processors : 1;
	if (jobs > left)
		jobs = left;
	return jobs > JOBS_MAX ? JOBS_MAX : jobs;
}

static int
run_workers(struct pool *pool, struct sweep_file *file, struct err *e)
{
	size_t jobs = count_jobs(pool->sweep), begun;
	struct worker *worker = calloc(jobs + 1, sizeof(*worker));
	int err;

	if (!worker)
		return err_nomem(e);
	pool->workers = jobs;
	for (begun = 0; begun < jobs; begun++) {
		worker[begun].pool = pool;
		if (pthread_create(&worker[begun].thread, NULL, work,
				   &worker[begun]) != 0)
			break;
	}
	pthread_mutex_lock(&pool->lock);
	pool->workers -= jobs - begun;
	pthread_mutex_unlock(&pool->lock);
	err = collect(pool, file, e);
	for (size_t i = 0; i < begun; i++)
		pthread_join(worker[i].thread, NULL);
	free(worker);
	if (!begun && jobs)
		return err_set(e, ERR_INTERNAL, "no thread could be started");
	if (!err && pool->err.code) {
		*e = pool->err;
		err = e->code;
	}
	return err;
}

int
sweep_run(struct sweep *sweep, struct sweep_file *file, struct err *e)
{
	struct pool pool = { .sweep = sweep, .failed = SIZE_MAX };
	int err;

	pool.line = calloc(sweep->cells, sizeof(*pool.line));
	pool.finished = calloc(sweep->cells, sizeof(*pool.finished));
	pthread_mutex_init(&pool.lock, NULL);
	pthread_cond_init(&pool.news, NULL);
	err = pool.line && pool.finished ? run_workers(&pool, file, e)
					 : err_nomem(e);
	pthread_cond_destroy(&pool.news);
	pthread_mutex_destroy(&pool.lock);
	free(pool.finished);
	free(pool.line);
	return err;
}
