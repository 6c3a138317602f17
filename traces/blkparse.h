/* SPDX-License-Identifier: MIT */
/*
 * Parts of a blkparse line that other formats have too.
 */
#ifndef NCQSIM_TRACES_BLKPARSE_H
#define NCQSIM_TRACES_BLKPARSE_H

#include "traces/line.h"

/* "major,minor". */
bool blkparse_device(struct cursor *c, uint32_t *device);

/* The letters of an action, and the blank after them. */
bool blkparse_action(struct cursor *c, uint8_t *action);

/* Direction and flags, such as FWFSM, before a blank. */
bool blkparse_rwbs(struct cursor *c, uint32_t *category);

/*
 * What follows, by the action that @ev has.  The payload is the name of the
 * process or a message, inside the line.
 */
bool blkparse_tail(struct cursor *c, struct trace_event *ev);

#endif
