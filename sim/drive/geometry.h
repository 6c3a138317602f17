/* SPDX-License-Identifier: MIT */
/*
 * Where a logical block lies on the platters, and back.
 *
 * A zone is a range of cylinders with one number of sectors per track.
 * Physical sector s of a track passes the head in angular slot
 * (s + skew(track)) mod spt, where skew is a whole number of slots, so that
 * the first sector of the next track comes round just after the switch.
 * Slot 0 of every track passes the head at the start of each revolution.
 *
 * Units: sectors here are the drive's physical sectors (512 or 4096 bytes);
 * the drive converts from LBAs of 512 bytes (512e) before it asks.
 */
#ifndef NCQSIM_DRIVE_GEOMETRY_H
#define NCQSIM_DRIVE_GEOMETRY_H

#include "sim/core/err.h"
#include "sim/core/types.h"

/* How consecutive tracks follow each other in LBA order. */
enum geometry_mapping {
	MAP_CYLINDER,   /* all heads of a cylinder, then the next cylinder */
	MAP_SERPENTINE, /* a band of cylinders inwards on one head, the same
			 * band outwards on the next head, and so on */
	MAP_BAND,       /* a band inwards on every head in turn */
};

/* Where spare sectors lie: at the end of each track, cylinder or zone. */
enum geometry_sparing {
	SPARE_NONE,
	SPARE_TRACK,
	SPARE_CYLINDER,
	SPARE_ZONE,
};

#define GEOMETRY_HEADS_MAX 32

/* One [zone N] section; lists belong to the configuration. */
struct geometry_zone_config {
	uint32_t cylinders;
	uint32_t spt[GEOMETRY_HEADS_MAX]; /* by head; all equal unless the
					   * drive has per-head zones */
	uint32_t track_skew;              /* slots, at a head switch */
	uint32_t cyl_skew;      /* slots, at a step to the next cylinder */
	uint32_t spare_sectors; /* per track, cylinder or zone */
	uint32_t first_slot;    /* slot of the zone's first sector */
};

/* A physical sector that is not used, or stands in for another. */
struct geometry_defect {
	uint32_t cyl, head, sector; /* the bad one */
	bool remapped;              /* else slipped: later LBAs move up */
	uint32_t to_cyl, to_head, to_sector; /* remapped: the spare */
};

struct geometry_config {
	uint64_t capacity; /* physical sectors in use; 0 = all there are */
	uint32_t heads;
	uint32_t band_cyl; /* cylinders of a band, MAP_SERPENTINE and BAND */
	enum geometry_mapping mapping;
	enum geometry_sparing sparing;
	const struct geometry_zone_config *zones;
	uint32_t zone_count;
	const struct geometry_defect *defects;
	uint32_t defect_count;
};

/* Physical place of one sector, and what timing needs of its track. */
struct geometry_place {
	uint32_t cyl;
	uint32_t head;
	uint32_t sector; /* physical sector on the track, 0 .. spt - 1 */
	uint32_t slot;   /* angular slot, 0 .. spt - 1 */
	uint32_t spt;    /* sectors (= slots) per track here */
	uint32_t run;    /* sectors from this one on, in LBA order, that
			  * follow without a gap on this track, >= 1 */
	uint32_t format; /* index of spt among the distinct values */
};

struct geometry;

/*
 * Build the map.  The configuration is copied.  Zones that leave no sector,
 * a capacity that does not fit, a defect outside the drive, or more slips
 * than spares are ERR_CONFIG.
 */
int geometry_create(const struct geometry_config *config, struct geometry **out,
		    struct err *e);
void geometry_free(struct geometry *geo);

/* Number of addressable sectors; the last one is capacity - 1. */
uint64_t geometry_capacity(const struct geometry *geo);
uint32_t geometry_cylinders(const struct geometry *geo);
uint32_t geometry_heads(const struct geometry *geo);

/* Distinct numbers of sectors per track; formats count from 0. */
uint32_t geometry_formats(const struct geometry *geo);
uint32_t geometry_format_spt(const struct geometry *geo, uint32_t format);

/*
 * The place of sector @lba, which is below the capacity.  Constant time:
 * direct zone map, reciprocals; exact over every edge, slip and spare.
 */
void geometry_decode(const struct geometry *geo, uint64_t lba,
		     struct geometry_place *place);

/*
 * The sector at a physical place, or UINT64_MAX for a spare that is not in
 * use, a defect, or a place beyond the capacity.  The inverse of decode.
 */
uint64_t geometry_encode(const struct geometry *geo, uint32_t cyl,
			 uint32_t head, uint32_t sector);

/* Sectors per track at a place, whether in use or not. */
uint32_t geometry_spt(const struct geometry *geo, uint32_t cyl, uint32_t head);

#endif
