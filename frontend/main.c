/* SPDX-License-Identifier: MIT */
#include "frontend/command.h"
#include "frontend/help.h"
#include "frontend/signals.h"
#include "frontend/text.h"

#include "sim/ncqsim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
usage(void)
{
	fputs("usage: ncqsim COMMAND [OPTION]... [ARGUMENT]...\n"
	      "       ncqsim help\n",
	      stderr);
	return -ERR_CONFIG;
}

/* A command with children: the next word names one of them. */
static int
find_child(const struct command **cmd, int *argc, char ***argv, struct err *e)
{
	const struct command *child;

	if (!(*cmd)->children || *argc == 0 || (*argv)[0][0] == '-')
		return 0;
	child = command_find((*cmd)->children, (*argv)[0]);
	if (!child)
		return command_unknown((*cmd)->children, (*argv)[0], e);
	*cmd = child;
	(*argc)--;
	(*argv)++;
	return 0;
}

static int
run_command(const struct command *parent, const struct command *cmd, int argc,
	    char **argv, struct err *e)
{
	struct cli_line line = { 0 };
	char name[64];
	void *args;
	int status;

	line.options = cmd->options ? cmd->options : command_no_options;
	snprintf(name, sizeof(name), "%s%s%s",
		 parent == cmd ? "" : parent->name, parent == cmd ? "" : " ",
		 cmd->name);
	line.command = name;
	args = calloc(1, cmd->args_size ? cmd->args_size : 1);
	if (!args)
		return err_nomem(e);
	line.args = args;
	status = cli_parse(&line, argc, argv, e);
	if (status == 0 && line.help)
		help_command(stdout, cmd);
	else if (status == 0 && !cmd->run)
		status = err_set(e, ERR_CONFIG,
				 "%s needs a subcommand: see "
				 "ncqsim %s --help",
				 cmd->name, cmd->name);
	else if (status == 0)
		status = cmd->run(&line, e);
	cli_free(&line);
	free(args);
	return status;
}

static int
dispatch(int argc, char **argv, struct err *e)
{
	const char *word = argv[1];
	const struct command *cmd, *parent;
	int err;

	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		word = "help";
	if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
		word = "version";
	cmd = command_find(commands, word);
	if (!cmd)
		return command_unknown(commands, word, e);
	argc -= 2;
	argv += 2;
	parent = cmd;
	err = find_child(&cmd, &argc, &argv, e);
	return err ? err : run_command(parent, cmd, argc, argv, e);
}

int
main(int argc, char **argv)
{
	struct err e = { 0 };
	int status;

	if (argc < 2)
		return usage();
	signals_init();
	status = dispatch(argc, argv, &e);
	errno = 0;
	if (status >= 0 && (fflush(stdout) != 0 || ferror(stdout)))
		status = err_set(&e, ERR_OUTPUT, "standard output: %s",
				 errno ? strerror(errno) : "writing failed");
	if (status == ERR_OUTPUT && ferror(stdout) && signals_is_unread())
		return signals_die_of_pipe();
	if (status >= 0)
		return status;
	/* Waiting for input ended: no mistake of the input. */
	if (status == ERR_INPUT && signals_pending())
		return signals_status();
	fputs("ncqsim: ", stderr);
	text_put(stderr, e.text);
	putc('\n', stderr);
	return -status;
}
