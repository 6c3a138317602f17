/* SPDX-License-Identifier: MIT */
/*
 * The map behind geometry.h; only geometry*.c include this.
 *
 * Tracks of a zone are counted in LBA order.  A group is the unit of that
 * order: one cylinder (or spare_range_cyl of them) or one band.  A sector has
 * three coordinates in its zone:
 *
 *	group   ordinal of its group; the last one may have fewer cylinders
 *	turn    how many heads of the group come before its own
 *	step    cylinders of the group passed before its own
 *
 * and two ordinals: its data index counts the sectors that can hold data in
 * LBA order, its physical index counts all sectors in the same order.  Slips
 * turn one into the other.
 */
#ifndef NCQSIM_DRIVE_GEOMETRY_IMPL_H
#define NCQSIM_DRIVE_GEOMETRY_IMPL_H

#include "sim/core/wide.h"
#include "sim/drive/geometry.h"

/* Divisors that may be 1: the reciprocal is of twice the divisor. */
struct small_divisor {
	struct reciprocal twice;
};

static inline uint64_t
small_div(struct small_divisor d, uint64_t n)
{
	return reciprocal_div(d.twice, n << 1);
}

/* Coordinates of a track in its zone. */
struct track_at {
	uint64_t group;
	uint32_t turn, step;
};

/*
 * By track lengths with or without spares: what the heads before each head
 * have in a row, [heads] being the sum.
 */
struct head_sums {
	uint64_t before[GEOMETRY_HEADS_MAX + 1];
};

/* Slots that a track adds to its zone's first_slot, as sums of products. */
struct skew_terms {
	uint32_t track, group, turn, turn_last;
};

struct zone {
	/* what the quick decode reads: three cache lines */
	_Alignas(64) uint64_t end_lba; /* one past its last sector in use */
	uint64_t to_index; /* lba + to_index is the data index, mod 2^64 */
	struct reciprocal track_data; /* data sectors of a track */
	struct reciprocal spt;        /* of head 0 */
	struct small_divisor group_tracks;
	struct small_divisor group_cyl, last_cyl;
	uint64_t last_group; /* ordinal of the last group */
	struct skew_terms terms;
	uint32_t first_slot;
	uint32_t group_track_count;
	uint32_t group_cyl_count, last_cyl_count;
	uint32_t first_cyl;
	uint32_t format; /* of head 0 */
	bool is_flat;    /* equal heads, and no spares at group ends */
	bool is_quick;   /* flat, on a drive without defects */

	/* the general form */
	uint64_t first_lba;
	uint64_t front; /* data index of first_lba */
	uint32_t cylinders;
	uint32_t slot_group, slot_turn, slot_turn_last, slot_step;
	uint32_t band_skew, cyl_skew, track_skew;
	uint32_t spare_sectors;
	struct reciprocal group_data; /* data sectors of a full group */
	struct reciprocal row_data;   /* of one track of every head */
	uint64_t last_group_data;
	uint64_t data_total;     /* data sectors, the front included */
	uint64_t physical_total; /* all sectors */
	uint64_t first_physical; /* physical sectors of the zones before */
	struct head_sums physical, data;
	struct reciprocal head_data[GEOMETRY_HEADS_MAX];
	uint32_t head_spt[GEOMETRY_HEADS_MAX];
	uint32_t head_format[GEOMETRY_HEADS_MAX];
};

/* From @lba up to the next entry's, data moved up by @shift sectors. */
struct adjustment {
	uint64_t lba;
	uint32_t shift;
	uint32_t remap; /* index of the remap of this one LBA, or NO_REMAP */
};

#define NO_REMAP UINT32_MAX

struct remap {
	uint64_t physical; /* ordinal of the spare over the whole drive */
	uint64_t lba;
	struct geometry_place place; /* the spare's */
};

#define ZONE_MAP_BYTES 4096

struct geometry {
	uint64_t capacity;
	enum geometry_mapping mapping;
	enum geometry_sparing sparing;
	uint32_t serpentine; /* 1 with MAP_SERPENTINE, else 0 */
	uint32_t heads;
	uint32_t cylinders;
	uint32_t zone_count;
	uint32_t zone_shift;
	uint32_t format_count;
	uint32_t adjust_count, adjust_shift;
	uint32_t slip_count, remap_count;
	struct zone *zones;
	uint32_t *format_spt;
	struct adjustment *adjust; /* by LBA, from 0; ends in UINT64_MAX */
	uint32_t *adjust_map;
	uint64_t *slips;      /* physical ordinals, ascending */
	struct remap *remaps; /* by physical ordinal */
	uint8_t zone_map[ZONE_MAP_BYTES];
};

/* geometry.c */
const struct zone *
geometry_zone_of_cyl(const struct geometry *geo, uint32_t cyl);
uint32_t geometry_group_cylinders(const struct zone *z, uint64_t group);
uint64_t geometry_group_data(const struct zone *z, uint64_t group);
void geometry_track_at(const struct geometry *geo, const struct zone *z,
		       uint32_t cyl, uint32_t head, struct track_at *at);
uint64_t
geometry_track_index(const struct geometry *geo, const struct zone *z,
		     const struct head_sums *sums, const struct track_at *at);
void
geometry_fill_place(const struct geometry *geo, uint32_t cyl, uint32_t head,
		    uint32_t sector, struct geometry_place *place);
void geometry_decode_unmapped(const struct geometry *geo, uint64_t lba,
			      struct geometry_place *place);

/* One slip region: where it lies by either count. */
struct region {
	uint64_t physical; /* ordinal of its first sector over the drive */
	uint64_t index;    /* data index of its first sector in the zone */
	uint64_t data;     /* sectors that can hold data */
};

void geometry_region_of(const struct geometry *geo, const struct zone *z,
			const struct track_at *at, struct region *region);

/* geometry_defect.c */
int geometry_add_defects(struct geometry *geo,
			 const struct geometry_config *config, struct err *e);
void geometry_place_remaps(struct geometry *geo);
uint64_t geometry_slips_before(const struct geometry *geo, uint64_t physical);
const struct remap *
geometry_find_remap(const struct geometry *geo, uint64_t physical);

#endif
