/* SPDX-License-Identifier: MIT */
#include "sim/core/utf8.h"

static int
is_continuation(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* The second byte is restricted after some first ones (RFC 3629, section 4) */
static int
second_is_valid(unsigned char first, unsigned char second)
{
	switch (first) {
	case 0xe0:
		return second >= 0xa0;
	case 0xed:
		return second <= 0x9f;
	case 0xf0:
		return second >= 0x90;
	case 0xf4:
		return second <= 0x8f;
	default:
		return 1;
	}
}

size_t
utf8_length(const char *text, size_t size)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t length;

	if (size == 0)
		return 0;
	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (size < length || !second_is_valid(s[0], s[1]))
		return 0;
	for (size_t i = 1; i < length; i++) {
		if (!is_continuation(s[i]))
			return 0;
	}
	return length;
}
