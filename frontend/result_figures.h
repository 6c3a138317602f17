/* SPDX-License-Identifier: MIT */
/*
 * The figures of a result that "ncqsim run --json" wrote.  Needs jansson.
 */
#ifndef NCQSIM_FRONTEND_RESULT_FIGURES_H
#define NCQSIM_FRONTEND_RESULT_FIGURES_H

#include "frontend/figures.h"

struct result_figures {
	struct figures figures;
	char input_hash[20], result_hash[20];
	char elevator[64], drive[64];
	bool complete;
};

int result_read_figures(const char *path, struct result_figures *figures,
			struct err *e);

#endif
