/* SPDX-License-Identifier: MIT */
#include "frontend/command.h"
#include "frontend/help.h"

#include <stddef.h>
#include <string.h>

struct help_args {
	int man; /* enum help_man */
};

enum help_man {
	MAN_NONE,
	MAN_COMMAND,
	MAN_DRIVE,
};

static const char *const man_names[] = { "none", "ncqsim.1", "ncqsim-drive.5",
					 NULL };

/* help COMMAND [SUBCOMMAND]; returns 1 when the words name no command. */
static int
help_of_command(const struct cli_list *words, struct err *e)
{
	const struct command *cmd = command_find(commands, words->text[0]);

	if (!cmd)
		return 1;
	if (words->count > 1) {
		if (!cmd->children)
			return err_set(e, ERR_CONFIG,
				       "%s has no subcommands; see ncqsim "
				       "help %s",
				       cmd->name, cmd->name);
		cmd = command_find(cmd->children, words->text[1]);
		if (!cmd)
			return command_unknown(
				command_find(commands, words->text[0])
					->children,
				words->text[1], e);
	}
	help_command(stdout, cmd);
	return EXIT_DONE;
}

static int
print_page(enum help_man man, const struct tables *tables)
{
	if (man == MAN_COMMAND)
		man_command_page(stdout, tables);
	else
		man_drive_page(stdout, tables);
	return EXIT_DONE;
}

static int
help_run(struct cli_line *line, struct err *e)
{
	const struct help_args *args = line->args;
	struct tables tables;
	int status = 1;

	if (args->man == MAN_NONE && line->words.count == 0) {
		help_overview(stdout);
		return EXIT_DONE;
	}
	if (args->man == MAN_NONE)
		status = help_of_command(&line->words, e);
	if (status <= 0)
		return status;
	status = tables_gather(&tables, e);
	if (status < 0)
		return status;
	if (args->man != MAN_NONE)
		return print_page((enum help_man)args->man, &tables);
	if (help_models(stdout, line->words.text[0]))
		return EXIT_DONE;
	if (strcmp(line->words.text[0], "keys") != 0)
		return help_key(stdout, &tables, line->words.text[0], e);
	help_keys(stdout, &tables);
	return EXIT_DONE;
}

static const struct cli_option options[] = {
	{ .name = "man",
	  .kind = CLI_CHOICE,
	  .argument = "PAGE",
	  .choices = man_names,
	  .help = "print the source of a manual page: ncqsim.1 or "
		  "ncqsim-drive.5",
	  .offset = offsetof(struct help_args, man) },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "help run", "options and examples of \"run\"" },
	{ "help keys", "every configuration key" },
	{ "help elevators", "every elevator, and the kernels it is in" },
	{ "help host.queue_depth", "one key: meaning, range, default" },
	{ 0 },
};

const struct command cmd_help = {
	.name = "help",
	.summary = "explain a command or a configuration key",
	.synopsis = "[COMMAND | KEY | NAME | keys | elevators | policies]",
	.about = "Without an argument, list the commands. Otherwise explain a "
		 "command, one configuration key, all keys of a section, or an "
		 "elevator or firmware policy; \"keys\", \"elevators\" and "
		 "\"policies\" list them.",
	.options = options,
	.examples = examples,
	.words = "command",
	.args_size = sizeof(struct help_args),
	.run = help_run,
};
