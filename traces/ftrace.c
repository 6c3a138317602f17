/* SPDX-License-Identifier: MIT */
/*
 * Block events as text: the kernel's trace file, trace-cmd report and perf
 * script, and the lines of the kernel's "blk" tracer in both its forms.
 *
 *	fio-403 [000] ...1.  86.522943: block_rq_insert: 8,0 R 8192 () 505936 +
 *	    16 [fio]
 *	fio 403 [000] 76.690629: block:block_rq_insert: 8,0 R 8192 () ...
 *	fio-2436 [000] d..1.  2758.106294:   7,0    Q   R 126480 + 16 [fio]
 *	  7,0    0  2758.714588550  2442  Q   R 126480 + 16 [fio]
 *
 * What stands before the time is told from its end, since names hold blanks
 * and brackets.  Bytes and the command in parentheses are in some events
 * only; newer kernels add the priority before the last bracket.
 */
#include "traces/blkparse.h"

#include <stdlib.h>
#include <string.h>

static uint8_t
action_of(const char *name, size_t n)
{
	static const struct {
		const char *name;
		uint8_t action;
	} events[] = {
		{ "block_bio_queue", TRACE_QUEUE },
		{ "block_bio_backmerge", TRACE_BACK_MERGE },
		{ "block_bio_frontmerge", TRACE_FRONT_MERGE },
		{ "block_getrq", TRACE_GET_RQ },
		{ "block_sleeprq", TRACE_SLEEP_RQ },
		{ "block_rq_requeue", TRACE_REQUEUE },
		{ "block_rq_issue", TRACE_ISSUE },
		{ "block_rq_complete", TRACE_COMPLETE },
		{ "block_plug", TRACE_PLUG },
		{ "block_unplug", TRACE_UNPLUG },
		{ "block_rq_insert", TRACE_INSERT },
		{ "block_split", TRACE_SPLIT },
		{ "block_bio_bounce", TRACE_BOUNCE },
		{ "block_bio_remap", TRACE_REMAP },
	};

	for (uint32_t i = 0; i < ARRAY_LEN(events); i++)
		if (strlen(events[i].name) == n &&
		    memcmp(events[i].name, name, n) == 0)
			return events[i].action;
	return 0;
}

/* The first digit of the number that ends before @p, or @p. */
static const char *
number_before(const char *from, const char *p)
{
	while (p > from && is_digit(p[-1]))
		p--;
	return p;
}

static const char *
blanks_before(const char *from, const char *p)
{
	while (p > from && p[-1] == ' ')
		p--;
	return p;
}

/* Process and CPU, in what stands before the time at @end. */
static bool
parse_who(struct cursor *c, const char *end, struct trace_event *ev)
{
	const char *close = memrchr(c->start, ']', (size_t)(end - c->start));
	const char *open, *p, *digits;
	struct cursor at = *c;
	uint64_t cpu, pid;

	c->wanted = "PROCESS-NUMBER [CPU]";
	open = close ? number_before(c->start, close) : NULL;
	if (!open || open == close || open == c->start || open[-1] != '[')
		return false;
	at.p = open;
	if (!want_number(&at, UINT16_MAX, &cpu, ""))
		return false;
	p = blanks_before(c->start, open - 1);
	if (p > c->start && p[-1] == ')') { /* the thread group */
		while (p > c->start && p[-1] != '(')
			p--;
		p = blanks_before(c->start, p > c->start ? p - 1 : p);
	}
	digits = number_before(c->start, p);
	at.p = digits;
	if (digits == p || !want_number(&at, UINT32_MAX, &pid, ""))
		return false;
	ev->cpu = (uint16_t)cpu;
	ev->pid = (uint32_t)pid;
	return true;
}

/* The time that ends in the colon at @colon, and what is before it. */
static bool
parse_before(struct cursor *c, const char *colon, struct trace_event *ev)
{
	const char *end = blanks_before(c->start, colon);
	const char *from = end;
	struct cursor at = *c;

	while (from > c->start && (is_digit(from[-1]) || from[-1] == '.'))
		from--;
	c->p = at.p = from;
	c->wanted = "a time";
	return from != end && line_time(&at, NSEC_PER_SEC, &ev->time_ns) &&
	       at.p == end && parse_who(c, from, ev);
}

/* "(...)" of a passthrough command holds bytes. */
static bool
parse_command(struct cursor *c, struct trace_event *ev)
{
	const char *close;

	if (*c->p != '(')
		return true;
	close = memchr(c->p, ')', (size_t)(c->end - c->p));
	if (!close) {
		c->wanted = "a closing parenthesis";
		return false;
	}
	if (close != c->p + 1)
		ev->category |= TRACE_PC;
	c->p = close + 1;
	skip_blanks(c);
	return true;
}

/* "[0]" of a completion or requeue; else a name, which is not needed. */
static bool
parse_last(struct cursor *c, struct trace_event *ev)
{
	const char *open = memrchr(c->p, '[', (size_t)(c->end - c->p));
	bool negative;
	uint64_t error;

	c->wanted = "a name or an error in brackets";
	if (!open || c->end[-1] != ']')
		return false;
	if (ev->action != TRACE_COMPLETE && ev->action != TRACE_REQUEUE)
		return true;
	c->p = open + 1;
	negative = *c->p == '-';
	c->p += negative;
	if (!want_number(c, 4095, &error, "an error number in brackets"))
		return false;
	ev->error = (int16_t) - (int)error;
	return true;
}

/* "sector + sectors"; a flush has sector 2^64 - 1. */
static bool
parse_extent(struct cursor *c, struct line_record *rec)
{
	static const char no_sector[] = "18446744073709551615";
	size_t n = sizeof(no_sector) - 1;
	uint64_t sector = 0, sectors;

	skip_blanks(c);
	if (strncmp(c->p, no_sector, n) == 0)
		c->p += n;
	else if (!want_number(c, UINT64_MAX, &sector, "a sector"))
		return false;
	skip_blanks(c);
	return want_char(c, '+', "'+'") &&
	       want_number(c, UINT64_MAX, &sectors, "a number of sectors") &&
	       line_set_sectors(c, rec, sector, sectors);
}

static bool
parse_remap(struct cursor *c, struct line_record *rec)
{
	static const char wanted[] = "'<- (major,minor) sector'";

	if (!parse_extent(c, rec))
		return false;
	skip_blanks(c);
	return want_char(c, '<', wanted) && want_char(c, '-', wanted) &&
	       want_char(c, ' ', wanted) && want_char(c, '(', wanted) &&
	       blkparse_device(c, &rec->ev.arg_device) &&
	       want_char(c, ')', wanted) &&
	       want_number(c, UINT64_MAX, &rec->ev.arg, wanted);
}

static bool
parse_split(struct cursor *c, struct line_record *rec)
{
	uint64_t sector, rest;

	if (!want_number(c, UINT64_MAX, &sector, "a sector"))
		return false;
	skip_blanks(c);
	if (!want_char(c, '/', "'/' and a sector") ||
	    !want_number(c, UINT64_MAX, &rest, "a sector") ||
	    !line_set_sectors(c, rec, sector,
			      rest > sector ? rest - sector : 0))
		return false;
	rec->ev.arg = rest;
	return parse_last(c, &rec->ev);
}

/* "[name] depth" */
static bool
parse_plug(struct cursor *c, struct trace_event *ev)
{
	const char *close = memrchr(c->p, ']', (size_t)(c->end - c->p));

	c->wanted = "a name in brackets";
	if (!close)
		return false;
	c->p = close + 1;
	return ev->action == TRACE_PLUG ||
	       want_number(c, UINT32_MAX, &ev->arg, "a depth");
}

/* What follows "block_rq_issue: ". */
static bool
parse_block_event(struct cursor *c, struct line_record *rec)
{
	struct trace_event *ev = &rec->ev;
	const char *from;
	uint64_t bytes;

	if (ev->action == TRACE_PLUG || ev->action == TRACE_UNPLUG)
		return parse_plug(c, ev);
	if (!blkparse_device(c, &ev->device) ||
	    !line_rwbs(c, ' ', &ev->category))
		return false;
	skip_blanks(c);
	if (ev->action == TRACE_REMAP)
		return parse_remap(c, rec);
	if (ev->action == TRACE_SPLIT)
		return parse_split(c, rec);
	from = c->p; /* bytes are followed by '(' */
	if (*c->p != '(' && want_number(c, UINT64_MAX, &bytes, "a number") &&
	    *c->p == ' ')
		c->p++;
	if (*c->p != '(')
		c->p = from;
	return parse_command(c, ev) && parse_extent(c, rec) &&
	       parse_last(c, ev);
}

/* The classic form: blkparse's line without a sequence number. */
static bool
parse_classic(struct cursor *c, struct trace_event *ev)
{
	uint64_t cpu, pid;

	if (!blkparse_device(c, &ev->device) ||
	    !want_number(c, UINT16_MAX, &cpu, "a CPU number") ||
	    !line_time(c, NSEC_PER_SEC, &ev->time_ns) ||
	    !want_number(c, UINT32_MAX, &pid, "a process number"))
		return false;
	ev->cpu = (uint16_t)cpu;
	ev->pid = (uint32_t)pid;
	return true;
}

/* What the blk tracer and blkparse have in common. */
static enum line_kind
parse_tracer_tail(struct cursor *c, struct line_record *rec)
{
	struct trace_event *ev = &rec->ev;

	if (!blkparse_action(c, &ev->action) ||
	    !blkparse_rwbs(c, &ev->category) || !blkparse_tail(c, ev) ||
	    !line_finish(c))
		return LINE_BAD;
	if (ev->action == TRACE_MESSAGE)
		return LINE_OTHER;
	ev->payload = NULL;
	ev->payload_bytes = 0;
	return LINE_EVENT;
}

static bool
is_noise(const struct cursor *c)
{
	const char *p = c->start;

	while (*p == ' ')
		p++;
	return p == c->end || *p == '#' || line_begins(c, "cpus=") ||
	       line_begins(c, "version =") || line_begins(c, "CPU ") ||
	       line_begins(c, "CPU:") ||
	       (memmem(c->start, (size_t)(c->end - c->start), "[LOST ", 6) &&
		memmem(c->start, (size_t)(c->end - c->start), "EVENTS]", 7));
}

/* The name of a block event, perf's with "block:" before it. */
static const char *
find_event(const struct cursor *c, const char **colon)
{
	static const char perf[] = "block:block_";
	size_t n = (size_t)(c->end - c->start);
	const char *p = memmem(c->start, n, " block_", 7);

	if (p) {
		p++;
	} else {
		p = memmem(c->start, n, perf, sizeof(perf) - 1);
		if (!p)
			return NULL;
		p += strlen("block:");
	}
	*colon = p;
	while (*colon < c->end && **colon != ' ' && **colon != ':')
		++*colon;
	return **colon == ':' ? p : NULL;
}

static enum line_kind
parse_ftrace(struct cursor *c, struct line_state *s, struct line_record *rec)
{
	const char *colon, *event, *time_end;

	(void)s;
	if (is_noise(c))
		return LINE_OTHER;
	event = find_event(c, &colon);
	if (!event) {
		const char *digits = c->p;

		skip_blanks(c);
		while (is_digit(*c->p))
			c->p++;
		if (*c->p == ',') {
			c->p = digits;
			return parse_classic(c, &rec->ev)
				       ? parse_tracer_tail(c, rec)
				       : LINE_BAD;
		}
		time_end = memmem(c->p, (size_t)(c->end - c->p), ": ", 2);
		c->wanted = "a block event";
		if (!time_end || !parse_before(c, time_end, &rec->ev))
			return LINE_BAD;
		c->p = time_end + 1;
		skip_blanks(c);
		if (!is_digit(*c->p))
			return LINE_OTHER; /* an event of another kind */
		return blkparse_device(c, &rec->ev.device)
			       ? parse_tracer_tail(c, rec)
			       : LINE_BAD;
	}
	rec->ev.action = action_of(event, (size_t)(colon - event));
	if (event[-1] == ':')
		event -= strlen("block:");
	time_end = blanks_before(c->start, event);
	if (!rec->ev.action)
		return LINE_OTHER;
	if (time_end == c->start || time_end[-1] != ':' ||
	    !parse_before(c, time_end - 1, &rec->ev))
		return LINE_BAD;
	c->p = colon + 1;
	return parse_block_event(c, rec) ? LINE_EVENT : LINE_BAD;
}

static const struct line_format ftrace_lines = {
	.what = "a line of ftrace, trace-cmd or perf",
	.unit_ns = NSEC_PER_SEC,
	.loose = true,
	.parse = parse_ftrace,
};

static int
ftrace_sniff(const struct trace_sniff *s)
{
	return lines_sniff(s, &ftrace_lines, 85);
}

static int
ftrace_open(struct trace_reader *reader, struct err *e)
{
	return lines_open(reader, &ftrace_lines, e);
}

const struct trace_format trace_ftrace = {
	.name = "ftrace",
	.help = "block events as text of ftrace, trace-cmd, perf, blk tracer",
	.sniff = ftrace_sniff,
	.open = ftrace_open,
	.next = lines_next,
	.close = lines_close,
};
