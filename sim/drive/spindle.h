/* SPDX-License-Identifier: MIT */
/*
 * The rotating platter, exactly.
 *
 * One minute is rpm revolutions, and slot k of a track with spt sectors
 * begins at ceil(k * 60e9 / (rpm * spt)) ns after the start of revolution 0
 * (k counts on through all revolutions).  A revolution of 7200 rpm is not a
 * whole number of nanoseconds, so time is kept in ticks in which it is: with
 * g = gcd(60e9, rpm) a tick is g/rpm ns and a revolution is exactly
 * rev_ticks = 60e9/g ticks, ticks_per_ns = rpm/g.
 *
 * A dispatch at now_ns takes the phase once (one modulo); the pass of every
 * candidate is then a total of ticks counted from the tick of now_ns - 1,
 * which turns "begins at or after now" into a strict comparison of whole
 * numbers.  Rounding a slot up to a tick first is harmless, because
 * ceil(ceil(x) / b) = ceil(x / b).
 */
#ifndef NCQSIM_DRIVE_SPINDLE_H
#define NCQSIM_DRIVE_SPINDLE_H

#include "sim/core/err.h"
#include "sim/core/types.h"
#include "sim/core/wide.h"
#include "sim/drive/geometry.h"

/* Longest access that the arithmetic below is proven for. */
#define SPINDLE_ACCESS_MAX_NS (20 * NSEC_PER_SEC)

struct spindle {
	struct reciprocal rev; /* rev.d is the revolution in ticks */
	uint64_t ticks_per_ns;
	struct reciprocal per_ns;   /* unless ticks_per_ns is 1 */
	struct reciprocal *formats; /* by sectors per track */
	uint32_t rpm;
	nsec_t phase_max_ns; /* beyond, the time is first taken mod 60 s */
};

/* Set up for the track formats of @geo.  Returns 0 or ERR_CONFIG. */
int spindle_init(struct spindle *sp, int64_t rpm, const struct geometry *geo,
		 struct err *e);
void spindle_free(struct spindle *sp);

/* Ticks from the start of a revolution to the start of @slot, 0 .. spt. */
static inline uint64_t
spindle_slot_ticks(const struct spindle *sp, uint32_t format, uint64_t slot)
{
	return reciprocal_div_up(sp->formats[format], slot * sp->rev.d);
}

/* Ticks into the revolution at now_ns - 1, the zero of all totals. */
static inline uint64_t
spindle_phase(const struct spindle *sp, nsec_t now_ns)
{
	uint64_t t;

	if (unlikely(now_ns > sp->phase_max_ns))
		now_ns %= NSEC_PER_MIN;
	if (unlikely(now_ns == 0))
		return sp->rev.d - sp->ticks_per_ns;
	t = (uint64_t)(now_ns - 1) * sp->ticks_per_ns;
	return reciprocal_unbounded_mod(sp->rev, t);
}

/*
 * Total of the first pass of a slot at @slot_ticks that begins @ready_ns or
 * more after the dispatch whose phase is @phase.
 */
static inline uint64_t
spindle_pass(const struct spindle *sp, uint64_t phase, uint64_t slot_ticks,
	     nsec_t ready_ns)
{
	uint64_t need = (uint64_t)ready_ns * sp->ticks_per_ns;
	uint64_t past; /* of the slot's pass of one revolution ago, at need */

	past = need + phase + sp->rev.d - slot_ticks;
	return need + sp->rev.d - reciprocal_unbounded_mod(sp->rev, past);
}

/* Whole nanoseconds in a number of ticks, rounded up. */
static inline nsec_t
spindle_ticks_ns(const struct spindle *sp, uint64_t ticks)
{
	if (sp->ticks_per_ns == 1)
		return (nsec_t)ticks;
	return (nsec_t)reciprocal_div_up(sp->per_ns, ticks);
}

/* A total as nanoseconds after the dispatch. */
static inline nsec_t
spindle_total_ns(const struct spindle *sp, uint64_t total)
{
	return spindle_ticks_ns(sp, total) - 1;
}

#endif
