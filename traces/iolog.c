/* SPDX-License-Identifier: MIT */
/*
 * fio's iolog.  Version 2 has no times but "wait"; version 3 begins each line
 * with microseconds since the start.
 *
 * 	fio version 3 iolog
 * 	188 /data/f.img read 503808 4096
 *
 * Offset and length are in bytes.  sync and datasync are flushes.  The n-th
 * file named is device 0,n; add, open and close are passed over.  A name may
 * hold blanks: the action is looked for from the end of the line.
 */
#include "traces/line.h"

#include <stdlib.h>
#include <string.h>

struct iolog {
	int version;     /* 0: not known yet */
	nsec_t clock_ns; /* of version 2 */
};

/* The last field, @fields of them from the end: where it begins. */
static const char *
field_from_end(const struct cursor *c, const char *from, int fields)
{
	const char *p = c->end;

	while (p > from && p[-1] == ' ')
		p--;
	while (fields-- > 0) {
		while (p > from && p[-1] != ' ')
			p--;
		if (fields > 0)
			while (p > from && p[-1] == ' ')
				p--;
	}
	return p;
}

static bool
is_word(const char *p, const char *word)
{
	size_t n = strlen(word);

	return strncmp(p, word, n) == 0 && (p[n] == ' ' || p[n] == '\n');
}

static enum line_kind
parse_version(struct cursor *c, struct iolog *log)
{
	if (line_begins(c, "fio version 2 iolog"))
		log->version = 2;
	else if (line_begins(c, "fio version 3 iolog"))
		log->version = 3;
	c->wanted = "\"fio version 2 iolog\" or 3";
	return log->version ? LINE_OTHER : LINE_BAD;
}

static bool
parse_action(struct cursor *c, struct iolog *log, struct line_record *rec)
{
	uint64_t offset, bytes;
	const char *word;
	size_t n;

	if (is_word(c->p, "read"))
		rec->ev.category = TRACE_READ;
	else if (is_word(c->p, "write"))
		rec->ev.category = TRACE_WRITE;
	else if (is_word(c->p, "trim"))
		rec->ev.category = TRACE_DISCARD | TRACE_WRITE;
	else if (is_word(c->p, "sync") || is_word(c->p, "datasync"))
		rec->ev.category = TRACE_FLUSH;
	else if (!is_word(c->p, "wait")) {
		c->wanted = "read, write, trim, sync, datasync or wait";
		return false;
	}
	if (!line_word(c, ' ', &word, &n) ||
	    !want_number(c, UINT64_MAX, &offset, "an offset in bytes") ||
	    !want_number(c, UINT64_MAX, &bytes, "a length in bytes"))
		return false;
	if (rec->ev.category & TRACE_FLUSH)
		return true;
	if (rec->ev.category)
		return line_set_bytes(c, rec, offset, bytes);
	if (log->version == 2 && offset < UINT64_C(86400000000)) {
		log->clock_ns += (nsec_t)offset * NSEC_PER_USEC;
		return true;
	}
	c->wanted = "a wait in version 2, of less than a day";
	return false;
}

static enum line_kind
parse_iolog(struct cursor *c, struct line_state *s, struct line_record *rec)
{
	const char *name, *at, *tail;
	struct iolog *log;

	if (!s->own && !(s->own = calloc(1, sizeof(*log))))
		return LINE_BAD;
	log = s->own;
	if (!log->version)
		return parse_version(c, log);
	if (c->p == c->end)
		return LINE_OTHER;
	if (log->version == 3 && !line_time(c, s->unit_ns, &rec->ev.time_ns))
		return LINE_BAD;
	line_skip_white(c);
	name = c->p;
	tail = field_from_end(c, name, 1);
	if (is_word(tail, "add") || is_word(tail, "open") ||
	    is_word(tail, "close"))
		return LINE_OTHER;
	at = field_from_end(c, name, 3);
	c->p = at;
	while (at > name && at[-1] == ' ')
		at--;
	if (at == name ||
	    !line_disk(s, name,
		       (size_t)(at - name) < 31 ? (size_t)(at - name) : 31,
		       &rec->ev.device)) {
		c->wanted = "a file name, an action, an offset and a length";
		return LINE_BAD;
	}
	if (!parse_action(c, log, rec) || !line_finish(c))
		return LINE_BAD;
	if (log->version == 2)
		rec->ev.time_ns = log->clock_ns;
	return rec->ev.category ? LINE_EVENT : LINE_OTHER;
}

static const struct line_format iolog_lines = {
	.what = "a fio iolog line",
	.unit_ns = NSEC_PER_USEC,
	.parse = parse_iolog,
};

static int
iolog_sniff(const struct trace_sniff *s)
{
	return lines_sniff(s, &iolog_lines, 95);
}

static int
iolog_open(struct trace_reader *reader, struct err *e)
{
	return lines_open(reader, &iolog_lines, e);
}

const struct trace_format trace_iolog = {
	.name = "fio-iolog",
	.help = "fio iolog versions 2 and 3",
	.sniff = iolog_sniff,
	.open = iolog_open,
	.next = lines_next,
	.close = lines_close,
};
