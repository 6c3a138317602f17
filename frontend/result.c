/* SPDX-License-Identifier: MIT */
#include "frontend/result.h"

#include "frontend/command.h"
#include "frontend/report.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
result_detect(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char head[64];
	struct stat st;
	ssize_t n = 0;
	char *p = head;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		n = read(fd, head, sizeof(head));
	close(fd);
	while (n > 0 && isspace((unsigned char)*p)) {
		p++;
		n--;
	}
	return n > 0 && *p == '{';
}

#ifdef HAVE_JANSSON

#include <jansson.h>

extern const struct command cmd_run;

struct result {
	json_t *root;
	const char *path;
	bool unchanged; /* no option was given that decides the result */
};

static int
bad_result(const char *path, const char *what, struct err *e)
{
	return err_set(e, ERR_INPUT, "%s: not a result of ncqsim run: %s", path,
		       what);
}

static int
check_schema(json_t *root, const char *path, struct err *e)
{
	const char *schema = json_string_value(json_object_get(root, "schema"));
	json_int_t version =
		json_integer_value(json_object_get(root, "schema_version"));

	if (!schema || strcmp(schema, REPORT_SCHEMA) != 0)
		return bad_result(path, "no \"schema\": \"ncqsim-run\"", e);
	if (version != REPORT_SCHEMA_VERSION)
		return err_set(e, ERR_INPUT,
			       "%s: schema version %lld; this program reads %d",
			       path, (long long)version, REPORT_SCHEMA_VERSION);
	return 0;
}

/* What the result recorded of a repeated option comes before what was given
 * by hand, which so has the last word. */
static int
merge_list(struct cli_line *line, size_t i, json_t *array, struct err *e)
{
	struct cli_list *list =
		(void *)((char *)line->args + line->options[i].offset);
	struct cli_list both = { NULL, 0 };
	size_t at;
	json_t *item;
	int err = 0;

	json_array_foreach(array, at, item)
	{
		if (!err && json_is_string(item))
			err = cli_list_add(&both, json_string_value(item), e);
	}
	for (at = 0; !err && at < list->count; at++)
		err = cli_list_add(&both, list->text[at], e);
	free(list->text);
	*list = both;
	line->given |= UINT64_C(1) << i;
	return err;
}

static int
set_option(const struct result *result, struct cli_line *line, const char *name,
	   json_t *value, struct err *e)
{
	int i = cli_find(line->options, name);
	char number[24];

	/* Another command has no use for what only "run" does. */
	if (i < 0 && cli_find(cmd_run.options, name) >= 0)
		return 0;
	if (i < 0 || !line->options[i].repeats)
		return err_set(e, ERR_INPUT, "%s: unknown option \"%s\"",
			       result->path, name);
	if (line->options[i].kind == CLI_LIST && json_is_array(value))
		return merge_list(line, (size_t)i, value, e);
	if (cli_given(line, (size_t)i))
		return 0;
	if (json_is_true(value))
		return cli_set(line, (size_t)i, NULL, e);
	if (json_is_string(value))
		return cli_set(line, (size_t)i, json_string_value(value), e);
	if (json_is_integer(value) && line->options[i].kind == CLI_COUNT) {
		snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
			 json_integer_value(value));
		return cli_set(line, (size_t)i, number, e);
	}
	return err_set(e, ERR_INPUT, "%s: option \"%s\" has the wrong type",
		       result->path, name);
}

static int
fill_line(const struct result *result, struct cli_line *line, struct err *e)
{
	json_t *command = json_object_get(result->root, "command");
	json_t *options = json_object_get(command, "options");
	json_t *arguments = json_object_get(command, "arguments");
	json_t *value;
	const char *name;
	size_t i;
	int err = 0;

	if (!json_is_object(options) || !json_is_array(arguments))
		return bad_result(result->path, "no command in it", e);
	json_object_foreach(options, name, value)
	{
		if (!err)
			err = set_option(result, line, name, value, e);
	}
	line->words.count = 0;
	json_array_foreach(arguments, i, value)
	{
		if (!err && json_is_string(value))
			err = cli_list_add(&line->words,
					   json_string_value(value), e);
	}
	return err;
}

static bool
changes_nothing(const struct cli_line *line)
{
	for (size_t i = 0; line->options[i].name; i++)
		if (line->options[i].repeats && cli_given(line, i))
			return false;
	return true;
}

int
result_load(const char *path, struct cli_line *line, struct result **result,
	    struct err *e)
{
	struct result *r = calloc(1, sizeof(*r));
	json_error_t error;
	int err;

	if (!r)
		return err_nomem(e);
	r->path = path;
	r->unchanged = changes_nothing(line);
	r->root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (!r->root)
		err = err_set(e, ERR_INPUT, "%s:%d:%d: %s", path, error.line,
			      error.column, error.text);
	else
		err = check_schema(r->root, path, e);
	if (!err)
		err = fill_line(r, line, e);
	if (err)
		result_free(r);
	else
		*result = r;
	return err;
}

void
result_free(struct result *result)
{
	if (!result)
		return;
	json_decref(result->root);
	free(result);
}

int
result_check_config(const struct result *result,
		    const struct ncqsim_config *cfg, struct err *e)
{
	json_t *recorded = json_object_get(result->root, "configuration");
	char now[4096];
	const char *key;
	json_t *value;

	if (!result->unchanged)
		return 0;
	json_object_foreach(recorded, key, value)
	{
		const char *then = json_string_value(value);

		if (ncqsim_config_get(cfg, key, now, sizeof(now), e) < 0)
			return ERR_CONFIG;
		if (!then || strcmp(then, now) != 0)
			return err_set(e, ERR_CONFIG,
				       "%s: %s was %s and is %s now: the drive "
				       "file or a default has changed",
				       result->path, key, then ? then : "?",
				       now);
	}
	return 0;
}

static int
check_hash(const struct result *result, const char *section, uint64_t hash,
	   struct err *e)
{
	json_t *object = json_object_get(result->root, section);
	const char *then = json_string_value(json_object_get(object, "hash"));
	char now[24];

	snprintf(now, sizeof(now), "%016" PRIx64, hash);
	if (then && strcmp(then, now) == 0)
		return 0;
	err_set(e, ERR_INTERNAL, "%s: the %s is another: hash %s, was %s",
		result->path, section, now, then ? then : "absent");
	return EXIT_FAILURE;
}

int
result_check_run(const struct result *result, uint64_t input_hash,
		 uint64_t result_hash, struct err *e)
{
	json_t *complete = json_object_get(result->root, "complete");
	int status;

	if (!result->unchanged || !json_is_true(complete))
		return 0;
	status = check_hash(result, "input", input_hash, e);
	return status ? status : check_hash(result, "result", result_hash, e);
}

#else

int
result_load(const char *path, struct cli_line *line, struct result **result,
	    struct err *e)
{
	(void)line;
	(void)result;
	return err_set(e, ERR_CONFIG,
		       "%s: a result file cannot be read: this build was left "
		       "without jansson",
		       path);
}

void
result_free(struct result *result)
{
	(void)result;
}

int
result_check_config(const struct result *result,
		    const struct ncqsim_config *cfg, struct err *e)
{
	(void)result;
	(void)cfg;
	(void)e;
	return 0;
}

int
result_check_run(const struct result *result, uint64_t input_hash,
		 uint64_t result_hash, struct err *e)
{
	(void)result;
	(void)input_hash;
	(void)result_hash;
	(void)e;
	return 0;
}

#endif
