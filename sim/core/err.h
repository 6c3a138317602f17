/* SPDX-License-Identifier: MIT */
/*
 * How the library reports what is wrong with its input.
 *
 * A bug is an assert.  Bad input is a negative code, returned, and a message
 * in the caller's struct err, which is untouched on success.  The library
 * never prints and never exits; the front end maps codes to exit statuses.
 *
 * A message is one line without a final newline.  It names the place
 * (file:line:column, or file and byte offset), the key, the value, and what
 * would be right: "drive.ini:12:9: rpm = 72OO: not a number; 1 to 30000".
 */
#ifndef NCQSIM_CORE_ERR_H
#define NCQSIM_CORE_ERR_H

#include <stdarg.h>

/* The absolute value is the exit status of the command (DESIGN section 8). */
enum err_code {
	ERR_CONFIG = -2,   /* usage or configuration */
	ERR_INPUT = -3,    /* input unreadable or malformed */
	ERR_OUTPUT = -4,   /* output failed */
	ERR_INTERNAL = -5, /* an invariant broke, or memory ran out */
};

struct err {
	enum err_code code;
	char text[1024];
};

/*
 * Fill @e (which may be NULL) and return @code, so that a caller can write
 * "return err_set(e, ERR_INPUT, ...)".  A text that is too long is cut.
 */
int err_set(struct err *e, enum err_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int err_vset(struct err *e, enum err_code code, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

/*
 * Put "PREFIX: " before the text already in @e, for callers that know more
 * of the place.  Returns the code in @e, or ERR_INTERNAL when @e is NULL.
 */
int err_prefix(struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* "out of memory" as ERR_INTERNAL. */
int err_nomem(struct err *e);

#endif
