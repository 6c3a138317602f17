/* SPDX-License-Identifier: MIT */
#include "sim/core/option.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES_MAX 64 /* longest word that is worth a suggestion */
#define SHOWN_MAX      60 /* bytes of a value that a message repeats */

static const char blanks[] = " \t\r\n";

/* ---- Text being built, as snprintf does ---------------------------------- */

struct text {
	char *buf;
	size_t size;
	size_t length; /* what it would take, without the final NUL */
};

static void
text_init(struct text *t, char *buf, size_t size)
{
	t->buf = buf;
	t->size = size;
	t->length = 0;
	if (size)
		buf[0] = '\0';
}

static void __attribute__((format(printf, 2, 3)))
text_add(struct text *t, const char *fmt, ...)
{
	size_t room = t->length < t->size ? t->size - t->length : 0;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(room ? t->buf + t->length : NULL, room, fmt, ap);
	va_end(ap);
	assert(n >= 0);
	t->length += (size_t)n;
}

/* ---- Decimal numbers as integers ----------------------------------------- */

static int
unit_digits(const char *unit)
{
	static const struct {
		const char *name;
		int digits; /* 10^digits nanoseconds */
	} units[] = { { "ns", 0 }, { "us", 3 }, { "ms", 6 }, { "s", 9 } };

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (strcmp(unit, units[i].name) == 0)
			return units[i].digits;
	}
	return -1;
}

/* Append digit @c to *value; false when it no longer fits. */
static bool
append_digit(int64_t *value, char c)
{
	return !__builtin_mul_overflow(*value, 10, value) &&
	       !__builtin_add_overflow(*value, c - '0', value);
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

enum number_status {
	NUMBER_OK,
	NUMBER_MALFORMED,
	NUMBER_TOO_LARGE,
	NUMBER_TOO_SMALL,
};

/*
 * The decimal number at *text, times 10^digits and rounded to the nearest
 * whole one (halves away from zero); *text moves past it.
 */
static enum number_status
parse_number(const char **text, int digits, int64_t *out)
{
	const char *p = *text;
	bool negative = *p == '-', any = false, fits = true, up = false;
	int64_t value = 0;
	int left = digits;

	p += *p == '-' || *p == '+';
	for (; is_digit(*p); p++, any = true)
		fits = fits && append_digit(&value, *p);
	if (*p == '.') {
		for (p++; is_digit(*p); p++, any = true, left--) {
			if (left > 0)
				fits = fits && append_digit(&value, *p);
			else if (left == 0)
				up = *p >= '5';
		}
	}
	for (; left > 0; left--)
		fits = fits && append_digit(&value, '0');
	if (!any)
		return NUMBER_MALFORMED;
	if (up)
		fits = fits && !__builtin_add_overflow(value, 1, &value);
	*text = p;
	if (!fits)
		return negative ? NUMBER_TOO_SMALL : NUMBER_TOO_LARGE;
	*out = negative ? -value : value;
	return NUMBER_OK;
}

/* @value / 10^digits, without needless zeros. */
static void
text_add_decimal(struct text *t, int64_t value, int digits)
{
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	uint64_t unit = 1;

	for (int i = 0; i < digits; i++)
		unit *= 10;
	text_add(t, "%s%llu", value < 0 ? "-" : "",
		 (unsigned long long)(rest / unit));
	rest %= unit;
	if (rest == 0)
		return;
	while (rest % 10 == 0) {
		rest /= 10;
		digits--;
	}
	text_add(t, ".%0*llu", digits, (unsigned long long)rest);
}

/* Decimal digits between an option's text and its integer. */
static int
option_digits(const struct option *opt)
{
	int digits = 0;

	if (opt->type == OPTION_LIST)
		return 6;
	if (opt->type == OPTION_TIME)
		digits = unit_digits(opt->unit);
	assert(digits >= 0);
	return digits;
}

/* ---- What an option accepts ---------------------------------------------- */

static const char *const bool_names[] = { "no", "yes", NULL };

static void
text_add_names(struct text *t, const char *const *names)
{
	text_add(t, "one of");
	for (size_t i = 0; names[i]; i++)
		text_add(t, "%s %s", i ? "," : "", names[i]);
}

static void
text_add_range(struct text *t, const struct option *opt)
{
	int digits = option_digits(opt);

	if (opt->type == OPTION_LIST)
		text_add(t, "numbers, each ");
	text_add_decimal(t, opt->min, digits);
	if (opt->max == INT64_MAX) {
		text_add(t, " or more");
	} else {
		text_add(t, " to ");
		text_add_decimal(t, opt->max, digits);
	}
	if (opt->unit && opt->unit[0])
		text_add(t, " %s", opt->unit);
}

int
option_format_range(const struct option *opt, char *buf, size_t size)
{
	struct text t;

	text_init(&t, buf, size);
	switch (opt->type) {
	case OPTION_BOOL:
		text_add(&t, "yes or no");
		break;
	case OPTION_CHOICE:
		text_add_names(&t, opt->choices);
		break;
	case OPTION_NAME:
		text_add(&t, "up to %d bytes of text", OPTION_NAME_MAX - 1);
		break;
	case OPTION_INT:
	case OPTION_TIME:
	case OPTION_LIST:
		text_add_range(&t, opt);
		break;
	}
	return (int)t.length;
}

/* ---- Messages -------------------------------------------------------------
 */

struct setting {
	const struct option_table *table;
	const struct option *opt;
	const char *text;
	const struct option_place *place;
	struct err *e;
};

static int
fail(const struct option_place *place, bool at_key, struct err *e,
     const char *message)
{
	int column;

	if (!place || !place->file)
		return err_set(e, ERR_CONFIG, "%s", message);
	if (!place->line)
		return err_set(e, ERR_CONFIG, "%s: %s", place->file, message);
	column =
		at_key && place->key_column ? place->key_column : place->column;
	return err_set(e, ERR_CONFIG, "%s:%d:%d: %s", place->file, place->line,
		       column, message);
}

/* The value as a message shows it: short, and on one line. */
static void
text_add_value(struct text *t, const char *value)
{
	size_t length = strlen(value);
	size_t shown = length > SHOWN_MAX ? SHOWN_MAX : length;

	for (size_t i = 0; i < shown; i++) {
		unsigned char c = (unsigned char)value[i];

		text_add(t, "%c", c < 0x20 || c == 0x7f ? '?' : c);
	}
	if (shown < length)
		text_add(t, "...");
}

/* "rpm = 72OO: WHAT; 1 to 30000", the section too when no file tells it. */
static int
fail_value(const struct setting *s, const char *what, const char *hint)
{
	char message[768], range[256];
	bool in_file = s->place && s->place->line;
	struct text t;

	text_init(&t, message, sizeof(message));
	if (!in_file)
		text_add(&t, "%s.", s->table->section);
	text_add(&t, "%s = ", s->opt->name);
	text_add_value(&t, s->text);
	option_format_range(s->opt, range, sizeof(range));
	text_add(&t, ": %s; %s", what, range);
	if (hint)
		text_add(&t, "; did you mean \"%s\"?", hint);
	return fail(s->place, false, s->e, message);
}

static int
fail_unknown(const struct option_table *table, const char *name,
	     const struct option_place *place, struct err *e)
{
	const char **names = calloc(table->count + 1, sizeof(*names));
	const char *nearest;
	char message[512];
	struct text t;

	if (!names)
		return err_nomem(e);
	for (size_t i = 0; i < table->count; i++)
		names[i] = table->options[i].name;
	nearest = option_nearest(name, names);
	text_init(&t, message, sizeof(message));
	text_add(&t, "unknown key \"");
	text_add_value(&t, name);
	text_add(&t, "\" in [%s]", table->section);
	if (nearest)
		text_add(&t, "; did you mean \"%s\"?", nearest);
	free(names);
	return fail(place, true, e, message);
}

/* ---- Setting --------------------------------------------------------------
 */

static int
fail_number(const struct setting *s, enum number_status status)
{
	static const char *const what[] = {
		[NUMBER_MALFORMED] = "not a number",
		[NUMBER_TOO_LARGE] = "too large",
		[NUMBER_TOO_SMALL] = "too small",
	};

	return fail_value(s, what[status], NULL);
}

static int
check_range(const struct setting *s, int64_t value)
{
	if (value < s->opt->min)
		return fail_value(s, "too small", NULL);
	if (value > s->opt->max)
		return fail_value(s, "too large", NULL);
	return 0;
}

static int
set_int(const struct setting *s, int64_t *field)
{
	const char *p = s->text;
	enum number_status status;
	int64_t value;
	int r;

	if (strchr(p, '.'))
		return fail_value(s, "not a whole number", NULL);
	status = parse_number(&p, 0, &value);
	if (status == NUMBER_OK && *p)
		status = NUMBER_MALFORMED;
	if (status != NUMBER_OK)
		return fail_number(s, status);
	r = check_range(s, value);
	if (r == 0)
		*field = value;
	return r;
}

static int
set_time(const struct setting *s, int64_t *field)
{
	const char *p = s->text, *number = p, *suffix;
	int digits = option_digits(s->opt), r;
	enum number_status status;
	int64_t value;

	suffix = p + strspn(p, "+-.0123456789");
	suffix += strspn(suffix, blanks);
	if (*suffix)
		digits = unit_digits(suffix);
	if (digits < 0)
		return fail_value(s, "not a time", NULL);
	status = parse_number(&number, digits, &value);
	number += strspn(number, blanks);
	if (status == NUMBER_OK && number != suffix)
		status = NUMBER_MALFORMED;
	if (status != NUMBER_OK)
		return fail_number(s, status);
	r = check_range(s, value);
	if (r == 0)
		*field = value;
	return r;
}

static int
set_bool(const struct setting *s, bool *field)
{
	static const char *const names[] = { "no",  "yes", "false", "true",
					     "off", "on",  "0",     "1" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(s->text, names[i]) == 0) {
			*field = i % 2;
			return 0;
		}
	}
	return fail_value(s, "neither yes nor no",
			  option_nearest(s->text, bool_names));
}

static int
set_choice(const struct setting *s, int *field)
{
	for (int i = 0; s->opt->choices[i]; i++) {
		if (strcmp(s->text, s->opt->choices[i]) == 0) {
			*field = i;
			return 0;
		}
	}
	return fail_value(s, "not known",
			  option_nearest(s->text, s->opt->choices));
}

static int
set_name(const struct setting *s, char *field)
{
	size_t length = strlen(s->text);

	if (length >= OPTION_NAME_MAX)
		return fail_value(s, "too long", NULL);
	memcpy(field, s->text, length + 1);
	return 0;
}

static int
parse_list(const struct setting *s, struct option_list *list)
{
	const char *p = s->text;

	while (*(p += strspn(p, " \t\r\n,"))) {
		enum number_status status;
		int64_t value;
		int r;

		status = parse_number(&p, 6, &value);
		if (status == NUMBER_OK && *p && !strchr(" \t\r\n,", *p))
			status = NUMBER_MALFORMED;
		if (status != NUMBER_OK)
			return fail_number(s, status);
		r = check_range(s, value);
		if (r < 0)
			return r;
		list->micro[list->count++] = value;
	}
	return 0;
}

static int
set_list(const struct setting *s, struct option_list *field)
{
	struct option_list list = { 0 };
	int r;

	/* two characters at least a number */
	list.micro = calloc(strlen(s->text) / 2 + 1, sizeof(*list.micro));
	if (!list.micro)
		return err_nomem(s->e);
	r = parse_list(s, &list);
	if (r < 0 || list.count == 0)
		option_list_free(&list);
	if (r < 0)
		return r;
	option_list_free(field);
	*field = list;
	return 0;
}

static int
set_field(const struct setting *s, void *field)
{
	switch (s->opt->type) {
	case OPTION_BOOL:
		return set_bool(s, field);
	case OPTION_INT:
		return set_int(s, field);
	case OPTION_TIME:
		return set_time(s, field);
	case OPTION_CHOICE:
		return set_choice(s, field);
	case OPTION_NAME:
		return set_name(s, field);
	case OPTION_LIST:
		return set_list(s, field);
	}
	assert(0);
	return ERR_INTERNAL;
}

int
option_set(const struct option_table *table, void *config, const char *name,
	   const char *text, const struct option_place *place, struct err *e)
{
	struct setting s = { table, option_find(table, name), text, place, e };

	if (!s.opt)
		return fail_unknown(table, name, place, e);
	return set_field(&s, (char *)config + s.opt->offset);
}

static size_t
field_size(enum option_type type)
{
	switch (type) {
	case OPTION_BOOL:
		return sizeof(bool);
	case OPTION_INT:
	case OPTION_TIME:
		return sizeof(int64_t);
	case OPTION_CHOICE:
		return sizeof(int);
	case OPTION_NAME:
		return OPTION_NAME_MAX;
	case OPTION_LIST:
		return sizeof(struct option_list);
	}
	assert(0);
	return 0;
}

void
option_defaults(const struct option_table *table, void *config)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct option *opt = &table->options[i];
		int r;

		memset((char *)config + opt->offset, 0, field_size(opt->type));
		if (!opt->initial)
			continue;
		r = option_set(table, config, opt->name, opt->initial, NULL,
			       NULL);
		assert(r == 0);
		(void)r;
	}
}

const struct option *
option_find(const struct option_table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++) {
		if (strcmp(table->options[i].name, name) == 0)
			return &table->options[i];
	}
	return NULL;
}

void
option_list_free(struct option_list *list)
{
	free(list->micro);
	list->micro = NULL;
	list->count = 0;
}

void
option_table_free(const struct option_table *table, void *config)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct option *opt = &table->options[i];

		if (opt->type == OPTION_LIST)
			option_list_free((struct option_list *)((char *)config +
								opt->offset));
	}
}

int
option_table_own(const struct option_table *table, void *to, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct option *opt = &table->options[i];
		struct option_list *list, old;

		if (opt->type != OPTION_LIST)
			continue;
		list = (struct option_list *)((char *)to + opt->offset);
		old = *list;
		list->micro = NULL;
		if (r == 0 && old.count) {
			list->micro = calloc(old.count, sizeof(*list->micro));
			if (list->micro)
				memcpy(list->micro, old.micro,
				       old.count * sizeof(*list->micro));
			else
				r = err_nomem(e);
		}
		if (!list->micro)
			list->count = 0;
	}
	if (r < 0)
		option_table_free(table, to);
	return r;
}

/* ---- Formatting -----------------------------------------------------------
 */

static void
text_add_list(struct text *t, const struct option_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (i)
			text_add(t, " ");
		text_add_decimal(t, list->micro[i], 6);
	}
}

int
option_format(const struct option *opt, const void *config, char *buf,
	      size_t size)
{
	const void *field = (const char *)config + opt->offset;
	struct text t;

	text_init(&t, buf, size);
	switch (opt->type) {
	case OPTION_BOOL:
		text_add(&t, "%s", bool_names[*(const bool *)field]);
		break;
	case OPTION_INT:
	case OPTION_TIME:
		text_add_decimal(&t, *(const int64_t *)field,
				 option_digits(opt));
		break;
	case OPTION_CHOICE:
		text_add(&t, "%s", opt->choices[*(const int *)field]);
		break;
	case OPTION_NAME:
		text_add(&t, "%s", (const char *)field);
		break;
	case OPTION_LIST:
		text_add_list(&t, field);
		break;
	}
	assert(t.length <= INT_MAX);
	return (int)t.length;
}

/* ---- Did you mean ---------------------------------------------------------
 */

static size_t
min_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Edits (insert, delete, replace, swap two neighbours) that make @b of @a;
 * the words are NAME_BYTES_MAX long at most.
 */
static size_t
edit_distance(const char *a, const char *b)
{
	size_t rows[3][NAME_BYTES_MAX + 1] = { { 0 } };
	size_t *before = rows[0], *last = rows[1], *now = rows[2];
	size_t length_b = strlen(b);

	for (size_t j = 0; j <= length_b; j++)
		last[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		size_t *swap = before;

		now[0] = i;
		for (size_t j = 1; j <= length_b; j++) {
			size_t cost = a[i - 1] != b[j - 1];

			now[j] = min_of(last[j - 1] + cost,
					min_of(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				now[j] = min_of(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = swap;
	}
	return last[length_b];
}

const char *
option_nearest(const char *word, const char *const *names)
{
	size_t length = strlen(word), best = 1 + length / 3;
	const char *nearest = NULL;

	if (length > NAME_BYTES_MAX)
		return NULL;
	for (size_t i = 0; names[i]; i++) {
		size_t distance;

		if (strlen(names[i]) > NAME_BYTES_MAX)
			continue;
		distance = edit_distance(word, names[i]);
		if (distance < best || (distance == best && !nearest)) {
			best = distance;
			nearest = names[i];
		}
	}
	return nearest;
}
