/* SPDX-License-Identifier: MIT */
/*
 * Arm and platter together: how long the media needs for a range of
 * sectors, from where the head is now.
 *
 * One position function serves everybody: the firmware's choice asks
 * view_start_total() (queue.h) what a candidate would cost, and the access
 * that follows is computed from the same numbers, so a prediction without
 * deliberate error is always right.
 *
 * Sectors here are the drive's physical sectors.
 */
#ifndef NCQSIM_DRIVE_MECH_H
#define NCQSIM_DRIVE_MECH_H

#include "sim/drive/geometry.h"
#include "sim/drive/seek.h"
#include "sim/drive/spindle.h"

struct mech {
	const struct geometry *geo;
	const struct seek_curve *seek;
	struct spindle spindle;
	bool zero_latency; /* may begin within a track's part of a range */
	uint32_t cyl;      /* where the arm is */
	uint32_t head;     /* the head in use */
};

/* Where a range begins, worked out once, when its command arrives. */
struct mech_target {
	uint64_t slot_ticks; /* start of its first slot in a revolution */
	struct geometry_place place;
};

/* How an access divides; the parts add up to end_ns. */
struct mech_access {
	nsec_t seek_ns;
	nsec_t switch_ns;     /* head, track and cylinder switches */
	nsec_t rotate_ns;     /* waits, at the start and after switches */
	nsec_t transfer_ns;   /* sectors passing the head */
	nsec_t start_ns;      /* first sector begins, from the dispatch */
	nsec_t end_ns;        /* last sector has passed, from the dispatch */
	uint32_t cyl, head;   /* where the arm ends */
	uint32_t seek_cyl;    /* distance of the first seek */
	uint32_t first_count; /* sectors on the first track */
};

/* @geo and @seek stay the caller's; the arm starts at cylinder 0, head 0. */
int mech_init(struct mech *mech, int64_t rpm, const struct geometry *geo,
	      const struct seek_curve *seek, struct err *e);
void mech_free(struct mech *mech);

/* Work out the target of a range that begins at @sector. */
void
mech_aim(const struct mech *mech, uint64_t sector, struct mech_target *target);

/* A range of sectors to read or write. */
struct mech_range {
	uint64_t sector;
	uint32_t count;
	bool write;
};

/* Time until the head is on the track of @target, settled. */
static inline nsec_t
mech_seek_ns(const struct mech *mech, const struct mech_target *target,
	     bool write)
{
	uint32_t cyl = target->place.cyl;
	uint32_t distance = cyl > mech->cyl ? cyl - mech->cyl : mech->cyl - cyl;

	return seek_start_ns(mech->seek, distance,
			     target->place.head != mech->head, write);
}

/* Ticks that @count slots take from the start of @target's. */
static inline uint64_t
mech_run_ticks(const struct mech *mech, const struct mech_target *target,
	       uint64_t count)
{
	return spindle_slot_ticks(&mech->spindle, target->place.format,
				  target->place.slot + count) -
	       target->slot_ticks;
}

/*
 * A head that lands within a run of @count sectors may begin there and take
 * the front when it comes round again: it ends one revolution after the
 * first whole slot.  @start is the total of the next pass of the run's
 * front, @need the ticks at which the head is ready.  Returns the total of
 * that end, or 0 when the head lands outside the run.
 */
cold_path uint64_t mech_end_from_within(const struct mech *mech,
					const struct mech_target *target,
					uint32_t count, uint64_t start,
					uint64_t need);

/*
 * One run of @count sectors on one track, for which the head is ready
 * @ready_ns after the dispatch.  Adds to @access and returns the total at
 * which the run has passed.
 */
static hot_inline uint64_t
mech_run_access(const struct mech *mech, uint64_t phase,
		const struct mech_target *target, uint32_t count,
		nsec_t ready_ns, struct mech_access *access)
{
	const struct spindle *sp = &mech->spindle;
	uint64_t start = spindle_pass(sp, phase, target->slot_ticks, ready_ns);
	uint64_t end = start + mech_run_ticks(mech, target, count);
	nsec_t transfer_ns =
		spindle_total_ns(sp, end) - spindle_total_ns(sp, start);
	uint64_t within;

	if (unlikely(mech->zero_latency)) {
		within = mech_end_from_within(mech, target, count, start,
					      (uint64_t)ready_ns *
						      sp->ticks_per_ns);
		if (within)
			end = within;
	}
	access->end_ns = spindle_total_ns(sp, end);
	access->transfer_ns += transfer_ns;
	access->rotate_ns += access->end_ns - ready_ns - transfer_ns;
	access->cyl = target->place.cyl;
	access->head = target->place.head;
	return start;
}

/* The rest of a range that does not end on its first track: @access so far,
 * and then with it. */
cold_path struct mech_access
mech_access_rest(const struct mech *mech, uint64_t phase,
		 const struct mech_range *range, struct mech_access access);

/*
 * The access to @range, whose target is @target, when positioning begins
 * @delay_ns after the dispatch at @now_ns.  Does not move the arm;
 * mech_move() does.
 */
static hot_inline void
mech_access(const struct mech *mech, nsec_t now_ns, nsec_t delay_ns,
	    const struct mech_range *range, const struct mech_target *target,
	    struct mech_access *access)
{
	const struct geometry_place *place = &target->place;
	uint64_t phase = spindle_phase(&mech->spindle, now_ns);
	nsec_t move_ns = mech_seek_ns(mech, target, range->write);
	uint32_t count = range->count < place->run ? range->count : place->run;
	uint64_t start;

	assert(range->count > 0);
	access->seek_cyl = place->cyl > mech->cyl ? place->cyl - mech->cyl
						  : mech->cyl - place->cyl;
	access->seek_ns = access->seek_cyl ? move_ns : 0;
	access->switch_ns = move_ns - access->seek_ns;
	access->first_count = count;
	access->rotate_ns = 0;
	access->transfer_ns = 0;
	start = mech_run_access(mech, phase, target, count, delay_ns + move_ns,
				access);
	access->start_ns = spindle_total_ns(&mech->spindle, start);
	if (unlikely(count < range->count))
		*access = mech_access_rest(mech, phase, range, *access);
}

/* The arm is where @access ended. */
static inline void
mech_move(struct mech *mech, const struct mech_access *access)
{
	mech->cyl = access->cyl;
	mech->head = access->head;
}

/*
 * How many sectors from @target on have passed the head @elapsed_ns after
 * @began_ns, when it was on their track and read on without pause; at most
 * the run of @target.
 *
 * Slot k begins at ceil(k * rev / spt), and ceil(x) <= n is x <= n: the last
 * slot that has begun is found by one division.
 */
static inline uint32_t
mech_passed_in_run(const struct mech *mech, nsec_t began_ns, nsec_t elapsed_ns,
		   const struct mech_target *target)
{
	const struct spindle *sp = &mech->spindle;
	uint64_t start = spindle_pass(sp, spindle_phase(sp, began_ns),
				      target->slot_ticks, 0);
	uint64_t until = (uint64_t)(elapsed_ns + 1) * sp->ticks_per_ns;
	uint64_t slots;

	if (until <= start)
		return 0;
	if (until - start >= sp->rev.d)
		return target->place.run;
	slots = reciprocal_unbounded_div(sp->rev,
					 (target->slot_ticks + until - start) *
						 target->place.spt);
	slots -= target->place.slot;
	return slots < target->place.run ? (uint32_t)slots : target->place.run;
}

#endif
