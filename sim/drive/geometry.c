/* SPDX-License-Identifier: MIT */
#include "sim/drive/geometry_impl.h"

#include <assert.h>

uint64_t
geometry_capacity(const struct geometry *geo)
{
	return geo->capacity;
}

uint32_t
geometry_cylinders(const struct geometry *geo)
{
	return geo->cylinders;
}

uint32_t
geometry_heads(const struct geometry *geo)
{
	return geo->heads;
}

uint32_t
geometry_formats(const struct geometry *geo)
{
	return geo->format_count;
}

uint32_t
geometry_format_spt(const struct geometry *geo, uint32_t format)
{
	assert(format < geo->format_count);
	return geo->format_spt[format];
}

const struct zone *
geometry_zone_of_cyl(const struct geometry *geo, uint32_t cyl)
{
	uint32_t low = 0, high = geo->zone_count;

	assert(cyl < geo->cylinders);
	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;

		if (geo->zones[middle].first_cyl <= cyl)
			low = middle;
		else
			high = middle;
	}
	return &geo->zones[low];
}

uint32_t
geometry_spt(const struct geometry *geo, uint32_t cyl, uint32_t head)
{
	assert(head < geo->heads);
	return geometry_zone_of_cyl(geo, cyl)->head_spt[head];
}

/* ---- Tracks of a zone ---------------------------------------------------- */

uint32_t
geometry_group_cylinders(const struct zone *z, uint64_t group)
{
	return group == z->last_group ? z->last_cyl_count : z->group_cyl_count;
}

uint64_t
geometry_group_data(const struct zone *z, uint64_t group)
{
	return group == z->last_group ? z->last_group_data : z->group_data.d;
}

/*
 * Serpentine bands run to and fro at random from one look-up to the next:
 * without branches, which would be guessed wrongly half of the time.  All
 * ones where the order is the opposite one, else 0.
 */
static inline uint32_t
reversed_mask(const struct geometry *geo, uint64_t ordinal)
{
	return 0 -
	       ((uint32_t)(geo->mapping == MAP_SERPENTINE) & (uint32_t)ordinal);
}

/* @i counted from the other end of @count where @mask is all ones. */
static inline uint32_t
mirror(uint32_t i, uint32_t count, uint32_t mask)
{
	return (i ^ mask) + (count & mask);
}

static inline uint32_t
head_of(const struct geometry *geo, const struct track_at *at)
{
	return mirror(at->turn, geo->heads, reversed_mask(geo, at->group));
}

static inline uint32_t
cyl_of(const struct geometry *geo, const struct zone *z,
       const struct track_at *at, uint32_t group_cyl)
{
	return z->first_cyl + (uint32_t)at->group * z->group_cyl_count +
	       mirror(at->step, group_cyl, reversed_mask(geo, at->turn));
}

void
geometry_track_at(const struct geometry *geo, const struct zone *z,
		  uint32_t cyl, uint32_t head, struct track_at *at)
{
	uint32_t in_zone = cyl - z->first_cyl;

	at->group = small_div(z->group_cyl, in_zone);
	at->step = in_zone - (uint32_t)at->group * z->group_cyl_count;
	at->turn = mirror(head, geo->heads, reversed_mask(geo, at->group));
	at->step = mirror(at->step, geometry_group_cylinders(z, at->group),
			  reversed_mask(geo, at->turn));
}

/* Sectors in a row of the first @turns heads of a group. */
static inline uint64_t
sum_of_turns(const struct head_sums *sums, uint32_t heads, bool reversed,
	     uint32_t turns)
{
	if (reversed)
		return sums->before[heads] - sums->before[heads - turns];
	return sums->before[turns];
}

uint64_t
geometry_track_index(const struct geometry *geo, const struct zone *z,
		     const struct head_sums *sums, const struct track_at *at)
{
	uint64_t row = sums->before[geo->heads];
	uint32_t head = head_of(geo, at);
	uint64_t turns = sum_of_turns(
		sums, geo->heads, reversed_mask(geo, at->group) != 0, at->turn);
	uint64_t index = at->group * z->group_cyl_count * row;

	if (geo->mapping == MAP_CYLINDER)
		return index + at->step * row + turns;
	return index + geometry_group_cylinders(z, at->group) * turns +
	       at->step * (sums->before[head + 1] - sums->before[head]);
}

void
geometry_region_of(const struct geometry *geo, const struct zone *z,
		   const struct track_at *at, struct region *region)
{
	struct track_at first = { .group = at->group };

	switch (geo->sparing) {
	case SPARE_TRACK:
		region->physical =
			geometry_track_index(geo, z, &z->physical, at);
		region->index = geometry_track_index(geo, z, &z->data, at);
		region->data = z->head_data[head_of(geo, at)].d;
		break;
	case SPARE_CYLINDER:
		region->physical =
			geometry_track_index(geo, z, &z->physical, &first);
		region->index = at->group * z->group_data.d;
		region->data = geometry_group_data(z, at->group);
		break;
	case SPARE_NONE:
	case SPARE_ZONE:
		region->physical = 0;
		region->index = 0;
		region->data = z->data_total;
		break;
	}
	region->physical += z->first_physical;
}

/* ---- Angles ---------------------------------------------------------------
 */

/* Slot of sector 0 of a track, in slots of head 0 and not yet reduced. */
static uint64_t
raw_skew(const struct zone *z, const struct track_at *at)
{
	uint64_t a_turn =
		at->group == z->last_group ? z->slot_turn_last : z->slot_turn;

	return z->first_slot + at->group * z->slot_group + at->turn * a_turn +
	       (uint64_t)at->step * z->slot_step;
}

/* The same angle, rounded up to slots of another head. */
static uint32_t
scale_slot(uint64_t slot, const struct zone *z, uint32_t spt)
{
	uint64_t scaled = slot * spt + z->spt.d - 1;

	scaled = reciprocal_div(z->spt, scaled);
	return (uint32_t)(scaled == spt ? 0 : scaled);
}

static void
fill_place(const struct geometry *geo, const struct zone *z,
	   const struct track_at *at, uint32_t sector,
	   struct geometry_place *place)
{
	uint64_t skew = reciprocal_mod(z->spt, raw_skew(z, at));
	uint32_t head = head_of(geo, at), spt = z->head_spt[head];

	place->cyl = cyl_of(geo, z, at, geometry_group_cylinders(z, at->group));
	place->head = head;
	place->sector = sector;
	place->spt = spt;
	place->format = z->head_format[head];
	place->slot = sector + scale_slot(skew, z, spt);
	if (place->slot >= spt)
		place->slot -= spt;
}

void
geometry_fill_place(const struct geometry *geo, uint32_t cyl, uint32_t head,
		    uint32_t sector, struct geometry_place *place)
{
	const struct zone *z = geometry_zone_of_cyl(geo, cyl);
	struct track_at at;

	geometry_track_at(geo, z, cyl, head, &at);
	fill_place(geo, z, &at, sector, place);
	place->run = 1;
}

/* ---- LBA to place ---------------------------------------------------------
 */

static inline uint32_t
min_run(uint64_t a, uint64_t b)
{
	return (uint32_t)(a < b ? a : b);
}

/*
 * Equal heads, no spares at group ends: the track's ordinal comes first.
 * Slips have moved the data up by @in_zone and @in_track sectors.
 */
static inline __attribute__((always_inline)) void
decode_flat(const struct geometry *geo, const struct zone *z, uint64_t lba,
	    uint32_t in_zone, uint32_t in_track, struct geometry_place *place)
{
	uint64_t index = lba + z->to_index + in_zone;
	uint64_t track = reciprocal_div(z->track_data, index);
	uint32_t sector = (uint32_t)(index - track * z->track_data.d);
	uint64_t group = small_div(z->group_tracks, track);
	uint64_t skew = z->first_slot + sector + in_track;
	uint32_t rest = (uint32_t)(track - group * z->group_track_count);
	uint32_t cyl = z->first_cyl + (uint32_t)group * z->group_cyl_count;
	uint32_t turn = rest;

	skew += track * z->terms.track + group * z->terms.group;
	if (geo->mapping != MAP_CYLINDER) {
		uint32_t length = z->group_cyl_count;
		uint32_t a_turn = z->terms.turn;

		if (likely(group != z->last_group)) {
			turn = (uint32_t)small_div(z->group_cyl, rest);
		} else {
			turn = (uint32_t)small_div(z->last_cyl, rest);
			length = z->last_cyl_count;
			a_turn = z->terms.turn_last;
		}
		cyl += mirror(rest - turn * length, length,
			      reversed_mask(geo, turn));
		skew += (uint64_t)turn * a_turn;
	}
	place->cyl = cyl;
	place->head = mirror(turn, geo->heads, reversed_mask(geo, group));
	place->sector = sector + in_track;
	place->slot = (uint32_t)reciprocal_mod(z->spt, skew);
	place->spt = (uint32_t)z->spt.d;
	place->format = z->format;
	place->run = min_run(z->track_data.d - sector, z->end_lba - lba);
}

/* The last turn whose heads, @rows tracks each, begin at or before @offset. */
static uint32_t
find_turn(const struct geometry *geo, const struct zone *z, uint64_t group,
	  uint64_t rows, uint64_t *offset)
{
	bool reversed = reversed_mask(geo, group) != 0;
	uint64_t begin = 0, next;
	uint32_t turn = 0;

	while (turn + 1 < geo->heads) {
		next = rows *
		       sum_of_turns(&z->data, geo->heads, reversed, turn + 1);
		if (next > *offset)
			break;
		begin = next;
		turn++;
	}
	*offset -= begin;
	return turn;
}

/* Heads that differ, or spares at group ends: the group comes first. */
static void
decode_general(const struct geometry *geo, const struct zone *z, uint64_t lba,
	       uint32_t shift, struct geometry_place *place)
{
	uint64_t index = lba + z->to_index, offset, left;
	uint32_t in_track = 0;
	struct track_at at = { 0 };

	if (geo->sparing == SPARE_TRACK)
		in_track = shift;
	if (geo->sparing == SPARE_ZONE)
		index += shift;
	at.group = reciprocal_div(z->group_data, index);
	offset = index - at.group * z->group_data.d;
	left = geometry_group_data(z, at.group) - offset;
	if (geo->sparing == SPARE_CYLINDER)
		offset += shift;
	if (geo->mapping == MAP_CYLINDER) {
		at.step = (uint32_t)reciprocal_div(z->row_data, offset);
		offset -= at.step * z->row_data.d;
		at.turn = find_turn(geo, z, at.group, 1, &offset);
	} else {
		const struct reciprocal *track;

		at.turn = find_turn(geo, z, at.group,
				    geometry_group_cylinders(z, at.group),
				    &offset);
		track = &z->head_data[head_of(geo, &at)];
		at.step = (uint32_t)reciprocal_div(*track, offset);
		offset -= at.step * track->d;
	}
	fill_place(geo, z, &at, (uint32_t)offset + in_track, place);
	left = min_run(left, z->head_data[place->head].d - offset);
	place->run = min_run(left, z->end_lba - lba);
}

static inline const struct zone *
zone_of_lba(const struct geometry *geo, uint64_t lba)
{
	const struct zone *z =
		&geo->zones[geo->zone_map[lba >> geo->zone_shift]];

	while (unlikely(lba >= z->end_lba))
		z++;
	return z;
}

static void
decode_shifted(const struct geometry *geo, uint64_t lba, uint32_t shift,
	       struct geometry_place *place)
{
	const struct zone *z = zone_of_lba(geo, lba);
	bool by_track = geo->sparing == SPARE_TRACK;

	if (z->is_flat)
		decode_flat(geo, z, lba, by_track ? 0 : shift,
			    by_track ? shift : 0, place);
	else
		decode_general(geo, z, lba, shift, place);
}

static const struct adjustment *
find_adjustment(const struct geometry *geo, uint64_t lba)
{
	const struct adjustment *a =
		&geo->adjust[geo->adjust_map[lba >> geo->adjust_shift]];

	while (a[1].lba <= lba)
		a++;
	return a;
}

/* Where the sector would be if it had not been remapped. */
void
geometry_decode_unmapped(const struct geometry *geo, uint64_t lba,
			 struct geometry_place *place)
{
	const struct adjustment *a;

	if (!geo->adjust_count) {
		decode_shifted(geo, lba, 0, place);
		return;
	}
	a = find_adjustment(geo, lba);
	decode_shifted(geo, lba, a->shift, place);
	place->run = min_run(place->run, a[1].lba - lba);
}

static __attribute__((noinline)) void
decode_slowly(const struct geometry *geo, uint64_t lba,
	      struct geometry_place *place)
{
	const struct adjustment *a = NULL;

	if (geo->adjust_count)
		a = find_adjustment(geo, lba);
	if (a && a->remap != NO_REMAP)
		*place = geo->remaps[a->remap].place;
	else
		geometry_decode_unmapped(geo, lba, place);
}

void
geometry_decode(const struct geometry *geo, uint64_t lba,
		struct geometry_place *place)
{
	const struct zone *z;

	assert(lba < geo->capacity);
	z = zone_of_lba(geo, lba);
	if (likely(z->is_quick))
		decode_flat(geo, z, lba, 0, 0, place);
	else
		decode_slowly(geo, lba, place);
}

/* ---- Place to LBA ---------------------------------------------------------
 */

/* The LBA of data index @index of a zone, or UINT64_MAX. */
static uint64_t
lba_of_index(const struct zone *z, uint64_t index)
{
	uint64_t lba;

	if (index < z->front)
		return UINT64_MAX;
	lba = z->first_lba + index - z->front;
	return lba < z->end_lba ? lba : UINT64_MAX;
}

uint64_t
geometry_encode(const struct geometry *geo, uint32_t cyl, uint32_t head,
		uint32_t sector)
{
	const struct zone *z = geometry_zone_of_cyl(geo, cyl);
	uint64_t physical, offset, lba, slips;
	const struct remap *remap;
	struct region region;
	struct track_at at;

	assert(head < geo->heads && sector < z->head_spt[head]);
	geometry_track_at(geo, z, cyl, head, &at);
	physical = z->first_physical + sector +
		   geometry_track_index(geo, z, &z->physical, &at);
	remap = geometry_find_remap(geo, physical);
	if (remap)
		return remap->lba;
	geometry_region_of(geo, z, &at, &region);
	slips = geometry_slips_before(geo, physical);
	if (geometry_slips_before(geo, physical + 1) != slips)
		return UINT64_MAX;
	slips -= geometry_slips_before(geo, region.physical);
	offset = physical - region.physical - slips;
	if (offset >= region.data)
		return UINT64_MAX;
	lba = lba_of_index(z, region.index + offset);
	if (lba != UINT64_MAX && geo->adjust_count &&
	    find_adjustment(geo, lba)->remap != NO_REMAP)
		return UINT64_MAX;
	return lba;
}
