/* SPDX-License-Identifier: MIT */
/*
 * SIGINT and SIGTERM ask a long run to stop at the next convenient moment;
 * a second one kills.  A closed pipe is an error of the write, not a signal.
 */
#ifndef NCQSIM_FRONTEND_SIGNALS_H
#define NCQSIM_FRONTEND_SIGNALS_H

void signals_init(void);

/* 0, or the signal that asked to stop. */
int signals_pending(void);

#endif
