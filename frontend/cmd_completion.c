/* SPDX-License-Identifier: MIT */
/*
 * Shell completion, written from the command tables.  All three scripts
 * work from the same lines: for each command its options, for each option
 * with choices those, and what its operands are.
 */
#include "frontend/command.h"
#include "frontend/help.h"
#include "sim/ncqsim.h"

#include <stdio.h>
#include <string.h>

/* Call @visit for every command, children under "parent child". */
static void
each_command(void (*visit)(const struct command *cmd))
{
	for (size_t i = 0; commands[i]; i++) {
		const struct command *const *child = commands[i]->children;

		visit(commands[i]);
		for (; child && *child; child++)
			visit(*child);
	}
}

static void
print_words(const struct command *const *table)
{
	for (size_t i = 0; table[i]; i++)
		printf("%s%s", i ? " " : "", table[i]->name);
}

static bool
takes(const struct cli_option *opt, const char *argument)
{
	return opt->argument && strcmp(opt->argument, argument) == 0;
}

static bool
names_drive(const struct cli_option *opt)
{
	return takes(opt, "DRIVE");
}

/* Is what the option takes one of a list that is known here? */
static bool
has_choices(const struct cli_option *opt)
{
	return opt->choices || takes(opt, "ELEVATOR") || takes(opt, "POLICY");
}

static const char *
choice_name(const struct cli_option *opt, size_t i)
{
	if (opt->choices)
		return opt->choices[i];
	return takes(opt, "ELEVATOR") ? ncqsim_elevator_name(i)
				      : ncqsim_firmware_name(i);
}

static void
print_choices(const struct cli_option *opt)
{
	for (size_t i = 0; choice_name(opt, i); i++)
		printf("%s%s", i ? " " : "", choice_name(opt, i));
}

/* ---- bash ---- */

static void
bash_option_names(const struct command *cmd)
{
	for (const struct cli_option *o = cmd->options; o && o->name; o++)
		printf("--%s ", o->name);
	printf("--help");
}

static void
bash_values(const struct command *cmd)
{
	const struct help_name name = help_full_name(cmd);

	for (const struct cli_option *o = cmd->options; o && o->name; o++) {
		if (!has_choices(o) && !names_drive(o))
			continue;
		printf("\t\"%s/--%s\"", name.text, o->name);
		if (o->letter)
			printf("|\"%s/-%c\"", name.text, o->letter);
		printf(") words=\"");
		if (has_choices(o))
			print_choices(o);
		else
			printf("$(_ncqsim_drives)");
		printf("\" ;;\n");
	}
}

static void
bash_options(const struct command *cmd)
{
	printf("\t\"%s\") options=\"", help_full_name(cmd).text);
	bash_option_names(cmd);
	printf("\" files=%s words=\"",
	       strcmp(cmd->words, "file") == 0 ||
			       strcmp(cmd->words, "drive") == 0
		       ? "-f"
		       : "");
	if (cmd->children)
		print_words(cmd->children);
	else if (strcmp(cmd->words, "drive") == 0)
		printf("$(_ncqsim_drives)");
	else if (strcmp(cmd->words, "command") == 0)
		print_words(commands);
	else
		printf("%s", strcmp(cmd->words, "file") ? cmd->words : "");
	printf("\" ;;\n");
}

static void
print_bash(void)
{
	puts("# bash completion for ncqsim\n"
	     "_ncqsim_drives()\n{\n"
	     "\tncqsim drive list 2>/dev/null | sed '1d; s/ .*//'\n}\n\n"
	     "_ncqsim()\n{\n"
	     "\tlocal cur=${COMP_WORDS[COMP_CWORD]}\n"
	     "\tlocal prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	     "\tlocal command=${COMP_WORDS[1]-} options='' words='' files=-f\n"
	     "\tCOMPREPLY=()\n"
	     "\tif [ \"$COMP_CWORD\" = 1 ]; then");
	printf("\t\tCOMPREPLY=($(compgen -W \"");
	print_words(commands);
	puts("\" -- \"$cur\"))\n\t\treturn\n\tfi");
	puts("\tcase \"$command ${COMP_WORDS[2]-}\" in");
	for (size_t i = 0; commands[i]; i++) {
		const struct command *const *child = commands[i]->children;

		for (; child && *child; child++)
			printf("\t\"%s %s\") [ \"$COMP_CWORD\" -gt 2 ] && "
			       "command=\"%s %s\" ;;\n",
			       commands[i]->name, (*child)->name,
			       commands[i]->name, (*child)->name);
	}
	puts("\tesac\n\tcase \"$command/$prev\" in");
	each_command(bash_values);
	puts("\tesac\n"
	     "\tif [ -n \"$words\" ]; then\n"
	     "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	     "\t\treturn\n\tfi\n"
	     "\tcase \"$command\" in");
	each_command(bash_options);
	puts("\tesac\n"
	     "\tcase \"$cur\" in\n"
	     "\t-*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")) ;;\n"
	     "\t*) COMPREPLY=($(compgen $files -W \"$words\" -- "
	     "\"$cur\")) ;;\n"
	     "\tesac\n}\n"
	     "complete -o filenames -F _ncqsim ncqsim");
}

/* ---- zsh ---- */

/* Text within single quotes and, in a specification, before "]" or ":". */
static void
zsh_text(const char *text)
{
	for (; *text; text++) {
		if (strchr("[]:\\", *text))
			putchar('\\');
		if (*text == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*text);
	}
}

static void
zsh_option(const struct cli_option *o)
{
	const char *end = o->argument ? "=" : "";

	if (o->letter)
		printf("\t\t\t'(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name,
		       o->letter, o->argument ? "+" : "", o->name, end);
	else
		printf("\t\t\t'%s--%s%s[", o->kind == CLI_LIST ? "*" : "",
		       o->name, end);
	zsh_text(o->help);
	printf("]");
	if (o->argument) {
		printf(":%s:", o->argument);
		if (has_choices(o)) {
			printf("(");
			print_choices(o);
			printf(")");
		} else if (names_drive(o)) {
			printf("_ncqsim_drives");
		} else if (strcmp(o->argument, "FILE") == 0) {
			printf("_files");
		}
	}
	puts("' \\");
}

static void
zsh_command(const struct command *cmd)
{
	printf("\t'%s')\n\t\t_arguments -s \\\n", help_full_name(cmd).text);
	for (const struct cli_option *o = cmd->options; o && o->name; o++)
		zsh_option(o);
	printf("\t\t\t'(-h --help)'{-h,--help}'[show this help]' \\\n");
	if (cmd->children) {
		printf("\t\t\t'1:command:(");
		print_words(cmd->children);
		puts(")' ;;");
	} else if (strcmp(cmd->words, "drive") == 0) {
		puts("\t\t\t'*:drive:_ncqsim_drives' ;;");
	} else if (strcmp(cmd->words, "command") == 0) {
		printf("\t\t\t'*:command:(");
		print_words(commands);
		puts(")' ;;");
	} else if (strcmp(cmd->words, "file") == 0) {
		puts("\t\t\t'*:file:_files' ;;");
	} else {
		printf("\t\t\t'*:argument:(%s)' ;;\n", cmd->words);
	}
}

static void
print_zsh(void)
{
	puts("#compdef ncqsim\n"
	     "_ncqsim_drives()\n{\n"
	     "\tlocal -a drives\n"
	     "\tdrives=(${(f)\"$(ncqsim drive list 2>/dev/null | "
	     "sed '1d; s/ .*//')\"})\n"
	     "\t_describe drive drives\n\t_files\n}\n\n"
	     "_ncqsim()\n{\n"
	     "\tlocal command\n"
	     "\tif (( CURRENT == 2 )); then\n"
	     "\t\tlocal -a all=(");
	for (size_t i = 0; commands[i]; i++) {
		printf("\t\t\t'%s:", commands[i]->name);
		zsh_text(commands[i]->summary);
		puts("'");
	}
	puts("\t\t)\n"
	     "\t\t_describe command all\n\t\treturn\n\tfi\n"
	     "\tcommand=$words[2]\n"
	     "\tcase \"$words[2] $words[3]\" in");
	for (size_t i = 0; commands[i]; i++) {
		const struct command *const *child = commands[i]->children;

		for (; child && *child; child++)
			printf("\t'%s %s') (( CURRENT > 3 )) && "
			       "command='%s %s' && shift words && "
			       "(( CURRENT-- )) ;;\n",
			       commands[i]->name, (*child)->name,
			       commands[i]->name, (*child)->name);
	}
	puts("\tesac\n"
	     "\tshift words\n\t(( CURRENT-- ))\n"
	     "\tcase \"$command\" in");
	each_command(zsh_command);
	puts("\tesac\n}\n"
	     "if [ \"$funcstack[1]\" = _ncqsim ]; then\n"
	     "\t_ncqsim \"$@\"\n"
	     "else\n\tcompdef _ncqsim ncqsim\nfi");
}

/* ---- fish ---- */

static void
fish_text(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('\'');
}

/* The condition under which completions of @cmd apply. */
static void
fish_condition(const struct command *cmd)
{
	const struct help_name full = help_full_name(cmd);
	const char *name = full.text;
	const char *blank = strchr(name, ' ');

	if (blank)
		printf("-n '__fish_seen_subcommand_from %.*s; and "
		       "__fish_seen_subcommand_from %s' ",
		       (int)(blank - name), name, blank + 1);
	else
		printf("-n '__fish_seen_subcommand_from %s' ", name);
}

static void
fish_option(const struct command *cmd, const struct cli_option *o)
{
	printf("complete -c ncqsim ");
	fish_condition(cmd);
	printf("-l %s ", o->name);
	if (o->letter)
		printf("-s %c ", o->letter);
	if (o->argument) {
		printf("-r ");
		if (has_choices(o)) {
			printf("-f -a '");
			print_choices(o);
			printf("' ");
		} else if (names_drive(o)) {
			printf("-a '(__ncqsim_drives)' ");
		}
	}
	printf("-d ");
	fish_text(o->help);
	putchar('\n');
}

static void
fish_command(const struct command *cmd)
{
	const struct command *const *child = cmd->children;

	for (const struct cli_option *o = cmd->options; o && o->name; o++)
		fish_option(cmd, o);
	for (; child && *child; child++) {
		printf("complete -c ncqsim -f ");
		fish_condition(cmd);
		printf("-a %s -d ", (*child)->name);
		fish_text((*child)->summary);
		putchar('\n');
	}
	if (strcmp(cmd->words, "drive") == 0) {
		printf("complete -c ncqsim ");
		fish_condition(cmd);
		puts("-a '(__ncqsim_drives)'");
	}
}

static void
print_fish(void)
{
	puts("# fish completion for ncqsim\n"
	     "function __ncqsim_drives\n"
	     "    ncqsim drive list 2>/dev/null | "
	     "string match -rv '^NAME ' | string replace -r ' .*' ''\n"
	     "end");
	for (size_t i = 0; commands[i]; i++) {
		printf("complete -c ncqsim -f -n __fish_use_subcommand -a %s "
		       "-d ",
		       commands[i]->name);
		fish_text(commands[i]->summary);
		putchar('\n');
	}
	each_command(fish_command);
}

static int
completion_run(struct cli_line *line, struct err *e)
{
	static const struct {
		const char *name;
		void (*print)(void);
	} shells[] = { { "bash", print_bash },
		       { "zsh", print_zsh },
		       { "fish", print_fish } };
	static const char *const names[] = { "bash", "zsh", "fish", NULL };

	if (line->words.count != 1)
		return err_set(e, ERR_CONFIG,
			       "completion needs one shell: bash, zsh or fish");
	for (size_t i = 0; i < ARRAY_LEN(shells); i++) {
		if (strcmp(line->words.text[0], shells[i].name) == 0) {
			shells[i].print();
			return EXIT_DONE;
		}
	}
	return cli_unknown("shell", line->words.text[0], names,
			   "there are bash, zsh and fish", e);
}

static const struct command_example examples[] = {
	{ "completion bash > /etc/bash_completion.d/ncqsim",
	  "for everyone, from the next shell on" },
	{ "completion zsh > ~/.zfunc/_ncqsim", "a folder of $fpath" },
	{ "completion fish > ~/.config/fish/completions/ncqsim.fish",
	  "for fish" },
	{ 0 },
};

const struct command cmd_completion = {
	.name = "completion",
	.summary = "print a completion script for a shell",
	.synopsis = "bash|zsh|fish",
	.about = "Print a script that teaches a shell to complete commands, "
		 "options, their values and drive names.",
	.examples = examples,
	.words = "bash zsh fish",
	.run = completion_run,
};
