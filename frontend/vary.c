/* SPDX-License-Identifier: MIT */
#include "frontend/vary.h"

#include "frontend/models.h"
#include "frontend/run_many.h"
#include "frontend/spec_list.h"

#include "sim/core/wide.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MICRO INT64_C(1000000)

static int
bad(const char *text, const char *what, struct err *e)
{
	return err_set(e, ERR_CONFIG, "--vary %s: %s", text, what);
}

/* A decimal in millionths; @end is what follows it. */
static bool
parse_micro(const char *text, int64_t *micro, const char **end)
{
	const char *p = text;
	int64_t unit = MICRO;

	*micro = 0;
	for (; *p >= '0' && *p <= '9' && *micro < INT64_MAX / 20 - MICRO; p++)
		*micro = *micro * 10 + (*p - '0') * MICRO;
	if (p == text)
		return false;
	/* "1..32": the dots are not a decimal point. */
	if (*p == '.' && p[1] >= '0' && p[1] <= '9')
		for (p++; *p >= '0' && *p <= '9' && unit > 1; p++) {
			unit /= 10;
			*micro += (*p - '0') * unit;
		}
	*end = p;
	return true;
}

static int
add(struct cli_list *list, const char *text, struct err *e)
{
	char *copy = strdup(text);
	int err = copy ? cli_list_add(list, copy, e) : err_nomem(e);

	if (err)
		free(copy);
	return err;
}

static int
add_number(struct cli_list *list, int64_t micro, const char *unit,
	   struct err *e)
{
	char text[64];
	size_t n =
		(size_t)snprintf(text, sizeof(text), "%" PRId64 ".%06" PRId64,
				 micro / MICRO, micro % MICRO);

	while (text[n - 1] == '0')
		n--;
	if (text[n - 1] == '.')
		n--;
	snprintf(text + n, sizeof(text) - n, "%s", unit);
	return add(list, text, e);
}

struct range {
	int64_t low, high, step; /* in millionths; the factor too */
	char sign;               /* '+' or '*' */
	char unit[16];
};

/* Both ends have the same unit or the first has none. */
static bool
parse_range(const char *text, struct range *r)
{
	const char *p, *dots = strstr(text, "..");
	size_t first, second;

	*r = (struct range){ .sign = '+', .step = MICRO };
	if (!dots || !parse_micro(text, &r->low, &p) || p > dots)
		return false;
	first = (size_t)(dots - p);
	text = p;
	if (!parse_micro(dots + 2, &r->high, &p))
		return false;
	second = strcspn(p, "+*");
	if (second >= sizeof(r->unit) ||
	    (first && (first != second || strncmp(text, p, first) != 0)))
		return false;
	memcpy(r->unit, p, second);
	p += second;
	if (!*p)
		return true;
	r->sign = *p;
	return parse_micro(p + 1, &r->step, &p) && !*p;
}

static int
add_range(struct cli_list *list, const char *text, struct err *e)
{
	struct range r;
	int err = 0;

	if (!parse_range(text, &r))
		return bad(text,
			   "must be LOW..HIGH, LOW..HIGH+STEP or "
			   "LOW..HIGH*FACTOR, such as 1..32*2",
			   e);
	if (r.low > r.high || r.step <= 0 ||
	    (r.sign == '*' && (r.step <= MICRO || !r.low)))
		return bad(text, "never gets from LOW to HIGH", e);
	for (int64_t at = r.low; !err && at <= r.high;) {
		if (list->count >= VARY_VALUES_MAX)
			return bad(text, "more than 100000 values", e);
		err = add_number(list, at, r.unit, e);
		if (r.sign == '+')
			at += r.step;
		else
			at = (int64_t)(((int128_t)at * r.step + MICRO - 1) /
				       MICRO);
	}
	return err;
}

static int
add_numbers(struct cli_list *list, const char *text, struct err *e)
{
	char *copy = strdup(text), *rest = copy, *part;
	int err = copy ? 0 : err_nomem(e);

	while (!err && (part = strsep(&rest, ","))) {
		if (!*part)
			err = bad(text, "nothing before or after a comma", e);
		else if (strstr(part, "..") && *part >= '0' && *part <= '9')
			err = add_range(list, part, e);
		else
			err = add(list, part, e);
	}
	free(copy);
	return err;
}

static const char *
drive_name(void *ctx, size_t i)
{
	const struct cli_list *names = ctx;

	return i < names->count ? names->text[i] : NULL;
}

static const char *
firmware_name(void *ctx, size_t i)
{
	(void)ctx;
	return ncqsim_firmware_name(i);
}

static int
add_drives(struct cli_list *list, const char *text, struct err *e)
{
	struct cli_list names = { NULL, 0 };
	int err = models_drives(&names, e);

	if (!err)
		err = spec_list_split(list, text, drive_name, &names, e);
	models_drives_free(&names);
	return err;
}

static int
add_values(struct vary_axis *axis, const char *text,
	   const struct run_args *args, struct err *e)
{
	if (strcmp(axis->key, "elevator") == 0)
		return run_elevators(&axis->values, args, text, e);
	if (strcmp(axis->key, "firmware") == 0)
		return spec_list_split(&axis->values, text, firmware_name, NULL,
				       e);
	if (strcmp(axis->key, "drive") == 0)
		return add_drives(&axis->values, text, e);
	return add_numbers(&axis->values, text, e);
}

static int
parse_axis(struct vary *vary, const char *text, const struct run_args *args,
	   struct err *e)
{
	struct vary_axis *axis = &vary->axis[vary->axes];
	size_t n = strcspn(text, "=");

	if (vary->axes == VARY_AXES_MAX)
		return bad(text, "more than 8 keys", e);
	if (!text[n] || !text[n + 1] || !n || n >= sizeof(axis->key))
		return bad(text,
			   "must be KEY=VALUES, such as "
			   "queue_depth=1..32*2",
			   e);
	snprintf(axis->key, sizeof(axis->key), "%.*s", (int)n, text);
	for (char *p = axis->key; *p && !strchr(axis->key, '.'); p++)
		if (*p == '-')
			*p = '_';
	for (size_t i = 0; i < vary->axes; i++)
		if (strcmp(vary->axis[i].key, axis->key) == 0)
			return bad(text, "this key is varied already", e);
	vary->axes++;
	return add_values(axis, text + n + 1, args, e);
}

static int
count_combos(struct vary *vary, struct err *e)
{
	vary->combos = vary->zip && vary->axes ? vary->axis[0].values.count : 1;
	for (size_t i = 0; i < vary->axes; i++) {
		size_t count = vary->axis[i].values.count;

		if (!vary->zip)
			vary->combos *= count;
		else if (count != vary->combos)
			return err_set(e, ERR_CONFIG,
				       "--zip: %s has %zu values and %s %zu",
				       vary->axis[0].key, vary->combos,
				       vary->axis[i].key, count);
		if (vary->combos > 10000000)
			return err_set(e, ERR_CONFIG,
				       "--vary: more than 10 million cells");
	}
	return 0;
}

int
vary_parse(struct vary *vary, const struct cli_list *texts, bool zip,
	   const struct run_args *args, struct err *e)
{
	int err = 0;

	memset(vary, 0, sizeof(*vary));
	vary->zip = zip;
	for (size_t i = 0; !err && i < texts->count; i++)
		err = parse_axis(vary, texts->text[i], args, e);
	return err ? err : count_combos(vary, e);
}

void
vary_free(struct vary *vary)
{
	for (size_t i = 0; i < vary->axes; i++)
		spec_list_free(&vary->axis[i].values);
	vary->axes = 0;
}

const char *
vary_value(const struct vary *vary, size_t axis, size_t combo)
{
	const struct cli_list *values = &vary->axis[axis].values;

	for (size_t i = vary->axes; !vary->zip && --i > axis;)
		combo /= vary->axis[i].values.count;
	return values->text[combo % values->count];
}
