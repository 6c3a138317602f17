/* SPDX-License-Identifier: MIT */
/*
 * The table of commands: one file a command (cmd_NAME.c), each with its
 * struct command at the bottom.  The table in commands.c is what the main
 * program runs, what help, the manual page and completion print, and what
 * tests walk through.
 *
 * To add a command: copy cmd_version.c, the smallest, and add its line to
 * commands.c.
 */
#ifndef NCQSIM_FRONTEND_COMMAND_H
#define NCQSIM_FRONTEND_COMMAND_H

#include "frontend/cli.h"

/* Exit statuses (DESIGN section 8); 2 to 5 are minus the enum err_code. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED_CHECK = 1, /* ran, but something asserted is not so */
};

/* Stopped by a signal, what is whole was written: signals_status(). */

struct command_example {
	const char *line; /* without "ncqsim " */
	const char *what; /* a phrase */
};

struct command {
	const char *name;    /* NULL ends a table */
	const char *summary; /* one line, at most 58 columns */
	const char
		*synopsis; /* what follows the name: "TRACE... [OPTION]..." */
	const char *about; /* paragraphs, "\n\n" between them */
	const struct cli_option *options;       /* NULL-ended, or NULL */
	const struct command_example *examples; /* NULL-ended */
	const struct command *const *children;  /* NULL-ended: drive list */
	const char *words; /* what completes an operand: "file", "drive", "" */
	size_t args_size;  /* of the struct that options fill, zeroed */

	/*
	 * Do it.  Returns an exit status, or a negative enum err_code with
	 * @e filled, which main() prints.
	 */
	int (*run)(struct cli_line *line, struct err *e);
};

/* Every command in the order of help, NULL-ended. */
extern const struct command *const commands[];

/* The options that every command without its own table has: none. */
extern const struct cli_option command_no_options[];

/* The command called @name in a NULL-ended table, or NULL. */
const struct command *
command_find(const struct command *const *table, const char *name);

/* Fill @e for a word that is no command; returns ERR_CONFIG. */
int command_unknown(const struct command *const *table, const char *word,
		    struct err *e);

#endif
