/* SPDX-License-Identifier: MIT */
/*
 * CFQ, complete fair queuing, of 2.6.27 to 2.6.32: shared by cfq*.c.
 *
 * Every process has a queue of its sync requests; async ones go to a shared
 * queue per priority.  Queues take turns, each for a time slice:
 *
 *	idle --- first request -----------------------> busy
 *	busy --- first of the service tree -----------> active
 *	active --- empty; more is expected soon ------> active, idling
 *	active --- a request arrives -----------------> active
 *	active --- slice used, timer, preempted ------> busy, or idle
 *	busy, active --- no request left -------------> not in the tree
 *
 * The slice begins to run at the first completion.
 */
#ifndef NCQSIM_ELEVATORS_CFQ_H
#define NCQSIM_ELEVATORS_CFQ_H

#include "models/elevators/elevator.h"
#include "models/elevators/sorted.h"
#include "sim/host/blk_elevator.h"

#define CFQ_LEVELS       8
#define CFQ_LEVEL_NORMAL 4
#define CFQ_CLOSE        8192 /* sectors; farther is seeky */
#define CFQ_MIN_THINK_MS 2    /* idling for a seeky process */
#define CFQ_SAMPLES_MIN  80   /* statistics are valid above */
#define CFQ_IDLE_DELAY   (BLK_HZ / 5)
#define CFQ_ONE          256u /* 1.0 of the statistics */
#define CFQ_SMALL        8    /* sectors of a page */

enum cfq_kind {
	CFQ_ASYNC,
	CFQ_SYNC,
	CFQ_KINDS,
};

struct cfq_seeks {
	uint32_t samples;
	uint64_t total;
	uint64_t mean;
	sector_t last_end; /* 0: none yet */
};

struct cfq_queue {
	uint32_t refs; /* processes, requests, slots */
	uint32_t pid;  /* of the process it was made for */
	enum cfq_kind kind;
	enum io_class io_class; /* never IO_CLASS_NONE */
	uint8_t level;
	struct rb_node node; /* in the service tree */
	int64_t key;         /* jiffies */
	struct rb_node close_node;
	struct rb_root *close_tree; /* NULL: in none */
	struct rb_root sorted;
	struct list_node fifo;
	struct request *next; /* to serve */
	uint32_t queued;
	uint32_t dispatched; /* and not completed */
	uint32_t meta_queued;
	int64_t slice_end;
	int64_t slice_resid;
	int64_t slice_start;     /* when it was activated */
	uint32_t slice_dispatch; /* requests of this slice */
	bool is_busy;            /* in the service tree */
	bool is_slice_new;       /* nothing has completed in it */
	bool has_waited;         /* idling was armed in this slice */
	bool must_dispatch;
	bool must_queue_used;
	bool fifo_checked;
	bool idle_window; /* idling is worth it */
	bool prio_changed;
	bool is_coop;
	bool coop_preempt;
	struct list_node all; /* of the elevator's list of queues */
	/* 2.6.32.71 */
	struct cfq_seeks seeks;
	struct cfq_queue *merge_into; /* a reference per process of this */
	uint32_t allocated;           /* requests that refer to it */
	bool is_splitting;            /* shared and seeky, since: */
	int64_t seeky_since;
};

/* The elevator's part of an io context. */
struct cfq_process {
	struct cfq_queue *queue[CFQ_KINDS];
	bool is_known;
	int64_t completed_at; /* last sync request, or first allocation */
	uint32_t think_samples;
	uint64_t think_total;
	uint64_t think_mean;
	struct cfq_seeks seeks;
};

struct cfq {
	struct elevator elevator; /* first */
	int64_t quantum;
	int64_t fifo_expire_ms[CFQ_KINDS];
	int64_t back_seek_max_kib;
	int64_t back_seek_penalty;
	int64_t slice_ms[CFQ_KINDS];
	int64_t slice_async_rq;
	int64_t slice_idle_ms;
	int64_t low_latency;
	enum host_era era;
	bool merges; /* cooperators share a queue, since 2.6.32.71 */
	struct rb_root service;
	struct rb_root close[CFQ_LEVELS];
	struct list_node queues; /* all there are */
	uint32_t busy_queues;
	/*
	 * Of the RT class, says 2.6.31, but it counts by the class at the
	 * time: what changes its class while busy is left in, or wraps it.
	 */
	uint32_t busy_rt;
	uint32_t queued;
	uint32_t in_driver[CFQ_KINDS];
	uint32_t sync_flight; /* dispatched by sync queues, not completed */
	bool hw_tag;          /* the drive seems to queue */
	uint32_t hw_samples;
	uint32_t hw_peak;
	struct event idle_timer;
	struct cfq_queue *active;
	struct io_context *attached; /* to the active slice; a reference */
	struct cfq_queue *async[2][CFQ_LEVELS]; /* RT, BE; references */
	struct cfq_queue *async_idle;
	sector_t last_end; /* of the last request activated */
	int64_t sync_done_at;
};

static inline struct cfq *
cfq_of(struct elevator *el)
{
	return container_of(el, struct cfq, elevator);
}

static inline struct cfq_process *
cfq_process_of(struct io_context *context)
{
	return io_context_data(context);
}

static inline struct cfq_queue *
cfq_queue_of(const struct request *rq)
{
	return rq->elv[0];
}

static inline enum cfq_kind
cfq_kind_of(const struct request *rq)
{
	return rq_is_sync(rq) ? CFQ_SYNC : CFQ_ASYNC;
}

static inline int64_t
cfq_now(const struct cfq *cfq)
{
	return blk_jiffies(cfq->elevator.queue);
}

static inline uint32_t
cfq_in_driver(const struct cfq *cfq)
{
	return cfq->in_driver[CFQ_SYNC] + cfq->in_driver[CFQ_ASYNC];
}

/* The seeks that count: those of the process, or since 2.6.32.71 of @q. */
static inline struct cfq_seeks *
cfq_seeks_of(const struct cfq *cfq, struct cfq_queue *q,
	     struct io_context *context)
{
	return cfq->merges ? &q->seeks : &cfq_process_of(context)->seeks;
}

static inline bool
cfq_is_seeky(const struct cfq_seeks *seeks)
{
	return seeks->mean > CFQ_CLOSE;
}

static inline bool
cfq_is_valid(uint32_t samples)
{
	return samples > CFQ_SAMPLES_MIN;
}

/* cfq_queue.c: queues, their priority, the service tree, slices */
struct cfq_queue *
cfq_queue_for(struct cfq *cfq, struct io_context *context, enum cfq_kind kind);
void cfq_queue_put(struct cfq *cfq, struct cfq_queue *q);
void cfq_read_priority(struct cfq_queue *q, struct io_context *context);
void cfq_note_priority(struct cfq *cfq, struct io_context *context);
int64_t cfq_slice(const struct cfq *cfq, enum cfq_kind kind, int level);
void cfq_service_add(struct cfq *cfq, struct cfq_queue *q, bool is_front);
void cfq_busy_add(struct cfq *cfq, struct cfq_queue *q);
void cfq_busy_remove(struct cfq *cfq, struct cfq_queue *q);
bool cfq_slice_used(const struct cfq *cfq, const struct cfq_queue *q);
void cfq_slice_end(struct cfq *cfq, struct cfq_queue *q, bool is_timed_out);
void cfq_activate_queue(struct cfq *cfq, struct cfq_queue *q);
void cfq_attach(struct cfq *cfq, struct io_context *context);

/* cfq_stats.c: think times, seeks, queues close to the head */
void cfq_sample(struct cfq *cfq, struct cfq_queue *q, struct request *rq);
bool
cfq_is_close(struct cfq *cfq, struct cfq_queue *q, const struct request *rq);
void cfq_close_add(struct cfq *cfq, struct cfq_queue *q);
void cfq_close_remove(struct cfq_queue *q);
struct cfq_queue *
cfq_cooperator(struct cfq *cfq, struct cfq_queue *q, bool is_probe);

/* cfq_merge.c: 2.6.32.71, queues that cooperate become one */
void cfq_merge_plan(struct cfq_queue *q, struct cfq_queue *other);
struct cfq_queue *cfq_merge_done(struct cfq *cfq, struct cfq_queue *q);
void cfq_merge_cancel(struct cfq *cfq, struct cfq_queue *q);

#endif
