/* SPDX-License-Identifier: MIT */
/*
 * Inside the block layer: shared by blk*.c and nobody else.
 *
 * The queue is plugged, or not:
 *
 *	open --- bio for an empty device ---------------------> plugged
 *	plugged --- unplug: a bio that is waited for, threshold,
 *	            timer + worker, a process going to sleep ---> open, run
 *	plugged --- blk_run(): a completion, the elevator ------> open, run
 */
#ifndef NCQSIM_HOST_BLK_QUEUE_H
#define NCQSIM_HOST_BLK_QUEUE_H

#include "sim/host/blk.h"
#include "sim/host/blk_elevator.h"

#define BLK_HASH_BITS 8

/* Of requests of one kind: sync and async, or read and write. */
struct blk_pool {
	uint32_t count;
	bool is_full; /* only batchers may go on */
	struct process *sleepers;
	struct process **sleepers_end;
};

enum flush_step {
	FLUSH_IDLE,
	FLUSH_BEFORE, /* the flush before the write */
	FLUSH_WRITE,
	FLUSH_AFTER,
};

/* The barrier or flush under way, see blk_flush.c. */
struct blk_sequence {
	enum flush_step step;
	struct request *rq; /* whose bios it is about */
	int status;         /* the first failure */
	struct request flush;
	struct list_node waiting; /* blk-mq: behind it */
};

struct blk_queue {
	struct calendar *cal;
	struct blk_driver driver;
	struct blk_observer observer;
	struct elevator *el;
	const struct elevator_ops *ops;
	struct list_node dispatch;
	sector_t end_sector;      /* dispatch order starts here */
	struct request *boundary; /* whose peek moves end_sector */
	struct request *last_merge;
	uint32_t held; /* by the elevator */
	uint32_t in_flight;
	bool is_plugged;
	bool is_running;       /* inside driver.run() */
	bool never_plugs;      /* blk-mq, or tagged and not rotating */
	bool runs_open;        /* an unplug runs even if not plugged */
	bool learns_tags;      /* never plugs after 5 in flight */
	bool pools_by_op;      /* up to 2.6.27 */
	bool has_hash;         /* not so noop in 2.6.18 */
	bool sync_write_waits; /* up to 2.6.27: sync write implies unplug */
	struct blk_pool pools[2];
	struct request *free;
	struct event unplug_timer;
	struct event unplug_work;
	struct event rerun_work;
	enum blk_rerun rerun;
	struct blk_sequence sequence;
	struct process_table processes;
	struct blk_config config;
	uint32_t reserved; /* processes with room in the calendar */
	struct request *requests;
	struct request *hash[1u << BLK_HASH_BITS];
};

static inline void
blk_tell(const struct blk_queue *q, enum blk_action action,
	 const struct request *rq, const struct bio *bio)
{
	if (unlikely(q->observer.event != NULL))
		q->observer.event(q->observer.ctx, action, rq, bio);
}

/* Nothing waits, in the elevator or behind it. */
static inline bool
blk_is_empty(const struct blk_queue *q)
{
	return q->held == 0 && list_is_empty(&q->dispatch);
}

/* blk_merge.c */
bool blk_merge_bio(struct blk_queue *q, struct bio *bio);
void blk_hash_add(struct blk_queue *q, struct request *rq);
void blk_hash_remove(struct request *rq);

/* blk_pool.c */
int blk_pool_init(struct blk_queue *q, struct err *e);
void blk_pool_free(struct blk_queue *q);
/* A request for @bio, or NULL: its process must sleep. */
struct request *blk_request_new(struct blk_queue *q, struct bio *bio);
void blk_request_free(struct blk_queue *q, struct request *rq);
void blk_process_sleep(struct blk_queue *q, struct bio *bio);

/* blk.c */
void blk_submit_now(struct blk_queue *q, struct bio *bio);
void blk_insert_for(struct blk_queue *q, struct request *rq, struct bio *bio);
/* End the bios of @rq and free it, which the elevator does not know. */
void blk_finish(struct blk_queue *q, struct request *rq, int status);

/* blk_flush.c */
static inline bool
bio_is_ordered(const struct bio *bio)
{
	return bio->op == IO_FLUSH ||
	       (bio->flags & (IO_BARRIER | IO_PREFLUSH)) != 0;
}

void blk_flush_insert(struct blk_queue *q, struct request *rq);
void blk_flush_begin(struct blk_queue *q, struct request *rq);
void blk_flush_step_done(struct blk_queue *q, struct request *rq, int status);

#endif
