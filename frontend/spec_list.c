/* SPDX-License-Identifier: MIT */
#include "frontend/spec_list.h"

#include <stdlib.h>
#include <string.h>

/* Does the part at @text continue the specification before it? */
static bool
continues(const char *text)
{
	size_t name = strcspn(text, ":=,");

	return text[name] == '=';
}

/* Length of the first specification, up to the comma after it. */
static size_t
spec_length(const char *text)
{
	size_t n = strcspn(text, ",");

	while (text[n] == ',' && continues(text + n + 1))
		n += 1 + strcspn(text + n + 1, ",");
	return n;
}

static int
add(struct cli_list *list, const char *text, size_t n, struct err *e)
{
	char *copy = strndup(text, n);
	int err;

	if (!copy)
		return err_nomem(e);
	err = cli_list_add(list, copy, e);
	if (err)
		free(copy);
	return err;
}

static int
add_all(struct cli_list *list, spec_name_fn *names, void *ctx, struct err *e)
{
	const char *name;
	int err = 0;

	for (size_t i = 0; !err && (name = names(ctx, i)); i++)
		err = add(list, name, strlen(name), e);
	return err;
}

int
spec_list_split(struct cli_list *list, const char *text, spec_name_fn *names,
		void *ctx, struct err *e)
{
	const char *rest = text;
	int err = 0;

	while (!err) {
		size_t n = spec_length(rest);

		if (n == 0)
			return err_set(e, ERR_CONFIG,
				       "%s: nothing before or after a comma",
				       text);
		if (n == 3 && strncmp(rest, "all", 3) == 0)
			err = add_all(list, names, ctx, e);
		else
			err = add(list, rest, n, e);
		if (!rest[n])
			break;
		rest += n + 1;
	}
	return err;
}

void
spec_list_free(struct cli_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free((char *)(uintptr_t)list->text[i]);
	free(list->text);
	*list = (struct cli_list){ NULL, 0 };
}

bool
spec_list_is_many(const char *text)
{
	return strcmp(text, "all") == 0 || text[spec_length(text)] == ',';
}
