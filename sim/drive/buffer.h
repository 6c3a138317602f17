/* SPDX-License-Identifier: MIT */
/*
 * What the drive does with its buffer: hits, look-ahead, write-back and
 * destaging.  The command path (drive.c) asks; this module decides and keeps
 * the state; the mechanism stays the drive's.
 *
 * Look-ahead costs no events.  When a read has ended and nothing else wants
 * the media, the head reads on; how far it has come is worked out, exactly,
 * when somebody asks:
 *
 *   OFF --read ended, nothing queued--> ON --a command needs the media--> OFF
 *                                        |  (what has passed is kept)
 *                                        +--a read of what is coming--> OFF
 *                                           (it ends when its last sector
 *                                            passes; then ON again)
 */
#ifndef NCQSIM_DRIVE_BUFFER_H
#define NCQSIM_DRIVE_BUFFER_H

#include "sim/drive/cache.h"
#include "sim/drive/dirty.h"
#include "sim/drive/mech.h"

struct look_ahead_state {
	bool is_on;
	uint32_t segment;
	nsec_t began_ns;
	uint64_t from; /* first sector after the read that ended */
	uint64_t end;  /* where it will stop */
};

struct buffer {
	struct cache cache;
	struct dirty_list dirty;
	struct look_ahead_state ahead;
	nsec_t firmware_free_ns; /* hits and writes are served one by one */
	bool is_used;            /* any of it is configured */
};

/* Set up for physical sectors of @sector_bytes; errors as cache_init(). */
int buffer_init(struct buffer *buffer, const struct cache_config *config,
		uint32_t sector_bytes, struct err *e);

enum buffer_read {
	BUFFER_MISS,   /* the media is needed */
	BUFFER_HIT,    /* done at *done_ns, without the media */
	BUFFER_STREAM, /* the look-ahead delivers it by *done_ns */
};

/*
 * A read has arrived.  BUFFER_STREAM needs an idle media, @is_idle, which then
 * belongs to the read until *done_ns.
 */
enum buffer_read
buffer_read(struct buffer *buffer, struct mech *mech, nsec_t now_ns,
	    const struct mech_range *range, bool is_idle, nsec_t *done_ns);

/* The media is needed now: the arm is where the look-ahead has got to. */
void buffer_stop_ahead(struct buffer *buffer, struct mech *mech, nsec_t now_ns);

/*
 * A read from the media, or BUFFER_STREAM, has ended, with the arm behind it.
 * Reads ahead from here when @goes_on.
 */
void buffer_read_done(struct buffer *buffer, struct mech *mech, nsec_t now_ns,
		      const struct mech_range *range, bool goes_on);

/* A write passes through to the media. */
void
buffer_write_through(struct buffer *buffer, const struct mech_range *range);

/*
 * A write's data is in the drive, which costs the firmware @cost_ns.  True: it
 * is in the buffer, and done at *done_ns.  False: no entry or no room is free;
 * try again after a destage.
 */
bool
buffer_write(struct buffer *buffer, nsec_t now_ns,
	     const struct mech_range *range, nsec_t cost_ns, nsec_t *done_ns);

/* Something is dirty; so much that it goes before waiting commands. */
static inline bool
buffer_is_dirty(const struct buffer *buffer)
{
	return buffer->dirty.used > 0;
}

bool buffer_is_pressed(const struct buffer *buffer);

/* What to write out next. */
struct buffer_piece {
	uint32_t entry;  /* for buffer_destaged() */
	nsec_t delay_ns; /* before the arm may move */
	struct mech_range range;
};

/*
 * Choose the extent to write out next, of the present pass by positioning
 * time.  The firmware's overhead is due unless it goes on at @next_sector,
 * where the media has just ended.  Something must be dirty.
 */
struct buffer_piece
buffer_destage(struct buffer *buffer, const struct mech *mech, nsec_t now_ns,
	       uint64_t next_sector);
void buffer_destaged(struct buffer *buffer, uint32_t entry);

#endif
