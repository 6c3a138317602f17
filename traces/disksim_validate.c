/* SPDX-License-Identifier: MIT */
/*
 * The validation traces of DiskSim: requests measured on a real drive, one at
 * a time, a line each:
 *
 *	R Hit 2992396 4 13670.00000 35942.00000
 *	direction  verdict  first block  blocks  service us  think us
 *
 * R or W; what the drive's cache did is passed over; blocks have 512 bytes.
 * The first request arrives at 0, the next one think us after this one's
 * completion.  Each line gives a Q, a D and a C, so that the service time is
 * both Q2C and D2C.  Times are rounded to nanoseconds.  Blank lines and lines
 * that begin with '#' are passed over; a line may end in CR LF.
 */
#include "traces/reader.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES_MAX 256
#define BLOCK_MAX      (UINT64_C(1) << 54)
#define BLOCKS_MAX     (UINT32_MAX >> 9)
#define TIME_US_MAX    UINT64_C(1000000000000)

/* A request of one line. */
struct row {
	bool write;
	uint64_t block, blocks;
	nsec_t service_ns, think_ns;
};

struct validate {
	uint64_t line;
	nsec_t arrival_ns;          /* of the next line */
	struct trace_event next[2]; /* of the present line: D, C */
	uint32_t left;
};

/* A line being parsed; it ends in a NUL. */
struct cursor {
	const char *p;
	const char *start;
	const char *wanted; /* what was expected where it stopped */
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void
skip_blanks(struct cursor *c)
{
	while (*c->p == ' ' || *c->p == '\t')
		c->p++;
}

/* A word ends here. */
static bool
at_end_of_word(const struct cursor *c)
{
	return *c->p == ' ' || *c->p == '\t' || *c->p == '\0';
}

static bool
want_direction(struct cursor *c, bool *write)
{
	c->wanted = "R or W";
	if (*c->p != 'R' && *c->p != 'W')
		return false;
	*write = *c->p == 'W';
	c->p++;
	return at_end_of_word(c);
}

/* The verdict of the cache is of no use here. */
static bool
want_verdict(struct cursor *c)
{
	c->wanted = "a word such as Hit or Miss";
	skip_blanks(c);
	if (*c->p == '\0' || is_digit(*c->p))
		return false;
	while (!at_end_of_word(c))
		c->p++;
	return true;
}

static bool
want_number(struct cursor *c, uint64_t max, uint64_t *value, const char *wanted)
{
	const char *from;

	c->wanted = wanted;
	skip_blanks(c);
	from = c->p;
	*value = 0;
	while (is_digit(*c->p) && c->p - from < 19)
		*value = *value * 10 + (uint64_t)(*c->p++ - '0');
	if (c->p != from && *value <= max && !is_digit(*c->p))
		return true;
	c->p = from;
	return false;
}

/* Microseconds with any number of decimals. */
static bool
want_time(struct cursor *c, nsec_t *ns, const char *wanted)
{
	uint64_t us, unit = 1000;

	if (!want_number(c, TIME_US_MAX, &us, wanted))
		return false;
	*ns = (nsec_t)us * 1000;
	if (*c->p == '.') {
		for (c->p++; is_digit(*c->p) && unit > 1; c->p++) {
			unit /= 10;
			*ns += (nsec_t)((uint64_t)(*c->p - '0') * unit);
		}
		*ns += is_digit(*c->p) && *c->p >= '5';
		while (is_digit(*c->p))
			c->p++;
	}
	return at_end_of_word(c);
}

/* Parse a whole line; false leaves the place and the reason in @c. */
static bool
parse_row(struct cursor *c, struct row *row)
{
	skip_blanks(c);
	if (!want_direction(c, &row->write) || !want_verdict(c) ||
	    !want_number(c, BLOCK_MAX, &row->block, "the first block") ||
	    !want_number(c, BLOCKS_MAX, &row->blocks, "a number of blocks") ||
	    !want_time(c, &row->service_ns, "a service time in us") ||
	    !want_time(c, &row->think_ns, "a think time in us"))
		return false;
	skip_blanks(c);
	c->wanted = "the end of the line";
	if (*c->p != '\0')
		return false;
	c->p = c->start;
	c->wanted = "one block or more";
	return row->blocks > 0;
}

static bool
is_passed_over(const struct cursor *c)
{
	const char *p = c->start;

	while (*p == ' ' || *p == '\t')
		p++;
	return *p == '\0' || *p == '#';
}

/*
 * Copy the next line, without its end, into @line.  Returns 1, 0 at the end
 * of the file, or a negative code.
 */
static int
read_line(struct trace_reader *reader, char line[LINE_BYTES_MAX], struct err *e)
{
	struct validate *v = reader->state;
	struct trace_input *in = &reader->inputs[0];
	const uint8_t *newline;
	size_t n;
	int r = input_fill(in, LINE_BYTES_MAX, e);

	if (r < 0)
		return r;
	if (input_ready(in) == 0)
		return 0;
	reader->at = (struct trace_place){ .offset = input_tell(in),
					   .line = ++v->line };
	newline = memchr(in->buf + in->pos, '\n', input_ready(in));
	n = newline ? (size_t)(newline - (in->buf + in->pos)) : input_ready(in);
	if (n > LINE_BYTES_MAX - 1)
		n = LINE_BYTES_MAX - 1; /* too long: the parser objects */
	memcpy(line, in->buf + in->pos, n);
	line[n] = '\0';
	in->pos += n + (newline == in->buf + in->pos + n);
	if (n && line[n - 1] == '\r')
		line[n - 1] = '\0';
	return 1;
}

static int
fault_line(struct trace_reader *reader, const struct cursor *c, struct err *e)
{
	struct trace_fault fault = { reader->at, DAMAGE_LINE,
				     strlen(c->start) };

	fault.place.column = (uint32_t)(c->p - c->start) + 1;
	return reader_fault(reader, &fault, e,
			    "not a line of DiskSim's validate format: %s "
			    "expected",
			    c->wanted);
}

/* The events of a row: the first is returned, the others wait. */
static void
set_events(struct validate *v, const struct row *row, struct trace_event *ev)
{
	*ev = (struct trace_event){
		.action = TRACE_QUEUE,
		.time_ns = v->arrival_ns,
		.sector = row->block,
		.bytes = (uint32_t)row->blocks * SECTOR_BYTES,
		.category = row->write ? TRACE_WRITE | TRACE_SYNC : TRACE_READ,
		.pid = 1,
	};
	v->next[0] = v->next[1] = *ev;
	v->next[0].action = TRACE_ISSUE;
	v->next[1].action = TRACE_COMPLETE;
	v->next[1].time_ns += row->service_ns;
	v->left = 2;
	v->arrival_ns += row->service_ns + row->think_ns;
}

static int
validate_next(struct trace_reader *reader, struct trace_event *ev,
	      struct err *e)
{
	struct validate *v = reader->state;
	char line[LINE_BYTES_MAX];
	struct row row;
	int r;

	if (v->left) {
		*ev = v->next[2 - v->left--];
		return 1;
	}
	for (;;) {
		struct cursor c = { line, line, NULL };

		r = read_line(reader, line, e);
		if (r <= 0)
			return r;
		if (parse_row(&c, &row))
			break;
		if (is_passed_over(&c))
			continue;
		r = fault_line(reader, &c, e);
		if (r)
			return r;
	}
	set_events(v, &row, ev);
	return 1;
}

/* The first line that is not passed over decides. */
static int
validate_sniff(const struct trace_sniff *s)
{
	char line[LINE_BYTES_MAX];
	size_t from = 0;

	while (from < s->length) {
		const uint8_t *start = s->bytes + from;
		const uint8_t *newline = memchr(start, '\n', s->length - from);
		size_t n =
			newline ? (size_t)(newline - start) : s->length - from;
		struct cursor c = { line, line, NULL };
		struct row row;

		if (n >= sizeof(line))
			return 0;
		memcpy(line, start, n);
		line[n] = '\0';
		if (n && line[n - 1] == '\r')
			line[n - 1] = '\0';
		if (!is_passed_over(&c))
			return parse_row(&c, &row) ? 90 : 0;
		from += n + 1;
	}
	return 0;
}

static int
validate_open(struct trace_reader *reader, struct err *e)
{
	reader->state = calloc(1, sizeof(struct validate));
	return reader->state ? 0 : err_nomem(e);
}

static void
validate_close(struct trace_reader *reader)
{
	free(reader->state);
}

const struct trace_format trace_disksim_validate = {
	.name = "disksim-validate",
	.help = "DiskSim's validation traces: measured service and think times",
	.is_waiting = true,
	.sniff = validate_sniff,
	.open = validate_open,
	.next = validate_next,
	.close = validate_close,
};
