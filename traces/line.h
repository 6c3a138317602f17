/* SPDX-License-Identifier: MIT */
/*
 * What the readers of line formats share: finding a line, taking it apart,
 * and making events in time order of it.
 *
 * A format of one I/O a line is a parse function and little else: it fills a
 * line_record, and lines_next() makes a Q of it, with a D and a C where the
 * line tells their times.
 */
#ifndef NCQSIM_TRACES_LINE_H
#define NCQSIM_TRACES_LINE_H

#include "traces/reader.h"
#include "traces/window.h"

#define LINE_BYTES_MAX   4096
#define LINE_SECTORS_MAX (UINT32_MAX >> 9)
#define LINE_DISKS_MAX   64

/* A line being parsed; it ends in '\n', which stops every scan. */
struct cursor {
	const char *p;
	const char *start;
	const char *end;
	const char *wanted; /* what was expected where it stopped */
};

/* Where in its file a reader of lines is. */
struct line_source {
	uint64_t line;
	size_t consumed; /* bytes of the line handed out before */
};

/*
 * Find the line at the read position of the first input, without its end or
 * a CR; reader->at is its place.  @whole tells whether it ended.  Returns 1,
 * 0 at the end of the file, or a negative code.
 */
int line_find(struct trace_reader *reader, struct line_source *source,
	      struct cursor *c, bool *whole, struct err *e);

static inline bool
is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static inline void
skip_blanks(struct cursor *c)
{
	while (*c->p == ' ')
		c->p++;
}

static inline bool
want_char(struct cursor *c, char ch, const char *wanted)
{
	if (likely(*c->p == ch)) {
		c->p++;
		return true;
	}
	c->wanted = wanted;
	return false;
}

/* A decimal number of at most @max, after blanks. */
static inline bool
want_number(struct cursor *c, uint64_t max, uint64_t *value, const char *wanted)
{
	uint64_t v = 0;
	const char *from;

	skip_blanks(c);
	from = c->p;
	while (is_digit(*c->p) && c->p - from < 19)
		v = v * 10 + (uint64_t)(*c->p++ - '0');
	*value = v;
	if (likely(c->p != from && v <= max && !is_digit(*c->p)))
		return true;
	c->p = from;
	c->wanted = wanted;
	return false;
}

/* Blanks and tabs, as between the columns of tables. */
void line_skip_white(struct cursor *c);

/* @sep after blanks; ' ' stands for any run of blanks and tabs. */
bool line_separator(struct cursor *c, char sep);

/* The end of the line, after blanks and tabs. */
bool line_finish(struct cursor *c);

/* A number with or without decimals, times @unit_ns, in whole ns. */
bool line_time(struct cursor *c, nsec_t unit_ns, nsec_t *time_ns);

/* A hexadecimal number, with or without 0x. */
bool line_hex(struct cursor *c, uint64_t max, uint64_t *value);

/* Read, Write, R, W, r, w, 0x.. no: words only.  D, T and trim: a discard. */
bool line_op(struct cursor *c, uint32_t *category);

/* The kernel's direction and flags, as FWFSM, up to a blank or @end. */
bool line_rwbs(struct cursor *c, char end, uint32_t *category);

/* Anything up to @sep or, for ' ', up to white space. */
bool line_word(struct cursor *c, char sep, const char **word, size_t *bytes);

bool line_begins(const struct cursor *c, const char *word);

/* One I/O. */
struct line_record {
	struct trace_event ev; /* its Q, unless the action is another */
	nsec_t issue_ns;       /* the D is later by this; -1: unknown */
	nsec_t complete_ns;    /* the C is later by this; -1: unknown */
	const char *name;      /* of the process; NULL: unknown */
	size_t name_bytes;
};

/* Set the place from bytes; widened to whole sectors.  False: too big. */
bool line_set_bytes(struct cursor *c, struct line_record *rec, uint64_t offset,
		    uint64_t bytes);

/* Set the place from sectors.  False: too big. */
bool line_set_sectors(struct cursor *c, struct line_record *rec,
		      uint64_t sector, uint64_t sectors);

/* The whole number @minor as the device 0,minor. */
bool line_set_unit(struct cursor *c, struct line_record *rec, uint64_t minor);

enum line_kind {
	LINE_BAD,   /* the cursor tells where and why */
	LINE_EVENT, /* the record is filled */
	LINE_OTHER, /* a comment, a header, what is not followed */
};

struct line_state;

struct line_format {
	const char *what; /* "an SPC line", for messages */
	nsec_t unit_ns;   /* of times, unless options tell another */
	bool loose;       /* lines are not in the order of their times */
	bool wall;        /* times count from 1970 */
	bool ambiguous;   /* a wrong unit of time is likely */
	enum line_kind (*parse)(struct cursor *c, struct line_state *s,
				struct line_record *rec);
	/*
	 * Instead of parse, for binary records: read the next one into @rec,
	 * which is prepared, and set reader->at.  1, 0 at the end, negative.
	 */
	int (*read)(struct trace_reader *reader, struct line_record *rec,
		    struct err *e);
};

struct line_state {
	const struct line_format *format;
	struct line_source source;
	struct trace_window window; /* events still to come out */
	nsec_t unit_ns;
	nsec_t first_ns; /* the earliest line */
	nsec_t last_ns;  /* the latest line */
	nsec_t out_ns;   /* the latest event handed out */
	bool started;
	bool ended;
	uint64_t ios;
	char disks[LINE_DISKS_MAX][32]; /* names of disks, by minor */
	uint8_t column[8];              /* of a header: the format's own use */
	void *own; /* the format's own, freed with free() */
};

/* A disk's name as a device: sdb is 8,16, others 0,1 and so on. */
bool line_disk(struct line_state *s, const char *name, size_t bytes,
	       uint32_t *device);

/* For trace_format: open, next, close, and sniff by parsing. */
int lines_open(struct trace_reader *reader, const struct line_format *format,
	       struct err *e);
int
lines_next(struct trace_reader *reader, struct trace_event *ev, struct err *e);
void lines_close(struct trace_reader *reader);

/*
 * Whether the lines in sight are of the format: @score when at least one is
 * and none is bad, else 0.
 */
int lines_sniff(const struct trace_sniff *sniff,
		const struct line_format *format, int score);

#endif
