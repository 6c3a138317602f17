/* SPDX-License-Identifier: MIT */
#include "frontend/records.h"

#include "frontend/load.h"

#include "sim/core/hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more, or too_many. */
static int
make_room(struct records *r, size_t bytes_max, struct err *e)
{
	size_t room = r->room ? 2 * r->room : 4096;
	struct io_record *bigger;

	if (r->count < r->room)
		return 0;
	if (room > bytes_max / sizeof(*bigger))
		room = bytes_max / sizeof(*bigger);
	if (r->count >= room) {
		r->too_many = true;
		free(r->record);
		r->record = NULL;
		return 0;
	}
	bigger = realloc(r->record, room * sizeof(*bigger));
	if (!bigger)
		return err_nomem(e);
	r->record = bigger;
	r->room = room;
	return 0;
}

static int
read_all(struct records *r, struct io_source *source, size_t bytes_max,
	 struct err *e)
{
	struct io_record rec;
	int more, err = 0;

	while (!err && (more = source->next(source, &rec, e)) != 0) {
		if (more < 0)
			return more;
		r->hash = load_hash(r->hash, &rec);
		if (!r->too_many)
			err = make_room(r, bytes_max, e);
		if (!err && !r->too_many)
			r->record[r->count++] = rec;
	}
	return err;
}

int
records_read(struct records *r, const struct cli_line *line, size_t bytes_max,
	     struct err *e)
{
	struct io_source *source;
	int err;

	memset(r, 0, sizeof(*r));
	r->hash = HASH_INITIAL;
	err = load_trace_open(line, &r->trace, &source, e);
	if (err)
		return err;
	err = read_all(r, source, bytes_max, e);
	r->span_sectors = load_trace_span(r->trace);
	if (err)
		records_free(r);
	return err;
}

void
records_free(struct records *r)
{
	load_trace_close(r->trace);
	free(r->record);
	memset(r, 0, sizeof(*r));
}

static int
cursor_next(struct io_source *src, struct io_record *rec, struct err *e)
{
	struct records_cursor *cur =
		container_of(src, struct records_cursor, source);

	(void)e;
	if (cur->at == cur->records->count)
		return 0;
	*rec = cur->records->record[cur->at++];
	return 1;
}

/* The owner of the cursor frees it. */
static void
cursor_close(struct io_source *src)
{
	(void)src;
}

void
records_cursor_init(struct records_cursor *cur, const struct records *records)
{
	assert(!records->too_many);
	*cur = (struct records_cursor){
		.source = { .next = cursor_next, .close = cursor_close },
		.records = records,
	};
}
