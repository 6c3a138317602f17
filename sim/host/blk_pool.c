/* SPDX-License-Identifier: MIT */
/*
 * The request pool, the processes that sleep for it, and their exits.
 *
 * Of each kind nr_requests may be allocated, then half as many again by
 * batchers, the ones that filled the pool or were woken; everybody else
 * sleeps, in order, until a request is freed.
 */
#include "sim/host/blk_queue.h"

#include <stdlib.h>

#define BATCH_REQUESTS 32u
#define BATCH_JIFFIES  (BLK_HZ / 50)
#define RESERVE_CHUNK  64u

static void process_wake_fire(struct event *ev, nsec_t now_ns);

int
blk_pool_init(struct blk_queue *q, struct err *e)
{
	uint32_t each = 3 * q->config.nr_requests / 2 + 1;
	size_t total = 2 * (size_t)each;

	q->requests = calloc(total, sizeof(*q->requests));
	if (!q->requests)
		return err_nomem(e);
	for (size_t i = total; i-- > 0;) {
		q->requests[i].hash_next = q->free;
		q->free = &q->requests[i];
	}
	for (int i = 0; i < 2; i++)
		q->pools[i].sleepers_end = &q->pools[i].sleepers;
	return 0;
}

/* A run may end early: requests that are under way hold their contexts. */
void
blk_pool_free(struct blk_queue *q)
{
	uint32_t each = 3 * q->config.nr_requests / 2 + 1;

	for (size_t i = 0; q->requests && i < 2 * (size_t)each; i++)
		if (q->requests[i].context)
			io_context_put(q->requests[i].context);
	process_table_free(&q->processes);
	free(q->requests);
}

/* ---- allocation ---- */

static inline struct blk_pool *
pool_of(struct blk_queue *q, const struct bio *bio)
{
	return &q->pools[q->pools_by_op ? bio->op == IO_READ
					: bio_is_sync(bio)];
}

static bool
is_batcher(const struct blk_queue *q, const struct io_context *context)
{
	return context->batch_credit == BATCH_REQUESTS ||
	       (context->batch_credit > 0 &&
		blk_jiffies(q) < context->waited_jiffies + BATCH_JIFFIES);
}

static void
make_batcher(const struct blk_queue *q, struct io_context *context)
{
	if (is_batcher(q, context))
		return;
	context->batch_credit = BATCH_REQUESTS;
	context->waited_jiffies = blk_jiffies(q);
}

/* The pool is at its limit: may @context have one more? */
static bool
may_exceed(struct blk_queue *q, struct blk_pool *pool,
	   struct io_context *context, bool must)
{
	if (!pool->is_full) {
		make_batcher(q, context);
		pool->is_full = true;
	} else if (!must && !is_batcher(q, context)) {
		return false;
	}
	return pool->count < 3 * q->config.nr_requests / 2;
}

static void
request_init(struct blk_queue *q, struct request *rq, struct bio *bio)
{
	rq->lba = bio->lba;
	rq->sectors = bio->sectors;
	rq->state = bio_is_sync(bio) ? RQ_SYNC : 0;
	rq->op = bio->op;
	rq->flags = bio->flags;
	rq->first = bio;
	rq->last = bio;
	rq->context = io_context_get(bio->process->context);
	rq->driver = 0;
	rq->queued_ns = bio->queued_ns;
	rq->inserted_ns = q->cal->now_ns;
	rq->issued_ns = 0;
	rq->elv[0] = NULL;
	rq->elv[1] = NULL;
}

struct request *
blk_request_new(struct blk_queue *q, struct bio *bio)
{
	struct blk_pool *pool = pool_of(q, bio);
	struct io_context *context = bio->process->context;
	enum may_queue may =
		q->ops->may_queue ? q->ops->may_queue(q->el, bio) : MAY_QUEUE;
	struct request *rq;

	if (unlikely(may == MAY_NOT_QUEUE))
		return NULL;
	if (unlikely(pool->count + 1 >= q->config.nr_requests)) {
		if (!may_exceed(q, pool, context, may == MUST_QUEUE))
			return NULL;
		if (is_batcher(q, context))
			context->batch_credit--;
	}
	pool->count++;
	rq = q->free;
	q->free = rq->hash_next;
	request_init(q, rq, bio);
	if (pool == &q->pools[1])
		rq->state |= RQ_POOL_SYNC;
	if (q->ops->prepare)
		q->ops->prepare(q->el, rq, bio);
	return rq;
}

static void
wake_one(struct blk_queue *q, struct blk_pool *pool)
{
	struct process *p = pool->sleepers;

	pool->is_full = false;
	if (!p)
		return;
	pool->sleepers = p->next_sleeper;
	if (!pool->sleepers)
		pool->sleepers_end = &pool->sleepers;
	calendar_add(q->cal, &p->wake, q->cal->now_ns);
}

void
blk_request_free(struct blk_queue *q, struct request *rq)
{
	struct blk_pool *pool = &q->pools[(rq->state & RQ_POOL_SYNC) != 0];

	if (q->ops->release)
		q->ops->release(q->el, rq);
	io_context_put(rq->context);
	rq->context = NULL;
	rq->hash_next = q->free;
	q->free = rq;
	assert(pool->count > 0);
	pool->count--;
	if (pool->count + 1 <= q->config.nr_requests)
		wake_one(q, pool);
}

/* ---- processes ---- */

struct process *
blk_process(struct blk_queue *q, uint32_t pid, struct err *e)
{
	struct process *p = process_find(&q->processes, pid);

	if (likely(p && p->context))
		return p;
	if (!p) {
		if (q->processes.count >= q->reserved) {
			if (calendar_reserve(q->cal, RESERVE_CHUNK, e) < 0)
				return NULL;
			q->reserved += RESERVE_CHUNK;
		}
		p = process_add(&q->processes, pid, e);
		if (!p)
			return NULL;
		p->queue = q;
		event_init(&p->wake, PRIO_SUBMIT, process_wake_fire);
	}
	p->context = io_context_new(pid, q->ops->context_size);
	if (!p->context) {
		err_nomem(e);
		return NULL;
	}
	return p;
}

static void
detach_context(struct blk_queue *q, struct process *p)
{
	struct io_context *context = p->context;

	context->has_exited = true;
	if (q->ops->context_exit)
		q->ops->context_exit(q->el, context);
	p->context = NULL;
	io_context_put(context);
}

void
blk_process_exit(struct blk_queue *q, struct process *p)
{
	if (p->is_asleep)
		p->exit_parked = true;
	else if (p->context)
		detach_context(q, p);
}

/* Sleep for a request for @bio, behind those that sleep already. */
void
blk_process_sleep(struct blk_queue *q, struct bio *bio)
{
	struct blk_pool *pool = pool_of(q, bio);
	struct process *p = bio->process;

	p->is_asleep = true;
	p->blocked = bio;
	p->next_sleeper = NULL;
	blk_tell(q, BLK_SLEEP, NULL, bio);
	blk_unplug(q);
	*pool->sleepers_end = p;
	pool->sleepers_end = &p->next_sleeper;
}

/*
 * Submit what was parked, until the process sleeps again.  When no memory
 * is left for a new context, the process goes on with the old one.
 */
static void
submit_parked(struct blk_queue *q, struct process *p)
{
	while (p->parked && !p->is_asleep) {
		struct bio *bio = p->parked;

		p->parked = bio->next;
		if (!p->parked)
			p->parked_end = &p->parked;
		bio->next = NULL;
		if (bio->after_exit) {
			struct io_context *fresh =
				io_context_new(p->pid, q->ops->context_size);

			if (fresh) {
				detach_context(q, p);
				p->context = fresh;
			}
		}
		blk_submit_now(q, bio);
	}
	if (!p->is_asleep && p->exit_parked) {
		p->exit_parked = false;
		detach_context(q, p);
	}
}

static void
process_wake_fire(struct event *ev, nsec_t now_ns)
{
	struct process *p = container_of(ev, struct process, wake);
	struct blk_queue *q = p->queue;
	struct bio *bio = p->blocked;
	struct request *rq;

	(void)now_ns;
	p->is_asleep = false;
	make_batcher(q, p->context);
	rq = blk_request_new(q, bio);
	if (!rq) {
		blk_process_sleep(q, bio);
		return;
	}
	p->blocked = NULL;
	blk_insert_for(q, rq, bio);
	submit_parked(q, p);
}
