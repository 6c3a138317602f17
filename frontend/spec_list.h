/* SPDX-License-Identifier: MIT */
/*
 * Several elevators (or policies) in one word: "noop,deadline,cfq".
 * Tunables take commas too, so a part that holds "=" and no ":" before it
 * belongs to the name on its left: cfq:slice_idle=0,quantum=8,noop is two
 * elevators.  "all" stands for every name there is.
 */
#ifndef NCQSIM_FRONTEND_SPEC_LIST_H
#define NCQSIM_FRONTEND_SPEC_LIST_H

#include "frontend/cli.h"

/* The @i-th name of "all", NULL past the last. */
typedef const char *spec_name_fn(void *ctx, size_t i);

/*
 * Append the specifications in @text to @list; each text is the caller's,
 * freed with spec_list_free().  ERR_CONFIG for an empty one.
 */
int spec_list_split(struct cli_list *list, const char *text,
		    spec_name_fn *names, void *ctx, struct err *e);
void spec_list_free(struct cli_list *list);

/* Is it "all", or more than one? */
bool spec_list_is_many(const char *text);

#endif
