/* SPDX-License-Identifier: MIT */
/*
 * blkparse's default text output, strictly:
 *
 *	  8,0    0        4     0.000623540    44  D   R 0 + 128 [kworker/0:1H]
 *	device  cpu sequence          time    pid  action rwbs, then by action
 *
 *	Q G I D M F S B  sector + sectors [name], or [name] alone for a flush
 *	C R              sector + sectors [error], sector [error], [error]
 *	A                sector + sectors <- (major,minor) sector
 *	X                sector / sector [name]
 *	P, U UT          [name], [name] depth
 *	passthrough      bytes (command) [name]; completion (command) [error]
 *	m                any text
 *
 * "(ns)", which -t adds, is passed over.  Columns widen, so fields are told
 * apart by blanks.  Blank lines, lines that begin with '#', "Input file" lines
 * and the summary at the end are no events.  A line may end in CR LF.
 */
#include "traces/blkparse.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SECTORS_MAX LINE_SECTORS_MAX

struct text_state {
	struct line_source source;
	uint64_t device_text; /* columns 0 to 7 of a line with @device */
	uint32_t device;
	nsec_t last_ns;
	uint32_t last_pid; /* its name is known */
	bool named;
	bool in_summary;
};

bool
blkparse_device(struct cursor *c, uint32_t *device)
{
	uint64_t major, minor;

	if (!want_number(c, 0xfff, &major, "a device as major,minor") ||
	    !want_char(c, ',', "a device as major,minor") ||
	    !want_number(c, 0xfffff, &minor, "a device as major,minor"))
		return false;
	*device = (uint32_t)(major << 20 | minor);
	return true;
}

static bool
want_time(struct cursor *c, nsec_t *time_ns)
{
	static const char wanted[] = "a time with nine decimals";
	uint64_t seconds, ns;
	const char *from;

	if (!want_number(c, UINT64_C(4000000000), &seconds, wanted) ||
	    !want_char(c, '.', wanted))
		return false;
	from = c->p;
	if (!want_number(c, 999999999, &ns, wanted) || c->p - from != 9) {
		c->wanted = wanted;
		return false;
	}
	*time_ns = (nsec_t)seconds * NSEC_PER_SEC + (nsec_t)ns;
	return true;
}

/* The letters of an action, up to a blank. */
bool
blkparse_action(struct cursor *c, uint8_t *action)
{
	static const uint8_t letters[26] = {
		['A' - 'A'] = TRACE_REMAP,       ['B' - 'A'] = TRACE_BOUNCE,
		['C' - 'A'] = TRACE_COMPLETE,    ['D' - 'A'] = TRACE_ISSUE,
		['F' - 'A'] = TRACE_FRONT_MERGE, ['G' - 'A'] = TRACE_GET_RQ,
		['I' - 'A'] = TRACE_INSERT,      ['M' - 'A'] = TRACE_BACK_MERGE,
		['P' - 'A'] = TRACE_PLUG,        ['Q' - 'A'] = TRACE_QUEUE,
		['R' - 'A'] = TRACE_REQUEUE,     ['S' - 'A'] = TRACE_SLEEP_RQ,
		['U' - 'A'] = TRACE_UNPLUG,      ['X' - 'A'] = TRACE_SPLIT,
	};

	skip_blanks(c);
	*action = 0;
	if (*c->p >= 'A' && *c->p <= 'Z')
		*action = letters[*c->p - 'A'];
	else if (*c->p == 'm')
		*action = TRACE_MESSAGE;
	if (*action && c->p[0] == 'U' && c->p[1] == 'T') {
		*action = TRACE_UNPLUG_TIMER;
		c->p++;
	}
	if (likely(*action && c->p[1] == ' ')) {
		c->p++;
		return true;
	}
	c->wanted = "an action (A B C D F G I M P Q R S U UT X or m)";
	return false;
}

/* Direction and flags, such as FWFSM.  'B' is the barrier of old kernels. */
bool
blkparse_rwbs(struct cursor *c, uint32_t *category)
{
	uint32_t cat = 0;

	skip_blanks(c);
	if (*c->p == 'F') {
		cat |= TRACE_FLUSH;
		c->p++;
	}
	switch (*c->p++) {
	case 'D':
		cat |= TRACE_DISCARD | TRACE_WRITE;
		break;
	case 'W':
		cat |= TRACE_WRITE;
		break;
	case 'R':
		cat |= TRACE_READ;
		break;
	case 'N':
		break;
	default:
		c->p--;
		c->wanted = "a direction (R W D N)";
		return false;
	}
	for (; *c->p != ' '; c->p++) {
		switch (*c->p) {
		case 'F':
			cat |= TRACE_FUA;
			break;
		case 'A':
			cat |= TRACE_AHEAD;
			break;
		case 'S':
			cat |= TRACE_SYNC;
			break;
		case 'M':
			cat |= TRACE_META;
			break;
		case 'B':
			cat |= TRACE_FLUSH;
			break;
		default:
			c->wanted = "a flag (F A S M) or a blank";
			return false;
		}
	}
	*category = cat;
	return true;
}

/* "(...)" before a bracket: a command block, or the time that -t adds. */
static bool
skip_parenthesis(struct cursor *c)
{
	skip_blanks(c);
	if (likely(*c->p != '('))
		return true;
	while (*c->p != ')' && *c->p != '\n')
		c->p++;
	if (!want_char(c, ')', "a closing parenthesis"))
		return false;
	skip_blanks(c);
	return true;
}

/* "[name]"; the name may hold blanks and brackets, so the last ']' ends it. */
static bool
want_name(struct cursor *c, struct trace_event *ev)
{
	const char *close;

	if (!skip_parenthesis(c) || !want_char(c, '[', "a name in brackets"))
		return false;
	close = c->end - 1;
	if (unlikely(*close != ']'))
		close = memrchr(c->p, ']', (size_t)(c->end - c->p));
	if (!close || close < c->p) {
		c->wanted = "a name in brackets";
		return false;
	}
	ev->payload = c->p;
	ev->payload_bytes = (uint16_t)(close - c->p);
	c->p = close + 1;
	return true;
}

/* "[error]": an errno as an unsigned 16-bit number. */
static bool
want_error(struct cursor *c, struct trace_event *ev)
{
	static const char wanted[] = "an error number in brackets";
	uint64_t error;

	if (!skip_parenthesis(c) || !want_char(c, '[', wanted) ||
	    !want_number(c, UINT16_MAX, &error, wanted) ||
	    !want_char(c, ']', wanted))
		return false;
	ev->error = (int16_t)error;
	return true;
}

static bool
want_sector(struct cursor *c, uint64_t *sector)
{
	return want_number(c, (UINT64_C(1) << 48) - 1, sector,
			   "a sector below 2^48");
}

static bool
want_sectors(struct cursor *c, struct trace_event *ev)
{
	uint64_t n;

	if (!want_number(c, SECTORS_MAX, &n, "a number of sectors"))
		return false;
	ev->bytes = (uint32_t)n << 9;
	return true;
}

/* What follows after "sector", " + sectors" or nothing. */
static bool
parse_extent(struct cursor *c, struct trace_event *ev)
{
	skip_blanks(c);
	if (unlikely(!is_digit(*c->p))) {
		/* A flush has neither; a passthrough may have no bytes. */
		if (!(ev->category & TRACE_FLUSH) &&
		    !(ev->category & TRACE_WRITE))
			ev->category |= TRACE_PC;
		return true;
	}
	if (!want_sector(c, &ev->sector))
		return false;
	skip_blanks(c);
	if (likely(*c->p == '+')) {
		c->p++;
		return want_sectors(c, ev);
	}
	if (ev->action == TRACE_COMPLETE || ev->action == TRACE_REQUEUE)
		return true;
	/* A number alone is the bytes of a passthrough command. */
	if (ev->sector > UINT32_MAX) {
		c->wanted = "'+' and a number of sectors";
		return false;
	}
	ev->bytes = (uint32_t)ev->sector;
	ev->sector = 0;
	ev->category |= TRACE_PC;
	return true;
}

static bool
parse_remap(struct cursor *c, struct trace_event *ev)
{
	static const char wanted[] = "'<- (major,minor) sector'";

	if (!want_sector(c, &ev->sector))
		return false;
	skip_blanks(c);
	if (!want_char(c, '+', wanted) || !want_sectors(c, ev))
		return false;
	skip_blanks(c);
	return want_char(c, '<', wanted) && want_char(c, '-', wanted) &&
	       want_char(c, ' ', wanted) && want_char(c, '(', wanted) &&
	       blkparse_device(c, &ev->arg_device) &&
	       want_char(c, ')', wanted) && want_sector(c, &ev->arg);
}

static bool
parse_split(struct cursor *c, struct trace_event *ev)
{
	if (!want_sector(c, &ev->sector))
		return false;
	skip_blanks(c);
	if (!want_char(c, '/', "'/' and a sector") || !want_sector(c, &ev->arg))
		return false;
	if (ev->arg > ev->sector && ev->arg - ev->sector <= SECTORS_MAX)
		ev->bytes = (uint32_t)(ev->arg - ev->sector) << 9;
	return want_name(c, ev);
}

static bool
parse_message(struct cursor *c, struct trace_event *ev)
{
	ev->category |= TRACE_NOTIFY;
	if (*c->p == ' ')
		c->p++;
	ev->payload = c->p;
	ev->payload_bytes = (uint16_t)(c->end - c->p);
	c->p = c->end;
	return true;
}

bool
blkparse_tail(struct cursor *c, struct trace_event *ev)
{
	switch (ev->action) {
	case TRACE_COMPLETE:
	case TRACE_REQUEUE:
		return parse_extent(c, ev) && want_error(c, ev);
	case TRACE_REMAP:
		return parse_remap(c, ev);
	case TRACE_SPLIT:
		return parse_split(c, ev);
	case TRACE_PLUG:
		skip_blanks(c);
		return want_name(c, ev);
	case TRACE_UNPLUG:
	case TRACE_UNPLUG_TIMER:
		skip_blanks(c);
		return want_name(c, ev) &&
		       want_number(c, UINT32_MAX, &ev->arg, "a depth");
	case TRACE_MESSAGE:
		return parse_message(c, ev);
	default:
		return parse_extent(c, ev) && want_name(c, ev);
	}
}

/*
 * The columns of the default format up to the direction, as long as no number
 * outgrows its column; anything else is left to the general parser.
 *
 *	0       8  11       20   26        36    42 45  49
 *	  8,0    0        4     0.000623540    44  D   R 0 + 128 [kworker/0:1H]
 */
#define COLUMNS_END 49

/*
 * Eight characters, blanks and then digits, as a number; the first is in the
 * lowest byte.  False for anything else.
 */
static inline bool
convert_column(uint64_t x, uint64_t *value)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t pair = UINT64_C(0x000000ff000000ff);
	uint64_t digit = x & ones << 4; /* set in '0' to '9', not in ' ' */
	uint64_t t = (x | ones << 4) ^ ones * 0x30;

	/* Every byte is a digit or exactly a blank. */
	if (((t + ones * 0x76) | t) & ones << 7 || t & ~((digit >> 4) * 15))
		return false;
	/* No blank after a digit, and a digit at the end. */
	if ((digit << 8) & ~digit || !(digit >> 60))
		return false;
	t = t * 10 + (t >> 8);
	*value = ((t & pair) * UINT64_C(0x000f424000000064) +
		  (t >> 16 & pair) * UINT64_C(0x0000271000000001)) >>
		 32;
	return true;
}

static inline uint64_t
load_column(const char *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof(x));
	return x;
}

/* The first five characters from @p on, with three blanks before. */
static inline uint64_t
load_five(const char *p)
{
	return load_column(p) << 24 | 0x202020;
}

/*
 * Device, CPU, sequence, time and process by column, the device only when it
 * is written as on the line before.  False when the line is not so.
 */
static inline bool
parse_columns(struct cursor *c, const struct text_state *s,
	      struct trace_event *ev)
{
	const char *p = c->p;
	uint64_t sequence, seconds, ns, pid;
	uint32_t tens, units;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ ||
	    c->end - p < COLUMNS_END)
		return false;
	tens = p[8] == ' ' ? 0 : (uint32_t)(p[8] - '0');
	units = (uint32_t)(p[9] - '0');
	if (load_column(p) != s->device_text || tens > 9 || units > 9 ||
	    p[10] != ' ' || p[19] != ' ' || p[25] != '.' || p[35] != ' ' ||
	    p[41] != ' ' || !is_digit(p[26]) || !is_digit(p[34]) ||
	    !convert_column(load_column(p + 11), &sequence) ||
	    !convert_column(load_five(p + 20), &seconds) ||
	    !convert_column(load_column(p + 26), &ns) ||
	    !convert_column(load_five(p + 36), &pid))
		return false;
	ev->device = s->device;
	ev->cpu = (uint16_t)(tens * 10 + units);
	ev->sequence = (uint32_t)sequence;
	ev->time_ns = (nsec_t)(seconds * (uint64_t)NSEC_PER_SEC + ns * 10 +
			       (uint64_t)(p[34] - '0'));
	ev->pid = (uint32_t)pid;
	c->p += 41;
	return true;
}

/* The same by blanks. */
static bool
parse_fields(struct cursor *c, struct text_state *s, struct trace_event *ev)
{
	const char *start = c->p;
	uint64_t cpu, sequence, pid;

	if (!blkparse_device(c, &ev->device))
		return false;
	if (c->p - start < 8 && c->end - start >= COLUMNS_END &&
	    start[7] == ' ') {
		s->device_text = load_column(start);
		s->device = ev->device;
	}
	if (!want_number(c, UINT16_MAX, &cpu, "a CPU number") ||
	    !want_number(c, UINT32_MAX, &sequence, "a sequence number") ||
	    !want_time(c, &ev->time_ns) ||
	    !want_number(c, UINT32_MAX, &pid, "a process number"))
		return false;
	ev->cpu = (uint16_t)cpu;
	ev->sequence = (uint32_t)sequence;
	ev->pid = (uint32_t)pid;
	return true;
}

/* Parse a whole line; false leaves the place and the reason in @c. */
static bool
parse_line(struct cursor *c, struct text_state *s, struct trace_event *ev)
{
	memset(ev, 0, sizeof(*ev));
	if ((!parse_columns(c, s, ev) && !parse_fields(c, s, ev)) ||
	    !blkparse_action(c, &ev->action) ||
	    !blkparse_rwbs(c, &ev->category) || !blkparse_tail(c, ev))
		return false;
	skip_blanks(c);
	if (likely(c->p == c->end))
		return true;
	c->wanted = "the end of the line";
	return false;
}

/* Lines that are no events: see the top of the file. */
static bool
is_decoration(struct text_state *s, const struct cursor *c)
{
	const char *p = c->start;

	while (*p == ' ' || *p == '\t')
		p++;
	if (p == c->end || *p == '#' || line_begins(c, "Input file ") ||
	    line_begins(c, "Trace started at"))
		return true;
	if (line_begins(c, "CPU") || line_begins(c, "Total (") ||
	    line_begins(c, "Throughput (") || line_begins(c, "Events (") ||
	    line_begins(c, "Skips: ") || line_begins(c, " Reads Queued:"))
		s->in_summary = true;
	return s->in_summary;
}

static int
fault_line(struct trace_reader *reader, const struct cursor *c, bool whole,
	   struct err *e)
{
	struct trace_fault fault = { reader->at, DAMAGE_LINE,
				     (uint64_t)(c->end - c->start) };

	fault.place.column = (uint32_t)(c->p - c->start) + 1;
	if (whole)
		return reader_fault(reader, &fault, e,
				    "not a blkparse line: %s expected",
				    c->wanted);
	fault.kind = DAMAGE_TRUNCATED;
	return reader_fault(reader, &fault, e,
			    "the last line is cut: %s expected", c->wanted);
}

/* A name in the line is the name of the line's process. */
static int
learn_name(struct trace_reader *reader, struct trace_event *ev, struct err *e)
{
	struct text_state *s = reader->state;
	const char *name = ev->payload;
	size_t bytes = ev->payload_bytes;

	ev->payload = NULL;
	ev->payload_bytes = 0;
	if (s->named && s->last_pid == ev->pid)
		return 0;
	s->named = true;
	s->last_pid = ev->pid;
	if (bytes == 6 && memcmp(name, "(null)", 6) == 0)
		return 0;
	return comm_add(&reader->names, ev->pid, name, bytes, e);
}

static int
check_order(struct trace_reader *reader, struct trace_event *ev, struct err *e)
{
	struct text_state *s = reader->state;
	struct trace_fault fault = { reader->at, DAMAGE_ORDER, 0 };
	nsec_t back_ns = s->last_ns - ev->time_ns;

	if (likely(back_ns <= 0)) {
		s->last_ns = ev->time_ns;
		return 0;
	}
	fault.place.column = 1;
	ev->time_ns = s->last_ns;
	return reader_fault(reader, &fault, e, "the time goes back by %lld ns",
			    (long long)back_ns);
}

static int
blkparse_next(struct trace_reader *reader, struct trace_event *ev,
	      struct err *e)
{
	struct text_state *s = reader->state;
	struct cursor c = { 0 };
	bool whole = true;
	int r;

	for (;;) {
		r = line_find(reader, &s->source, &c, &whole, e);
		if (unlikely(r <= 0))
			return r;
		if (likely(parse_line(&c, reader->state, ev)))
			break;
		if (is_decoration(reader->state, &c))
			continue;
		r = fault_line(reader, &c, whole, e);
		if (r)
			return r;
	}
	r = check_order(reader, ev, e);
	if (r == 0 && ev->payload && ev->action != TRACE_MESSAGE)
		r = learn_name(reader, ev, e);
	return r ? r : 1;
}

/* Some line among the first must be an event. */
static int
blkparse_sniff(const struct trace_sniff *s)
{
	struct text_state state = { .in_summary = false };
	char line[256];
	size_t from = 0;

	while (from < s->length) {
		const uint8_t *start = s->bytes + from;
		const uint8_t *newline = memchr(start, '\n', s->length - from);
		size_t n =
			newline ? (size_t)(newline - start) : s->length - from;
		struct trace_event ev;

		from += n + 1;
		if (n > 0 && start[n - 1] == '\r')
			n--;
		if (n >= sizeof(line))
			continue;
		memcpy(line, start, n);
		line[n] = '\n';
		if (parse_line(&(struct cursor){ line, line, line + n, NULL },
			       &state, &ev))
			return 90;
	}
	return 0;
}

static int
blkparse_open(struct trace_reader *reader, struct err *e)
{
	reader->state = calloc(1, sizeof(struct text_state));
	return reader->state ? 0 : err_nomem(e);
}

static void
blkparse_close(struct trace_reader *reader)
{
	free(reader->state);
}

const struct trace_format trace_blkparse = {
	.name = "blkparse",
	.help = "blkparse text in its default format",
	.sniff = blkparse_sniff,
	.open = blkparse_open,
	.next = blkparse_next,
	.close = blkparse_close,
};
