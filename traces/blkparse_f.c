/* SPDX-License-Identifier: MIT */
/*
 * Text of blkparse -f FORMAT.  The format is told with --columns, or is one
 * of those that are common:
 *
 *	%T.%t,%p,%C,%a,%d,%S,%n,%N,%e    %2c,%T.%t,%d,%a,%S,%n
 *	%5T.%9t, %p, %C, %a, %S, %n, %N  %a; %6T.%9t ; %12S ; %4n ; %3d ; 0.0
 *	%D %2c %8s %5T.%9t %5p %2a %3d %S + %n [%C]
 *
 * Letters: a action, c CPU, C name, d direction, D major,min, e error, m
 * minor, M major, n sectors, N bytes, p process, s sequence, S sector, t ns,
 * T s, u elapsed us, U depth, P payload, g cgroup.  Widths are passed over,
 * and a blank in the format is any number of them.
 */
#include "traces/blkparse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const common[] = {
	"%T.%t,%p,%C,%a,%d,%S,%n,%N,%e",
	"%c,%T.%t,%d,%a,%S,%n",
	"%T.%t, %p, %C, %a, %S, %n, %N",
	"%a; %T.%t ; %S ; %n ; %d ; 0.0 ; 0.0",
	"%D %c %s %T.%t %p %a %d %S + %n [%C]",
	"%T.%t,%a,%d,%M,%m,%S,%N,%p,%c,%e,%C", /* encode.c */
};

struct custom {
	const char *format;
};

struct fields {
	uint64_t seconds, ns, sectors, bytes, sector, major, minor;
	bool has_bytes;
};

/* A number into @field. */
static bool
take(struct cursor *c, uint64_t max, uint64_t *field)
{
	return want_number(c, max, field, "a number");
}

static bool
take_numbers(struct cursor *c, char letter, struct line_record *rec,
	     struct fields *f)
{
	uint64_t v = 0;
	bool ok;

	switch (letter) {
	case 'T':
		return take(c, UINT32_MAX, &f->seconds);
	case 't':
		return take(c, 999999999, &f->ns);
	case 'n':
		return take(c, LINE_SECTORS_MAX, &f->sectors);
	case 'N':
		f->has_bytes = true;
		return take(c, UINT32_MAX, &f->bytes);
	case 'S':
		return take(c, UINT64_MAX, &f->sector);
	case 'M':
		return take(c, 0xfff, &f->major);
	case 'm':
		return take(c, 0xfffff, &f->minor);
	case 'c':
		ok = take(c, UINT16_MAX, &v);
		rec->ev.cpu = (uint16_t)v;
		return ok;
	case 'p':
		ok = take(c, UINT32_MAX, &v);
		rec->ev.pid = (uint32_t)v;
		return ok;
	case 's':
		ok = take(c, UINT32_MAX, &v);
		rec->ev.sequence = (uint32_t)v;
		return ok;
	case 'e':
		ok = take(c, UINT16_MAX, &v);
		rec->ev.error = (int16_t)v;
		return ok;
	default:
		return take(c, UINT64_MAX, &v); /* u, U */
	}
}

/* The action is followed by @next, not always by a blank. */
static bool
take_action(struct cursor *c, char next, struct line_record *rec)
{
	char text[8] = "";
	struct cursor a = { text, text, text, NULL };
	size_t n = 0;

	skip_blanks(c);
	while (n < 3 && c->p[n] != next && c->p[n] != ' ' && c->p[n] != '\n') {
		text[n] = c->p[n];
		n++;
	}
	text[n] = ' ';
	text[n + 1] = '\n';
	if (!blkparse_action(&a, &rec->ev.action)) {
		c->wanted = a.wanted;
		return false;
	}
	c->p += n;
	return true;
}

static bool
take_field(struct cursor *c, char letter, char next, struct line_record *rec,
	   struct fields *f)
{
	const char *word, *close;
	size_t n;

	switch (letter) {
	case 'a':
		return take_action(c, next, rec);
	case 'd':
		return line_rwbs(c, next, &rec->ev.category);
	case 'D':
		return blkparse_device(c, &rec->ev.device);
	case 'C': /* a name may hold blanks, and brackets inside brackets */
		if (next == ']') {
			close = memrchr(c->p, ']', (size_t)(c->end - c->p));
			rec->name = c->p;
			c->wanted = "a closing bracket";
			rec->name_bytes = close ? (size_t)(close - c->p) : 0;
			c->p += rec->name_bytes;
			return close;
		}
		return line_word(c, next, &rec->name, &rec->name_bytes);
	case 'P':
	case 'g':
	case 'z':
		return line_word(c, next, &word, &n);
	default:
		return take_numbers(c, letter, rec, f);
	}
}

/* One element of the format, which is moved past it. */
static bool
take_element(struct cursor *c, const char **format, struct line_record *rec,
	     struct fields *f)
{
	const char *p = *format;
	char letter;

	if (*p == ' ') {
		skip_blanks(c);
		*format = p + 1;
		return true;
	}
	if (*p != '%') {
		skip_blanks(c);
		*format = p + 1;
		return want_char(c, *p, "the format's own text");
	}
	for (p++; is_digit(*p) || *p == '-'; p++)
		;
	letter = *p;
	if (letter)
		p++;
	*format = p;
	return take_field(c, letter, *p ? *p : '\n', rec, f);
}

static enum line_kind
parse_custom(struct cursor *c, struct line_state *s, struct line_record *rec)
{
	const char *format = ((struct custom *)s->own)->format;
	struct fields f = { .seconds = 0 };

	/* Messages have blkparse's own format; the summary ends the events. */
	if (line_begins(c, "time_s,"))
		return LINE_OTHER;
	if (line_begins(c, "CPU") || line_begins(c, "Total ("))
		s->column[0] = 1;
	if (s->column[0] || c->p == c->end ||
	    memmem(c->start, (size_t)(c->end - c->start), "  m   N ", 8))
		return LINE_OTHER;
	while (*format && *format != '\n' && *format != '\\')
		if (!take_element(c, &format, rec, &f))
			return LINE_BAD;
	if (!line_finish(c))
		return LINE_BAD;
	if (!f.has_bytes)
		f.bytes = f.sectors << 9;
	if (rec->name_bytes == 6 && memcmp(rec->name, "(null)", 6) == 0)
		rec->name_bytes = 0;
	if (f.major || f.minor)
		rec->ev.device = (uint32_t)(f.major << 20 | f.minor);
	rec->ev.time_ns = (nsec_t)f.seconds * NSEC_PER_SEC + (nsec_t)f.ns;
	return line_set_sectors(c, rec, f.sector, f.bytes >> 9) ? LINE_EVENT
								: LINE_BAD;
}

static const struct line_format custom_lines = {
	.what = "a line of this blkparse -f format",
	.unit_ns = 1,
	.parse = parse_custom,
};

/* How many lines of the first five have this format; 0 when the first two are
 * not. */
static int
count_lines(const char *format, const uint8_t *bytes, size_t length)
{
	struct custom own = { format };
	struct line_state *s = calloc(1, sizeof(*s));
	int good = 0;

	for (int n = 0; s && n < 5; n++) {
		const uint8_t *newline = memchr(bytes, '\n', length);
		size_t size = newline ? (size_t)(newline - bytes) : 0;
		struct line_record rec = { .name = NULL };
		char line[256];

		if (!newline || size >= sizeof(line))
			break;
		s->own = &own;
		memcpy(line, bytes, size);
		line[size] = '\n';
		good += parse_custom(&(struct cursor){ line, line, line + size,
						       NULL },
				     s, &rec) == LINE_EVENT;
		if (!good && n > 0)
			break;
		bytes += size + 1;
		length -= size + 1;
	}
	free(s);
	return good;
}

/* The common format that the first lines have, or NULL. */
static const char *
recognise(const uint8_t *bytes, size_t length)
{
	const char *best = NULL;
	int best_count = 0;

	for (uint32_t i = 0; i < ARRAY_LEN(common); i++) {
		int count = count_lines(common[i], bytes, length);

		if (count > best_count) {
			best = common[i];
			best_count = count;
		}
	}
	return best;
}

static int
custom_sniff(const struct trace_sniff *s)
{
	return recognise(s->bytes, s->length) ? 75 : 0;
}

/* Letters that are known, and what is needed for an event. */
static int
check_format(const char *format, struct err *e)
{
	static const char needed[] = "TaS";
	bool have[sizeof(needed)] = { false };

	for (const char *p = format; *p; p++) {
		if (*p != '%')
			continue;
		for (p++; is_digit(*p) || *p == '-'; p++)
			;
		if (!*p || !strchr("acCdDemMnNpPgsStTuUz", *p))
			return err_set(
				e, ERR_CONFIG,
				"--columns: blkparse has no field '%%%c'",
				*p ? *p : ' ');
		for (uint32_t i = 0; needed[i]; i++)
			have[i] |= *p == needed[i];
	}
	for (uint32_t i = 0; needed[i]; i++)
		if (!have[i])
			return err_set(e, ERR_CONFIG,
				       "--columns: the format '%s' lacks %%%c",
				       format, needed[i]);
	return 0;
}

static int
custom_open(struct trace_reader *reader, struct err *e)
{
	const struct trace_input *in = &reader->inputs[0];
	const char *format = reader->opt.columns;
	struct line_state *s;
	struct custom *own;
	int r;

	if (!format)
		format = recognise(in->buf + in->pos, input_ready(in));
	if (!format)
		return err_set(e, ERR_CONFIG,
			       "%s: the format that blkparse -f had is needed, "
			       "as --columns '%%T.%%t %%a %%S'",
			       in->path);
	r = check_format(format, e);
	if (!r)
		r = lines_open(reader, &custom_lines, e);
	if (r)
		return r;
	s = reader->state;
	s->own = own = calloc(1, sizeof(*own));
	if (!own)
		return err_nomem(e);
	own->format = format;
	return 0;
}

const struct trace_format trace_blkparse_f = {
	.name = "blkparse-f",
	.help = "blkparse -f FORMAT text, the format as --columns FORMAT",
	.sniff = custom_sniff,
	.open = custom_open,
	.next = lines_next,
	.close = lines_close,
};
