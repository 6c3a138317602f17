/* SPDX-License-Identifier: MIT */
/*
 * Shortest positioning time first (rotational position ordering): the
 * command whose first sector can be under the head soonest; of those that
 * tie in nanoseconds, the oldest.
 *
 * Seltzer, Chen and Ousterhout, USENIX Winter 1990 (shortest time first);
 * Jacobson and Wilkes, HPL-CSP-91-7 (aged shortest access time first).
 *
 * With more than a few commands the exact totals are worked out only for
 * candidates: a lower bound of every lane, in coarse units and vector
 * arithmetic, rules the others out.
 *
 *   bound(lane) <= true start + 1 unit, because the coarse angle, phase and
 *   seek bound are each rounded down by less than BOUND_SLACK units in all;
 *   no lane whose bound exceeds the exact start of any candidate by more
 *   than a nanosecond and the slack can win or tie.
 *
 * The guard time keeps that true.  The coarse need is never above the exact
 * one, so if both mean the same pass of the slot, the exact wait is at most
 * the coarse one, and a coarse wait below the guard costs the turn exactly
 * too; if the exact pass is a later one, it is a turn later anyhow.
 */
#include "models/firmware/rules.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define SCALAR_MAX  4u /* commands up to which a plain loop is faster */
#define BOUND_SLACK 4

/* The best of the lanes in @tags by exact start, then by age. */
static uint32_t
best_exact(const struct drive_view *view, uint64_t phase, uint32_t tags,
	   nsec_t *best_ns)
{
	const struct spindle *sp = &view->mech->spindle;
	uint32_t best = 0;
	nsec_t least = INT64_MAX;

	for (; tags; tags &= tags - 1) {
		uint32_t tag = (uint32_t)__builtin_ctz(tags);
		uint64_t total = view_start_total(view, phase, tag);
		nsec_t ns = spindle_total_ns(sp, total);

		if (ns < least ||
		    (ns == least &&
		     view->queue->age[tag] < view->queue->age[best])) {
			least = ns;
			best = tag;
		}
	}
	*best_ns = least;
	return best;
}

/* What the bound of every lane has in common. */
struct bound_frame {
	int32_t cyl;
	int32_t phase;    /* coarse */
	int32_t overhead; /* coarse */
	int32_t mask;     /* one revolution less one */
	int32_t guard;    /* coarse; a wait below it costs this turn: */
	int32_t turn;
};

static struct bound_frame
bound_frame_make(const struct drive_view *view, uint64_t phase)
{
	int32_t turn = (int32_t)(UINT32_C(1) << view->bounds->angle_bits);

	return (struct bound_frame){
		.cyl = (int32_t)view->mech->cyl,
		.phase = seek_bounds_angle(view->bounds, phase),
		.overhead = view->bounds->overhead_units,
		.mask = turn - 1,
		.guard = view->bounds->guard_units - 1,
		.turn = turn - BOUND_SLACK,
	};
}

/* One bit a lane: a shift by lane number is no vector arithmetic. */
static const int32_t lane_bit[QUEUE_TAGS] = {
	1 << 0,  1 << 1,  1 << 2,  1 << 3,    1 << 4,  1 << 5,  1 << 6,
	1 << 7,  1 << 8,  1 << 9,  1 << 10,   1 << 11, 1 << 12, 1 << 13,
	1 << 14, 1 << 15, 1 << 16, 1 << 17,   1 << 18, 1 << 19, 1 << 20,
	1 << 21, 1 << 22, 1 << 23, 1 << 24,   1 << 25, 1 << 26, 1 << 27,
	1 << 28, 1 << 29, 1 << 30, INT32_MIN,
};

/* The bounds of all lanes; those not in view->tags get INT32_MAX. */
static void
bounds_plain(const struct drive_view *view, const struct bound_frame *frame,
	     int32_t *bound)
{
	const struct drive_queue *queue = view->queue;
	const int32_t *units = view->bounds->units[0];
	int32_t tags = (int32_t)view->tags;
	int32_t bucket[QUEUE_TAGS], need[QUEUE_TAGS];

	for (uint32_t i = 0; i < QUEUE_TAGS; i++) {
		int32_t d = queue->cyl[i] - frame->cyl;
		float f = (float)((d ^ d >> 31) - (d >> 31)); /* |d| */
		int32_t bits;

		memcpy(&bits, &f, sizeof(bits));
		bits = (bits >> SEEK_BOUND_SHIFT) - SEEK_BOUND_BASE;
		bits &= ~(bits >> 31); /* 0 if negative */
		bucket[i] = bits + queue->table[i];
	}
	/* Apart, as loads by index are no vector arithmetic either. */
	for (uint32_t i = 0; i < QUEUE_TAGS; i++)
		need[i] = units[bucket[i]] + frame->overhead;
	for (uint32_t i = 0; i < QUEUE_TAGS; i++) {
		int32_t wait =
			queue->angle[i] - frame->phase - need[i] + BOUND_SLACK;

		wait &= frame->mask;
		wait = need[i] + wait + (wait < frame->guard ? frame->turn : 0);
		bound[i] = tags & lane_bit[i] ? wait : INT32_MAX;
	}
}

static uint32_t
lanes_up_to(const int32_t *bound, int32_t limit)
{
	int32_t mask = 0;

	for (uint32_t i = 0; i < QUEUE_TAGS; i++)
		mask |= bound[i] <= limit ? lane_bit[i] : 0;
	return (uint32_t)mask;
}

static int32_t
lanes_least(const int32_t *bound)
{
	int32_t least = INT32_MAX;

	for (uint32_t i = 0; i < QUEUE_TAGS; i++)
		least = bound[i] < least ? bound[i] : least;
	return least;
}

/* The bound that no better or equal start can exceed, from one exact. */
static int32_t
bound_limit(const struct drive_view *view, uint64_t total)
{
	uint64_t ns_ticks = view->mech->spindle.ticks_per_ns;

	return seek_bounds_angle(view->bounds, total + ns_ticks) +
	       2 * BOUND_SLACK;
}

static uint32_t
candidates_plain(const struct drive_view *view, uint64_t phase)
{
	struct bound_frame frame = bound_frame_make(view, phase);
	int32_t bound[QUEUE_TAGS];
	uint32_t tag;

	bounds_plain(view, &frame, bound);
	tag = (uint32_t)__builtin_ctz(lanes_up_to(bound, lanes_least(bound)));
	return lanes_up_to(
		bound, bound_limit(view, view_start_total(view, phase, tag)));
}

#if defined(__x86_64__)

#define AVX2 __attribute__((target("avx2")))

static inline AVX2 __m256i
load_lanes(const int32_t *lanes, uint32_t i)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)&lanes[i]);
}

/* Bounds of the eight lanes from @i; empty lanes get INT32_MAX. */
static inline AVX2 __m256i
bounds_avx2(const struct drive_view *view, const struct bound_frame *frame,
	    uint32_t i)
{
	const struct drive_queue *queue = view->queue;
	const __m256i lane_bits =
		_mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
	__m256i d = _mm256_abs_epi32(_mm256_sub_epi32(
		load_lanes(queue->cyl, i), _mm256_set1_epi32(frame->cyl)));
	__m256i bucket = _mm256_srli_epi32(
		_mm256_castps_si256(_mm256_cvtepi32_ps(d)), SEEK_BOUND_SHIFT);
	__m256i need, wait, late, used;

	bucket = _mm256_max_epi32(
		_mm256_sub_epi32(bucket, _mm256_set1_epi32(SEEK_BOUND_BASE)),
		_mm256_setzero_si256());
	bucket = _mm256_add_epi32(bucket, load_lanes(queue->table, i));
	need = _mm256_i32gather_epi32(view->bounds->units[0], bucket, 4);
	need = _mm256_add_epi32(need, _mm256_set1_epi32(frame->overhead));
	wait = _mm256_sub_epi32(
		_mm256_sub_epi32(load_lanes(queue->angle, i), need),
		_mm256_set1_epi32(frame->phase - BOUND_SLACK));
	wait = _mm256_and_si256(wait, _mm256_set1_epi32(frame->mask));
	late = _mm256_cmpgt_epi32(_mm256_set1_epi32(frame->guard), wait);
	need = _mm256_add_epi32(
		need, _mm256_and_si256(late, _mm256_set1_epi32(frame->turn)));
	used = _mm256_and_si256(_mm256_set1_epi32((int32_t)(view->tags >> i)),
				lane_bits);
	used = _mm256_cmpeq_epi32(used, lane_bits);
	return _mm256_blendv_epi8(_mm256_set1_epi32(INT32_MAX),
				  _mm256_add_epi32(need, wait), used);
}

static inline AVX2 uint32_t
lanes_mask(__m256i lanes)
{
	return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(lanes));
}

/* Bit per lane of the four vectors that is at or below @limit. */
static inline AVX2 uint32_t
lanes_up_to_avx2(const __m256i bound[4], int32_t limit)
{
	__m256i top = _mm256_set1_epi32(limit);
	uint32_t above = 0;

	for (uint32_t i = 0; i < 4; i++)
		above |= lanes_mask(_mm256_cmpgt_epi32(bound[i], top))
			 << (8 * i);
	return ~above;
}

static inline AVX2 int32_t
lanes_least_avx2(const __m256i bound[4])
{
	__m256i m = _mm256_min_epi32(_mm256_min_epi32(bound[0], bound[1]),
				     _mm256_min_epi32(bound[2], bound[3]));
	__m128i n = _mm_min_epi32(_mm256_castsi256_si128(m),
				  _mm256_extracti128_si256(m, 1));

	n = _mm_min_epi32(n, _mm_shuffle_epi32(n, 0x4e));
	n = _mm_min_epi32(n, _mm_shuffle_epi32(n, 0xb1));
	return _mm_cvtsi128_si32(n);
}

static AVX2 uint32_t
candidates_avx2(const struct drive_view *view, uint64_t phase)
{
	struct bound_frame frame = bound_frame_make(view, phase);
	__m256i bound[4];
	uint32_t tag;

	for (uint32_t i = 0; i < 4; i++)
		bound[i] = bounds_avx2(view, &frame, 8 * i);
	tag = (uint32_t)__builtin_ctz(
		lanes_up_to_avx2(bound, lanes_least_avx2(bound)));
	return lanes_up_to_avx2(
		bound, bound_limit(view, view_start_total(view, phase, tag)));
}

#else

static uint32_t
candidates_avx2(const struct drive_view *view, uint64_t phase)
{
	return candidates_plain(view, phase);
}

#endif

static uint32_t
sptf_pick(const struct drive_view *view)
{
	uint64_t phase = spindle_phase(&view->mech->spindle, view->now_ns);
	uint32_t tags = view->tags;
	nsec_t start_ns;

	if (unlikely(rules_are_scored(view->firmware)))
		return rules_pick_start(view);
	/* The bounds hold for all but those that need no overhead. */
	if (view->queue->count > SCALAR_MAX)
		tags &= view_chained(view) |
			(view->bounds->has_avx2
				 ? candidates_avx2(view, phase)
				 : candidates_plain(view, phase));
	if ((tags & (tags - 1)) == 0)
		return (uint32_t)__builtin_ctz(tags);
	return best_exact(view, phase, tags, &start_ns);
}

const struct firmware_ops firmware_sptf = {
	.name = "sptf",
	.help = "shortest positioning time first (seek and rotation)",
	.why = "the soonest under the head",
	.pick = sptf_pick,
};
