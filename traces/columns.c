/* SPDX-License-Identifier: MIT */
/*
 * Any table of text whose columns the user describes:
 *
 *	--columns time=3:ms,lba=1,size=2:bytes,op=4
 *
 *	time      s (unless told otherwise), ms, us, ns
 *	response  the same: from the time to the completion
 *	lba       sectors (unless told otherwise), bytes, KiB
 *	size      bytes (unless told otherwise), sectors, KiB
 *	op        read or write by word or letter; 0 and 1, where 1 is a
 *	          write, or with op=N:read a read
 *	device    a number N, for device 0,N, or a name
 *	pid       a number
 *
 * Columns count from 1.  time, lba, size and op are needed.  They are apart by
 * commas, semicolons or tabs, whichever the first line has, else by blanks.
 * A first line in which no number stands where one should is a header.
 */
#include "traces/columns.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[COLUMN_KINDS] = {
	"time", "response", "lba", "size", "op", "device", "pid",
};

/* The unit of a column, in ns or bytes; 0: there is no such unit. */
static uint64_t
unit_of(enum column_kind kind, const char *text, size_t n)
{
	static const struct {
		const char *name;
		bool time;
		uint64_t unit;
	} units[] = {
		{ "s", true, 1000000000 }, { "ms", true, 1000000 },
		{ "us", true, 1000 },      { "ns", true, 1 },
		{ "bytes", false, 1 },     { "sectors", false, 512 },
		{ "KiB", false, 1024 },
	};
	bool time = kind == COLUMN_TIME || kind == COLUMN_RESPONSE;

	if (kind == COLUMN_OP)
		return n == 4 && memcmp(text, "read", 4) == 0 ? 2 : 0;
	if (kind == COLUMN_DEVICE || kind == COLUMN_PID)
		return 0;
	for (uint32_t i = 0; i < ARRAY_LEN(units); i++)
		if (units[i].time == time && strlen(units[i].name) == n &&
		    memcmp(units[i].name, text, n) == 0)
			return units[i].unit;
	return 0;
}

/* One "name=column[:unit]", @n characters. */
static int
parse_item(struct columns *cols, const char *item, size_t n, struct err *e)
{
	const char *equals = memchr(item, '=', n);
	const char *unit = equals ? memchr(item, ':', n) : NULL;
	const char *end = unit ? unit : item + n;
	enum column_kind kind;
	unsigned long column = 0;

	for (kind = 0; equals && kind < COLUMN_KINDS; kind++)
		if (strlen(names[kind]) == (size_t)(equals - item) &&
		    strncmp(names[kind], item, (size_t)(equals - item)) == 0)
			break;
	if (!equals || kind == COLUMN_KINDS)
		return err_set(
			e, ERR_CONFIG,
			"--columns: '%.*s': NAME=COLUMN[:UNIT], where "
			"NAME is time, response, lba, size, op, device or "
			"pid",
			(int)n, item);
	for (const char *p = equals + 1; p < end; p++)
		column = is_digit(*p) && column < 1000
				 ? column * 10 + (unsigned long)(*p - '0')
				 : 1000;
	if (column == 0 || column > COLUMNS_MAX)
		return err_set(e, ERR_CONFIG,
			       "--columns: '%.*s': a column from 1 to %d",
			       (int)n, item, COLUMNS_MAX);
	cols->at[kind] = (uint8_t)column;
	if (!unit)
		return 0;
	cols->unit[kind] =
		unit_of(kind, unit + 1, (size_t)(item + n - unit - 1));
	if (cols->unit[kind])
		return 0;
	return err_set(e, ERR_CONFIG,
		       "--columns: '%.*s': units are s ms us ns for times, "
		       "sectors bytes KiB for lba and size",
		       (int)n, item);
}

int
columns_parse(const char *text, struct columns *cols, struct err *e)
{
	static const enum column_kind needed[] = { COLUMN_TIME, COLUMN_LBA,
						   COLUMN_SIZE, COLUMN_OP };

	*cols = (struct columns){
		.unit = { [COLUMN_TIME] = 1000000000,
			  [COLUMN_RESPONSE] = 1000000000,
			  [COLUMN_LBA] = 512,
			  [COLUMN_SIZE] = 1,
			  [COLUMN_OP] = 1 },
	};
	while (*text) {
		size_t n = strcspn(text, ",");
		int r = parse_item(cols, text, n, e);

		if (r)
			return r;
		text += n + (text[n] == ',');
	}
	for (uint32_t i = 0; i < ARRAY_LEN(needed); i++)
		if (!cols->at[needed[i]])
			return err_set(e, ERR_CONFIG,
				       "--columns: no column for %s",
				       names[needed[i]]);
	return 0;
}

static char
find_separator(const struct cursor *c)
{
	static const char tried[] = ",;\t";

	for (const char *p = tried; *p; p++)
		if (memchr(c->start, *p, (size_t)(c->end - c->start)))
			return *p;
	return ' ';
}

/* 0 and 1, or a word. */
static bool
parse_op(struct cursor *c, uint64_t unit, uint32_t *category)
{
	uint64_t bit;

	if (!is_digit(*c->p))
		return line_op(c, category);
	if (!want_number(c, 1, &bit, "0, 1, read or write"))
		return false;
	*category = bit == (unit == 2) ? TRACE_READ : TRACE_WRITE;
	return true;
}

struct values {
	uint64_t lba_bytes, size_bytes;
	uint64_t pid;
};

/* A whole number of units, in bytes. */
static bool
parse_bytes(struct cursor *c, uint64_t unit, uint64_t *bytes)
{
	if (!want_number(c, (UINT64_C(1) << 57) / unit, bytes, "a number"))
		return false;
	*bytes *= unit;
	return true;
}

static bool
parse_column(struct cursor *c, struct line_state *s, enum column_kind kind,
	     struct line_record *rec, struct values *v)
{
	const struct columns *cols = s->own;
	uint64_t unit = cols->unit[kind];
	const char *from = c->p, *word;
	uint64_t number;
	size_t n;

	switch (kind) {
	case COLUMN_TIME:
		return line_time(c, (nsec_t)unit, &rec->ev.time_ns);
	case COLUMN_RESPONSE:
		return line_time(c, (nsec_t)unit, &rec->complete_ns);
	case COLUMN_LBA:
		return parse_bytes(c, unit, &v->lba_bytes);
	case COLUMN_SIZE:
		return parse_bytes(c, unit, &v->size_bytes);
	case COLUMN_OP:
		return parse_op(c, unit, &rec->ev.category);
	case COLUMN_PID:
		return want_number(c, UINT32_MAX, &v->pid, "a process number");
	default:
		break;
	}
	if (want_number(c, 0xfffff, &number, "a device") &&
	    (*c->p == cols->separator || *c->p == ' ' || c->p == c->end))
		return line_set_unit(c, rec, number);
	c->p = from;
	c->wanted = "a device";
	return line_word(c, cols->separator, &word, &n) &&
	       line_disk(s, word, n, &rec->ev.device);
}

/* The columns in their order on the line. */
static bool
parse_columns(struct cursor *c, struct line_state *s, struct line_record *rec,
	      struct values *v)
{
	const struct columns *cols = s->own;
	const char *word;
	size_t n;

	line_skip_white(c);
	for (uint32_t i = 1; i <= COLUMNS_MAX; i++) {
		const uint8_t *at = memchr(cols->at, (int)i, COLUMN_KINDS);

		if (at &&
		    (c->p == c->end ||
		     !parse_column(c, s, (enum column_kind)(at - cols->at), rec,
				   v))) {
			if (c->p == c->end)
				c->wanted = names[at - cols->at];
			return false;
		}
		if (!at)
			line_word(c, cols->separator, &word, &n);
		if (c->p < c->end && !line_separator(c, cols->separator))
			return false;
	}
	return true;
}

static enum line_kind
parse_table(struct cursor *c, struct line_state *s, struct line_record *rec)
{
	struct columns *cols = s->own;
	struct values v = { .pid = 0 };

	if (c->p == c->end || *c->p == '#')
		return LINE_OTHER;
	if (!cols->separator)
		cols->separator = find_separator(c);
	if (!parse_columns(c, s, rec, &v)) {
		/* Once: the names of the columns. */
		bool header = s->source.line == 1 && !is_digit(*c->start);

		return header ? LINE_OTHER : LINE_BAD;
	}
	rec->ev.pid = (uint32_t)v.pid;
	return line_set_bytes(c, rec, v.lba_bytes, v.size_bytes) ? LINE_EVENT
								 : LINE_BAD;
}

static const struct line_format table_lines = {
	.what = "a line of the --columns told",
	.unit_ns = NSEC_PER_SEC,
	.loose = true,
	.ambiguous = true,
	.parse = parse_table,
};

static int
columns_sniff(const struct trace_sniff *s)
{
	(void)s;
	return 0;
}

static int
columns_open(struct trace_reader *reader, struct err *e)
{
	const char *text = reader->opt.columns;
	struct line_state *s;
	int r;

	if (!text)
		return err_set(e, ERR_CONFIG,
			       "the format 'columns' needs --columns");
	r = lines_open(reader, &table_lines, e);
	if (r)
		return r;
	s = reader->state;
	s->own = calloc(1, sizeof(struct columns));
	return s->own ? columns_parse(text, s->own, e) : err_nomem(e);
}

const struct trace_format trace_columns = {
	.name = "columns",
	.help = "any table of text, by --columns time=1,lba=2,size=3,op=4",
	.sniff = columns_sniff,
	.open = columns_open,
	.next = lines_next,
	.close = lines_close,
};
