/* SPDX-License-Identifier: MIT */
/*
 * The Linux block layer: bios become requests, requests wait in an elevator,
 * the driver takes them from the dispatch list.
 *
 *      blk_submit()                     blk_peek()  blk_start()
 *   bio ---------> merge, or request --> elevator --> dispatch list --> driver
 *       Q          M F      G I                   (when asked)    D      | C
 *        <--------------------- bio->end() <------ blk_complete() -------+
 *
 * A driver gives one function, run(), and calls back:
 *
 *	static void run(void *ctx)
 *	{
 *		struct request *rq;
 *
 *		while ((rq = blk_peek(q))) {	// claims rq for this driver
 *			if (no tag is free)
 *				break;		// rq stays first
 *			blk_start(q, rq);
 *			... issue ...
 *		}
 *	}
 *
 * Peeking before looking at the depth is what the SCSI layer does, and it
 * matters: the request peeked at is irrevocably the next one.  When the
 * device is done: blk_complete(); that runs the queue again.  run() is never
 * called from within itself.
 *
 * Nothing here allocates per bio or request.  Source of the behaviour: runs
 * of Linux 2.6.18 to 2.6.32.71, recorded in tests/elevators.
 */
#ifndef NCQSIM_HOST_BLK_H
#define NCQSIM_HOST_BLK_H

#include "models/elevators/elevator.h"
#include "sim/core/event.h"
#include "sim/host/process.h"
#include "sim/host/request.h"

struct blk_queue;

struct blk_driver {
	/* Take what the device can hold; called when something may be there. */
	void (*run)(void *ctx);
	void *ctx;
};

/* What happened; the letters of blktrace.  @rq or @bio may be NULL. */
enum blk_action {
	BLK_Q,       /* bio: submitted by its process */
	BLK_G,       /* rq, bio: a request was made */
	BLK_SLEEP,   /* bio: no request left, its process sleeps (S) */
	BLK_I,       /* rq: given to the elevator */
	BLK_M,       /* rq, bio: merged at the back */
	BLK_F,       /* rq, bio: merged at the front */
	BLK_SWALLOW, /* rq: has swallowed its neighbour (blktrace is silent) */
	BLK_P,       /* the queue was plugged */
	BLK_U,       /* unplugged */
	BLK_UT,      /* the unplug timer has expired */
	BLK_D,       /* rq: taken by the driver */
	BLK_R,       /* rq: given back by the driver */
	BLK_C,       /* rq: completed, before its bios end */
};

struct blk_observer {
	/* Must change nothing.  NULL when nobody listens. */
	void (*event)(void *ctx, enum blk_action action,
		      const struct request *rq, const struct bio *bio);
	void *ctx;
};

struct blk_config {
	enum host_era era;
	uint32_t nr_requests;     /* 128; of each kind, half as many more at
				   * most; 1 to 65536 */
	uint32_t max_sectors;     /* 1024; of one request */
	uint32_t unplug_thresh;   /* 4 requests */
	uint32_t unplug_delay_ms; /* 3 */
	bool is_nonrot;           /* the device reports no rotation */
	bool no_merges;           /* queue/nomerges: each bio a request */
	bool has_fua;             /* a barrier write needs no flush after it */
	const struct elevator_ops *elevator; /* checked by blk_create() */
};

/* The defaults of Linux 2.6.32 with noop. */
void blk_config_init(struct blk_config *config);

/*
 * A queue on @cal, which must outlive it, as must what @driver points to.
 * NULL with @e filled when @config is bad or memory runs out.
 */
struct blk_queue *
blk_create(const struct blk_config *config, struct calendar *cal,
	   const struct blk_driver *driver, struct err *e);
/* Bios still inside are forgotten; their end() is not called. */
void blk_destroy(struct blk_queue *q);

/* At most one observer; @observer is copied, NULL removes it. */
void blk_observe(struct blk_queue *q, const struct blk_observer *observer);

/*
 * Set a tunable of the elevator by its sysfs name, see option_set().  As in
 * sysfs, what init() derived from the default stays.
 */
int blk_set(struct blk_queue *q, const char *name, const char *text,
	    const struct option_place *place, struct err *e);

/* The process @pid, made if new; NULL with @e filled: out of memory. */
struct process *blk_process(struct blk_queue *q, uint32_t pid, struct err *e);
/* It exits, after what it has submitted; its pid may be used again. */
void blk_process_exit(struct blk_queue *q, struct process *p);

/* bio->end() is called exactly once, later than this call. */
void blk_submit(struct blk_queue *q, struct bio *bio);
/* What a process does that is about to wait: run the driver if plugged. */
void blk_unplug(struct blk_queue *q);

/*
 * The next request for the driver, or NULL: nothing, or plugged, or the
 * elevator holds back.  Until blk_start() the same request is returned, but
 * one given back with blk_requeue() comes first.
 */
struct request *blk_peek(struct blk_queue *q);
/* @rq, the last one peeked at, is with the device now. */
void blk_start(struct blk_queue *q, struct request *rq);
/* Give @rq back: it will be the next one peeked at.  Does not run. */
void blk_requeue(struct blk_queue *q, struct request *rq);
/* The device is done.  Ends its bios, frees it, runs the queue. */
void blk_complete(struct blk_queue *q, struct request *rq, int status);
/* Call run() if there may be something for it: clears a plug. */
void blk_run(struct blk_queue *q);

/* Requests made and not freed / with the device. */
uint32_t blk_allocated(const struct blk_queue *q);
uint32_t blk_in_flight(const struct blk_queue *q);
const struct elevator *blk_elevator(const struct blk_queue *q);

#endif
