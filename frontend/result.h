/* SPDX-License-Identifier: MIT */
/*
 * Reading back a result that "ncqsim run --json" wrote, to repeat the run.
 */
#ifndef NCQSIM_FRONTEND_RESULT_H
#define NCQSIM_FRONTEND_RESULT_H

#include "frontend/cli.h"
#include "sim/ncqsim.h"

struct result; /* the parsed file */

/* Does @path look like a result, rather than like a trace? */
bool result_detect(const char *path);

/*
 * Read @path and fill @line with its operands and with those options that
 * were not given on the command line.  The texts belong to the result,
 * which the caller frees after the line.
 */
int result_load(const char *path, struct cli_line *line, struct result **result,
		struct err *e);
void result_free(struct result *result);

/*
 * When the command line changed nothing, the run must repeat: check that
 * the configuration is the recorded one (ERR_CONFIG names the key).
 */
int result_check_config(const struct result *result,
			const struct ncqsim_config *cfg, struct err *e);

/*
 * And that input and completions were.  1 with a message in @e when not:
 * an exit status, not an error code.
 */
int result_check_run(const struct result *result, uint64_t input_hash,
		     uint64_t result_hash, struct err *e);

#endif
