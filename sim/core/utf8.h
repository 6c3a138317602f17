/* SPDX-License-Identifier: MIT */
/* Recognising UTF-8 (RFC 3629). */
#ifndef NCQSIM_CORE_UTF8_H
#define NCQSIM_CORE_UTF8_H

#include <stddef.h>

/*
 * Bytes of the character at @text, of which @size bytes may be read: 1 to
 * 4, or 0 when it is not valid (overlong, surrogate, cut off).
 */
size_t utf8_length(const char *text, size_t size);

#endif
