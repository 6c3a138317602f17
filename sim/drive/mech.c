/* SPDX-License-Identifier: MIT */
#include "sim/drive/mech.h"

#include <string.h>

int
mech_init(struct mech *mech, int64_t rpm, const struct geometry *geo,
	  const struct seek_curve *seek, struct err *e)
{
	memset(mech, 0, sizeof(*mech));
	mech->geo = geo;
	mech->seek = seek;
	return spindle_init(&mech->spindle, rpm, geo, e);
}

void
mech_free(struct mech *mech)
{
	spindle_free(&mech->spindle);
}

static inline void
target_aim(const struct mech *mech, struct mech_target *target)
{
	target->slot_ticks = spindle_slot_ticks(
		&mech->spindle, target->place.format, target->place.slot);
}

void
mech_aim(const struct mech *mech, uint64_t sector, struct mech_target *target)
{
	geometry_decode(mech->geo, sector, &target->place);
	target_aim(mech, target);
}

/* Ticks that @count slots take from the start of @target's. */
static inline uint64_t
run_ticks(const struct mech *mech, const struct mech_target *target,
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
static uint64_t
run_end_from_within(const struct mech *mech, const struct mech_target *target,
		    uint32_t count, uint64_t start, uint64_t need)
{
	uint64_t rev = mech->spindle.rev.d;
	uint64_t gone = need + rev - start; /* since the front passed */
	uint64_t i;

	assert(start > need && start - need <= rev);
	if (gone >= run_ticks(mech, target, count))
		return 0;
	i = gone * target->place.spt / rev;
	while (run_ticks(mech, target, i) <= gone)
		i++;
	return i < count ? start + run_ticks(mech, target, i) : 0;
}

/*
 * One run of @count sectors on one track, for which the head is ready
 * @ready_ns after the dispatch.  Adds to @access and returns the total at
 * which the run has passed.
 */
static inline uint64_t
run_access(const struct mech *mech, uint64_t phase,
	   const struct mech_target *target, uint32_t count, nsec_t ready_ns,
	   struct mech_access *access)
{
	const struct spindle *sp = &mech->spindle;
	uint64_t start = spindle_pass(sp, phase, target->slot_ticks, ready_ns);
	uint64_t end = start + run_ticks(mech, target, count);
	nsec_t transfer_ns =
		spindle_total_ns(sp, end) - spindle_total_ns(sp, start);
	uint64_t within;

	if (unlikely(mech->zero_latency)) {
		within = run_end_from_within(mech, target, count, start,
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

/* The rest of a range that does not end in its first run. */
static void
access_further_runs(const struct mech *mech, uint64_t phase,
		    const struct mech_range *range, uint32_t done,
		    struct mech_access *access)
{
	struct mech_target target;
	uint32_t distance, count;
	nsec_t switch_ns;

	for (; done < range->count; done += count) {
		mech_aim(mech, range->sector + done, &target);
		distance = target.place.cyl > access->cyl
				   ? target.place.cyl - access->cyl
				   : access->cyl - target.place.cyl;
		switch_ns = seek_time_ns(mech->seek, distance,
					 target.place.head != access->head,
					 range->write);
		access->switch_ns += switch_ns;
		count = range->count - done;
		if (count > target.place.run)
			count = target.place.run;
		run_access(mech, phase, &target, count,
			   access->end_ns + switch_ns, access);
	}
}

void
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
	access->rotate_ns = 0;
	access->transfer_ns = 0;
	start = run_access(mech, phase, target, count, delay_ns + move_ns,
			   access);
	access->start_ns = spindle_total_ns(&mech->spindle, start);
	if (unlikely(count < range->count))
		access_further_runs(mech, phase, range, count, access);
}

void
mech_move(struct mech *mech, const struct mech_access *access)
{
	mech->cyl = access->cyl;
	mech->head = access->head;
}
