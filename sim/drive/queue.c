/* SPDX-License-Identifier: MIT */
#include "sim/drive/queue.h"

#include <math.h>
#include <string.h>

/*
 * Bits of a coarse angle: as many as leave the longest seek and two
 * revolutions far below 2^31, at most 28.
 */
static uint32_t
angle_bits(const struct mech *mech, nsec_t longest_ns)
{
	const struct spindle *sp = &mech->spindle;
	uint64_t longest = (uint64_t)longest_ns * sp->ticks_per_ns;
	uint64_t revolutions = longest / sp->rev.d + 3;
	uint32_t bits = 28;

	while (revolutions << bits >= UINT64_C(1) << 30)
		bits--;
	return bits;
}

/* The factor and shift that turn ticks into coarse units, rounding down. */
static void
angle_scale_init(struct seek_bounds *bounds, const struct mech *mech)
{
	uint64_t rev = mech->spindle.rev.d;
	uint32_t rev_bits = 63u - (uint32_t)__builtin_clzll(rev);
	uint128_t one = 1;

	/* 2^(63 + rev_bits) / rev lies in (2^62, 2^63]. */
	bounds->angle_factor = (uint64_t)((one << (63 + rev_bits)) / rev);
	bounds->angle_shift = 63 + rev_bits - bounds->angle_bits;
}

/* The bucket of a distance: its float's exponent and top 7 bits. */
static uint32_t
bucket_of(uint32_t distance)
{
	float f = (float)distance;
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return (bits >> SEEK_BOUND_SHIFT) - SEEK_BOUND_BASE;
}

static int32_t
nsec_units(const struct seek_bounds *bounds, const struct mech *mech, nsec_t ns)
{
	return seek_bounds_angle(bounds,
				 (uint64_t)ns * mech->spindle.ticks_per_ns);
}

/* The last distance of the bound's bucket that holds @distance. */
static uint32_t
bound_last(uint32_t distance)
{
	uint32_t bits = (bucket_of(distance) + 1 + SEEK_BOUND_BASE)
			<< SEEK_BOUND_SHIFT;
	float next;

	memcpy(&next, &bits, sizeof(next));
	return (uint32_t)ceilf(next) - 1;
}

/*
 * The distance after @distance at which the curve may be at an extreme: it
 * is straight within a bucket of its own, and the bounds have theirs, so
 * both ends of what two such buckets share.
 */
static uint32_t
next_in_curve(const struct mech *mech, uint32_t distance)
{
	size_t bucket = seek_bucket_bits(distance) >> SEEK_FRACTION_BITS;
	uint32_t last = seek_bucket_start(bucket + 1) - 1;
	uint32_t end = mech->seek->cylinders - 1;

	if (distance == 0)
		return 1;
	if (bound_last(distance) < last)
		last = bound_last(distance);
	if (last > end)
		last = end;
	return distance < last ? last : distance + 1;
}

static void
bounds_fill(int32_t *units, const struct seek_bounds *bounds,
	    const struct mech *mech, bool write)
{
	for (uint32_t i = 0; i < SEEK_BOUND_MAX; i++)
		units[i] = INT32_MAX;
	for (uint32_t d = 1; d < mech->seek->cylinders;
	     d = next_in_curve(mech, d)) {
		nsec_t ns = seek_time_ns(mech->seek, d, false, write);
		int32_t u = nsec_units(bounds, mech, ns);
		uint32_t bucket = bucket_of(d);

		assert(bucket < SEEK_BOUND_MAX);
		if (u < units[bucket])
			units[bucket] = u;
	}
	/* Distance 0 shares the bucket of 1: no seek, perhaps no switch. */
	units[0] = 0;
}

void
seek_bounds_init(struct seek_bounds *bounds, const struct mech *mech,
		 nsec_t overhead_ns, nsec_t guard_ns)
{
	nsec_t turn_ns = NSEC_PER_MIN / mech->spindle.rpm;
	nsec_t longest_ns = 0;

	for (uint32_t d = 0; d < mech->seek->cylinders;
	     d = next_in_curve(mech, d)) {
		nsec_t ns = seek_time_ns(mech->seek, d, true, true);

		longest_ns = ns > longest_ns ? ns : longest_ns;
		ns = seek_time_ns(mech->seek, d, true, false);
		longest_ns = ns > longest_ns ? ns : longest_ns;
	}
	bounds->angle_bits = angle_bits(mech, longest_ns + overhead_ns);
	angle_scale_init(bounds, mech);
	bounds_fill(bounds->units[0], bounds, mech, false);
	bounds_fill(bounds->units[1], bounds, mech, true);
	bounds->overhead_units = nsec_units(bounds, mech, overhead_ns);
	bounds->guard_units = nsec_units(
		bounds, mech, guard_ns < turn_ns ? guard_ns : turn_ns);
#if defined(__x86_64__)
	bounds->has_avx2 = __builtin_cpu_supports("avx2");
#endif
}

/* The command under the tag of @bit is new: nobody's elder. */
static inline void
forget_age(struct drive_queue *queue, uint32_t bit)
{
	for (uint32_t i = 0; i < QUEUE_TAGS; i++)
		queue->older[i] &= ~bit;
}

void
queue_insert(struct drive_queue *queue, const struct mech *mech,
	     const struct seek_bounds *bounds, uint32_t tag,
	     const struct mech_range *range, nsec_t now_ns)
{
	uint32_t bit = UINT32_C(1) << tag;
	struct mech_target *target = &queue->target[tag];

	assert(tag < QUEUE_TAGS && !(queue->tags & bit));
	mech_aim(mech, range->sector, target);
	if (queue->tags)
		forget_age(queue, bit);
	queue->older[tag] = queue->tags;
	queue->cyl[tag] = (int32_t)target->place.cyl;
	queue->angle[tag] = seek_bounds_angle(bounds, target->slot_ticks);
	queue->table[tag] = range->write ? SEEK_BOUND_MAX : 0;
	queue->writes =
		range->write ? queue->writes | bit : queue->writes & ~bit;
	queue->high &= ~bit;
	queue->isochronous &= ~bit;
	queue->age[tag] = queue->arrivals++;
	queue->sectors[tag] = range->count;
	queue->first[tag] = range->sector;
	queue->low[tag] = (int32_t)range->sector;
	queue->arrived_ns[tag] = now_ns;
	queue->tags |= bit;
	queue->count++;
}
