/* SPDX-License-Identifier: MIT */
/*
 * The contract of a firmware ordering policy: which of the commands that
 * the drive holds goes next.
 *
 * A policy is one file with one struct firmware_ops, listed in table.c.  Its
 * choice is pure: it sees the drive through a const view, and the same view
 * gives the same choice.
 */
#ifndef NCQSIM_MODELS_FIRMWARE_H
#define NCQSIM_MODELS_FIRMWARE_H

#include "sim/core/option.h"
#include "sim/drive/queue.h"

struct firmware_ops {
	/* Required: the name after -p, and one line for "help". */
	const char *name;
	const char *help;

	/*
	 * Required: the tag to serve next.  At least one command waits
	 * (view->queue->count > 0); the result is one of its tags.
	 */
	uint32_t (*pick)(const struct drive_view *view);

	/*
	 * Required: how often a waiting command may be passed over by
	 * younger ones, or FIRMWARE_UNBOUNDED.  A property test holds the
	 * policy to it.
	 */
	uint64_t passed_max;
};

#define FIRMWARE_UNBOUNDED UINT64_MAX

/* Every policy, ended by NULL. */
extern const struct firmware_ops *const firmware_table[];

/* The policy called @name, or NULL. */
const struct firmware_ops *firmware_find(const char *name);

#endif
