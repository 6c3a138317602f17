/* SPDX-License-Identifier: MIT */
/*
 * What may be combined with any policy: the keys of [firmware].
 *
 * Some rules take candidates away before the policy is asked.  In this
 * order, the first that leaves fewer candidates than there were decides:
 *
 *   age limit    the oldest, when it has waited longer than age_limit_ms
 *   deadline     the isochronous command whose time is nearly up
 *   priority     only commands that the host gave high priority
 *   stream       the command that goes on where the media ended
 *   window       the oldest so many
 *
 * Others change what a command is thought to cost: guard time, aging credit
 * and the errors of estimation.
 */
#ifndef NCQSIM_MODELS_FIRMWARE_RULES_H
#define NCQSIM_MODELS_FIRMWARE_RULES_H

#include "models/firmware/firmware.h"
#include "sim/probe.h"

/*
 * The keys in force for @ops: those of @config, with the policy's own values
 * where they are 0.
 */
void
rules_init(struct firmware_config *rules, const struct firmware_config *config,
	   const struct firmware_ops *ops);

/* Can a rule take candidates away when no command is over age or has a
 * priority? */
bool rules_restrict_always(const struct firmware_config *rules);

/* The candidates that @view's rules leave, and the rule that decided. */
uint32_t
rules_restrict(const struct drive_view *view, enum probe_rule *deciding);

/* Do estimates differ from what view_start_total() says? */
static inline bool
rules_are_scored(const struct firmware_config *rules)
{
	return (rules->age_credit | rules->seek_error_ns |
		rules->rotate_error_ns) != 0;
}

/* What @tag's wait is worth, in ns. */
nsec_t rules_credit_ns(const struct drive_view *view, uint32_t tag);

/* The seek or head switch to @tag's command as the firmware estimates it. */
nsec_t rules_move_ns(const struct drive_view *view, uint32_t tag);

/*
 * When the firmware expects @tag's first sector, guard time and errors
 * included, in ns after the dispatch; @phase is that of the view's time.
 */
nsec_t
rules_start_ns(const struct drive_view *view, uint64_t phase, uint32_t tag);

/* The candidate with the least rules_start_ns() less credit; the older one
 * of equals. */
uint32_t rules_pick_start(const struct drive_view *view);

/* The @count oldest of @tags. */
uint32_t
rules_oldest(const struct drive_view *view, uint32_t tags, uint32_t count);

/*
 * How many younger commands may be served while one without priority waits,
 * under @rules; FIRMWARE_UNBOUNDED when there is no bound.
 */
uint64_t rules_passed_max(const struct firmware_ops *ops,
			  const struct firmware_config *rules,
			  const struct firmware_limits *limits);

#endif
