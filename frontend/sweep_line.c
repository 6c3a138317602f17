/* SPDX-License-Identifier: MIT */
#include "frontend/sweep.h"

#include "frontend/cell.h"
#include "frontend/output.h"

#include "sim/core/hash.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SUM_KEY    ",\"sum\":\""
#define SUM_LENGTH (sizeof(SUM_KEY) - 1 + 16 + 2) /* ..."} */

/* An object that grows in memory. */
struct growing {
	struct json json;
	FILE *file;
	char *text;
	size_t length;
};

static int
grow_begin(struct growing *g, struct err *e)
{
	memset(g, 0, sizeof(*g));
	g->file = open_memstream(&g->text, &g->length);
	if (!g->file)
		return err_nomem(e);
	json_init(&g->json, JSON_COMPACT, output_json_sink, g->file);
	json_begin_object(&g->json, NULL);
	return 0;
}

/* The checksum is over everything before it. */
static char *
seal(const char *body, size_t length, struct err *e)
{
	char *line;

	if (asprintf(&line, "%s" SUM_KEY "%016" PRIx64 "\"}\n", body,
		     hash_bytes(body, length)) < 0) {
		err_nomem(e);
		return NULL;
	}
	return line;
}

static char *
grow_end(struct growing *g, struct err *e)
{
	char *line = NULL;

	json_end_object(&g->json);
	if (json_finish(&g->json) < 0 || fclose(g->file) != 0) {
		err_nomem(e);
	} else {
		g->text[--g->length] = '\0'; /* "}" */
		line = seal(g->text, g->length, e);
	}
	free(g->text);
	return line;
}

char *
sweep_whole_head(const char *head, struct err *e)
{
	static const char key[] = ",\"shard\":";
	const char *at = head, *next;
	char *body, *line;

	while ((next = strstr(at + 1, key)))
		at = next;
	assert(at != head);
	if (asprintf(&body, "%.*s%s1,\"shards\":1", (int)(at - head), head,
		     key) < 0) {
		err_nomem(e);
		return NULL;
	}
	line = seal(body, strlen(body), e);
	free(body);
	return line;
}

bool
sweep_line_is_whole(const char *line, size_t length)
{
	char sum[SUM_LENGTH + 1];
	size_t body = length - SUM_LENGTH;

	if (length <= SUM_LENGTH)
		return false;
	snprintf(sum, sizeof(sum), SUM_KEY "%016" PRIx64 "\"}",
		 hash_bytes(line, body));
	return memcmp(line + body, sum, SUM_LENGTH) == 0;
}

static void
put_axes(struct json *json, const struct vary *vary)
{
	json_begin_array(json, "axes");
	for (size_t i = 0; i < vary->axes; i++) {
		const struct vary_axis *axis = &vary->axis[i];

		json_begin_object(json, NULL);
		json_string(json, "key", axis->key);
		json_begin_array(json, "values");
		for (size_t j = 0; j < axis->values.count; j++)
			json_string(json, NULL, axis->values.text[j]);
		json_end_array(json);
		json_end_object(json);
	}
	json_end_array(json);
}

char *
sweep_head_line(const struct sweep *sweep, struct err *e)
{
	struct growing g;

	if (grow_begin(&g, e) < 0)
		return NULL;
	json_string(&g.json, "schema", SWEEP_SCHEMA);
	json_uint(&g.json, "schema_version", SWEEP_SCHEMA_VERSION);
	json_string(&g.json, "ncqsim_version", NCQSIM_VERSION);
	json_uint(&g.json, "cells", sweep->cells);
	json_uint(&g.json, "reps", sweep->reps);
	json_bool(&g.json, "zip", sweep->vary.zip);
	put_axes(&g.json, &sweep->vary);
	if (sweep->line)
		report_put_command(&g.json, sweep->line);
	json_hex64(&g.json, "configuration_hash", sweep->config_hash);
	json_hex64(&g.json, "input_hash", sweep->input_hash);
	json_uint(&g.json, "shard", sweep->shard);
	json_uint(&g.json, "shards", sweep->shards);
	return grow_end(&g, e);
}

static void
put_vary(struct json *json, const struct sweep *sweep, size_t index)
{
	size_t combo = index / sweep->reps;

	json_begin_object(json, "vary");
	for (size_t i = 0; i < sweep->vary.axes; i++)
		json_string(json, sweep->vary.axis[i].key,
			    vary_value(&sweep->vary, i, combo));
	json_end_object(json);
}

char *
sweep_cell_line(const struct sweep *sweep, size_t index,
		const struct cell *cell, struct err *e)
{
	struct figures f = figures_of_report(&cell->report);
	struct growing g;

	if (grow_begin(&g, e) < 0)
		return NULL;
	json_uint(&g.json, "cell", index);
	json_uint(&g.json, "rep", index % sweep->reps);
	put_vary(&g.json, sweep, index);
	json_string(&g.json, "drive", cell->report.drive.model);
	json_hex64(&g.json, "hash", cell->report.totals.hash);
	json_begin_object(&g.json, "figures");
	for (int i = 0; i < FIGURES; i++)
		json_decimal(&g.json, figure_kinds[i].key, f.value[i],
			     figure_kinds[i].digits);
	json_end_object(&g.json);
	return grow_end(&g, e);
}
