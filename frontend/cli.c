/* SPDX-License-Identifier: MIT */
#include "frontend/cli.h"

#include "sim/core/option.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MAX 64

int
cli_list_add(struct cli_list *list, const char *text, struct err *e)
{
	const char **bigger;

	bigger = realloc(list->text, (list->count + 1) * sizeof(*bigger));
	if (!bigger)
		return err_nomem(e);
	bigger[list->count++] = text;
	list->text = bigger;
	return 0;
}

int
cli_unknown(const char *what, const char *word, const char *const *names,
	    const char *hint, struct err *e)
{
	const char *near = option_nearest(word, names);

	if (near)
		return err_set(e, ERR_CONFIG,
			       "unknown %s '%s'; did you mean '%s'?", what,
			       word, near);
	return err_set(e, ERR_CONFIG, "unknown %s '%s'; %s", what, word, hint);
}

static bool
takes_argument(const struct cli_option *opt)
{
	return opt->kind != CLI_FLAG && opt->kind != CLI_CONST;
}

static void *
field(const struct cli_line *line, const struct cli_option *opt)
{
	return (char *)line->args + opt->offset;
}

static int
set_count(uint64_t *value, const struct cli_option *opt, const char *text,
	  struct err *e)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno)
		return err_set(e, ERR_CONFIG, "--%s %s: not a whole number",
			       opt->name, text);
	return 0;
}

static int
set_choice(int *value, const struct cli_option *opt, const char *text,
	   struct err *e)
{
	char all[256] = "";
	size_t n = 0;

	for (int i = 0; opt->choices[i]; i++) {
		if (strcmp(opt->choices[i], text) == 0) {
			*value = i;
			return 0;
		}
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%s%s",
				      i ? ", " : "", opt->choices[i]);
		assert(n < sizeof(all));
	}
	return err_set(e, ERR_CONFIG, "--%s %s: must be one of %s", opt->name,
		       text, all);
}

int
cli_find_key(const struct cli_option *options, const char *pair)
{
	for (int i = 0; options[i].name; i++) {
		const char *key = options[i].section ? NULL : options[i].key;
		size_t n = key ? strlen(key) : 0;

		if (n && strncmp(pair, key, n) == 0 && pair[n] == '=')
			return i;
	}
	return -1;
}

bool
cli_spec_sets(const struct cli_option *opt, const char *spec, const char *pair)
{
	size_t n = opt->key ? strlen(opt->key) : 0;
	size_t length;

	if (n && strncmp(pair, opt->key, n) == 0 && pair[n] == '=')
		return true;
	n = strlen(opt->section);
	if (strncmp(pair, opt->section, n) != 0 || pair[n] != '.')
		return false;
	pair += n + 1;
	length = strcspn(pair, "=");
	for (spec = strpbrk(spec, ":"); spec; spec = strpbrk(spec + 1, ","))
		if (strncmp(spec + 1, pair, length) == 0 &&
		    spec[1 + length] == '=')
			return true;
	return false;
}

/* Forget the pairs that @spec overrides. */
static void
drop_pairs(const struct cli_line *line, const struct cli_option *opt,
	   const char *spec)
{
	for (const struct cli_option *o = line->options; o->name; o++) {
		struct cli_list *list = field(line, o);
		size_t kept = 0;

		if (!o->is_pairs)
			continue;
		for (size_t i = 0; i < list->count; i++)
			if (!cli_spec_sets(opt, spec, list->text[i]))
				list->text[kept++] = list->text[i];
		list->count = kept;
	}
}

static int
set_list(struct cli_line *line, size_t i, const char *text, struct err *e)
{
	const struct cli_option *opt = &line->options[i];
	int same = opt->is_pairs ? cli_find_key(line->options, text) : -1;

	if (same >= 0)
		return cli_set(line, (size_t)same, strchr(text, '=') + 1, e);
	line->given |= UINT64_C(1) << i;
	return cli_list_add(field(line, opt), text, e);
}

/* Flags of one group exclude each other. */
static int
set_const(struct cli_line *line, const struct cli_option *opt, struct err *e)
{
	for (size_t i = 0; line->options[i].name; i++) {
		const struct cli_option *o = &line->options[i];

		if (cli_given(line, i) && o->kind == CLI_CONST &&
		    o->offset == opt->offset && o->constant != opt->constant)
			return err_set(e, ERR_CONFIG,
				       "--%s and --%s exclude each other",
				       o->name, opt->name);
	}
	*(int *)field(line, opt) = opt->constant;
	return 0;
}

int
cli_set(struct cli_line *line, size_t i, const char *text, struct err *e)
{
	const struct cli_option *opt = &line->options[i];
	void *to = field(line, opt);

	assert(i < OPTIONS_MAX);
	if (opt->kind == CLI_LIST)
		return set_list(line, i, text, e);
	line->given |= UINT64_C(1) << i;
	switch (opt->kind) {
	case CLI_FLAG:
		*(bool *)to = true;
		return 0;
	case CLI_CONST:
		return set_const(line, opt, e);
	case CLI_VALUE:
		*(const char **)to = text;
		if (opt->section)
			drop_pairs(line, opt, text);
		return 0;
	case CLI_COUNT:
		return set_count(to, opt, text, e);
	case CLI_CHOICE:
		return set_choice(to, opt, text, e);
	case CLI_LIST:
		break;
	}
	return ERR_INTERNAL;
}

int
cli_find(const struct cli_option *options, const char *name)
{
	for (int i = 0; options[i].name; i++)
		if (strcmp(options[i].name, name) == 0)
			return i;
	return -1;
}

static int
unknown_option(const struct cli_line *line, const char *name, struct err *e)
{
	const char *names[OPTIONS_MAX + 2];
	char word[128], hint[96];
	size_t n = 0;

	for (const struct cli_option *o = line->options; o->name; o++)
		names[n++] = o->name;
	names[n++] = "help";
	names[n] = NULL;
	snprintf(hint, sizeof(hint), "see ncqsim %s --help", line->command);
	snprintf(word, sizeof(word), "%s", name);
	if (option_nearest(word, names))
		return err_set(e, ERR_CONFIG,
			       "unknown option '--%s'; did you mean '--%s'?",
			       word, option_nearest(word, names));
	return err_set(e, ERR_CONFIG, "unknown option '--%s'; %s", word, hint);
}

/* Exact name, else the only option that begins so, else -1 with @e. */
static int
find_long(const struct cli_line *line, const char *name, struct err *e)
{
	size_t length = strlen(name);
	int found = cli_find(line->options, name);

	if (found >= 0)
		return found;
	for (int i = 0; length && line->options[i].name; i++) {
		if (strncmp(line->options[i].name, name, length) != 0)
			continue;
		if (found >= 0) {
			err_set(e, ERR_CONFIG,
				"option '--%s' is short for both '--%s' and "
				"'--%s'",
				name, line->options[found].name,
				line->options[i].name);
			return -1;
		}
		found = i;
	}
	if (found < 0)
		unknown_option(line, name, e);
	return found;
}

/* The words still to be parsed. */
struct cursor {
	char **argv;
	int argc;
	int at; /* the next word */
};

static int
take_argument(struct cli_line *line, int i, struct cursor *cur, struct err *e)
{
	const struct cli_option *opt = &line->options[i];

	if (cur->at >= cur->argc)
		return err_set(e, ERR_CONFIG, "option '--%s' needs %s",
			       opt->name, opt->argument);
	return cli_set(line, (size_t)i, cur->argv[cur->at++], e);
}

static int
parse_long(struct cli_line *line, char *word, struct cursor *cur, struct err *e)
{
	char *equals = strchr(word, '=');
	const struct cli_option *opt;
	char name[128];
	int i;

	snprintf(name, sizeof(name), "%.*s",
		 equals ? (int)(equals - word) : (int)strlen(word), word);
	if (strcmp(name, "help") == 0) {
		line->help = true;
		return 0;
	}
	i = find_long(line, name, e);
	if (i < 0)
		return ERR_CONFIG;
	opt = &line->options[i];
	if (takes_argument(opt))
		return equals ? cli_set(line, (size_t)i, equals + 1, e)
			      : take_argument(line, i, cur, e);
	if (equals)
		return err_set(e, ERR_CONFIG, "option '--%s' takes no value",
			       opt->name);
	return cli_set(line, (size_t)i, NULL, e);
}

static int
find_letter(const struct cli_option *options, char letter)
{
	for (int i = 0; options[i].name; i++)
		if (options[i].letter == letter)
			return i;
	return -1;
}

static int
parse_short(struct cli_line *line, char *word, struct cursor *cur,
	    struct err *e)
{
	for (char *p = word; *p; p++) {
		int i = find_letter(line->options, *p);
		int err;

		if (i < 0 && *p == 'h') {
			line->help = true;
			continue;
		}
		if (i < 0)
			return err_set(e, ERR_CONFIG,
				       "unknown option '-%c'; see ncqsim %s "
				       "--help",
				       *p, line->command);
		if (!takes_argument(&line->options[i])) {
			err = cli_set(line, (size_t)i, NULL, e);
			if (err)
				return err;
			continue;
		}
		return p[1] ? cli_set(line, (size_t)i, p + 1, e)
			    : take_argument(line, i, cur, e);
	}
	return 0;
}

int
cli_parse(struct cli_line *line, int argc, char **argv, struct err *e)
{
	struct cursor cur = { argv, argc, 0 };
	bool only_words = false;
	int err = 0;

	while (!err && cur.at < argc) {
		char *word = argv[cur.at++];

		if (only_words || word[0] != '-' || !word[1])
			err = cli_list_add(&line->words, word, e);
		else if (strcmp(word, "--") == 0)
			only_words = true;
		else if (word[1] == '-')
			err = parse_long(line, word + 2, &cur, e);
		else
			err = parse_short(line, word + 1, &cur, e);
	}
	return err;
}

void
cli_free(struct cli_line *line)
{
	for (const struct cli_option *o = line->options; o->name; o++)
		if (o->kind == CLI_LIST)
			free(((struct cli_list *)field(line, o))->text);
	free(line->words.text);
}
