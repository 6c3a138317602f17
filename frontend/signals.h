/* SPDX-License-Identifier: MIT */
/*
 * SIGINT, SIGTERM and SIGHUP ask a long run to stop at the next convenient
 * moment; a second one kills.  A closed pipe is an error of the write, so
 * that nothing is left behind; the program dies of it at its end.
 */
#ifndef NCQSIM_FRONTEND_SIGNALS_H
#define NCQSIM_FRONTEND_SIGNALS_H

#include <stdbool.h>

void signals_init(void);

/* 0, or the signal that asked to stop. */
int signals_pending(void);

/* The exit status that says so: 130 for SIGINT, 143, 129; 0 for none. */
int signals_status(void);

/* Does nobody read standard output any more? */
bool signals_is_unread(void);

/* End as a program that SIGPIPE kills. */
int signals_die_of_pipe(void);

#endif
