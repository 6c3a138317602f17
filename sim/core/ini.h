/* SPDX-License-Identifier: MIT */
/*
 * INI files: [section], key = value, comments from # or ; to the line's end.
 * A value is the rest of the line without surrounding blanks and comment; a
 * line that ends in a backslash goes on.  Lines may be of any length, CRLF
 * is accepted, NUL bytes and invalid UTF-8 are errors.
 */
#ifndef NCQSIM_CORE_INI_H
#define NCQSIM_CORE_INI_H

#include "sim/core/err.h"
#include "sim/core/option.h"

/* Gets one entry; a negative return stops the reading with that code. */
typedef int
ini_entry_fn(void *ctx, const char *section, const char *key, const char *value,
	     const struct option_place *place, struct err *e);

/*
 * Read @path, or @size bytes of @text called @path in messages, and call
 * @entry for each key in file order, and once with @key NULL at each section
 * header.  Returns 0 or a negative code: ERR_INPUT when unreadable,
 * ERR_CONFIG when malformed.
 */
int
ini_read_file(const char *path, ini_entry_fn *entry, void *ctx, struct err *e);
int ini_read_text(const char *path, const char *text, size_t size,
		  ini_entry_fn *entry, void *ctx, struct err *e);

#endif
