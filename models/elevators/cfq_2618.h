/* SPDX-License-Identifier: MIT */
/*
 * CFQ of 2.6.18, another scheduler than the later ones: queues wait in lists
 * by level, and rounds take the levels 0; 0, 1; 0, 1, 2; and so on, so that
 * a higher one has its turn more often.
 *
 *	level list --- its level's turn -------------------> current round
 *	current round --- first ---------------------------> active
 *	active --- slice over, with requests --------------> level list
 *	any --- has requests at the driver when sorted ----> busy list
 *	busy list --- the last of them completes ----------> level list
 *	any --- no request left ---------------------------> in no list
 *
 * Reads go to the queue of their process, all writes to a shared queue per
 * priority.  A slice begins with its first dispatch; a queue without the
 * idle window keeps it for one round of dispatching only.
 */
#ifndef NCQSIM_ELEVATORS_CFQ_2618_H
#define NCQSIM_ELEVATORS_CFQ_2618_H

#include "models/elevators/elevator.h"
#include "models/elevators/sorted.h"
#include "sim/host/blk_elevator.h"

#define CFQ18_LEVELS       8
#define CFQ18_LEVEL_NORMAL 4
#define CFQ18_SEEKY        131072 /* sectors */
#define CFQ18_IDLE_GRACE   (BLK_HZ / 10)
#define CFQ18_SEEKY_WAIT   2 /* ms */
#define CFQ18_SAMPLES_MIN  80
#define CFQ18_HW_TAG_MIN   5
#define CFQ18_ONE          256u /* 1.0 of the statistics */

enum kind {
	ASYNC,
	SYNC,
	KINDS,
};

struct queue18 {
	uint32_t refs;
	enum kind kind;
	enum io_class io_class;
	uint8_t level;
	uint8_t key;           /* what an async one is found by */
	struct list_node turn; /* in a level, round, busy or idle list */
	struct list_node all;
	struct rb_root sorted;
	struct list_node fifo;
	struct request *next;
	uint32_t dispatched; /* and not completed */
	bool is_busy;        /* has requests: in a list */
	bool idle_window;
	bool is_waiting; /* idling was armed */
	bool must_dispatch;
	bool must_queue_used;
	bool fifo_used; /* an expired one was picked in this slice */
	bool prio_changed;
	int64_t slice_end; /* 0: not begun */
	int64_t slice_left;
	/*
	 * When a slice ended with nothing at the driver, or the last request
	 * there completed while others waited: 0 for never.  A queue that
	 * ends its slice with its last requests at the driver is not marked,
	 * so it keeps its place among those that wait.
	 */
	int64_t served_at;
};

struct process18 {
	struct queue18 *queue[KINDS];
	bool is_known;
	int64_t completed_at;
	uint32_t think_samples;
	uint64_t think_total;
	uint64_t think_mean;
	uint32_t seek_samples;
	uint64_t seek_total;
	uint64_t seek_mean;
	sector_t last_end;
};

struct cfq18 {
	struct elevator elevator; /* first */
	int64_t quantum;
	int64_t queued;
	int64_t fifo_expire_ms[KINDS];
	int64_t back_seek_max_kib;
	int64_t back_seek_penalty;
	int64_t slice_ms[KINDS];
	int64_t slice_async_rq;
	int64_t slice_idle_ms;
	struct list_node levels[CFQ18_LEVELS];
	struct list_node round; /* the current one */
	struct list_node busy;
	struct list_node idle;
	struct list_node queues; /* all there are */
	int level;               /* the next one of the round */
	int level_end;           /* the last one */
	uint32_t busy_queues;
	uint32_t in_driver;
	bool hw_tag;
	struct queue18 *active;
	struct io_context *attached; /* a reference */
	uint32_t slice_dispatch;
	sector_t last_end;    /* of the last request dispatched */
	int64_t completed_at; /* not of the idle class */
	struct event idle_timer;
	struct event grace_timer;
};

static inline struct cfq18 *
cfq18_of(struct elevator *el)
{
	return container_of(el, struct cfq18, elevator);
}

static inline struct process18 *
cfq18_process_of(struct io_context *context)
{
	return io_context_data(context);
}

static inline struct queue18 *
cfq18_queue_of(const struct request *rq)
{
	return rq->elv[0];
}

static inline int64_t
cfq18_now(const struct cfq18 *cfq)
{
	return blk_jiffies(cfq->elevator.queue);
}

static inline enum kind
cfq18_kind_of(uint8_t op)
{
	return op == IO_READ ? SYNC : ASYNC;
}

/* cfq_2618_queue.c: turns, slices, queues and their priority */
struct queue18 *cfq18_first(struct list_node *list);
void cfq18_sort_queue(struct cfq18 *cfq, struct queue18 *q, bool is_preempted);
void cfq18_attach(struct cfq18 *cfq, struct io_context *context);
void cfq18_begin_slice(struct cfq18 *cfq, struct queue18 *q);
struct queue18 *cfq18_choose_queue(struct cfq18 *cfq);
void cfq18_end_slice(struct cfq18 *cfq, bool is_preempted);
void cfq18_put_queue(struct cfq18 *cfq, struct queue18 *q);
void cfq18_read_priority(struct cfq18 *cfq, struct queue18 *q,
			 const struct io_context *context);
struct queue18 *
cfq18_get_queue(struct cfq18 *cfq, struct io_context *context, enum kind kind);
void cfq18_note_priority(struct cfq18 *cfq, struct io_context *context);

#endif
