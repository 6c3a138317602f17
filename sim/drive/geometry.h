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
	MAP_SERPENTINE, /* a band of cylinders inwards on head 0, the same
			 * band outwards on head 1, and so on; the next band
			 * takes the heads in the opposite order */
	MAP_BAND,       /* a band inwards on head 0, 1, ..., then the next */
};

/* Where spare sectors lie: at the end of each track, group or zone. */
enum geometry_sparing {
	SPARE_NONE,
	SPARE_TRACK,
	SPARE_CYLINDER, /* each spare_range_cyl cylinders (MAP_CYLINDER), or
			 * each band */
	SPARE_ZONE,
};

/* A distance, and 1024 more, is a whole number in a float (seek.h). */
#define GEOMETRY_CYLINDERS_MAX ((1u << 24) - 1024)

#define GEOMETRY_HEADS_MAX 32
#define GEOMETRY_ZONES_MAX 256
#define GEOMETRY_SPT_MAX   (1u << 20)
#define GEOMETRY_SLOT_AUTO UINT32_MAX

/*
 * One [zone N] section.  Bands start anew with each zone; the last one may
 * be short.
 *
 * Skew is cumulative.  The slot of a track's first sector is that of the
 * track before it in LBA order plus track_skew at a head switch, cyl_skew
 * at a step to the next cylinder, band_skew at a step to the next band.
 * Where heads differ in spt, skews count slots of head 0, and a track
 * begins in the first slot at or after the angle: allow one slot of margin.
 *
 * With GEOMETRY_SLOT_AUTO the zone's first sector begins in the first slot
 * at or after: the end of the last sector of the zone before, plus the
 * larger of that zone's cyl_skew and track_skew (band_skew by bands), all as
 * angles.
 */
struct geometry_zone_config {
	uint32_t cylinders;
	uint32_t spt[GEOMETRY_HEADS_MAX]; /* by head; all equal unless the
					   * drive has per-head zones */
	uint32_t track_skew;
	uint32_t cyl_skew;
	uint32_t band_skew;     /* 0 = the larger of the two */
	uint32_t spare_sectors; /* per track, group or zone */
	uint32_t front_tracks;  /* unused tracks at the zone's beginning; all of
				 * them make a gap between zones */
	uint32_t front_sectors; /* and data sectors after them */
	uint32_t first_slot;    /* of sector 0 of the first track, used or
				 * not, or GEOMETRY_SLOT_AUTO */
};

/*
 * A bad sector.  Slipped: the sectors after it in its track, group or zone
 * move up by one, which uses one of its spares.  Remapped: its LBA alone goes
 * to another sector that no LBA uses.
 */
struct geometry_defect {
	uint32_t cyl, head, sector; /* the bad one */
	bool remapped;              /* else slipped: later LBAs move up */
	uint32_t to_cyl, to_head, to_sector; /* remapped: the spare */
};

struct geometry_config {
	uint64_t capacity; /* physical sectors in use; 0 = all there are */
	uint32_t heads;
	uint32_t band_cyl; /* cylinders of a band, MAP_SERPENTINE and BAND */
	uint32_t spare_range_cyl; /* MAP_CYLINDER, SPARE_CYLINDER; 0 = 1 */
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
