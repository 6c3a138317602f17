/* SPDX-License-Identifier: MIT */
/*
 * What an elevator may ask of the block layer.  Time is counted in jiffies
 * of 1 ms, as in the kernels modelled: the simulation begins at jiffy
 * 1 000 000, the elevator was initialised ten seconds earlier.
 */
#ifndef NCQSIM_HOST_BLK_ELEVATOR_H
#define NCQSIM_HOST_BLK_ELEVATOR_H

#include "models/elevators/elevator.h"
#include "sim/core/event.h"
#include "sim/host/process.h"
#include "sim/host/request.h"

#define BLK_HZ          1000
#define BLK_JIFFY_NS    NSEC_PER_MSEC
#define BLK_JIFFY_START 1000000
#define BLK_JIFFY_INIT  990000
#define BLK_ELV_TIMERS  4u /* that an elevator may have pending */

/* The present jiffy. */
int64_t blk_jiffies(const struct blk_queue *q);
nsec_t blk_now_ns(const struct blk_queue *q);
enum host_era blk_era(const struct blk_queue *q);
bool blk_is_nonrot(const struct blk_queue *q);
uint32_t blk_nr_requests(const struct blk_queue *q);

/*
 * Hand @rq to the driver: at the tail, or where one-way order from the end
 * of the last request the driver saw puts it.
 */
void blk_dispatch_tail(struct blk_queue *q, struct request *rq);
void blk_dispatch_sorted(struct blk_queue *q, struct request *rq);
/* Where the last request handed over and not yet taken ends; 0: none. */
sector_t blk_dispatch_end(const struct blk_queue *q);

/*
 * Arm @ev, made with event_init(ev, PRIO_TIMER, ...), for the moment jiffy
 * @at begins, or for the next jiffy when that is past.  Moves a pending one.
 */
void blk_timer_arm(struct blk_queue *q, struct event *ev, int64_t at);
void blk_timer_cancel(struct blk_queue *q, struct event *ev);

/*
 * How the worker thread runs the queue for an elevator.  From 2.6.28 on it
 * is BLK_RERUN_CLEAR; the older ones are for the eras that had them.
 */
enum blk_rerun {
	BLK_RERUN_CLEAR,  /* clear a plug, run */
	BLK_RERUN_UNPLUG, /* unplug, or run if not plugged */
	BLK_RERUN_PLAIN,  /* run, in vain while plugged */
};

void blk_set_rerun(struct blk_queue *q, enum blk_rerun how);
/* Run the queue from the worker thread: soon, at the same time. */
void blk_schedule_run(struct blk_queue *q);
/* Run it now, in the way blk_set_rerun() has set. */
void blk_rerun(struct blk_queue *q);

/* The elevator's bytes in @context. */
static inline void *
io_context_data(struct io_context *context)
{
	return context->elevator;
}

#endif
