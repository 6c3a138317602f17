/* SPDX-License-Identifier: MIT */
#include "sim/core/err.h"

#include <stdio.h>
#include <string.h>

int
err_vset(struct err *e, enum err_code code, const char *fmt, va_list ap)
{
	if (!e)
		return code;
	e->code = code;
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	return code;
}

int
err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_vset(e, code, fmt, ap);
	va_end(ap);
	return code;
}

int
err_prefix(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->text)];
	va_list ap;
	int n;

	if (!e)
		return ERR_INTERNAL;
	memcpy(old, e->text, sizeof(old));
	va_start(ap, fmt);
	n = vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n + 3 < sizeof(e->text))
		snprintf(e->text + n, sizeof(e->text) - (size_t)n, ": %s", old);
	return e->code;
}

int
err_nomem(struct err *e)
{
	return err_set(e, ERR_INTERNAL, "out of memory");
}
