/* SPDX-License-Identifier: MIT */
#include "frontend/assertion.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 32

struct parser {
	struct assertion *assertion;
	const char *at;
	size_t result; /* what a figure without a letter means */
	int depth;
	int status; /* the first error */
	struct err *e;
};

static double sum(struct parser *p);

static double
fail(struct parser *p, const char *what)
{
	if (!p->status)
		p->status = err_set(p->e, ERR_CONFIG,
				    "--assert '%s': %s at column %zu",
				    p->assertion->text, what,
				    (size_t)(p->at - p->assertion->text) + 1);
	return 0;
}

static void
skip_blanks(struct parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static double
figure(struct parser *p)
{
	struct assertion *a = p->assertion;
	size_t result = p->result, n;
	char name[48];
	double scale;
	int found;

	if (isupper((unsigned char)p->at[0]) && p->at[1] == '.') {
		result = (size_t)(p->at[0] - 'A');
		if (result >= a->count)
			return fail(p, "there is no such result");
		p->at += 2;
	} else {
		a->each = true;
	}
	n = strspn(p->at, "abcdefghijklmnopqrstuvwxyz_0123456789");
	snprintf(name, sizeof(name), "%.*s", (int)n, p->at);
	found = figure_find(name, &scale, p->e);
	if (found < 0) {
		if (!p->status)
			p->status = err_prefix(p->e, "--assert '%s'", a->text);
		return 0;
	}
	p->at += n;
	return (double)a->figures[result].value[found] / scale;
}

static double
term(struct parser *p)
{
	double value;
	char *end;

	skip_blanks(p);
	if (p->depth++ > DEPTH_MAX)
		return fail(p, "too deep");
	if (*p->at == '(') {
		p->at++;
		value = sum(p);
		skip_blanks(p);
		if (*p->at != ')')
			return fail(p, "a ')' is missing");
		p->at++;
	} else if (isdigit((unsigned char)*p->at)) {
		value = strtod(p->at, &end);
		p->at = end;
	} else if (isalpha((unsigned char)*p->at)) {
		value = figure(p);
	} else {
		return fail(p, "a number or a figure is expected");
	}
	p->depth--;
	skip_blanks(p);
	return value;
}

static double
product(struct parser *p)
{
	double value = term(p);

	while (!p->status && (*p->at == '*' || *p->at == '/')) {
		char sign = *p->at++;
		double other = term(p);

		value = sign == '*' ? value * other : value / other;
	}
	return value;
}

static double
sum(struct parser *p)
{
	double value = product(p);

	while (!p->status && (*p->at == '+' || *p->at == '-')) {
		char sign = *p->at++;
		double other = product(p);

		value = sign == '+' ? value + other : value - other;
	}
	return value;
}

/* Is @a SIGN @b so?  Division by zero makes every comparison untrue. */
static bool
holds(double a, const char *sign, double b)
{
	bool equal = sign[1] == '=';

	if (isnan(a) || isnan(b))
		return false;
	switch (sign[0]) {
	case '<':
		return a < b || (equal && !(a > b));
	case '>':
		return a > b || (equal && !(a < b));
	case '!':
		return a < b || a > b;
	default:
		return !(a < b) && !(a > b);
	}
}

static int
check_one(struct parser *p)
{
	static const char *const signs[] = { "<=", ">=", "==", "!=", "<", ">" };
	struct assertion *a = p->assertion;
	const char *sign = NULL;

	p->at = a->text;
	a->left = sum(p);
	for (size_t i = 0; !sign && i < ARRAY_LEN(signs); i++)
		if (strncmp(p->at, signs[i], strlen(signs[i])) == 0)
			sign = signs[i];
	if (!p->status && !sign)
		fail(p, "one of < <= > >= == != is expected");
	if (p->status)
		return p->status;
	p->at += strlen(sign);
	a->right = sum(p);
	if (!p->status && *p->at)
		fail(p, "nothing more is expected");
	return p->status ? p->status : holds(a->left, sign, a->right);
}

int
assertion_check(struct assertion *a, struct err *e)
{
	int status = 1;

	a->each = false;
	for (size_t i = 0; status == 1 && i < a->count; i++) {
		struct parser p = { .assertion = a, .result = i, .e = e };

		status = check_one(&p);
		a->failed = i;
		if (!a->each)
			break;
	}
	return status;
}
