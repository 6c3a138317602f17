/* SPDX-License-Identifier: MIT */
/*
 * The contract of a firmware ordering policy: which of the commands that
 * the drive holds goes next.
 *
 * A policy is one file with one struct firmware_ops, listed in table.c.  Its
 * choice is pure: it sees the drive through a const view, and the same view
 * gives the same choice.  What may be combined with any policy (age limit,
 * window, priority and so on) is in rules.c and needs nothing here: the
 * rules take candidates out of view->tags before the policy is asked.
 */
#ifndef NCQSIM_MODELS_FIRMWARE_H
#define NCQSIM_MODELS_FIRMWARE_H

#include "sim/core/option.h"
#include "sim/drive/drive_config.h"
#include "sim/drive/queue.h"

#define FIRMWARE_UNBOUNDED UINT64_MAX

/* What a drive can do, for working out a bound. */
struct firmware_limits {
	uint64_t sectors;     /* physical, of the drive */
	nsec_t access_min_ns; /* the quickest command, from its choice on */
	nsec_t access_max_ns; /* the slowest */
};

struct firmware_ops {
	/* Required: the name after -p, and one line for "help". */
	const char *name;
	const char *help;

	/* Required: what the choice has over the others, as in "it is ...". */
	const char *why;

	/*
	 * Required: the tag to serve next.  At least one command may be
	 * chosen (view->tags is not 0); the result is one of these.
	 */
	uint32_t (*pick)(const struct drive_view *view);

	/*
	 * Optional: how many younger commands may be served while one
	 * waits, when no rule but the policy's own is in force.  NULL is
	 * FIRMWARE_UNBOUNDED.  A property test holds the policy to it.
	 */
	uint64_t (*passed_max)(const struct firmware_config *firmware,
			       const struct firmware_limits *limits);

	/* Optional: values of these keys where the drive file leaves 0. */
	int64_t age_credit;
	int64_t window;
};

/* Every policy, ended by NULL. */
extern const struct firmware_ops *const firmware_table[];

/* The policy called @name, or NULL. */
const struct firmware_ops *firmware_find(const char *name);

#endif
