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
	nsec_t switch_ns;   /* head, track and cylinder switches */
	nsec_t rotate_ns;   /* waits, at the start and after switches */
	nsec_t transfer_ns; /* sectors passing the head */
	nsec_t start_ns;    /* first sector begins, from the dispatch */
	nsec_t end_ns;      /* last sector has passed, from the dispatch */
	uint32_t cyl, head; /* where the arm ends */
	uint32_t seek_cyl;  /* distance of the first seek */
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

/*
 * The access to @range, whose target is @target, when positioning begins
 * @delay_ns after the dispatch at @now_ns.  Does not move the arm;
 * mech_move() does.
 */
void mech_access(const struct mech *mech, nsec_t now_ns, nsec_t delay_ns,
		 const struct mech_range *range,
		 const struct mech_target *target, struct mech_access *access);

/* The arm is where @access ended. */
void mech_move(struct mech *mech, const struct mech_access *access);

/* Time until the head is on the track of @target, settled. */
static inline nsec_t
mech_seek_ns(const struct mech *mech, const struct mech_target *target,
	     bool write)
{
	uint32_t cyl = target->place.cyl;
	uint32_t distance = cyl > mech->cyl ? cyl - mech->cyl : mech->cyl - cyl;

	return seek_time_ns(mech->seek, distance,
			    target->place.head != mech->head, write);
}

#endif
