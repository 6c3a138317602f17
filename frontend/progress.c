/* SPDX-License-Identifier: MIT */
#include "frontend/progress.h"

#include "frontend/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_NS (NSEC_PER_SEC / 2)
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
progress_start(struct progress *progress, enum progress_mode mode, bool quiet)
{
	memset(progress, 0, sizeof(*progress));
	if (quiet || (mode == PROGRESS_AUTO && !isatty(STDERR_FILENO)))
		mode = PROGRESS_NONE;
	progress->mode = mode;
	progress->start_ns = wall_ns();
	progress->last_ns = progress->start_ns + FIRST_NS - BAR_NS;
}

/* Requests a second since the last line, for people: "1.23 M/s". */
static struct text
rate_text(uint64_t requests, int64_t ns)
{
	uint64_t rate =
		text_ratio(requests, (uint64_t)NSEC_PER_SEC, (uint64_t)ns);
	struct text t;

	if (rate >= 1000000)
		snprintf(t.s, sizeof(t.s), "%s M/s",
			 text_decimal((int64_t)rate, 6, 2).s);
	else if (rate >= 10000)
		snprintf(t.s, sizeof(t.s), "%s k/s",
			 text_decimal((int64_t)rate, 3, 0).s);
	else
		snprintf(t.s, sizeof(t.s), "%" PRIu64 "/s", rate);
	return t;
}

static struct text
left_text(const struct progress_state *state, int64_t spent_ns)
{
	uint64_t left = 0;
	struct text t;

	if (!state->ppm)
		return (struct text){ "" };
	left = text_ratio((uint64_t)spent_ns, 1000000 - state->ppm, state->ppm);
	left = (left + (uint64_t)NSEC_PER_SEC - 1) / (uint64_t)NSEC_PER_SEC;
	snprintf(t.s, sizeof(t.s), ", %" PRIu64 ":%02" PRIu64 " left",
		 left / 60, left % 60);
	return t;
}

void
progress_show(struct progress *progress, const struct progress_state *state)
{
	bool bar = progress->mode == PROGRESS_AUTO;
	char percent[48] = "";
	int64_t now;

	if (progress->mode == PROGRESS_NONE)
		return;
	now = wall_ns();
	if (now - progress->last_ns < (bar ? BAR_NS : PLAIN_NS))
		return;
	if (bar && state->ppm)
		snprintf(percent, sizeof(percent), "[%-20s] %3" PRIu32 " %%, ",
			 text_bar(state->ppm, 1000000, 20).s,
			 state->ppm / 10000);
	else if (state->ppm)
		snprintf(percent, sizeof(percent), "%" PRIu32 " %%, ",
			 state->ppm / 10000);
	fprintf(stderr, "%s%s%s simulated, %s%s%s%s", bar ? "\r" : "", percent,
		text_time(state->simulated_ns).s,
		rate_text(state->requests - progress->last_done,
			  now - progress->last_ns)
			.s,
		left_text(state, now - progress->start_ns).s,
		bar ? "\033[K" : "", bar ? "" : "\n");
	progress->drawn = bar;
	progress->last_ns = now;
	progress->last_done = state->requests;
}

void
progress_end(struct progress *progress)
{
	if (progress->drawn)
		fputs("\r\033[K", stderr);
	progress->drawn = false;
}
