/* SPDX-License-Identifier: MIT */
#include "frontend/text.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static uint64_t
power_of_ten(uint32_t n)
{
	uint64_t p = 1;

	assert(n < 20);
	while (n--)
		p *= 10;
	return p;
}

struct text
text_decimal(int64_t value, uint32_t have, uint32_t digits)
{
	uint64_t u = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	struct text t;
	uint64_t p;

	assert(digits <= have);
	p = power_of_ten(have - digits);
	u = u / p + (u % p >= (p + 1) / 2 && p > 1);
	p = power_of_ten(digits);
	if (digits)
		snprintf(t.s, sizeof(t.s), "%s%" PRIu64 ".%0*" PRIu64,
			 value < 0 ? "-" : "", u / p, (int)digits, u % p);
	else
		snprintf(t.s, sizeof(t.s), "%s%" PRIu64, value < 0 ? "-" : "",
			 u);
	return t;
}

struct text
text_time(nsec_t ns)
{
	static const struct {
		nsec_t below_ns;
		uint32_t have, digits;
		const char *unit;
	} scale[] = {
		{ 10 * NSEC_PER_USEC, 3, 2, "us" },
		{ 100 * NSEC_PER_USEC, 3, 1, "us" },
		{ NSEC_PER_MSEC, 3, 0, "us" },
		{ 10 * NSEC_PER_MSEC, 6, 2, "ms" },
		{ 100 * NSEC_PER_MSEC, 6, 1, "ms" },
		{ NSEC_PER_SEC, 6, 0, "ms" },
		{ 100 * NSEC_PER_SEC, 9, 2, "s" },
		{ INT64_MAX, 9, 1, "s" },
	};
	size_t i = 0;
	struct text t;

	if (ns == 0)
		return (struct text){ "0 s" };
	while (ns >= scale[i].below_ns && i + 1 < ARRAY_LEN(scale))
		i++;
	t = text_decimal(ns, scale[i].have, scale[i].digits);
	strcat(t.s, " ");
	strcat(t.s, scale[i].unit);
	return t;
}

struct text
text_bytes(uint64_t bytes)
{
	static const char units[][4] = { "B",   "KiB", "MiB", "GiB",
					 "TiB", "PiB", "EiB" };
	uint64_t unit = 1;
	size_t i = 0;
	struct text t;

	while (bytes / unit >= 1024 && i + 1 < ARRAY_LEN(units)) {
		unit *= 1024;
		i++;
	}
	if (i == 0 || bytes / unit >= 100)
		snprintf(t.s, sizeof(t.s), "%" PRIu64 " %s",
			 bytes / unit + (bytes % unit >= (unit + 1) / 2 && i),
			 units[i]);
	else
		snprintf(t.s, sizeof(t.s), "%s %s",
			 text_decimal((int64_t)text_ratio(bytes, 1000, unit), 3,
				      1)
				 .s,
			 units[i]);
	return t;
}

uint64_t
text_ratio(uint64_t part, uint64_t scale, uint64_t whole)
{
	return whole ? (uint64_t)((uint128_t)part * scale / whole) : 0;
}

struct text
text_percent(uint64_t part, uint64_t whole, uint32_t digits)
{
	if (!whole)
		return (struct text){ "-" };
	return text_decimal((int64_t)text_ratio(part, 10000000, whole), 5,
			    digits);
}

struct text
text_bar(uint64_t part, uint64_t whole, uint32_t width)
{
	uint64_t n = text_ratio(part, 2 * (uint64_t)width, whole);
	struct text t;

	assert(width < TEXT_MAX);
	n = (n + 1) / 2;
	if (n > width)
		n = width;
	memset(t.s, '#', n);
	t.s[n] = '\0';
	return t;
}

/* Length of the word at @text. */
static uint32_t
word_length(const char *text)
{
	return (uint32_t)strcspn(text, " \n");
}

/* Start a new line after @indent blanks; returns the column. */
static uint32_t
break_line(FILE *out, uint32_t indent)
{
	fprintf(out, "\n%*s", (int)indent, "");
	return indent;
}

void
text_wrap(FILE *out, const char *text, uint32_t indent, uint32_t at)
{
	bool first = true;

	while (*text) {
		uint32_t n = word_length(text);

		if (*text == '\n') {
			/* A paragraph, or a line kept as it is. */
			if (text[1] == '\n')
				putc('\n', out);
			text += strspn(text, "\n");
			if (*text)
				at = break_line(out, indent);
			first = true;
			continue;
		}
		if (*text == ' ' && !first) {
			text += strspn(text, " ");
			continue;
		}
		if (*text == ' ')
			n = (uint32_t)strcspn(text, "\n");
		if (!first && at + 1 + n > TEXT_WIDTH - 1) {
			at = break_line(out, indent);
			first = true;
		}
		at += (uint32_t)fprintf(out, "%s%.*s", first ? "" : " ", (int)n,
					text);
		first = false;
		text += n;
	}
	putc('\n', out);
}

void
text_put(FILE *out, const char *text)
{
	for (; *text; text++)
		putc((unsigned char)*text < ' ' || *text == 127 ? '?' : *text,
		     out);
}
