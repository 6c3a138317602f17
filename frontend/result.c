/* SPDX-License-Identifier: MIT */
#include "frontend/result.h"

#include "frontend/command.h"
#include "frontend/report.h"
#include "frontend/run.h"

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
	uint64_t typed; /* cli_line.given before the result's were added */
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

/* Was the option called @name given on the command line? */
static bool
is_typed(const struct result *result, const struct cli_line *line,
	 const char *name)
{
	int i = cli_find(line->options, name);

	return i >= 0 && result->typed >> i & 1;
}

/* Does something given by hand say what the recorded @pair says? */
static bool
is_pair_typed(const struct result *result, const struct cli_line *line,
	      const char *pair)
{
	int key = cli_find_key(line->options, pair);

	if (key >= 0)
		return result->typed >> key & 1;
	/* Tunables of another elevator. */
	if (is_typed(result, line, "elevator") &&
	    strncmp(pair, "elevator.", 9) == 0)
		return true;
	for (size_t i = 0; line->options[i].name; i++) {
		const struct cli_option *opt = &line->options[i];
		const char *const *spec =
			(void *)((char *)line->args + opt->offset);

		if (opt->section && result->typed >> i & 1 &&
		    cli_spec_sets(opt, *spec, pair))
			return true;
	}
	return false;
}

/* What the result recorded of a repeated option comes before what was given
 * by hand, which so has the last word. */
static int
merge_list(const struct result *result, struct cli_line *line, size_t i,
	   json_t *array, struct err *e)
{
	struct cli_list *list =
		(void *)((char *)line->args + line->options[i].offset);
	struct cli_list typed = *list;
	size_t at;
	json_t *item;
	int err = 0;

	*list = (struct cli_list){ NULL, 0 };
	json_array_foreach(array, at, item)
	{
		const char *pair = json_string_value(item);

		if (!err && pair && !is_pair_typed(result, line, pair))
			err = cli_set(line, i, pair, e);
	}
	for (at = 0; !err && at < typed.count; at++)
		err = cli_set(line, i, typed.text[at], e);
	free(typed.text);
	return err;
}

/* What was given by hand makes this recorded option meaningless. */
static bool
is_overridden(const struct result *result, const struct cli_line *line,
	      const char *name)
{
	const struct run_args *args = line->args;
	bool is_replay = is_typed(result, line, "replay");

	if (strcmp(name, "measured-clock") == 0)
		return is_replay;
	if (strcmp(name, "replay") == 0)
		return args->measured_clock &&
		       is_typed(result, line, "measured-clock");
	if (strcmp(name, "depth") == 0)
		return is_replay && args->replay != REPLAY_DEPTH;
	return strcmp(name, "speed") == 0 && is_replay &&
	       args->replay == REPLAY_DEPTH;
}

/* A file that came from elsewhere must not bring code of its own. */
static int
check_value(const struct result *result, const char *name, const char *value,
	    struct err *e)
{
	if (strcmp(name, "elevator") != 0 || !strchr(value, '/'))
		return 0;
	return err_set(e, ERR_CONFIG,
		       "%s: elevator %s is a file of code, which a result does "
		       "not load by itself; name it with -e",
		       result->path, value);
}

static int
set_value(const struct result *result, struct cli_line *line, size_t i,
	  json_t *value, struct err *e)
{
	const char *name = line->options[i].name;
	char number[24];
	int err;

	if (json_is_true(value) && !line->options[i].argument)
		return cli_set(line, i, NULL, e);
	if (json_is_string(value) && line->options[i].argument) {
		err = check_value(result, name, json_string_value(value), e);
		return err ? err
			   : cli_set(line, i, json_string_value(value), e);
	}
	if (json_is_integer(value) && line->options[i].kind == CLI_COUNT) {
		snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
			 json_integer_value(value));
		return cli_set(line, i, number, e);
	}
	return err_set(e, ERR_INPUT, "%s: option \"%s\" has the wrong type",
		       result->path, name);
}

/* Lists in the second @pass: a pair overrides the option it stands for. */
static int
set_option(const struct result *result, struct cli_line *line, const char *name,
	   json_t *value, int pass, struct err *e)
{
	int i = cli_find(line->options, name);
	bool is_list;

	/* Another command has no use for what only "run" does. */
	if (i < 0 && cli_find(cmd_run.options, name) >= 0)
		return 0;
	if (i < 0 || !line->options[i].repeats)
		return err_set(e, ERR_INPUT, "%s: unknown option \"%s\"",
			       result->path, name);
	is_list = line->options[i].kind == CLI_LIST && json_is_array(value);
	if (is_list != (pass == 2))
		return 0;
	if (is_list)
		return merge_list(result, line, (size_t)i, value, e);
	if (result->typed >> i & 1 || is_overridden(result, line, name))
		return 0;
	return set_value(result, line, (size_t)i, value, e);
}

static int
fill_words(const struct result *result, struct cli_line *line,
	   json_t *arguments, struct err *e)
{
	json_t *value;
	size_t i;
	int err = 0;

	line->words.count = 0;
	if (is_typed(result, line, "workload"))
		return 0;
	json_array_foreach(arguments, i, value)
	{
		if (!err && json_is_string(value))
			err = cli_list_add(&line->words,
					   json_string_value(value), e);
	}
	return err;
}

static int
fill_line(struct result *result, struct cli_line *line, struct err *e)
{
	json_t *command = json_object_get(result->root, "command");
	json_t *options = json_object_get(command, "options");
	json_t *arguments = json_object_get(command, "arguments");
	json_t *value;
	const char *name;
	int err = 0;

	if (!json_is_object(options) || !json_is_array(arguments))
		return bad_result(result->path, "no command in it", e);
	for (int pass = 1; pass <= 2; pass++) {
		json_object_foreach(options, name, value)
		{
			if (!err)
				err = set_option(result, line, name, value,
						 pass, e);
		}
	}
	return err ? err : fill_words(result, line, arguments, e);
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
	r->typed = line->given;
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
