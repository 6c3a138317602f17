/* SPDX-License-Identifier: MIT */
#include "frontend/sweep_progress.h"

#include "frontend/sweep.h"
#include "frontend/text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BAR_NS   (NSEC_PER_SEC / 5)
#define PLAIN_NS (2 * NSEC_PER_SEC)

static int64_t
wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

void
sweep_progress_start(struct sweep_progress *progress, const struct sweep *sweep,
		     size_t had)
{
	const struct run_args *args = &sweep->args->run;

	memset(progress, 0, sizeof(*progress));
	progress->mode = (enum progress_mode)args->progress;
	if (args->quiet ||
	    (progress->mode == PROGRESS_AUTO && !isatty(STDERR_FILENO)))
		progress->mode = PROGRESS_NONE;
	progress->had = had;
	progress->all = sweep_count(sweep, false);
	progress->start_ns = wall_ns();
}

static void
show_json(const struct sweep_progress *p, size_t done, int64_t spent_ns,
	  int64_t left_s)
{
	fprintf(stderr,
		"{\"done\":%zu,\"cells\":%zu,\"elapsed_ms\":%lld,"
		"\"left_s\":%lld}\n",
		done, p->all, (long long)(spent_ns / NSEC_PER_MSEC),
		(long long)left_s);
}

void
sweep_progress_show(struct sweep_progress *p, size_t done)
{
	bool bar = p->mode == PROGRESS_AUTO;
	int64_t now, spent, left;

	if (p->mode == PROGRESS_NONE)
		return;
	now = wall_ns();
	if (p->last_ns && now - p->last_ns < (bar ? BAR_NS : PLAIN_NS) &&
	    done < p->all)
		return;
	p->last_ns = now;
	spent = now - p->start_ns;
	left = (int64_t)text_ratio((uint64_t)spent, p->all - done,
				   done - p->had);
	left = (left + NSEC_PER_SEC - 1) / NSEC_PER_SEC;
	if (p->mode == PROGRESS_JSON) {
		show_json(p, done, spent, left);
		return;
	}
	fprintf(stderr, "%s", bar ? "\r" : "");
	if (bar)
		fprintf(stderr, "[%-20s] ", text_bar(done, p->all, 20).s);
	fprintf(stderr, "%zu of %zu cells, %s/s, %lld:%02lld left%s", done,
		p->all,
		text_decimal((int64_t)text_ratio(done - p->had,
						 (uint64_t)NSEC_PER_SEC * 10,
						 (uint64_t)spent),
			     1, 1)
			.s,
		(long long)left / 60, (long long)left % 60,
		bar ? "\033[K" : "\n");
	p->drawn = bar;
}

void
sweep_progress_end(struct sweep_progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = false;
}
