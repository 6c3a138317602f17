/* SPDX-License-Identifier: MIT */
/*
 * Help and the manual page, printed from the command and option tables.
 */
#ifndef NCQSIM_FRONTEND_HELP_H
#define NCQSIM_FRONTEND_HELP_H

#include "frontend/command.h"
#include "frontend/tables.h"
#include "sim/ncqsim.h"

#include <stdio.h>

/* All commands, one line each. */
void help_overview(FILE *out);

/* What "ncqsim COMMAND --help" prints. */
void help_command(FILE *out, const struct command *cmd);

/* One configuration key with range, default and source, or ERR_CONFIG. */
int help_key(FILE *out, const struct tables *tables, const char *key,
	     struct err *e);

/* Every key of the configuration, a line each, by section. */
void help_keys(FILE *out, const struct tables *tables);

/* The manual pages ncqsim(1) and ncqsim-drive(5), in mdoc. */
void man_command_page(FILE *out, const struct tables *tables);
void man_drive_page(FILE *out, const struct tables *tables);

/* The range of an option in words: "1 to 32", "yes or no". */
struct help_range {
	char text[256];
};
struct help_range help_range(const struct option *opt);

/* "ncqsim drive list" of a command that may be a child. */
struct help_name {
	char text[64];
};
struct help_name help_full_name(const struct command *cmd);

/* -d, --drive DRIVE */
struct help_form {
	char text[64];
};
struct help_form help_option_form(const struct cli_option *opt);

/* Elevators and firmware policies, all or the one called @name; false when
 * there is none. */
bool help_models(FILE *out, const char *name);

#endif
