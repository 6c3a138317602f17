/* SPDX-License-Identifier: MIT */
#include "sim/core/ini.h"

#include "sim/core/utf8.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX ((size_t)64 << 20)

/* A growing string; always ends in a NUL once something was added. */
struct string {
	char *text;
	size_t length, capacity;
};

struct reader {
	const char *path;
	const char *next, *end; /* of the text not yet read */
	int line;               /* number of the line last read, from 1 */
	struct string section, key, value;
	ini_entry_fn *entry;
	void *ctx;
	struct err *e;
};

/* A piece of the text and the column it begins in, from 1. */
struct span {
	const char *text;
	size_t length;
	int column;
};

static int
string_add(struct string *s, const char *text, size_t length, struct err *e)
{
	size_t need = s->length + length + 1;

	if (need > s->capacity) {
		size_t capacity = 2 * need;
		char *grown = realloc(s->text, capacity);

		if (!grown)
			return err_nomem(e);
		s->text = grown;
		s->capacity = capacity;
	}
	assert(s->text);
	if (length)
		memcpy(s->text + s->length, text, length);
	s->length += length;
	s->text[s->length] = '\0';
	return 0;
}

static int
string_set(struct string *s, struct span from, struct err *e)
{
	s->length = 0;
	return string_add(s, from.text, from.length, e);
}

static int
fail(const struct reader *r, int column, const char *what)
{
	return err_set(r->e, ERR_CONFIG, "%s:%d:%d: %s", r->path, r->line,
		       column, what);
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static struct span
trim(struct span s)
{
	while (s.length && is_blank(s.text[s.length - 1]))
		s.length--;
	while (s.length && is_blank(*s.text)) {
		s.text++;
		s.length--;
		s.column++;
	}
	return s;
}

/* A part of @s from byte @from on, @length bytes long. */
static struct span
part(struct span s, size_t from, size_t length)
{
	assert(from + length <= s.length);
	s.text += from;
	s.length = length;
	s.column += (int)from;
	return s;
}

/* Without the comment: # or ; first, or after a blank. */
static struct span
cut_comment(struct span s)
{
	for (size_t i = 0; i < s.length; i++) {
		if ((s.text[i] == '#' || s.text[i] == ';') &&
		    (i == 0 || is_blank(s.text[i - 1]))) {
			s.length = i;
			break;
		}
	}
	return s;
}

/* NUL bytes and broken UTF-8 are seldom meant: say where they are. */
static int
check_bytes(const struct reader *r, struct span s)
{
	char what[64];

	for (size_t i = 0, n; i < s.length; i += n) {
		n = utf8_length(s.text + i, s.length - i);
		if (s.text[i] == '\0')
			return fail(r, s.column + (int)i, "a NUL byte");
		if (n == 0) {
			snprintf(what, sizeof(what),
				 "byte 0x%02x is not valid UTF-8",
				 (unsigned char)s.text[i]);
			return fail(r, s.column + (int)i, what);
		}
	}
	return 0;
}

/* The next line without comment and blanks around: 1, 0 at the end, error. */
static int
next_line(struct reader *r, struct span *line)
{
	const char *newline;
	int status;

	if (r->next == r->end)
		return 0;
	newline = memchr(r->next, '\n', (size_t)(r->end - r->next));
	if (!newline)
		newline = r->end;
	r->line++;
	line->text = r->next;
	line->length = (size_t)(newline - r->next);
	line->column = 1;
	r->next = newline == r->end ? newline : newline + 1;
	status = check_bytes(r, *line);
	if (status < 0)
		return status;
	*line = trim(cut_comment(*line));
	return 1;
}

static int
read_section(struct reader *r, struct span line)
{
	const char *close = memchr(line.text, ']', line.length);
	struct option_place place = { r->path, r->line, line.column,
				      line.column };
	struct span name;
	int status;

	if (!close)
		return fail(r, line.column + (int)line.length,
			    "\"]\" is missing after the section's name");
	if (close + 1 != line.text + line.length)
		return fail(r, line.column + (int)(close - line.text) + 1,
			    "text after \"]\"");
	name = trim(part(line, 1, line.length - 2));
	if (name.length == 0)
		return fail(r, line.column, "the section has no name");
	status = string_set(&r->section, name, r->e);
	if (status < 0)
		return status;
	return r->entry(r->ctx, r->section.text, NULL, NULL, &place, r->e);
}

/* The value from @first on, over lines that end in a backslash. */
static int
read_value(struct reader *r, struct span piece)
{
	int status = string_set(&r->value, (struct span){ "", 0, 1 }, r->e);

	while (status == 0) {
		bool more =
			piece.length && piece.text[piece.length - 1] == '\\';

		piece = trim(part(piece, 0, piece.length - more));
		if (r->value.length && piece.length)
			status = string_add(&r->value, " ", 1, r->e);
		if (status == 0)
			status = string_add(&r->value, piece.text, piece.length,
					    r->e);
		if (status < 0 || !more)
			return status;
		status = next_line(r, &piece);
		if (status == 0)
			return fail(r, 1, "the file ends after a backslash");
		status = status < 0 ? status : 0;
	}
	return status;
}

static int
read_entry(struct reader *r, struct span line)
{
	const char *equals = memchr(line.text, '=', line.length);
	struct option_place place = { r->path, r->line, 0, line.column };
	struct span key, value;
	size_t at;
	int status;

	if (!equals)
		return fail(r, line.column,
			    "neither [section] nor key = value");
	at = (size_t)(equals - line.text);
	key = trim(part(line, 0, at));
	value = trim(part(line, at + 1, line.length - at - 1));
	place.column = value.column;
	if (key.length == 0)
		return fail(r, line.column, "no key before \"=\"");
	status = string_set(&r->key, key, r->e);
	if (status == 0)
		status = read_value(r, value);
	if (status == 0 && !r->section.text)
		status = string_set(&r->section, (struct span){ "", 0, 1 },
				    r->e);
	if (status < 0)
		return status;
	return r->entry(r->ctx, r->section.text, r->key.text, r->value.text,
			&place, r->e);
}

static int
read_lines(struct reader *r)
{
	struct span line;
	int status;

	while ((status = next_line(r, &line)) > 0) {
		if (line.length == 0)
			continue;
		status = line.text[0] == '[' ? read_section(r, line)
					     : read_entry(r, line);
		if (status < 0)
			return status;
	}
	return status;
}

int
ini_read_text(const char *path, const char *text, size_t size,
	      ini_entry_fn *entry, void *ctx, struct err *e)
{
	struct reader r = { .path = path, .entry = entry, .ctx = ctx, .e = e };
	int status;

	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3; /* a byte order mark */
		size -= 3;
	}
	r.next = text;
	r.end = text + size;
	status = read_lines(&r);
	free(r.section.text);
	free(r.key.text);
	free(r.value.text);
	return status;
}

static int
read_all(FILE *file, const char *path, struct string *content, struct err *e)
{
	char block[8192];
	size_t n;
	int status = string_add(content, "", 0, e);

	while (status == 0 && (n = fread(block, 1, sizeof(block), file)) > 0) {
		if (content->length + n > FILE_BYTES_MAX)
			return err_set(e, ERR_INPUT,
				       "%s: longer than 64 MiB; not a "
				       "configuration file",
				       path);
		status = string_add(content, block, n, e);
	}
	if (status == 0 && ferror(file))
		status = err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
	return status;
}

int
ini_read_file(const char *path, ini_entry_fn *entry, void *ctx, struct err *e)
{
	struct string content = { 0 };
	FILE *file = fopen(path, "rb");
	int status;

	if (!file)
		return err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
	status = read_all(file, path, &content, e);
	fclose(file);
	if (status == 0)
		status = ini_read_text(path, content.text, content.length,
				       entry, ctx, e);
	free(content.text);
	return status;
}
