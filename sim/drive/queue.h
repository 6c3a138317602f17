/* SPDX-License-Identifier: MIT */
/*
 * The commands a drive holds, by tag, laid out for the firmware's choice.
 *
 * A structure of arrays: each lane is a tag.  Besides the exact target there
 * is a coarse one, the angle in queue->angle_bits bits of a revolution, so
 * that a vector unit can bound all lanes at once (SPEED: 28-bit angles with
 * exact confirmation).
 */
#ifndef NCQSIM_DRIVE_QUEUE_H
#define NCQSIM_DRIVE_QUEUE_H

#include "sim/core/io.h"
#include "sim/drive/mech.h"

#define QUEUE_TAGS 32u

struct drive_queue {
	/* Read by every pick; the order keeps it in few cache lines. */
	uint32_t tags;  /* bit per tag that waits to be chosen */
	uint32_t count; /* of those bits */
	int32_t cyl[QUEUE_TAGS];
	int32_t angle[QUEUE_TAGS]; /* of the first slot, coarse */
	int32_t table[QUEUE_TAGS]; /* where its seek bounds begin */
	uint64_t age[QUEUE_TAGS];  /* arrival ordinal: smaller is older */
	struct mech_target target[QUEUE_TAGS];
	uint32_t sectors[QUEUE_TAGS]; /* physical */
	uint32_t writes;              /* bit per tag: a write */
	nsec_t arrived_ns[QUEUE_TAGS];
	uint64_t first[QUEUE_TAGS]; /* physical sector */
	uint64_t arrivals;
};

/*
 * Lower bounds of the time to reach a cylinder, in coarse angle units, by
 * distance: 128 buckets an octave, the index taken from the bits of the
 * distance as a float, so that the whole curve fits the first-level cache.
 */
#define SEEK_BOUND_SHIFT 16 /* of the float: 7 bits below the exponent */
#define SEEK_BOUND_BASE  (127 << 7) /* bits of 1.0f, shifted */
#define SEEK_BOUND_MAX   (20 * 128)

struct seek_bounds {
	int32_t units[2][SEEK_BOUND_MAX]; /* for reads, for writes */
	uint32_t angle_bits;  /* a revolution is 1 << angle_bits units */
	uint32_t angle_shift; /* angle = ticks * angle_factor >> shift */
	uint64_t angle_factor;
	int32_t overhead_units; /* lower bound of the command overhead */
	bool has_avx2;          /* the processor; the choice is the same */
};

/* What the firmware may look at when it chooses. */
struct drive_view {
	const struct mech *mech;
	const struct drive_queue *queue;
	const struct seek_bounds *bounds;
	nsec_t now_ns;
	nsec_t overhead_ns;   /* before the arm moves */
	uint64_t next_sector; /* follows what the media has just ended with;
			       * UINT64_MAX when the drive was idle */
};

/* Make the bounds for @mech and a command overhead of @overhead_ns. */
void seek_bounds_init(struct seek_bounds *bounds, const struct mech *mech,
		      nsec_t overhead_ns);

/* Ticks within a revolution as a coarse angle, at most one unit too small. */
static inline int32_t
seek_bounds_angle(const struct seek_bounds *bounds, uint64_t ticks)
{
	return (int32_t)((uint128_t)ticks * bounds->angle_factor >>
			 bounds->angle_shift);
}

/* Put a command into the queue under a free @tag; sets its target. */
void queue_insert(struct drive_queue *queue, const struct mech *mech,
		  const struct seek_bounds *bounds, uint32_t tag,
		  const struct mech_range *range, nsec_t now_ns);

/* Take a command out: it was chosen, or aborted. */
static inline void
queue_remove(struct drive_queue *queue, uint32_t tag)
{
	assert(queue->tags >> tag & 1);
	queue->tags &= ~(UINT32_C(1) << tag);
	queue->count--;
}

/*
 * Time before the arm may move for @tag's command.  One that was queued while
 * the media still worked, and goes on where it ended, was prepared meanwhile
 * and costs nothing: a queued sequential stream loses no revolution.
 */
static inline nsec_t
view_delay_ns(const struct drive_view *view, uint32_t tag)
{
	return view->queue->first[tag] == view->next_sector ? 0
							    : view->overhead_ns;
}

/* Bit per tag whose command goes on where the media ended. */
static inline uint32_t
view_chained(const struct drive_view *view)
{
	const struct drive_queue *queue = view->queue;
	uint32_t chained = 0;

	for (uint32_t i = 0; i < QUEUE_TAGS; i++)
		chained |= (uint32_t)(queue->first[i] == view->next_sector)
			   << i;
	return chained & queue->tags;
}

/*
 * Total ticks at which the first sector of @tag's command would begin if it
 * were chosen now.  The number that every policy by position compares.
 */
static inline uint64_t
view_start_total(const struct drive_view *view, uint64_t phase, uint32_t tag)
{
	return mech_start_total(view->mech, phase, view_delay_ns(view, tag),
				&view->queue->target[tag],
				view->queue->writes >> tag & 1);
}

#endif
