/* SPDX-License-Identifier: MIT */
/*
 * CFQ of 2.6.18: the requests, the dispatch, the completion.  See
 * cfq_2618.h.
 */
#include "models/elevators/cfq_2618.h"

#include <stdlib.h>

/* ---- requests of a queue ---- */

static struct request *
choose(const struct cfq18 *cfq, struct request *a, struct request *b)
{
	struct sorted_head head = {
		.last = cfq->last_end,
		.back_max = 2 * (sector_t)cfq->back_seek_max_kib,
		.penalty = (uint32_t)cfq->back_seek_penalty,
	};

	return sorted_choose(&head, a, b);
}

static struct request *
next_after(const struct cfq18 *cfq, struct queue18 *q, struct request *rq)
{
	struct request *up = sorted_next(rq);

	if (!up)
		up = sorted_request(rb_first(&q->sorted));
	return choose(cfq, up == rq ? NULL : up, sorted_prev(rq));
}

static void
take_out(struct cfq18 *cfq, struct queue18 *q, struct request *rq)
{
	if (q->next == rq)
		q->next = next_after(cfq, q, rq);
	rb_remove(&q->sorted, &rq->node);
	list_remove(&rq->queue);
	if (q->is_busy && !q->sorted.node) {
		q->is_busy = false;
		list_remove(&q->turn);
		cfq->busy_queues--;
	}
}

static void
move(struct cfq18 *cfq, struct queue18 *q, struct request *rq)
{
	q->next = next_after(cfq, q, rq);
	take_out(cfq, q, rq);
	q->dispatched++;
	blk_dispatch_sorted(cfq->elevator.queue, rq);
	cfq->last_end = blk_dispatch_end(cfq->elevator.queue);
}

static void
sort_in(struct cfq18 *cfq, struct queue18 *q, struct request *rq)
{
	struct request *alias;

	while ((alias = sorted_insert(&q->sorted, rq)))
		move(cfq, q, alias);
}

/* ---- insertion ---- */

static uint64_t
decay(uint64_t total, uint64_t sample)
{
	return (7 * total + CFQ18_ONE * sample) / 8;
}

static void
sample(struct cfq18 *cfq, struct process18 *p, const struct request *rq)
{
	int64_t think = cfq18_now(cfq) - p->completed_at;
	sector_t d = rq->lba > p->last_end ? rq->lba - p->last_end
					   : p->last_end - rq->lba;
	sector_t limit =
		4 * p->seek_mean + (p->seek_samples <= 60 ? 2097152 : 131072);

	if (think > 2 * cfq->slice_idle_ms)
		think = 2 * cfq->slice_idle_ms;
	p->think_samples = (uint32_t)decay(p->think_samples, 1);
	p->think_total = decay(p->think_total, (uint64_t)think);
	p->think_mean = (p->think_total + CFQ18_ONE / 2) / p->think_samples;
	if (d > limit)
		d = limit;
	p->seek_samples = (uint32_t)decay(p->seek_samples, 1);
	p->seek_total = decay(p->seek_total, d);
	p->seek_mean = (p->seek_total + p->seek_samples / 2) / p->seek_samples;
	p->last_end = rq_end(rq);
}

static void
update_idle_window(struct cfq18 *cfq, struct queue18 *q,
		   struct io_context *context)
{
	const struct process18 *p = cfq18_process_of(context);

	if (q->io_class == IO_CLASS_IDLE)
		return;
	if (context->has_exited || cfq->slice_idle_ms == 0 ||
	    (cfq->hw_tag && p->seek_mean > CFQ18_SEEKY))
		q->idle_window = false;
	else if (p->think_samples > CFQ18_SAMPLES_MIN)
		q->idle_window = p->think_mean <= (uint64_t)cfq->slice_idle_ms;
}

static bool
should_preempt(const struct cfq18 *cfq, const struct queue18 *q)
{
	const struct queue18 *active = cfq->active;

	if (!active || q->io_class == IO_CLASS_IDLE)
		return false;
	if (active->io_class == IO_CLASS_IDLE)
		return true;
	return q->is_waiting && q->slice_left >= cfq->slice_idle_ms &&
	       active->kind == ASYNC;
}

static int64_t
cfq18_slice(const struct cfq18 *cfq, enum kind kind, int level)
{
	int64_t base = cfq->slice_ms[kind];

	return base + base / 5 * (CFQ18_LEVEL_NORMAL - level);
}

static void
preempt(struct cfq18 *cfq, struct queue18 *q)
{
	int64_t left = q->slice_left;

	for (struct list_node *n = cfq->round.next, *next; n != &cfq->round;
	     n = next) {
		next = n->next;
		cfq18_sort_queue(cfq, container_of(n, struct queue18, turn),
				 true);
	}
	if (left == 0)
		left = cfq18_slice(cfq, q->kind, q->level) / 2;
	cfq18_end_slice(cfq, true);
	cfq18_begin_slice(cfq, q);
	q->slice_end = cfq18_now(cfq) + left;
	q->must_dispatch = true;
	blk_rerun(cfq->elevator.queue);
}

/* A write of the process that is waited for: it does not read on now. */
static void
enqueued_async(struct cfq18 *cfq, const struct request *rq)
{
	if (rq->context != cfq->attached || !cfq->idle_timer.pending)
		return;
	blk_timer_cancel(cfq->elevator.queue, &cfq->idle_timer);
	cfq18_end_slice(cfq, false);
	blk_rerun(cfq->elevator.queue);
}

static void
cfq18_insert(struct elevator *el, struct request *rq)
{
	struct cfq18 *cfq = cfq18_of(el);
	struct queue18 *q = cfq18_queue_of(rq);

	cfq18_read_priority(cfq, q, rq->context);
	sort_in(cfq, q, rq);
	if (!q->is_busy) {
		q->is_busy = true;
		cfq->busy_queues++;
		cfq18_sort_queue(cfq, q, false);
	}
	q->next = choose(cfq, q->next, rq);
	rq->deadline = cfq18_now(cfq);
	list_add_tail(&q->fifo, &rq->queue);
	if (q->kind == ASYNC) {
		enqueued_async(cfq, rq);
		return;
	}
	sample(cfq, cfq18_process_of(rq->context), rq);
	update_idle_window(cfq, q, rq->context);
	if (q == cfq->active && q->is_waiting) {
		q->must_dispatch = true;
		blk_timer_cancel(el->queue, &cfq->idle_timer);
		blk_rerun(el->queue);
	} else if (q != cfq->active && should_preempt(cfq, q)) {
		preempt(cfq, q);
	}
}

/* ---- merging ---- */

static struct request *
cfq18_find_front(struct elevator *el, const struct bio *bio)
{
	struct process18 *p = cfq18_process_of(bio->process->context);
	struct queue18 *q = p->queue[cfq18_kind_of(bio->op)];

	(void)el;
	return q ? sorted_find(&q->sorted, bio_end(bio)) : NULL;
}

static void
cfq18_merged_front(struct elevator *el, struct request *rq)
{
	struct cfq18 *cfq = cfq18_of(el);
	struct queue18 *q = cfq18_queue_of(rq);

	rb_remove(&q->sorted, &rq->node);
	sort_in(cfq, q, rq);
	q->next = choose(cfq, q->next, rq);
}

/* This CFQ hears of a merge, not at which end, and weighs the request anew. */
static void
cfq18_merged_back(struct elevator *el, struct request *rq)
{
	struct queue18 *q = cfq18_queue_of(rq);

	q->next = choose(cfq18_of(el), q->next, rq);
}

static struct request *
cfq18_former(struct elevator *el, struct request *rq)
{
	(void)el;
	return sorted_prev(rq);
}

static struct request *
cfq18_latter(struct elevator *el, struct request *rq)
{
	(void)el;
	return sorted_next(rq);
}

/* The survivor keeps its own age and place among the old. */
static void
cfq18_swallow(struct elevator *el, struct request *rq, struct request *gone)
{
	(void)rq;
	take_out(cfq18_of(el), cfq18_queue_of(gone), gone);
}

/* ---- dispatch ---- */

static bool
arm_idle(struct cfq18 *cfq, struct queue18 *q)
{
	const struct process18 *p;
	int64_t wait = cfq->slice_idle_ms;

	if (wait == 0 || !q->idle_window || !cfq->attached ||
	    cfq->attached->has_exited)
		return false;
	p = cfq18_process_of(cfq->attached);
	q->must_dispatch = true;
	q->is_waiting = true;
	if (p->seek_samples > CFQ18_SAMPLES_MIN && p->seek_mean > CFQ18_SEEKY &&
	    wait > CFQ18_SEEKY_WAIT)
		wait = CFQ18_SEEKY_WAIT;
	blk_timer_arm(cfq->elevator.queue, &cfq->idle_timer,
		      cfq18_now(cfq) + wait);
	return true;
}

/* The queue to serve, or NULL to wait. */
static struct queue18 *
select_queue(struct cfq18 *cfq)
{
	struct queue18 *q = cfq->active;

	if (!q)
		return cfq18_choose_queue(cfq);
	if (q->must_dispatch || cfq18_now(cfq) <= q->slice_end) {
		if (q->sorted.node)
			return q;
		if (q->dispatched > 0)
			return NULL;
		if (q->kind == SYNC && arm_idle(cfq, q))
			return NULL;
	}
	cfq18_end_slice(cfq, false);
	return cfq18_choose_queue(cfq);
}

static struct request *
pick(struct cfq18 *cfq, struct queue18 *q)
{
	struct request *oldest = fifo_head(&q->fifo);

	if (!q->fifo_used && oldest &&
	    cfq18_now(cfq) > oldest->deadline + cfq->fifo_expire_ms[q->kind]) {
		q->fifo_used = true;
		return oldest;
	}
	return q->next;
}

static void
serve(struct cfq18 *cfq, struct queue18 *q)
{
	int64_t max = q->io_class == IO_CLASS_IDLE ? 1 : cfq->quantum;
	int64_t r = cfq->slice_async_rq;

	for (int64_t n = 0; n < max && q->next; n++) {
		struct request *rq = pick(cfq, q);

		move(cfq, q, rq);
		cfq->slice_dispatch++;
		if (!cfq->attached)
			cfq18_attach(cfq, rq->context);
	}
	if (q->slice_end == 0)
		q->slice_end =
			cfq18_now(cfq) + cfq18_slice(cfq, q->kind, q->level);
	if ((q->kind == ASYNC &&
	     cfq->slice_dispatch >=
		     2 * (r + r * (CFQ18_LEVELS - 1 - q->level))) ||
	    q->io_class == IO_CLASS_IDLE || !q->idle_window)
		cfq18_end_slice(cfq, false);
}

static bool
dispatch_forced(struct cfq18 *cfq)
{
	cfq18_end_slice(cfq, false);
	for (struct list_node *n = cfq->queues.next; n != &cfq->queues;
	     n = n->next) {
		struct queue18 *q = container_of(n, struct queue18, all);

		if (!q->next)
			continue;
		while (q->next)
			move(cfq, q, q->next);
		return true;
	}
	return false;
}

static bool
cfq18_dispatch(struct elevator *el, bool is_forced)
{
	struct cfq18 *cfq = cfq18_of(el);
	struct queue18 *last = NULL, *q;

	if (is_forced)
		return dispatch_forced(cfq);
	while ((q = select_queue(cfq)) && q != last) {
		q->must_dispatch = false;
		q->is_waiting = false;
		blk_timer_cancel(el->queue, &cfq->idle_timer);
		serve(cfq, q);
		last = q;
		if (q->idle_window && cfq->active)
			break;
	}
	return last != NULL;
}

static void
cfq18_activate(struct elevator *el, struct request *rq)
{
	struct cfq18 *cfq = cfq18_of(el);

	(void)rq;
	if (++cfq->in_driver >= CFQ18_HW_TAG_MIN)
		cfq->hw_tag = true;
}

static void
cfq18_deactivate(struct elevator *el, struct request *rq)
{
	(void)rq;
	assert(cfq18_of(el)->in_driver > 0);
	cfq18_of(el)->in_driver--;
}

static void
cfq18_completed(struct elevator *el, struct request *rq)
{
	struct cfq18 *cfq = cfq18_of(el);
	struct queue18 *q = cfq18_queue_of(rq);

	assert(cfq->in_driver > 0 && q->dispatched > 0);
	cfq->in_driver--;
	q->dispatched--;
	if (q->io_class != IO_CLASS_IDLE)
		cfq->completed_at = cfq18_now(cfq);
	if (q->dispatched == 0 && q->is_busy) {
		q->served_at = cfq18_now(cfq);
		cfq18_sort_queue(cfq, q, false);
	}
	if (q->kind == SYNC)
		cfq18_process_of(rq->context)->completed_at = cfq18_now(cfq);
	if (q == cfq->active && q->kind == SYNC && !q->sorted.node &&
	    cfq18_now(cfq) <= q->slice_end)
		arm_idle(cfq, q);
	if (cfq->in_driver == 0)
		blk_schedule_run(el->queue);
}

static void
idle_timer_fire(struct event *ev, nsec_t now_ns)
{
	struct cfq18 *cfq = container_of(ev, struct cfq18, idle_timer);
	struct queue18 *q = cfq->active;

	(void)now_ns;
	if (q && cfq18_now(cfq) <= q->slice_end) {
		if (cfq->busy_queues == 0)
			return;
		if (q->sorted.node)
			q->must_dispatch = true;
		else
			cfq18_end_slice(cfq, false);
	} else {
		cfq18_end_slice(cfq, false);
	}
	blk_schedule_run(cfq->elevator.queue);
}

static void
grace_timer_fire(struct event *ev, nsec_t now_ns)
{
	struct cfq18 *cfq = container_of(ev, struct cfq18, grace_timer);
	int64_t end = cfq->completed_at + CFQ18_IDLE_GRACE;

	(void)now_ns;
	if (cfq18_now(cfq) < end)
		blk_timer_arm(cfq->elevator.queue, &cfq->grace_timer, end);
	else
		blk_schedule_run(cfq->elevator.queue);
}

/* ---- requests come and go ---- */

static enum may_queue
cfq18_may_queue(struct elevator *el, struct bio *bio)
{
	struct io_context *context = bio->process->context;
	struct queue18 *q =
		cfq18_process_of(context)->queue[cfq18_kind_of(bio->op)];

	if (!q)
		return MAY_QUEUE;
	cfq18_read_priority(cfq18_of(el), q, context);
	if (!q->is_waiting || q->must_queue_used)
		return MAY_QUEUE;
	q->must_queue_used = true;
	return MUST_QUEUE;
}

static void
cfq18_prepare(struct elevator *el, struct request *rq, const struct bio *bio)
{
	struct cfq18 *cfq = cfq18_of(el);
	struct process18 *p = cfq18_process_of(rq->context);
	enum kind kind = cfq18_kind_of(bio->op);

	if (!p->is_known) {
		p->is_known = true;
		p->completed_at = cfq18_now(cfq);
	}
	cfq18_note_priority(cfq, rq->context);
	if (!p->queue[kind])
		p->queue[kind] = cfq18_get_queue(cfq, rq->context, kind);
	rq->elv[0] = p->queue[kind];
	p->queue[kind]->refs++;
}

static void
cfq18_release(struct elevator *el, struct request *rq)
{
	cfq18_put_queue(cfq18_of(el), cfq18_queue_of(rq));
}

static void
cfq18_context_exit(struct elevator *el, struct io_context *context)
{
	struct cfq18 *cfq = cfq18_of(el);
	struct process18 *p = cfq18_process_of(context);

	for (int kind = ASYNC; kind < KINDS; kind++) {
		struct queue18 *q = p->queue[kind];

		if (!q)
			continue;
		if (q == cfq->active)
			cfq18_end_slice(cfq, false);
		p->queue[kind] = NULL;
		cfq18_put_queue(cfq, q);
	}
}

static int
cfq18_init(struct elevator *el, struct err *e)
{
	struct cfq18 *cfq = cfq18_of(el);

	(void)e;
	for (int i = 0; i < CFQ18_LEVELS; i++)
		list_init(&cfq->levels[i]);
	list_init(&cfq->round);
	list_init(&cfq->busy);
	list_init(&cfq->idle);
	list_init(&cfq->queues);
	cfq->completed_at = BLK_JIFFY_INIT;
	event_init(&cfq->idle_timer, PRIO_TIMER, idle_timer_fire);
	event_init(&cfq->grace_timer, PRIO_TIMER, grace_timer_fire);
	blk_set_rerun(el->queue, BLK_RERUN_UNPLUG);
	return 0;
}

static void
cfq18_exit(struct elevator *el)
{
	struct cfq18 *cfq = cfq18_of(el);

	blk_timer_cancel(el->queue, &cfq->idle_timer);
	blk_timer_cancel(el->queue, &cfq->grace_timer);
	cfq18_attach(cfq, NULL);
	while (!list_is_empty(&cfq->queues)) {
		struct queue18 *q =
			list_first(&cfq->queues, struct queue18, all);

		list_remove(&q->all);
		free(q);
	}
}

static const struct option cfq18_options[] = {
	ELEVATOR_OPTION1(struct cfq18, quantum, "quantum", "requests", "4",
			 INT32_MAX,
			 "Requests handed over in one round of a queue."),
	ELEVATOR_OPTION(struct cfq18, queued, "queued", "requests", "8",
			INT32_MAX,
			"Accepted, but without effect, as in the kernel."),
	ELEVATOR_OPTION1(struct cfq18, fifo_expire_ms[SYNC], "fifo_expire_sync",
			 "ms", "125", INT32_MAX,
			 "One read older than this is picked in a slice."),
	ELEVATOR_OPTION1(struct cfq18, fifo_expire_ms[ASYNC],
			 "fifo_expire_async", "ms", "250", INT32_MAX,
			 "One write older than this is picked in a slice."),
	ELEVATOR_OPTION(struct cfq18, back_seek_max_kib, "back_seek_max", "KiB",
			"16384", INT32_MAX,
			"Farther back than this, a request counts as a wrap."),
	ELEVATOR_OPTION1(struct cfq18, back_seek_penalty, "back_seek_penalty",
			 "", "2", INT32_MAX,
			 "Going back costs this many times the distance."),
	ELEVATOR_OPTION1(struct cfq18, slice_ms[SYNC], "slice_sync", "ms",
			 "100", INT32_MAX, "Slice of a process of level 4."),
	ELEVATOR_OPTION1(struct cfq18, slice_ms[ASYNC], "slice_async", "ms",
			 "40", INT32_MAX, "Slice of the writes of level 4."),
	ELEVATOR_OPTION1(
		struct cfq18, slice_async_rq, "slice_async_rq", "requests", "2",
		INT32_MAX,
		"A slice of writes ends after 2 (r + r (7 - level)) of them."),
	ELEVATOR_OPTION(struct cfq18, slice_idle_ms, "slice_idle", "ms", "8",
			INT32_MAX,
			"How long to wait for the next read of a process; 0 "
			"does not wait."),
};

static const struct option_table cfq18_table = {
	.section = "elevator",
	.help = "tunables of cfq of 2.6.18",
	.options = cfq18_options,
	.count = ARRAY_LEN(cfq18_options),
};

const struct elevator_ops cfq_2618_elevator = {
	.abi = ELEVATOR_ABI,
	.name = "cfq",
	.help = "a queue and a time slice for every process",
	.first_era = ERA_2_6_18,
	.last_era = ERA_2_6_18,
	.state_size = sizeof(struct cfq18),
	.context_size = sizeof(struct process18),
	.options = &cfq18_table,
	.init = cfq18_init,
	.exit = cfq18_exit,
	.insert = cfq18_insert,
	.dispatch = cfq18_dispatch,
	.find_front = cfq18_find_front,
	.merged_front = cfq18_merged_front,
	.merged_back = cfq18_merged_back,
	.former = cfq18_former,
	.latter = cfq18_latter,
	.swallow = cfq18_swallow,
	.activate = cfq18_activate,
	.deactivate = cfq18_deactivate,
	.completed = cfq18_completed,
	.may_queue = cfq18_may_queue,
	.prepare = cfq18_prepare,
	.release = cfq18_release,
	.context_exit = cfq18_context_exit,
};
