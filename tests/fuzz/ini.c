/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as an INI file.  What the reader hands over must be
 * whole strings with a place inside the text, and an error must have a text.
 */
#include "sim/core/ini.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	int line; /* of the entry before */
	size_t size;
};

static int
check_entry(void *ctx, const char *section, const char *key, const char *value,
	    const struct option_place *place, struct err *e)
{
	struct seen *seen = ctx;

	assert(section && place);
	assert(strlen(section) <= seen->size);
	assert(place->line >= seen->line && place->line <= (int)seen->size + 1);
	seen->line = place->line;
	if (!key)
		return 0;
	assert(key[0] != '\0' && strlen(key) + strlen(value) <= seen->size);
	if (strcmp(key, "stop") == 0)
		return err_set(e, ERR_CONFIG, "stopped");
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen seen = { .size = size };
	struct err e = { 0 };
	int status = ini_read_text("fuzz.ini", (const char *)data, size,
				   check_entry, &seen, &e);

	assert(status <= 0);
	assert((status < 0) == (e.text[0] != '\0'));
	assert(status == e.code);
	return 0;
}
