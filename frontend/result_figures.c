/* SPDX-License-Identifier: MIT */
#include "frontend/result_figures.h"

#include <string.h>

#ifdef HAVE_JANSSON

#include <jansson.h>

/* Where a figure is in a result. */
static const char *const places[FIGURES][2] = {
	[FIGURE_Q2D_MEAN] = { "split", "q2d_mean_ns" },
	[FIGURE_D2C_MEAN] = { "split", "d2c_mean_ns" },
	[FIGURE_SEEK_MEAN] = { "drive_time", "seek_mean_ns" },
	[FIGURE_ROTATE_MEAN] = { "drive_time", "rotate_mean_ns" },
	[FIGURE_IDLE] = { "drive_time", "idle_ns" },
	[FIGURE_REORDERED] = { "queue", "reordered" },
	[FIGURE_OLDEST_WAIT] = { "queue", "oldest_wait_ns" },
	[FIGURE_REQUESTS] = { NULL, "requests" },
	[FIGURE_MERGES] = { NULL, "merges" },
	[FIGURE_ELAPSED] = { NULL, "elapsed_ns" },
	[FIGURE_ERRORS] = { NULL, "errors" },
	[FIGURE_SATURATED] = { NULL, "saturated" },
};

static json_t *
find(json_t *result, enum figure figure)
{
	const char *const *place = places[figure];

	if (!place[1])
		return json_object_get(
			json_array_get(json_object_get(result, "latency"), 0),
			figure_kinds[figure].key);
	if (place[0])
		result = json_object_get(result, place[0]);
	return json_object_get(result, place[1]);
}

static int64_t
number(json_t *value, uint32_t digits)
{
	double n = json_number_value(value);

	if (json_is_boolean(value))
		return json_is_true(value);
	if (json_is_integer(value) && !digits)
		return json_integer_value(value);
	while (digits--)
		n *= 10;
	return (int64_t)(n + 0.5);
}

static void
take_text(char *to, size_t size, json_t *from)
{
	const char *text = json_string_value(from);

	snprintf(to, size, "%s", text ? text : "");
}

static int
take(json_t *root, const char *path, struct result_figures *r, struct err *e)
{
	const char *schema = json_string_value(json_object_get(root, "schema"));
	json_t *result = json_object_get(root, "result");
	json_t *options =
		json_object_get(json_object_get(root, "command"), "options");

	if (!schema || strcmp(schema, REPORT_SCHEMA) != 0)
		return err_set(e, ERR_INPUT,
			       "%s: not a result of ncqsim run --json", path);
	for (enum figure f = 0; f < FIGURES; f++) {
		json_t *value = find(result, f);

		if (!value)
			return err_set(e, ERR_INPUT, "%s: no %s in it", path,
				       figure_kinds[f].key);
		r->figures.value[f] = number(value, figure_kinds[f].digits);
	}
	r->complete = json_is_true(json_object_get(root, "complete"));
	take_text(r->input_hash, sizeof(r->input_hash),
		  json_object_get(json_object_get(root, "input"), "hash"));
	take_text(r->result_hash, sizeof(r->result_hash),
		  json_object_get(result, "hash"));
	take_text(r->elevator, sizeof(r->elevator),
		  json_object_get(options, "elevator"));
	take_text(r->drive, sizeof(r->drive),
		  json_object_get(options, "drive"));
	return 0;
}

int
result_read_figures(const char *path, struct result_figures *r, struct err *e)
{
	json_error_t error;
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	int err;

	memset(r, 0, sizeof(*r));
	if (!root)
		return err_set(e, ERR_INPUT, "%s:%d:%d: %s", path, error.line,
			       error.column, error.text);
	err = take(root, path, r, e);
	json_decref(root);
	return err;
}

#else

int
result_read_figures(const char *path, struct result_figures *r, struct err *e)
{
	(void)r;
	return err_set(e, ERR_CONFIG,
		       "%s: a result file cannot be read: this build was left "
		       "without jansson",
		       path);
}

#endif
