/* SPDX-License-Identifier: MIT */
/*
 * bfq: budget fair queueing.  A queue per process for its sync requests,
 * one per weight for async ones; the queue in service may transfer a budget
 * of sectors, and queues are ordered by virtual time, so that each gets a
 * share of the sectors in proportion to its weight, 10 (8 - level).
 *
 * A queue becomes eligible when its virtual start is not after the virtual
 * time of the disk; of the eligible ones the one with the earliest virtual
 * finish, start + budget / weight, is served (B-WF2Q+).  Service ends when
 * the budget or timeout_sync is used up, or the queue stays empty for
 * slice_idle.  Async sectors are charged three times.
 *
 * Modelled from public descriptions: budgets, virtual times, idling of sync
 * queues, classes, expiry of requests.  Not modelled: weight raising, queue
 * merging, injection, adaptive budgets, groups.
 */
#include "models/elevators/elevator.h"
#include "models/elevators/sorted.h"
#include "sim/host/blk_elevator.h"

#include <stdlib.h>

#define LEVEL_NORMAL   4
#define BUDGET_DEFAULT (16 * 1024) /* sectors */
#define ASYNC_CHARGE   3
#define VTIME_SHIFT    16

enum kind {
	ASYNC,
	SYNC,
	KINDS,
};

struct bfq_queue {
	uint32_t refs;
	enum kind kind;
	uint8_t io_class;
	uint8_t level;
	struct list_node all;
	struct rb_root sorted;
	struct list_node fifo;
	struct request *next;
	uint32_t queued;
	uint32_t dispatched; /* and not completed */
	int64_t served;      /* sectors of this budget */
	uint64_t start;      /* virtual, sectors << VTIME_SHIFT / weight */
	uint64_t finish;
};

struct bfq_process {
	struct bfq_queue *queue[KINDS];
};

struct bfq {
	struct elevator elevator; /* first */
	int64_t fifo_expire_ms[KINDS];
	int64_t back_seek_max_kib;
	int64_t back_seek_penalty;
	int64_t slice_idle_ms;
	int64_t timeout_sync_ms;
	int64_t max_budget;
	struct list_node queues;
	struct bfq_queue *active;
	int64_t active_until; /* jiffies */
	uint64_t vtime;
	uint64_t weight; /* of all queues with requests */
	uint32_t queued;
	sector_t last_end;
	struct event idle_timer;
};

static struct bfq *
bfq_of(struct elevator *el)
{
	return container_of(el, struct bfq, elevator);
}

static struct bfq_queue *
queue_of(const struct request *rq)
{
	return rq->elv[0];
}

static enum kind
kind_of(const struct request *rq)
{
	return rq_is_sync(rq) ? SYNC : ASYNC;
}

static uint64_t
budget_of(const struct bfq *bfq)
{
	return bfq->max_budget > 0 ? (uint64_t)bfq->max_budget : BUDGET_DEFAULT;
}

static uint64_t
weight_of(const struct bfq_queue *q)
{
	return 10 * (8u - q->level);
}

static uint64_t
weighted(const struct bfq_queue *q, uint64_t sectors)
{
	return (sectors << VTIME_SHIFT) / weight_of(q);
}

/* ---- queues ---- */

/* A queue that wakes does not catch up for the time it slept. */
static void
set_times(struct bfq *bfq, struct bfq_queue *q, uint64_t start)
{
	q->start = start > bfq->vtime ? start : bfq->vtime;
	q->finish = q->start + weighted(q, budget_of(bfq));
	q->served = 0;
}

static void
put_queue(struct bfq *bfq, struct bfq_queue *q)
{
	assert(q->refs > 0);
	if (--q->refs > 0)
		return;
	assert(q->queued == 0 && q->dispatched == 0);
	if (bfq->active == q)
		bfq->active = NULL;
	list_remove(&q->all);
	free(q);
}

static struct bfq_queue *
find_async(struct bfq *bfq, uint8_t io_class, uint8_t level)
{
	for (struct list_node *n = bfq->queues.next; n != &bfq->queues;
	     n = n->next) {
		struct bfq_queue *q = container_of(n, struct bfq_queue, all);

		if (q->kind == ASYNC && q->io_class == io_class &&
		    q->level == level)
			return q;
	}
	return NULL;
}

static struct bfq_queue *
get_queue(struct bfq *bfq, const struct io_context *context, enum kind kind)
{
	bool has_class = context->io_class != IO_CLASS_NONE;
	uint8_t io_class = has_class ? context->io_class : IO_CLASS_BE;
	uint8_t level = has_class ? context->io_level : LEVEL_NORMAL;
	struct bfq_queue *q;

	q = kind == ASYNC ? find_async(bfq, io_class, level) : NULL;
	if (!q) {
		q = calloc(1, sizeof(*q));
		/* One per process that has bios: there is no way to go on. */
		assert(q);
		q->kind = kind;
		q->io_class = io_class;
		q->level = level;
		list_init(&q->fifo);
		list_add_tail(&bfq->queues, &q->all);
	}
	q->refs++;
	return q;
}

/* RT before BE before idle; then eligible ones; then the virtual finish. */
static bool
is_better(const struct bfq *bfq, const struct bfq_queue *a,
	  const struct bfq_queue *b)
{
	bool a_eligible = a->start <= bfq->vtime;
	bool b_eligible = b->start <= bfq->vtime;

	if (a->io_class != b->io_class)
		return a->io_class < b->io_class;
	if (a_eligible != b_eligible)
		return a_eligible;
	return a->finish < b->finish;
}

static struct bfq_queue *
choose_queue(struct bfq *bfq)
{
	struct bfq_queue *best = NULL;

	for (struct list_node *n = bfq->queues.next; n != &bfq->queues;
	     n = n->next) {
		struct bfq_queue *q = container_of(n, struct bfq_queue, all);

		if (q->next && (!best || is_better(bfq, q, best)))
			best = q;
	}
	if (best && best->start > bfq->vtime)
		bfq->vtime = best->start; /* nobody was eligible */
	return best;
}

static void
end_service(struct bfq *bfq)
{
	struct bfq_queue *q = bfq->active;

	blk_timer_cancel(bfq->elevator.queue, &bfq->idle_timer);
	bfq->active = NULL;
	set_times(bfq, q, q->start + weighted(q, (uint64_t)q->served));
}

/* ---- requests ---- */

static struct request *
choose(const struct bfq *bfq, struct request *a, struct request *b)
{
	struct sorted_head head = {
		.last = bfq->last_end,
		.back_max = 2 * (sector_t)bfq->back_seek_max_kib,
		.penalty = (uint32_t)bfq->back_seek_penalty,
	};

	return a == b ? a : sorted_choose(&head, a, b);
}

static void
take_out(struct bfq *bfq, struct bfq_queue *q, struct request *rq)
{
	if (q->next == rq) {
		struct request *up = sorted_next(rq);

		if (!up)
			up = sorted_request(rb_first(&q->sorted));
		q->next = choose(bfq, up == rq ? NULL : up, sorted_prev(rq));
	}
	rb_remove(&q->sorted, &rq->node);
	list_remove(&rq->queue);
	bfq->queued--;
	if (--q->queued == 0)
		bfq->weight -= weight_of(q);
}

static void
move(struct bfq *bfq, struct request *rq)
{
	struct bfq_queue *q = queue_of(rq);
	int64_t charge = rq->sectors;

	if (q->kind == ASYNC)
		charge *= ASYNC_CHARGE;
	q->served += charge;
	bfq->vtime += ((uint64_t)charge << VTIME_SHIFT) / bfq->weight;
	bfq->last_end = rq_end(rq);
	take_out(bfq, q, rq);
	q->dispatched++;
	blk_dispatch_tail(bfq->elevator.queue, rq);
}

static void
sort_in(struct bfq *bfq, struct request *rq)
{
	struct request *alias;

	while ((alias = sorted_insert(&queue_of(rq)->sorted, rq)))
		move(bfq, alias);
}

static void
bfq_insert(struct elevator *el, struct request *rq)
{
	struct bfq *bfq = bfq_of(el);
	struct bfq_queue *q = queue_of(rq);

	if (q->queued == 0 && q != bfq->active)
		set_times(bfq, q, q->start);
	if (q->queued++ == 0)
		bfq->weight += weight_of(q);
	bfq->queued++;
	sort_in(bfq, rq);
	q->next = choose(bfq, q->next, rq);
	rq->deadline =
		blk_jiffies(el->queue) + bfq->fifo_expire_ms[kind_of(rq)];
	list_add_tail(&q->fifo, &rq->queue);
	if (q == bfq->active)
		blk_timer_cancel(el->queue, &bfq->idle_timer);
}

static struct bfq_queue *
queue_of_bio(const struct bio *bio)
{
	struct bfq_process *p = io_context_data(bio->process->context);

	return p->queue[bio_is_sync(bio) ? SYNC : ASYNC];
}

static struct request *
bfq_find_front(struct elevator *el, const struct bio *bio)
{
	struct bfq_queue *q = queue_of_bio(bio);

	(void)el;
	return q ? sorted_find(&q->sorted, bio_end(bio)) : NULL;
}

static bool
bfq_allow_merge(struct elevator *el, const struct request *rq,
		const struct bio *bio)
{
	(void)el;
	return bio_is_sync(bio) == rq_is_sync(rq) &&
	       queue_of_bio(bio) == queue_of(rq);
}

static void
bfq_merged_front(struct elevator *el, struct request *rq)
{
	struct bfq_queue *q = queue_of(rq);

	rb_remove(&q->sorted, &rq->node);
	sort_in(bfq_of(el), rq);
	q->next = choose(bfq_of(el), q->next, rq);
}

static struct request *
bfq_former(struct elevator *el, struct request *rq)
{
	(void)el;
	return sorted_prev(rq);
}

static struct request *
bfq_latter(struct elevator *el, struct request *rq)
{
	(void)el;
	return sorted_next(rq);
}

static void
bfq_swallow(struct elevator *el, struct request *rq, struct request *gone)
{
	fifo_inherit(rq, gone);
	take_out(bfq_of(el), queue_of(gone), gone);
}

/* ---- service ---- */

/* Is it worth to wait for the next request of the queue in service? */
static bool
may_idle(const struct bfq *bfq, const struct bfq_queue *q)
{
	return q->kind == SYNC && q->io_class != IO_CLASS_IDLE &&
	       bfq->slice_idle_ms > 0 && bfq->queued > 0 &&
	       !blk_is_nonrot(bfq->elevator.queue);
}

static bool
is_over(const struct bfq *bfq, const struct bfq_queue *q)
{
	return q->served >= (int64_t)budget_of(bfq) ||
	       blk_jiffies(bfq->elevator.queue) >= bfq->active_until;
}

static struct bfq_queue *
select_queue(struct bfq *bfq)
{
	struct bfq_queue *q = bfq->active;

	if (q && !is_over(bfq, q)) {
		if (q->next)
			return q;
		if (bfq->idle_timer.pending ||
		    (q->dispatched > 0 && may_idle(bfq, q)))
			return NULL;
	}
	if (q)
		end_service(bfq);
	q = choose_queue(bfq);
	bfq->active = q;
	bfq->active_until =
		blk_jiffies(bfq->elevator.queue) + bfq->timeout_sync_ms;
	return q;
}

static bool
bfq_dispatch(struct elevator *el, bool is_forced)
{
	struct bfq *bfq = bfq_of(el);
	struct bfq_queue *q;
	struct request *rq;

	if (bfq->queued == 0)
		return false;
	if (is_forced && bfq->active)
		end_service(bfq);
	q = select_queue(bfq);
	if (!q)
		return false;
	rq = fifo_head(&q->fifo);
	if (rq->deadline > blk_jiffies(el->queue))
		rq = q->next;
	move(bfq, rq);
	return true;
}

static void
bfq_completed(struct elevator *el, struct request *rq)
{
	struct bfq *bfq = bfq_of(el);
	struct bfq_queue *q = queue_of(rq);

	assert(q->dispatched > 0);
	q->dispatched--;
	if (q == bfq->active && !q->next && q->dispatched == 0 &&
	    !is_over(bfq, q) && may_idle(bfq, q))
		blk_timer_arm(el->queue, &bfq->idle_timer,
			      blk_jiffies(el->queue) + bfq->slice_idle_ms);
}

static void
idle_timer_fire(struct event *ev, nsec_t now_ns)
{
	struct bfq *bfq = container_of(ev, struct bfq, idle_timer);

	(void)now_ns;
	if (bfq->active)
		end_service(bfq);
	blk_schedule_run(bfq->elevator.queue);
}

/* ---- requests come and go ---- */

static void
bfq_prepare(struct elevator *el, struct request *rq, const struct bio *bio)
{
	struct bfq *bfq = bfq_of(el);
	struct bfq_process *p = io_context_data(rq->context);
	enum kind kind = kind_of(rq);

	(void)bio;
	if (rq->context->priority_changed) {
		rq->context->priority_changed = false;
		for (int i = ASYNC; i < KINDS; i++)
			if (p->queue[i])
				put_queue(bfq, p->queue[i]);
		p->queue[ASYNC] = NULL;
		p->queue[SYNC] = NULL;
	}
	if (!p->queue[kind])
		p->queue[kind] = get_queue(bfq, rq->context, kind);
	rq->elv[0] = p->queue[kind];
	p->queue[kind]->refs++;
}

static void
bfq_release(struct elevator *el, struct request *rq)
{
	put_queue(bfq_of(el), queue_of(rq));
}

static void
bfq_context_exit(struct elevator *el, struct io_context *context)
{
	struct bfq_process *p = io_context_data(context);

	for (int i = ASYNC; i < KINDS; i++)
		if (p->queue[i])
			put_queue(bfq_of(el), p->queue[i]);
	p->queue[ASYNC] = NULL;
	p->queue[SYNC] = NULL;
}

static int
bfq_init(struct elevator *el, struct err *e)
{
	(void)e;
	list_init(&bfq_of(el)->queues);
	event_init(&bfq_of(el)->idle_timer, PRIO_TIMER, idle_timer_fire);
	return 0;
}

static void
bfq_exit(struct elevator *el)
{
	struct bfq *bfq = bfq_of(el);

	blk_timer_cancel(el->queue, &bfq->idle_timer);
	while (!list_is_empty(&bfq->queues)) {
		struct bfq_queue *q =
			list_first(&bfq->queues, struct bfq_queue, all);

		list_remove(&q->all);
		free(q);
	}
}

static const struct option bfq_options[] = {
	ELEVATOR_OPTION(struct bfq, fifo_expire_ms[SYNC], "fifo_expire_sync",
			"ms", "125", INT32_MAX,
			"A sync request that has waited as long goes first in "
			"its queue."),
	ELEVATOR_OPTION(struct bfq, fifo_expire_ms[ASYNC], "fifo_expire_async",
			"ms", "250", INT32_MAX,
			"An async request that has waited as long goes first "
			"in its queue."),
	ELEVATOR_OPTION(struct bfq, back_seek_max_kib, "back_seek_max", "KiB",
			"16384", INT32_MAX,
			"Farther back than this, a request counts as a wrap."),
	ELEVATOR_OPTION1(struct bfq, back_seek_penalty, "back_seek_penalty", "",
			 "2", INT32_MAX,
			 "Going back costs this many times the distance."),
	ELEVATOR_OPTION(struct bfq, slice_idle_ms, "slice_idle", "ms", "8",
			INT32_MAX,
			"How long to wait for the next request of a process; 0 "
			"does not wait."),
	ELEVATOR_OPTION1(struct bfq, timeout_sync_ms, "timeout_sync", "ms",
			 "125", INT32_MAX,
			 "A queue is served no longer than this."),
	ELEVATOR_OPTION(struct bfq, max_budget, "max_budget", "sectors", "0",
			INT32_MAX, "Sectors of one service; 0 is 16384."),
};

static const struct option_table bfq_table = {
	.section = "elevator",
	.help = "tunables of bfq",
	.options = bfq_options,
	.count = ARRAY_LEN(bfq_options),
};

const struct elevator_ops bfq_elevator = {
	.abi = ELEVATOR_ABI,
	.name = "bfq",
	.help = "shares the sectors among processes by weight",
	.first_era = ERA_MODERN,
	.last_era = ERA_MODERN,
	.state_size = sizeof(struct bfq),
	.context_size = sizeof(struct bfq_process),
	.options = &bfq_table,
	.init = bfq_init,
	.exit = bfq_exit,
	.insert = bfq_insert,
	.dispatch = bfq_dispatch,
	.find_front = bfq_find_front,
	.allow_merge = bfq_allow_merge,
	.merged_front = bfq_merged_front,
	.former = bfq_former,
	.latter = bfq_latter,
	.swallow = bfq_swallow,
	.completed = bfq_completed,
	.prepare = bfq_prepare,
	.release = bfq_release,
	.context_exit = bfq_context_exit,
};
