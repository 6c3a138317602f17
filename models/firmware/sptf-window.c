/* SPDX-License-Identifier: MIT */
/*
 * Shortest positioning time first among the oldest commands only: firmware
 * whose processor has no time for more (firmware.window; 12, the best common
 * value for the four drives of the depth experiment of 2006).  The oldest is
 * always in the window, but nothing makes it win.
 */
#include "models/firmware/rules.h"

extern const struct firmware_ops firmware_sptf;

static uint32_t
window_pick(const struct drive_view *view)
{
	/* The rule of the window has been applied. */
	return firmware_sptf.pick(view);
}

const struct firmware_ops firmware_sptf_window = {
	.name = "sptf-window",
	.help = "sptf among the oldest commands only (firmware.window; 12)",
	.why = "the soonest under the head of those in the window",
	.pick = window_pick,
	.window = 12,
};
