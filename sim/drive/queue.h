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
	int32_t angle[QUEUE_TAGS];  /* of the first slot, coarse */
	int32_t table[QUEUE_TAGS];  /* where its seek bounds begin */
	int32_t low[QUEUE_TAGS];    /* bits of its first sector */
	uint64_t age[QUEUE_TAGS];   /* arrival ordinal: smaller is older */
	uint32_t older[QUEUE_TAGS]; /* bit per tag that waited before it came;
				     * what left since was older too */
	struct mech_target target[QUEUE_TAGS];
	uint32_t writes; /* bit per tag: a write */
	nsec_t arrived_ns[QUEUE_TAGS];
	uint32_t sectors[QUEUE_TAGS]; /* physical */
	uint64_t first[QUEUE_TAGS];   /* physical sector */
	uint64_t arrivals;
	/* What the host asked for; bits of tags that do not wait mean nothing.
	 */
	uint32_t high;        /* bit per tag: high priority */
	uint32_t isochronous; /* bit per tag: to be done by a deadline */
	nsec_t deadline_ns[QUEUE_TAGS];
	/* How far the firmware's estimates will be off; see rules.h. */
	nsec_t seek_error_ns[QUEUE_TAGS];
	uint64_t rotate_error_ticks[QUEUE_TAGS]; /* within a revolution */
};

/*
 * Lower bounds of the time to reach a cylinder, in coarse angle units, by
 * distance: 128 buckets an octave, the index taken from the bits of the
 * distance as a float, so that the whole curve fits the first-level cache.
 */
#define SEEK_BOUND_SHIFT 16 /* of the float: 7 bits below the exponent */
#define SEEK_BOUND_BASE  (127 << 7) /* bits of 1.0f, shifted */
#define SEEK_BOUND_MAX   (24 * 128) /* GEOMETRY_CYLINDERS_MAX */

struct seek_bounds {
	int32_t units[2][SEEK_BOUND_MAX]; /* for reads, for writes */
	uint32_t angle_bits;  /* a revolution is 1 << angle_bits units */
	uint32_t angle_shift; /* angle = ticks * angle_factor >> shift */
	uint64_t angle_factor;
	int32_t overhead_units; /* lower bound of the command overhead */
	int32_t guard_units;    /* lower bound of the guard time, or 0 */
	bool has_avx2;          /* the processor; the choice is the same */
};

struct firmware_config; /* see drive_config.h */

/* What the firmware may look at when it chooses. */
struct drive_view {
	uint32_t tags; /* bit per tag that may be chosen; not 0 */
	const struct mech *mech;
	const struct drive_queue *queue;
	const struct seek_bounds *bounds;
	nsec_t now_ns;
	nsec_t overhead_ns;   /* before the arm moves */
	uint64_t next_sector; /* follows what the media has just ended with;
			       * UINT64_MAX when the drive was idle */
	uint64_t guard_ticks; /* a shorter wait is counted a turn longer */
	const struct firmware_config *firmware; /* the rules in force */
	nsec_t oldest_ns;    /* no command that waits came before */
	uint64_t last_first; /* where the last command began */
	bool is_falling;     /* and whether it lay below the one before */
};

/*
 * Make the bounds for @mech, a command overhead of @overhead_ns and a guard
 * time of @guard_ns.
 */
void seek_bounds_init(struct seek_bounds *bounds, const struct mech *mech,
		      nsec_t overhead_ns, nsec_t guard_ns);

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

/* When the oldest command that waits arrived; INT64_MAX when none does. */
static inline nsec_t
queue_oldest_ns(const struct drive_queue *queue)
{
	nsec_t oldest_ns = INT64_MAX;

	for (uint32_t rest = queue->tags; rest; rest &= rest - 1) {
		nsec_t ns = queue->arrived_ns[__builtin_ctz(rest)];

		oldest_ns = ns < oldest_ns ? ns : oldest_ns;
	}
	return oldest_ns;
}

/* Bits set in @x; the builtin is a call where the processor may lack it. */
static inline uint32_t
bits_count(uint32_t x)
{
	x -= x >> 1 & 0x55555555;
	x = (x & 0x33333333) + (x >> 2 & 0x33333333);
	return ((x + (x >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* Commands that waited before @tag's came and wait still. */
static inline uint32_t
queue_count_older(const struct drive_queue *queue, uint32_t tag)
{
	return bits_count(queue->tags & queue->older[tag]);
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
	uint32_t chained = 0, any = 0;

	/* There is hardly ever one, and this is vector arithmetic. */
	for (uint32_t i = 0; i < QUEUE_TAGS; i++)
		any |= queue->low[i] == (int32_t)view->next_sector;
	for (uint32_t i = 0; unlikely(any) && i < QUEUE_TAGS; i++)
		chained |= (uint32_t)(queue->first[i] == view->next_sector)
			   << i;
	return chained & queue->tags;
}

/*
 * @total, the start of a command whose head is ready after @ready_ns, with
 * the guard time: a wait below it counts as if the turn were missed, though
 * the mechanism misses none.  A total begins after the ready tick, so "at
 * most guard_ticks later" is a wait of less than the guard in whole ns.
 */
static inline uint64_t
view_guarded(const struct drive_view *view, nsec_t ready_ns, uint64_t total)
{
	const struct spindle *sp = &view->mech->spindle;
	uint64_t ready = (uint64_t)ready_ns * sp->ticks_per_ns;

	return total - ready <= view->guard_ticks ? total + sp->rev.d : total;
}

/*
 * Total ticks at which the first sector of @tag's command would begin if it
 * were chosen now, with the guard time.  The number that every policy by
 * position compares.  What goes on where the media ended needs no guard.
 */
static inline uint64_t
view_start_total(const struct drive_view *view, uint64_t phase, uint32_t tag)
{
	const struct drive_queue *queue = view->queue;
	const struct mech_target *target = &queue->target[tag];
	nsec_t delay_ns = view_delay_ns(view, tag);
	nsec_t ready_ns = delay_ns + mech_seek_ns(view->mech, target,
						  queue->writes >> tag & 1);
	uint64_t total = spindle_pass(&view->mech->spindle, phase,
				      target->slot_ticks, ready_ns);

	if (queue->first[tag] == view->next_sector)
		return total;
	return view_guarded(view, ready_ns, total);
}

#endif
