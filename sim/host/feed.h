/* SPDX-License-Identifier: MIT */
/*
 * The load: takes records from a source and submits them as bios, either at
 * the records' times or keeping a number of them outstanding.
 *
 *   open loop (timed)   a record is submitted at its time.  When more than
 *                       backlog_max bios are outstanding the next ones wait
 *                       until some have completed: memory stays bounded, and
 *                       the run counts as saturated.
 *   closed loop (think) a record that waited for the one before is submitted
 *                       its think time after all before it have completed;
 *                       another one its recorded distance after the one
 *                       before.
 *   closed loop (depth) times are ignored; the next record is submitted as
 *                       soon as fewer than depth bios are outstanding.
 */
#ifndef NCQSIM_HOST_FEED_H
#define NCQSIM_HOST_FEED_H

#include "sim/host/blk.h"

enum feed_mode {
	FEED_TIMED,
	FEED_DEPTH,
	FEED_THINK,
};

enum feed_beyond {
	FEED_BEYOND_ERROR,
	FEED_BEYOND_WRAP,
	FEED_BEYOND_SCALE,
	FEED_BEYOND_DROP,
};

struct feed_config {
	enum feed_mode mode;
	enum feed_beyond beyond;
	uint32_t depth; /* FEED_DEPTH: bios kept outstanding */
	uint32_t
		backlog_max; /* FEED_TIMED, FEED_THINK: most bios outstanding */
	uint32_t max_sectors;  /* longer reads and writes become several bios */
	uint32_t sector_bytes; /* of the drive: LBAs must be whole ones */
	uint64_t capacity;     /* of the drive, 512-byte sectors */
	uint64_t span;         /* FEED_BEYOND_SCALE: the source's device */
	/* Called at the end of each bio; may be NULL. */
	void (*done)(void *ctx, const struct bio *bio, uint32_t number,
		     nsec_t now_ns, int status);
	void *done_ctx;
};

struct feed_totals {
	uint64_t records;
	uint64_t dropped;
	uint64_t bios;            /* completed */
	uint64_t backlog_max;     /* most bios outstanding at once */
	uint64_t backlog_arrival; /* outstanding after the newest arrival */
	uint64_t stalls;          /* arrivals that had to wait */
	nsec_t last_arrival_ns;
	nsec_t last_complete_ns;
};

struct feed;

/* A feed of @queue on @cal.  NULL with @e filled when memory runs out. */
struct feed *
feed_create(const struct feed_config *config, struct blk_queue *queue,
	    struct calendar *cal, struct err *e);
void feed_destroy(struct feed *feed);

/* Begin to take records from @source, which stays the caller's. */
void feed_begin(struct feed *feed, struct io_source *source);

/*
 * 1 while records are to come or outstanding, 0 when all are done, or the
 * negative code of what stopped the feed, with @e filled.
 */
int feed_state(const struct feed *feed, struct err *e);

void feed_totals(const struct feed *feed, struct feed_totals *totals);

#endif
