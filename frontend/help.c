/* SPDX-License-Identifier: MIT */
#include "frontend/help.h"

#include "frontend/text.h"

#include <inttypes.h>
#include <string.h>

#define NAME_COLUMN   14 /* where a command's summary begins */
#define OPTION_COLUMN 28 /* where an option's help begins */

const struct cli_option command_no_options[] = { { 0 } };

const struct command *
command_find(const struct command *const *table, const char *name)
{
	for (; *table; table++)
		if (strcmp((*table)->name, name) == 0)
			return *table;
	return NULL;
}

int
command_unknown(const struct command *const *table, const char *word,
		struct err *e)
{
	const char *names[32];
	size_t n = 0;

	for (; *table && n + 1 < ARRAY_LEN(names); table++)
		names[n++] = (*table)->name;
	names[n] = NULL;
	return cli_unknown("command", word, names, "see ncqsim help", e);
}

struct help_name
help_full_name(const struct command *cmd)
{
	struct help_name name;

	snprintf(name.text, sizeof(name.text), "%s", cmd->name);
	for (size_t i = 0; commands[i]; i++) {
		const struct command *const *child = commands[i]->children;

		for (; child && *child; child++)
			if (*child == cmd)
				snprintf(name.text, sizeof(name.text), "%s %s",
					 commands[i]->name, cmd->name);
	}
	return name;
}

static void
print_summaries(FILE *out, const struct command *const *table)
{
	for (; *table; table++)
		fprintf(out, "  %-*s%s\n", NAME_COLUMN - 2, (*table)->name,
			(*table)->summary);
}

void
help_overview(FILE *out)
{
	fputs("usage: ncqsim COMMAND [OPTION]... [ARGUMENT]...\n\n"
	      "A simulator of hard drives with native command queuing, behind "
	      "an AHCI\ncontroller and a Linux block layer.\n\n"
	      "Commands:\n",
	      out);
	print_summaries(out, commands);
	fputs("\n\"ncqsim COMMAND --help\" shows a command's options and "
	      "examples,\n\"ncqsim help KEY\" what a configuration key means, "
	      "\"ncqsim help keys\" all keys.\n",
	      out);
}

struct help_form
help_option_form(const struct cli_option *opt)
{
	struct help_form form;
	int n;

	if (opt->letter)
		n = snprintf(form.text, sizeof(form.text), "-%c, --%s",
			     opt->letter, opt->name);
	else
		n = snprintf(form.text, sizeof(form.text), "    --%s",
			     opt->name);
	if (opt->argument && n > 0 && (size_t)n < sizeof(form.text))
		snprintf(form.text + n, sizeof(form.text) - (size_t)n, " %s",
			 opt->argument);
	return form;
}

static void
print_option(FILE *out, const struct cli_option *opt)
{
	struct help_form form = help_option_form(opt);

	fprintf(out, "  %-*s", OPTION_COLUMN - 2, form.text);
	if (strlen(form.text) > OPTION_COLUMN - 4)
		fprintf(out, "\n%*s", OPTION_COLUMN, "");
	text_wrap(out, opt->help, OPTION_COLUMN, OPTION_COLUMN);
}

static void
print_options(FILE *out, const struct command *cmd)
{
	static const struct cli_option help = {
		.name = "help",
		.letter = 'h',
		.help = "show this help",
	};
	const struct cli_option *opt = cmd->options;

	fputs("\nOptions:\n", out);
	for (; opt && opt->name; opt++)
		print_option(out, opt);
	print_option(out, &help);
}

void
help_command(FILE *out, const struct command *cmd)
{
	const struct command_example *ex = cmd->examples;

	fprintf(out, "usage: ncqsim %s%s%s\n\n", help_full_name(cmd).text,
		*cmd->synopsis ? " " : "", cmd->synopsis);
	text_wrap(out, cmd->about, 0, 0);
	if (cmd->children) {
		fputs("\nCommands:\n", out);
		print_summaries(out, cmd->children);
	}
	print_options(out, cmd);
	if (ex && ex->line)
		fputs("\nExamples:\n", out);
	for (; ex && ex->line; ex++)
		fprintf(out, "  ncqsim %s\n      %s\n", ex->line, ex->what);
}

/* A bound in the unit of the option's text. */
static struct text
bound_text(const struct option *opt, int64_t bound)
{
	static const struct {
		const char *unit;
		uint32_t digits;
	} units[] = { { "ns", 0 }, { "us", 3 }, { "ms", 6 }, { "s", 9 } };
	struct text t;
	uint32_t have = opt->type == OPTION_LIST ? 6 : 0;

	for (size_t i = 0; opt->type == OPTION_TIME && i < ARRAY_LEN(units);
	     i++)
		if (strcmp(units[i].unit, opt->unit) == 0)
			have = units[i].digits;
	t = text_decimal(bound, have, have);
	if (have) {
		size_t n = strlen(t.s);

		while (t.s[n - 1] == '0')
			n--;
		if (t.s[n - 1] == '.')
			n--;
		t.s[n] = '\0';
	}
	return t;
}

struct help_range
help_range(const struct option *opt)
{
	struct help_range range = { "" };
	size_t n = 0;

	switch (opt->type) {
	case OPTION_BOOL:
		return (struct help_range){ "yes or no" };
	case OPTION_NAME:
		return (struct help_range){ "a word or path" };
	case OPTION_CHOICE:
		for (size_t i = 0; opt->choices[i] && n < sizeof(range.text);
		     i++)
			n += (size_t)snprintf(range.text + n,
					      sizeof(range.text) - n, "%s%s",
					      i ? ", " : "", opt->choices[i]);
		return range;
	case OPTION_LIST:
		if (opt->max == INT64_MAX)
			return (struct help_range){ "numbers" };
		/* fallthrough */
	case OPTION_INT:
	case OPTION_TIME:
		snprintf(range.text, sizeof(range.text), "%s%s to %s%s%s",
			 opt->type == OPTION_LIST ? "numbers, each " : "",
			 bound_text(opt, opt->min).s,
			 bound_text(opt, opt->max).s,
			 opt->unit && *opt->unit ? " " : "",
			 opt->unit ? opt->unit : "");
	}
	return range;
}

static void
print_key(FILE *out, const struct tables *tables, size_t i,
	  const struct option *opt)
{
	fprintf(out, "%s.%s", tables->table[i].section, opt->name);
	if (tables->elevator[i])
		fprintf(out, "  (of %s)", tables->elevator[i]);
	fputs("\n    ", out);
	text_wrap(out, opt->help, 4, 4);
	fprintf(out, "    range:   %s\n", help_range(opt).text);
	fprintf(out, "    default: %s\n",
		opt->initial ? opt->initial : "none, must be given");
	if (opt->source) {
		fputs("    source:  ", out);
		text_wrap(out, opt->source, 13, 13);
	}
}

#define KEYS_MAX 512

static int
unknown_key(const struct tables *tables, const char *key, struct err *e)
{
	char full[KEYS_MAX][64];
	const char *names[KEYS_MAX + 1];
	bool has_section = strchr(key, '.') != NULL;
	size_t n = 0;

	for (size_t i = 0; commands[i] && n < KEYS_MAX; i++)
		names[n++] = commands[i]->name;
	for (size_t i = 0; i < tables->count; i++) {
		const struct option_table *table = &tables->table[i];

		for (size_t j = 0; j < table->count && n < KEYS_MAX; j++, n++) {
			names[n] = table->options[j].name;
			if (!has_section)
				continue;
			snprintf(full[n], sizeof(full[n]), "%s.%s",
				 table->section, names[n]);
			names[n] = full[n];
		}
	}
	names[n] = NULL;
	return cli_unknown("command or key", key, names,
			   "see ncqsim help and ncqsim help keys", e);
}

/* Does @key name this option: its section, its name, or both? */
static bool
key_matches(const char *key, const char *section, const char *name)
{
	size_t n = strlen(section);

	if (strcmp(key, section) == 0 || strcmp(key, name) == 0)
		return true;
	return strncmp(key, section, n) == 0 && key[n] == '.' &&
	       strcmp(key + n + 1, name) == 0;
}

int
help_key(FILE *out, const struct tables *tables, const char *key, struct err *e)
{
	size_t found = 0;

	for (size_t i = 0; i < tables->count; i++) {
		const struct option_table *table = &tables->table[i];

		for (size_t j = 0; j < table->count; j++) {
			const struct option *opt = &table->options[j];

			if (!key_matches(key, table->section, opt->name))
				continue;
			fputs(found++ ? "\n" : "", out);
			print_key(out, tables, i, opt);
		}
	}
	return found ? 0 : unknown_key(tables, key, e);
}

void
help_keys(FILE *out, const struct tables *tables)
{
	for (size_t i = 0; i < tables->count; i++) {
		const struct option_table *table = &tables->table[i];

		fprintf(out, "%s[%s]  ", i ? "\n" : "", table->section);
		text_wrap(out, table->help ? table->help : "", 4,
			  (uint32_t)strlen(table->section) + 4);
		for (size_t j = 0; j < table->count; j++) {
			const struct option *opt = &table->options[j];
			int n = fprintf(out, "  %-24s %-12s ", opt->name,
					opt->initial ? opt->initial
						     : "(needed)");

			text_wrap(out, help_range(opt).text, 40,
				  n > 0 ? (uint32_t)n : 40);
		}
	}
}
