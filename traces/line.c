/* SPDX-License-Identifier: MIT */
#include "traces/line.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR_MAX (UINT64_C(1) << 48)

/* I/Os closer than this on average, or spans longer, are a wrong unit. */
#define MEAN_GAP_MIN_NS 100
#define SPAN_MAX_NS     (INT64_C(366) * 86400 * NSEC_PER_SEC)

int
line_find(struct trace_reader *reader, struct line_source *source,
	  struct cursor *c, bool *whole, struct err *e)
{
	struct trace_input *in = &reader->inputs[0];
	char *newline;

	in->pos += source->consumed;
	source->consumed = 0;
	newline = memchr(in->buf + in->pos, '\n', input_ready(in));
	if (unlikely(!newline)) {
		int r = input_fill(in, LINE_BYTES_MAX + 1, e);

		if (r)
			return r;
		if (input_ready(in) == 0)
			return 0;
		newline = memchr(in->buf, '\n', input_ready(in));
	}
	*whole = newline != NULL;
	source->line++;
	if (unlikely(!newline)) {
		if (input_ready(in) > LINE_BYTES_MAX)
			in->end = in->pos + LINE_BYTES_MAX;
		assert(in->end < in->capacity);
		newline = (char *)in->buf + in->end;
		*newline = '\n';
		source->consumed = input_ready(in);
	} else {
		source->consumed =
			(size_t)(newline + 1 - ((char *)in->buf + in->pos));
	}
	c->start = c->p = (char *)in->buf + in->pos;
	c->end = newline;
	if (c->end > c->p && c->end[-1] == '\r')
		*(char *)(uintptr_t)--c->end = '\n';
	reader->at = (struct trace_place){ .offset = input_tell(in),
					   .line = source->line };
	return 1;
}

void
line_skip_white(struct cursor *c)
{
	while (*c->p == ' ' || *c->p == '\t')
		c->p++;
}

bool
line_separator(struct cursor *c, char sep)
{
	const char *from = c->p;

	line_skip_white(c);
	if (sep == ' ') {
		if (c->p != from)
			return true;
		c->wanted = "a blank";
		return false;
	}
	if (*c->p == sep) {
		c->p++;
		line_skip_white(c);
		return true;
	}
	c->wanted = sep == ',' ? "a comma" : "a separator";
	return false;
}

bool
line_finish(struct cursor *c)
{
	line_skip_white(c);
	if (c->p == c->end)
		return true;
	c->wanted = "the end of the line";
	return false;
}

bool
line_time(struct cursor *c, nsec_t unit_ns, nsec_t *time_ns)
{
	static const char wanted[] = "a time";
	uint64_t whole, fraction = 0;
	nsec_t scale = 1;

	assert(unit_ns > 0 && unit_ns <= NSEC_PER_SEC);
	line_skip_white(c);
	if (!want_number(c, (uint64_t)(INT64_MAX / 4 / unit_ns), &whole,
			 wanted))
		return false;
	if (*c->p == '.') {
		for (c->p++; is_digit(*c->p); c->p++) {
			if (scale >= NSEC_PER_SEC)
				continue;
			scale *= 10;
			fraction = fraction * 10 + (uint64_t)(*c->p - '0');
		}
	}
	/* 10^9 times a second in ns at most: fits. */
	*time_ns = (nsec_t)whole * unit_ns +
		   (nsec_t)(fraction * (uint64_t)unit_ns / (uint64_t)scale);
	return true;
}

static int
hex_digit(char ch)
{
	if (is_digit(ch))
		return ch - '0';
	if (ch >= 'a' && ch <= 'f')
		return ch - 'a' + 10;
	return ch >= 'A' && ch <= 'F' ? ch - 'A' + 10 : -1;
}

bool
line_hex(struct cursor *c, uint64_t max, uint64_t *value)
{
	const char *from;

	line_skip_white(c);
	if (c->p[0] == '0' && (c->p[1] == 'x' || c->p[1] == 'X'))
		c->p += 2;
	from = c->p;
	for (*value = 0; hex_digit(*c->p) >= 0 && c->p - from < 16; c->p++)
		*value = *value << 4 | (uint64_t)hex_digit(*c->p);
	if (c->p != from && *value <= max && hex_digit(*c->p) < 0)
		return true;
	c->p = from;
	c->wanted = "a hexadecimal number";
	return false;
}

bool
line_op(struct cursor *c, uint32_t *category)
{
	static const struct {
		const char *word;
		uint32_t category;
	} words[] = {
		{ "READ", TRACE_READ },
		{ "WRITE", TRACE_WRITE },
		{ "R", TRACE_READ },
		{ "W", TRACE_WRITE },
		{ "RS", TRACE_READ },
		{ "WS", TRACE_WRITE },
		{ "D", TRACE_DISCARD | TRACE_WRITE },
		{ "T", TRACE_DISCARD | TRACE_WRITE },
		{ "TRIM", TRACE_DISCARD | TRACE_WRITE },
		{ "F", TRACE_FLUSH },
		{ "FLUSH", TRACE_FLUSH },
	};
	size_t n = 0;

	line_skip_white(c);
	while ((c->p[n] | 32) >= 'a' && (c->p[n] | 32) <= 'z')
		n++;
	for (uint32_t i = 0; n && i < ARRAY_LEN(words); i++) {
		if (strlen(words[i].word) != n ||
		    strncasecmp(c->p, words[i].word, n) != 0)
			continue;
		*category = words[i].category;
		c->p += n;
		return true;
	}
	c->wanted = "read or write";
	return false;
}

/* The letter of what is done. */
static bool
rwbs_letter(struct cursor *c, uint32_t *cat)
{
	switch (*c->p) {
	case 'D':
		*cat |= TRACE_DISCARD | TRACE_WRITE;
		c->p += c->p[1] == 'E';
		break;
	case 'W':
		*cat |= TRACE_WRITE;
		break;
	case 'R':
		*cat |= TRACE_READ;
		break;
	case 'F': /* the flush command itself */
		*cat |= TRACE_FLUSH;
		break;
	case 'N':
		break;
	default:
		c->wanted = "a direction (R W D N)";
		return *cat & TRACE_FLUSH;
	}
	c->p++;
	return true;
}

bool
line_rwbs(struct cursor *c, char end, uint32_t *category)
{
	uint32_t cat = 0;

	line_skip_white(c);
	if (*c->p == 'F') {
		cat |= TRACE_FLUSH;
		c->p++;
	}
	if (!rwbs_letter(c, &cat))
		return false;
	for (; *c->p != ' ' && *c->p != end && *c->p != '\n'; c->p++) {
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
		case 'B': /* the barrier of old kernels */
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

bool
line_word(struct cursor *c, char sep, const char **word, size_t *bytes)
{
	line_skip_white(c);
	*word = c->p;
	while (c->p < c->end && *c->p != sep && !(sep == ' ' && *c->p == '\t'))
		c->p++;
	*bytes = (size_t)(c->p - *word);
	if (*bytes || sep != ' ')
		return true;
	c->wanted = "a word";
	return false;
}

bool
line_begins(const struct cursor *c, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(c->end - c->start) >= n &&
	       memcmp(c->start, word, n) == 0;
}

bool
line_set_sectors(struct cursor *c, struct line_record *rec, uint64_t sector,
		 uint64_t sectors)
{
	if (sector >= SECTOR_MAX) {
		c->wanted = "a sector below 2^48";
		return false;
	}
	if (sectors > LINE_SECTORS_MAX) {
		c->wanted = "a size below 4 GiB";
		return false;
	}
	rec->ev.sector = sector;
	rec->ev.bytes = (uint32_t)sectors << 9;
	return true;
}

bool
line_set_bytes(struct cursor *c, struct line_record *rec, uint64_t offset,
	       uint64_t bytes)
{
	uint64_t end;

	if (offset >= SECTOR_MAX << 9) {
		c->wanted = "an offset below 2^57 bytes";
		return false;
	}
	if (bytes > UINT32_MAX) {
		c->wanted = "a size below 4 GiB";
		return false;
	}
	end = (offset + bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
	if (bytes == 0)
		end = offset / SECTOR_BYTES;
	return line_set_sectors(c, rec, offset / SECTOR_BYTES,
				end - offset / SECTOR_BYTES);
}

bool
line_set_unit(struct cursor *c, struct line_record *rec, uint64_t minor)
{
	if (minor <= 0xfffff) {
		rec->ev.device = (uint32_t)minor;
		return true;
	}
	c->wanted = "a device number below 2^20";
	return false;
}

bool
line_disk(struct line_state *s, const char *name, size_t bytes,
	  uint32_t *device)
{
	uint32_t i;

	if (bytes == 3 && memcmp(name, "sd", 2) == 0 && name[2] >= 'a' &&
	    name[2] <= 'p') {
		*device = 8u << 20 | (uint32_t)(name[2] - 'a') << 4;
		return true;
	}
	if (bytes == 0 || bytes >= sizeof(s->disks[0]))
		return false;
	for (i = 0; i < LINE_DISKS_MAX && s->disks[i][0]; i++)
		if (strncmp(s->disks[i], name, bytes) == 0 &&
		    s->disks[i][bytes] == '\0')
			break;
	if (i == LINE_DISKS_MAX)
		return false;
	memcpy(s->disks[i], name, bytes);
	*device = i + 1;
	return true;
}

int
lines_open(struct trace_reader *reader, const struct line_format *format,
	   struct err *e)
{
	struct line_state *s = calloc(1, sizeof(*s));

	if (!s)
		return err_nomem(e);
	reader->state = s;
	s->format = format;
	s->unit_ns = reader->opt.time_unit_ns ? reader->opt.time_unit_ns
					      : format->unit_ns;
	window_init(&s->window, reader->opt.window);
	if (format->wall)
		reader->have_wall = true;
	return 0;
}

void
lines_close(struct trace_reader *reader)
{
	struct line_state *s = reader->state;

	if (!s)
		return;
	window_free(&s->window);
	free(s->own);
	free(s);
}

static int
fault_line(struct trace_reader *reader, const struct cursor *c, bool whole,
	   struct err *e)
{
	struct line_state *s = reader->state;
	struct trace_fault fault = { reader->at, DAMAGE_LINE,
				     (uint64_t)(c->end - c->start) };

	fault.place.column = (uint32_t)(c->p - c->start) + 1;
	if (whole)
		return reader_fault(reader, &fault, e, "not %s: %s expected",
				    s->format->what, c->wanted);
	fault.kind = DAMAGE_TRUNCATED;
	return reader_fault(reader, &fault, e,
			    "the last line is cut: %s expected", c->wanted);
}

static int
fault_order(struct trace_reader *reader, nsec_t back_ns, struct err *e)
{
	struct trace_fault fault = { reader->at, DAMAGE_ORDER, 0 };

	fault.place.column = 1;
	return reader_fault(reader, &fault, e, "the time goes back by %lld ns",
			    (long long)back_ns);
}

/* Note when the line was; lines that go back in time are made equal. */
static int
check_line(struct trace_reader *reader, struct line_record *rec, struct err *e)
{
	struct line_state *s = reader->state;
	nsec_t time_ns = rec->ev.time_ns;
	int r = 0;

	s->ios++;
	if (!s->started || time_ns < s->first_ns)
		s->first_ns = time_ns;
	if (s->started && time_ns < s->last_ns && !s->format->loose) {
		rec->ev.time_ns = s->last_ns;
		r = fault_order(reader, s->last_ns - time_ns, e);
	}
	if (!s->started || time_ns > s->last_ns)
		s->last_ns = time_ns;
	s->started = true;
	if (!r && rec->name_bytes)
		r = comm_add(&reader->names, rec->ev.pid, rec->name,
			     rec->name_bytes, e);
	return r;
}

static void
prepare_record(struct line_record *rec)
{
	memset(rec, 0, sizeof(*rec));
	rec->issue_ns = rec->complete_ns = -1;
	rec->ev.action = TRACE_QUEUE;
}

/* Parse lines until one is an I/O.  1, 0 at the end, or negative. */
static int
read_record(struct trace_reader *reader, struct line_record *rec, struct err *e)
{
	struct line_state *s = reader->state;
	struct cursor c = { 0 };
	bool whole = true;
	int r;

	if (s->format->read) {
		prepare_record(rec);
		r = s->format->read(reader, rec, e);
		if (r <= 0)
			return r;
		r = check_line(reader, rec, e);
		return r ? r : 1;
	}
	for (;;) {
		enum line_kind kind;

		r = line_find(reader, &s->source, &c, &whole, e);
		if (r <= 0)
			return r;
		prepare_record(rec);
		kind = s->format->parse(&c, s, rec);
		if (kind == LINE_EVENT) {
			r = check_line(reader, rec, e);
			return r ? r : 1;
		}
		if (kind == LINE_OTHER)
			continue;
		r = fault_line(reader, &c, whole, e);
		if (r)
			return r;
	}
}

/* Put the Q, D and C of an I/O, as far as known, into the window. */
static int
push_record(struct trace_reader *reader, const struct line_record *rec,
	    struct err *e)
{
	struct line_state *s = reader->state;
	struct trace_event ev = rec->ev;
	int r = window_push(&s->window, &ev, &reader->at, e);

	if (!r && rec->issue_ns >= 0) {
		ev.action = TRACE_ISSUE;
		ev.time_ns = rec->ev.time_ns + rec->issue_ns;
		r = window_push(&s->window, &ev, &reader->at, e);
	}
	if (!r && rec->complete_ns >= 0) {
		ev.action = TRACE_COMPLETE;
		ev.time_ns = rec->ev.time_ns + rec->complete_ns;
		r = window_push(&s->window, &ev, &reader->at, e);
	}
	return r;
}

/* Whether nothing that is still to be read can be before the earliest. */
static bool
window_ready(const struct line_state *s)
{
	const struct trace_window *w = &s->window;

	if (w->count == 0)
		return false;
	if (s->ended || w->count + 3 > w->limit)
		return true;
	return !s->format->loose && (nsec_t)w->heap[0].time_ns <= s->last_ns;
}

static int
hand_out(struct trace_reader *reader, struct trace_event *ev, struct err *e)
{
	struct line_state *s = reader->state;
	struct window_slot slot;
	nsec_t back_ns;
	int r = 0;

	window_pop(&s->window, &slot);
	free(slot.payload);
	reader->at = slot.at;
	*ev = slot.ev;
	back_ns = s->out_ns - ev->time_ns;
	if (unlikely(back_ns > 0)) {
		ev->time_ns = s->out_ns;
		r = fault_order(reader, back_ns, e);
	}
	s->out_ns = ev->time_ns;
	return r ? r : 1;
}

/* At the end: whether the unit of time can have been right. */
static int
judge_unit(struct trace_reader *reader, struct err *e)
{
	struct line_state *s = reader->state;
	nsec_t span_ns = s->last_ns - s->first_ns;

	if (!s->format->ambiguous || s->ios < 100)
		return 0;
	if (span_ns > SPAN_MAX_NS)
		return reader_warn(reader, e,
				   "%s: %lld days long: is --time-unit right?",
				   reader->inputs[0].path,
				   (long long)(span_ns / NSEC_PER_SEC / 86400));
	if (span_ns / (nsec_t)s->ios < MEAN_GAP_MIN_NS)
		return reader_warn(reader, e,
				   "%s: %llu I/Os in %lld ns: is --time-unit "
				   "right?",
				   reader->inputs[0].path,
				   (unsigned long long)s->ios,
				   (long long)span_ns);
	return 0;
}

int
lines_next(struct trace_reader *reader, struct trace_event *ev, struct err *e)
{
	struct line_state *s = reader->state;
	struct line_record rec;

	for (;;) {
		int r;

		if (window_ready(s))
			return hand_out(reader, ev, e);
		if (s->ended)
			return 0;
		r = read_record(reader, &rec, e);
		if (r < 0)
			return r;
		if (r == 0) {
			s->ended = true;
			r = judge_unit(reader, e);
		} else if (s->window.count == 0 && !s->format->loose &&
			   rec.issue_ns < 0 && rec.complete_ns < 0) {
			*ev = rec.ev;
			s->out_ns = ev->time_ns;
			return 1;
		} else {
			r = push_record(reader, &rec, e);
		}
		if (r)
			return r;
	}
}

int
lines_sniff(const struct trace_sniff *sniff, const struct line_format *format,
	    int score)
{
	struct line_state *s = calloc(1, sizeof(*s));
	char line[LINE_BYTES_MAX + 1];
	size_t from = 0, good = 0;
	bool bad = !s;

	if (s) {
		s->format = format;
		s->unit_ns = format->unit_ns;
	}
	while (!bad && from < sniff->length) {
		const uint8_t *start = sniff->bytes + from;
		const uint8_t *newline =
			memchr(start, '\n', sniff->length - from);
		size_t n = newline ? (size_t)(newline - start)
				   : sniff->length - from;
		struct line_record rec = { .issue_ns = -1 };
		enum line_kind kind;

		from += n + 1;
		if (n >= LINE_BYTES_MAX || (!newline && good))
			break;
		if (n > 0 && start[n - 1] == '\r')
			n--;
		memcpy(line, start, n);
		line[n] = '\n';
		kind = format->parse(
			&(struct cursor){ line, line, line + n, NULL }, s,
			&rec);
		good += kind == LINE_EVENT;
		bad = kind == LINE_BAD;
	}
	if (s)
		free(s->own);
	free(s);
	return good && !bad ? score : 0;
}
