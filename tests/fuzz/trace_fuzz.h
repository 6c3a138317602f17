/* SPDX-License-Identifier: MIT */
/*
 * What the fuzz targets of the trace readers share: bytes as a file that a
 * reader can open, and reading it to its end.
 */
#ifndef NCQSIM_TESTS_FUZZ_TRACE_FUZZ_H
#define NCQSIM_TESTS_FUZZ_TRACE_FUZZ_H

#include "traces/match.h"
#include "traces/trace.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An anonymous file with @size bytes; returns its descriptor. */
static inline int
fuzz_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", 0);

	assert(fd >= 0);
	if (write(fd, data, size) != (ssize_t)size)
		abort();
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static inline void
fuzz_check_stats(const struct trace_stats *st, bool lenient)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < TRACE_ACTIONS; i++)
		sum += st->counts[i];
	assert(sum == st->records);
	for (uint32_t i = 0; i < DAMAGE_KINDS; i++) {
		assert(lenient || st->damage[i].count <= 2);
		assert((st->damage[i].count == 0) == !st->damage[i].first);
	}
}

/*
 * Read @path to its end: actions are known, times do not go back, an error
 * has a text, and the numbers add up.
 */
static inline void
fuzz_read(const char *path, const struct trace_options *opt)
{
	const struct match_observer nobody = { NULL, NULL, NULL, NULL };
	struct trace_reader *reader = NULL;
	struct trace_match *match = NULL;
	struct trace_event ev;
	struct err e = { 0 };
	nsec_t last_ns = 0;
	int r = trace_open(&path, 1, opt, &reader, &e);

	if (r == 0)
		r = trace_match_open(&nobody, &match, &e);
	while (r >= 0 && (r = trace_next(reader, &ev, &e)) > 0) {
		bool note = ev.action == TRACE_PROCESS ||
			    ev.action == TRACE_TIMESTAMP;

		assert(ev.action > 0 && ev.action < TRACE_ACTIONS);
		assert(note || ev.time_ns >= last_ns);
		if (!note)
			last_ns = ev.time_ns;
		assert(trace_match_feed(match, &ev, &e) == 0);
	}
	assert((r < 0) == (e.text[0] != '\0'));
	assert(!strchr(e.text, '\n'));
	if (reader)
		fuzz_check_stats(trace_get_stats(reader), opt->lenient);
	trace_match_close(match);
	trace_close(reader);
}

#endif
