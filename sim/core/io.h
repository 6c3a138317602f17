/* SPDX-License-Identifier: MIT */
/*
 * One transfer as a workload or a trace asks for it, and where such records
 * come from.  Readers in traces/ produce them, sim/host consumes them.
 */
#ifndef NCQSIM_CORE_IO_H
#define NCQSIM_CORE_IO_H

#include "sim/core/err.h"
#include "sim/core/types.h"

enum io_op {
	IO_READ,
	IO_WRITE,
	IO_DISCARD, /* TRIM: no media access */
	IO_FLUSH,   /* FLUSH CACHE: no LBA, no sectors */
};

/* Bits of io_record.flags; the letters are blkparse's RWBS. */
enum io_flag {
	IO_SYNC = 1 << 0,     /* S: the submitter waits; every read is sync */
	IO_META = 1 << 1,     /* M: file-system metadata */
	IO_AHEAD = 1 << 2,    /* A: read-ahead */
	IO_FUA = 1 << 3,      /* F after the letter: force unit access */
	IO_PREFLUSH = 1 << 4, /* F before the letter: flush, then write */
	IO_UNPLUG = 1 << 5,   /* the submitter waits at once: run the queue */
	IO_NOIDLE = 1 << 6,   /* no request will follow: do not idle */
	IO_BARRIER = 1 << 7,  /* 2.6-era barrier: nothing may pass it */
};

/* The ioprio classes of Linux, by their numbers there. */
enum io_class {
	IO_CLASS_NONE,
	IO_CLASS_RT,
	IO_CLASS_BE,
	IO_CLASS_IDLE,
};

struct io_record {
	nsec_t time_ns;   /* when it was queued, from the start of the run */
	nsec_t think_ns;  /* from the completion of the source's record before
			   * to this one; negative: it did not wait for that */
	sector_t lba;     /* first sector, 512-byte units */
	uint32_t sectors; /* 512-byte units; 0 only for a flush */
	uint32_t pid;     /* process (io context) that asks; 0 = unknown */
	uint8_t op;       /* enum io_op */
	uint8_t flags;    /* enum io_flag */
	uint8_t io_class; /* enum io_class */
	uint8_t io_level; /* 0 (highest) to 7; 4 where the class is none */
	uint32_t number;  /* ordinal in its source, from 0; wraps */
};

/*
 * A stream of records in time order.  next() returns 1 and fills @rec, 0 at
 * the end, or a negative code with @e filled; after 0 or an error it is not
 * called again.  close() frees what the source owns, itself included.
 */
struct io_source {
	int (*next)(struct io_source *src, struct io_record *rec,
		    struct err *e);
	void (*close)(struct io_source *src);
};

#endif
