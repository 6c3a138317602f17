/* SPDX-License-Identifier: MIT */
/*
 * Numbers as people read them.  Each function writes into a buffer of
 * TEXT_MAX and returns it, so that it can stand in a printf argument; the
 * digits come from integers and are the same everywhere.
 */
#ifndef NCQSIM_FRONTEND_TEXT_H
#define NCQSIM_FRONTEND_TEXT_H

#include "sim/core/types.h"
#include "sim/core/wide.h"

#include <stdio.h>

#define TEXT_MAX   48
#define TEXT_WIDTH 80 /* columns that everything is laid out for */

struct text {
	char s[TEXT_MAX];
};

/* @value / 10^@have with @digits decimals, rounded half up: milliseconds
 * with three decimals are (ns, 6, 3). */
struct text text_decimal(int64_t value, uint32_t have, uint32_t digits);

/* A duration with three or four digits and its unit: "12.48 s", "93 us". */
struct text text_time(nsec_t ns);

/* A size in binary units: "6.0 MiB", "298 GiB", "512 B". */
struct text text_bytes(uint64_t bytes);

/* @part of @whole in percent with @digits decimals; "-" of nothing. */
struct text text_percent(uint64_t part, uint64_t whole, uint32_t digits);

/* @part * @scale / @whole without overflow; 0 when @whole is 0. */
uint64_t text_ratio(uint64_t part, uint64_t scale, uint64_t whole);

/* Print @text with a '?' for each control character: names come from files,
 * and a terminal obeys. */
void text_put(FILE *out, const char *text);

/* A bar of '#' that is @part of @whole of @width columns long. */
struct text text_bar(uint64_t part, uint64_t whole, uint32_t width);

/*
 * Print @text wrapped at TEXT_WIDTH, each line after @indent blanks; the
 * first line begins at column @at, which is where the caller has got to.
 * "\n\n" separates paragraphs; a line that begins with a blank is kept.
 */
void text_wrap(FILE *out, const char *text, uint32_t indent, uint32_t at);

#endif
