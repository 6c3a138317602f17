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

uint64_t
mech_end_from_within(const struct mech *mech, const struct mech_target *target,
		     uint32_t count, uint64_t start, uint64_t need)
{
	uint64_t rev = mech->spindle.rev.d;
	uint64_t gone = need + rev - start; /* since the front passed */
	uint64_t i;

	assert(start > need && start - need <= rev);
	if (gone >= mech_run_ticks(mech, target, count))
		return 0;
	i = gone * target->place.spt / rev;
	while (mech_run_ticks(mech, target, i) <= gone)
		i++;
	return i < count ? start + mech_run_ticks(mech, target, i) : 0;
}

struct mech_access
mech_access_rest(const struct mech *mech, uint64_t phase,
		 const struct mech_range *range, struct mech_access access)
{
	uint32_t done = access.first_count, distance, count;
	struct mech_target target;
	nsec_t switch_ns;

	for (; done < range->count; done += count) {
		mech_aim(mech, range->sector + done, &target);
		distance = target.place.cyl > access.cyl
				   ? target.place.cyl - access.cyl
				   : access.cyl - target.place.cyl;
		switch_ns = seek_time_ns(mech->seek, distance,
					 target.place.head != access.head,
					 range->write);
		access.switch_ns += switch_ns;
		count = range->count - done;
		if (count > target.place.run)
			count = target.place.run;
		mech_run_access(mech, phase, &target, count,
				access.end_ns + switch_ns, &access);
	}
	return access;
}
