/* SPDX-License-Identifier: MIT */
/*
 * A trace read once into memory, so that many simulations, in any number of
 * threads, replay it without reading it again.
 */
#ifndef NCQSIM_FRONTEND_RECORDS_H
#define NCQSIM_FRONTEND_RECORDS_H

#include "frontend/load_trace.h"
#include "sim/core/io.h"

/* What is kept at most; a larger trace is read again for each simulation. */
#define RECORDS_BYTES_MAX ((size_t)1 << 29)

struct records {
	struct io_record *record; /* owned */
	size_t count, room;
	struct load_trace *trace; /* read to its end: names, warnings */
	sector_t span_sectors;    /* as load_span() */
	uint64_t hash;            /* over every record */
	bool too_many;            /* not all fit; only the hash counts */
};

/*
 * Read what @line names to its end.  What goes past @bytes_max is hashed
 * and not kept.  The caller frees with records_free().
 */
int records_read(struct records *records, const struct cli_line *line,
		 size_t bytes_max, struct err *e);
void records_free(struct records *records);

/* One reader's place. */
struct records_cursor {
	struct io_source source;
	const struct records *records;
	size_t at;
};

void
records_cursor_init(struct records_cursor *cur, const struct records *records);

#endif
