/* SPDX-License-Identifier: MIT */
/*
 * "run -e noop,deadline,cfq" and "run -e all": the same input, once for each
 * elevator, and the results side by side.
 */
#ifndef NCQSIM_FRONTEND_RUN_MANY_H
#define NCQSIM_FRONTEND_RUN_MANY_H

#include "frontend/run.h"
#include "frontend/spec_list.h"

/* Does the command line ask for more than one elevator? */
bool run_is_many(const struct run_args *args);

/*
 * Append the elevators that @text names to @list, see spec_list.h; "all" is
 * every one that the chosen host.kernel has.
 */
int run_elevators(struct cli_list *list, const struct run_args *args,
		  const char *text, struct err *e);

int run_many(struct cli_line *line, struct err *e);

#endif
