/* SPDX-License-Identifier: MIT */
/*
 * A choice of the firmware's told to observers: what every waiting command
 * would have cost.
 */
#ifndef NCQSIM_DRIVE_DECISION_H
#define NCQSIM_DRIVE_DECISION_H

#include "sim/drive/queue.h"
#include "sim/probe.h"

/*
 * Fill the time, the candidates by age and the chosen one, @tag, of
 * @decision.  All commands of the queue are listed, those of view->tags as
 * allowed; their LBA and sectors are physical ones.
 */
void decision_describe(struct probe_decision *decision,
		       const struct drive_view *view, uint32_t tag);

#endif
