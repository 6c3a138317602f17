/* SPDX-License-Identifier: MIT */
/*
 * The dirty extents of a write-back cache: what the host believes written
 * and the media does not have.
 *
 * The list is short (a drive of 2003 was measured at nine entries), and that,
 * not the buffer's size, is what limits scattered writes.  Destaging goes in
 * passes: a pass takes the extents that are there, writes each, and frees its
 * entry; what arrives meanwhile waits for the next pass.
 *
 *   free --add--> dirty --pass begins--> in the pass --picked--> being written
 *    ^                                                               |
 *    +---------------------- dirty_written() -----------------------+
 *
 * What is written again while its extent is on its way to the media opens an
 * entry of its own.  Source: strided-writes-2006 (nine entries,
 * snapshot passes in positioning order).
 */
#ifndef NCQSIM_DRIVE_DIRTY_H
#define NCQSIM_DRIVE_DIRTY_H

#include "sim/drive/cache.h"

enum dirty_state {
	DIRTY_FREE,
	DIRTY_WAITING, /* for the next pass */
	DIRTY_IN_PASS,
	DIRTY_WRITING,
};

struct dirty_extent {
	uint64_t first, end; /* [first, end) */
	uint8_t state;       /* enum dirty_state */
};

struct dirty_list {
	uint32_t limit; /* entries in use at most */
	uint32_t used;
	uint64_t sectors;     /* in all of them */
	uint64_t sectors_max; /* the buffer's share */
	struct dirty_extent extent[CACHE_EXTENTS_MAX];
};

/* @limit entries of @sectors_max sectors together. */
void dirty_init(struct dirty_list *list, uint32_t limit, uint64_t sectors_max);

/* What a write did to the list. */
struct dirty_added {
	bool is_full;         /* no entry or no room: nothing was added */
	bool is_new;          /* it opened an entry */
	uint32_t new_sectors; /* that were not dirty before */
};

/*
 * Add [first, first + count).  It joins an extent that it overlaps or
 * touches, unless that is being written; extents that come together so
 * become one.
 */
struct dirty_added
dirty_add(struct dirty_list *list, uint64_t first, uint32_t count);

/* How many sectors from @first on are dirty, up to @count. */
uint32_t
dirty_covers(const struct dirty_list *list, uint64_t first, uint32_t count);

/* Does any dirty extent share a sector with [first, first + count)? */
bool
dirty_overlaps(const struct dirty_list *list, uint64_t first, uint32_t count);

/*
 * Make sure that a pass is under way, if anything is dirty: what waits joins
 * it when none is.  False when nothing is left to write.
 */
bool dirty_pass(struct dirty_list *list);

/* Entry @i, of the pass, goes to the media now / is on it and is free. */
void dirty_write(struct dirty_list *list, uint32_t i);
void dirty_written(struct dirty_list *list, uint32_t i);

/* Forget everything: power was cut. */
void dirty_clear(struct dirty_list *list);

#endif
