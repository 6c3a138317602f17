/* SPDX-License-Identifier: MIT */
/*
 * The drive's buffer: segments of what was read and read ahead, and the dirty
 * extents of what was written and is not on the media yet.
 *
 * Only addresses are kept.  Sectors are the drive's physical sectors.  The
 * drive asks whether a read is in the buffer, says what the media has
 * delivered, and asks how far to read ahead; see drive.h for the flow.
 *
 * What real drives do, and the keys that tell them apart: Ruemmler and
 * Wilkes, IEEE Computer, March 1994 (read-ahead, immediate report); the
 * service times of six measured drives (DiskSim 4.0's validation set).
 */
#ifndef NCQSIM_DRIVE_CACHE_H
#define NCQSIM_DRIVE_CACHE_H

#include "sim/core/err.h"
#include "sim/core/types.h"

#define CACHE_SEGMENTS_MAX 256u
#define CACHE_EXTENTS_MAX  256u

/* When the drive goes on reading after the last sector asked for. */
enum look_ahead {
	LOOK_AHEAD_OFF,
	LOOK_AHEAD_TRACK,    /* to the end of the track */
	LOOK_AHEAD_ALWAYS,   /* over tracks and cylinders, to its limit */
	LOOK_AHEAD_ADAPTIVE, /* likewise, but only behind a sequential read */
};

/* [cache] of a drive file; times are the firmware's. */
struct cache_config {
	int64_t size_kb; /* 0 = no buffer that keeps anything */
	int64_t segments;
	int look_ahead;                 /* enum look_ahead */
	int64_t look_ahead_max_sectors; /* beyond the read; 0 = a segment */
	bool keep_sent;      /* what the host has got stays in the buffer */
	bool idle_hit_ahead; /* a hit moves the look-ahead's limit on */
	nsec_t hit_ns;       /* overhead of a hit */
	nsec_t sequential_hit_ns; /* of one that continues the last read */
	bool write_back; /* a write is done when its data is in the buffer */
	int64_t extents; /* dirty extents at most */
	int64_t high_water_percent;  /* of them: destage before more reads */
	nsec_t write_ns;             /* overhead of a write into the buffer */
	nsec_t sequential_write_ns;  /* of one that continues the last write */
	nsec_t write_after_write_ns; /* write_ns behind a write; or -1 */
	nsec_t near_write_ns;        /* write_ns when the arm is there; or -1 */
	nsec_t new_extent_ns;        /* more, when it opens an extent */
	nsec_t new_sector_ns;        /* more, a sector, when it extends one */
	nsec_t destage_ns;           /* overhead of writing one extent out */
	nsec_t destage_idle_ns;      /* idle time before destaging begins */
};

/* What is in the buffer of one run of sectors. */
struct cache_segment {
	uint64_t first, end; /* [first, end); equal when it is empty */
	uint64_t used;       /* of the cache's counter, for LRU */
};

struct cache {
	struct cache_config config;
	uint32_t sector_bytes;
	uint32_t segment_sectors; /* capacity of one */
	uint32_t count;           /* of segments */
	uint64_t uses;
	uint64_t read_end;  /* of the last read, UINT64_MAX after a write */
	uint64_t write_end; /* of the last write, UINT64_MAX when unknown */
	struct cache_segment segment[CACHE_SEGMENTS_MAX];
};

/* Set up for physical sectors of @sector_bytes.  The configuration is copied;
 * a contradiction is ERR_CONFIG.
 */
int cache_init(struct cache *cache, const struct cache_config *config,
	       uint32_t sector_bytes, struct err *e);

/* No segment has this index. */
#define CACHE_NONE UINT32_MAX

/* A piece of the buffer that serves the front of a read. */
struct cache_hit {
	uint32_t segment; /* CACHE_NONE: a miss */
	uint32_t count;   /* sectors from the front of the read */
};

/* What of the read of @count at @sector is there. */
struct cache_hit
cache_lookup(const struct cache *cache, uint64_t sector, uint32_t count);

/* Firmware time of the full hit at @sector. */
nsec_t cache_hit_ns(const struct cache *cache, uint64_t sector);

/*
 * The media is about to deliver sectors from @sector on: the segment to put
 * them in.  One that ends there is continued, else the least recently used
 * one is emptied.  CACHE_NONE when nothing is kept.
 */
uint32_t cache_begin(struct cache *cache, uint64_t sector);

/* The media delivered up to @end; the front goes when there is no room. */
void cache_extend(struct cache *cache, uint32_t segment, uint64_t end);

/* The host has got a read: remember it, and what need not be kept. */
void cache_sent(struct cache *cache, uint32_t segment, uint64_t sector,
		uint32_t count);

/*
 * How far to read on behind a read of @count at @sector that went into
 * @segment: the sector before which to stop, or the end of the read.
 * @track_end is the first sector on another track, @capacity the drive's.
 */
uint64_t
cache_look_ahead_end(const struct cache *cache, uint64_t sector, uint32_t count,
		     uint64_t track_end, uint64_t capacity);

/* A write passes by: what it covers is no longer in read segments. */
void cache_written(struct cache *cache, uint64_t sector, uint32_t count);

/* Drop everything: power was cut, or SET FEATURES turned it off. */
void cache_clear(struct cache *cache);

#endif
