/* SPDX-License-Identifier: MIT */
/*
 * Shortest positioning time first with aging: each millisecond a command has
 * waited takes a little off its positioning time, so that none waits for
 * ever.
 *
 * Seltzer, Chen and Ousterhout, USENIX Winter 1990; Jacobson and Wilkes,
 * HPL-CSP-91-7.  A credit of 25 us/ms is the best common value for the four
 * drives of the depth experiment of 2006.
 */
#include "models/firmware/rules.h"

/*
 * Who arrives so much later that the credit outweighs the longest start
 * cannot come first.  Before that, no more arrive than are served, and a
 * queue full.  The guard time and an error of rotation may add a turn each.
 */
static uint64_t
aged_passed_max(const struct firmware_config *firmware,
		const struct firmware_limits *limits)
{
	nsec_t longest_ns =
		3 * limits->access_max_ns + 6 * firmware->seek_error_ns;
	nsec_t span_ns;

	assert(firmware->age_credit > 0);
	span_ns = longest_ns * 1000 / firmware->age_credit;
	return (uint64_t)(span_ns / limits->access_min_ns) + QUEUE_TAGS;
}

const struct firmware_ops firmware_sptf_aged = {
	.name = "sptf-aged",
	.help = "sptf, less a credit for each ms waited (firmware.age_credit; "
		"25 us/ms)",
	.why = "the soonest under the head, less its credit for waiting",
	.pick = rules_pick_start,
	.passed_max = aged_passed_max,
	.age_credit = 25,
};
