/* SPDX-License-Identifier: MIT */
#include "frontend/command.h"

extern const struct command cmd_run;
extern const struct command cmd_explain;
extern const struct command cmd_sweep;
extern const struct command cmd_merge;
extern const struct command cmd_compare;
extern const struct command cmd_plot;
extern const struct command cmd_trace;
extern const struct command cmd_drive;
extern const struct command cmd_help;
extern const struct command cmd_version;
extern const struct command cmd_completion;

const struct command *const commands[] = {
	&cmd_run,     &cmd_explain, &cmd_sweep,      &cmd_merge,
	&cmd_compare, &cmd_plot,    &cmd_trace,      &cmd_drive,
	&cmd_help,    &cmd_version, &cmd_completion, NULL,
};
