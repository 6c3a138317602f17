/* SPDX-License-Identifier: MIT */
#include "frontend/sweep.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_JANSSON

#include <jansson.h>

static int
bad(const struct sweep_text *text, const char *what, struct err *e)
{
	return err_set(e, ERR_INPUT, "%s: not a file of ncqsim sweep: %s",
		       text->path, what);
}

static uint64_t
get_hex(json_t *object, const char *key)
{
	const char *hex = json_string_value(json_object_get(object, key));

	return hex ? strtoull(hex, NULL, 16) : 0;
}

static size_t
get_size(json_t *object, const char *key)
{
	json_int_t n = json_integer_value(json_object_get(object, key));

	return n < 0 || n > 1000000000 ? 0 : (size_t)n;
}

static int
adopt_axis(struct vary_axis *axis, json_t *from, struct err *e)
{
	const char *key = json_string_value(json_object_get(from, "key"));
	size_t i;
	json_t *value;

	snprintf(axis->key, sizeof(axis->key), "%s", key ? key : "");
	json_array_foreach(json_object_get(from, "values"), i, value)
	{
		char *copy = strdup(
			json_is_string(value) ? json_string_value(value) : "");

		if (!copy || cli_list_add(&axis->values, copy, e) < 0) {
			free(copy);
			return err_nomem(e);
		}
	}
	return 0;
}

/* The numbers of a head must fit each other before they are used. */
static bool
fits(const struct sweep *sweep)
{
	const struct vary *vary = &sweep->vary;
	size_t combos = 1;

	for (size_t i = 0; i < vary->axes; i++) {
		size_t n = vary->axis[i].values.count;

		if (!n || (vary->zip && n != vary->axis[0].values.count))
			return false;
		if (!vary->zip || i == 0)
			combos *= n;
		if (combos > 10000000)
			return false;
	}
	return sweep->reps && sweep->reps <= SWEEP_REPS_MAX && sweep->shards &&
	       sweep->shard && combos == vary->combos &&
	       sweep->cells == combos * sweep->reps;
}

static int
adopt(struct sweep *sweep, struct sweep_text *text, json_t *head, struct err *e)
{
	json_t *axes = json_object_get(head, "axes"), *axis;
	size_t i;
	int err = 0;

	sweep->cells = get_size(head, "cells");
	sweep->reps = (uint32_t)get_size(head, "reps");
	sweep->vary.zip = json_is_true(json_object_get(head, "zip"));
	sweep->shard = sweep->shards = 1;
	sweep->config_hash = get_hex(head, "configuration_hash");
	sweep->input_hash = get_hex(head, "input_hash");
	json_array_foreach(axes, i, axis)
	{
		if (!err && i < VARY_AXES_MAX)
			err = adopt_axis(&sweep->vary.axis[sweep->vary.axes++],
					 axis, e);
	}
	sweep->vary.combos = sweep->reps ? sweep->cells / sweep->reps : 0;
	if (err)
		return err;
	if (!fits(sweep)) {
		sweep->cells = 0;
		return bad(text, "its head contradicts itself", e);
	}
	sweep->cell = calloc(sweep->cells, sizeof(*sweep->cell));
	return sweep->cell ? 0 : err_nomem(e);
}

static int
check_head(const struct sweep *sweep, const struct sweep_text *text,
	   json_t *head, struct err *e)
{
	const char *what = NULL;

	if (get_hex(head, "configuration_hash") != sweep->config_hash ||
	    get_size(head, "cells") != sweep->cells ||
	    get_size(head, "reps") != sweep->reps)
		what = "configuration";
	else if (get_hex(head, "input_hash") != sweep->input_hash)
		what = "input";
	else if (!text->any_shard &&
		 (get_size(head, "shard") != sweep->shard ||
		  get_size(head, "shards") != sweep->shards))
		what = "shard";
	if (!what)
		return 0;
	return err_set(e, ERR_CONFIG,
		       "%s: belongs to another sweep: its %s is "
		       "not the same",
		       text->path, what);
}

static int
take_head(struct sweep *sweep, struct sweep_text *text, const char *line,
	  size_t length, struct err *e)
{
	json_t *head = json_loadb(line, length, 0, NULL);
	const char *schema = json_string_value(json_object_get(head, "schema"));
	int err = 0;

	if (!schema || strcmp(schema, SWEEP_SCHEMA) != 0)
		err = bad(text, "no \"schema\": \"" SWEEP_SCHEMA "\"", e);
	else if (get_size(head, "schema_version") != SWEEP_SCHEMA_VERSION)
		err = bad(text, "another schema version", e);
	else if (!sweep_line_is_whole(line, length))
		err = bad(text, "its first line is damaged", e);
	else if (!sweep->head)
		err = adopt(sweep, text, head, e);
	if (!err && sweep->head)
		err = check_head(sweep, text, head, e);
	json_decref(head);
	if (!err && !sweep->head) {
		char *copy = strndup(line, length);

		sweep->head = copy ? sweep_whole_head(copy, e) : NULL;
		free(copy);
		err = sweep->head ? 0 : err_nomem(e);
	}
	return err;
}

static void
take_figures(struct sweep_cell *cell, json_t *figures)
{
	for (int i = 0; i < FIGURES; i++) {
		json_t *value = json_object_get(figures, figure_kinds[i].key);
		double n = json_number_value(value);

		for (uint32_t d = 0; d < figure_kinds[i].digits; d++)
			n *= 10;
		cell->figures.value[i] =
			json_is_integer(value) && !figure_kinds[i].digits
				? json_integer_value(value)
				: (int64_t)(n + 0.5);
	}
}

/* Two files may hold the same cell, but not with different results. */
static int
take_cell(struct sweep *sweep, struct sweep_text *text, const char *line,
	  size_t length, struct err *e)
{
	json_t *object = json_loadb(line, length, 0, NULL);
	size_t index = get_size(object, "cell");
	struct sweep_cell *cell = &sweep->cell[index];

	if (!object || index >= sweep->cells ||
	    !json_is_integer(json_object_get(object, "cell"))) {
		json_decref(object);
		return bad(text, "a line is of no cell", e);
	}
	take_figures(cell, json_object_get(object, "figures"));
	json_decref(object);
	if (cell->line)
		return strncmp(cell->line, line, length + 1) == 0
			       ? 0
			       : err_set(e, ERR_INPUT,
					 "%s: cell %zu has other results than "
					 "in a file before",
					 text->path, index);
	cell->line = strndup(line, length + 1);
	return cell->line ? 0 : err_nomem(e);
}

int
sweep_read(struct sweep *sweep, struct sweep_text *text, struct err *e)
{
	const char *p = text->text, *end = p + text->length, *newline;
	int err = 0;

	newline = memchr(p, '\n', text->length);
	if (!newline)
		return bad(text, "no whole line", e);
	err = take_head(sweep, text, p, (size_t)(newline - p), e);
	text->end = (size_t)(newline + 1 - text->text);
	for (p = newline + 1; !err && p < end; p = newline + 1) {
		size_t length;

		newline = memchr(p, '\n', (size_t)(end - p));
		length = (size_t)((newline ? newline : end) - p);
		if (!newline || !sweep_line_is_whole(p, length))
			text->broken++;
		else
			err = take_cell(sweep, text, p, length, e);
		if (!newline)
			break;
		/* A damaged line in the middle stays where it is. */
		text->end = (size_t)(newline + 1 - text->text);
	}
	return err;
}

#else

int
sweep_read(struct sweep *sweep, struct sweep_text *text, struct err *e)
{
	(void)sweep;
	return err_set(e, ERR_CONFIG,
		       "%s: a sweep cannot be read: this build was left "
		       "without jansson",
		       text->path);
}

#endif
