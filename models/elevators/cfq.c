/* SPDX-License-Identifier: MIT */
/*
 * CFQ: the requests, the dispatch, the completion.  See cfq.h.
 */
#include "models/elevators/cfq.h"

#include <stdlib.h>

#define HW_QUEUE_MIN 5
#define HW_SAMPLES   50

/* ---- requests of a queue ---- */

static bool
is_meta(const struct request *rq)
{
	return (rq->flags & IO_META) != 0;
}

/* Sync first, then metadata, then the nearer. */
static struct request *
choose(const struct cfq *cfq, struct request *a, struct request *b)
{
	struct sorted_head head = {
		.last = cfq->last_end,
		.back_max = 2 * (sector_t)cfq->back_seek_max_kib,
		.penalty = (uint32_t)cfq->back_seek_penalty,
	};

	if (!a || !b || a == b)
		return a ? a : b;
	if (rq_is_sync(a) != rq_is_sync(b))
		return rq_is_sync(a) ? a : b;
	if (is_meta(a) != is_meta(b))
		return is_meta(a) ? a : b;
	return sorted_choose(&head, a, b);
}

/* The best one after @rq, which is still sorted. */
static struct request *
next_after(const struct cfq *cfq, struct cfq_queue *q, struct request *rq)
{
	struct request *up = sorted_next(rq);

	if (!up)
		up = sorted_request(rb_first(&q->sorted));
	return choose(cfq, up == rq ? NULL : up, sorted_prev(rq));
}

static void
take_out(struct cfq *cfq, struct cfq_queue *q, struct request *rq)
{
	if (q->next == rq)
		q->next = next_after(cfq, q, rq);
	rb_remove(&q->sorted, &rq->node);
	list_remove(&rq->queue);
	q->queued--;
	cfq->queued--;
	if (is_meta(rq))
		q->meta_queued--;
	if (q->is_busy && !q->sorted.node)
		cfq_busy_remove(cfq, q);
}

/* To the driver, whatever the slices say. */
static void
move(struct cfq *cfq, struct cfq_queue *q, struct request *rq)
{
	/* Before 2.6.32 another one that was to be next stays it. */
	if (cfq->era >= ERA_2_6_32)
		q->next = next_after(cfq, q, rq);
	take_out(cfq, q, rq);
	q->dispatched++;
	if (q->kind == CFQ_SYNC)
		cfq->sync_flight++;
	blk_dispatch_sorted(cfq->elevator.queue, rq);
}

static void
sort_in(struct cfq *cfq, struct cfq_queue *q, struct request *rq)
{
	struct request *alias;

	while ((alias = sorted_insert(&q->sorted, rq)))
		move(cfq, q, alias);
}

static void
update_next(struct cfq *cfq, struct cfq_queue *q, struct request *rq)
{
	struct request *old = q->next;

	q->next = choose(cfq, q->next, rq);
	if (q->next != old)
		cfq_close_add(cfq, q);
}

/* ---- insertion ---- */

static void
preempt(struct cfq *cfq, struct cfq_queue *q)
{
	cfq_slice_end(cfq, cfq->active, true);
	cfq_service_add(cfq, q, true);
	q->slice_end = 0;
	q->is_slice_new = true;
	blk_rerun(cfq->elevator.queue);
}

/* Shall @q, which has got @rq, take over from the active queue? */
static bool
should_preempt(struct cfq *cfq, struct cfq_queue *q, const struct request *rq)
{
	const struct cfq_queue *active = cfq->active;

	if (!active)
		return false;
	if (cfq_slice_used(cfq, active))
		return true;
	if (q->io_class == IO_CLASS_IDLE)
		return false;
	if (active->io_class == IO_CLASS_IDLE)
		return true;
	if (rq_is_sync(rq) && active->kind == CFQ_ASYNC)
		return true;
	if (is_meta(rq) && active->meta_queued == 0)
		return true;
	if (cfq->era >= ERA_2_6_31 && q->io_class == IO_CLASS_RT &&
	    active->io_class != IO_CLASS_RT)
		return true;
	if (!cfq->attached || !active->has_waited ||
	    !cfq_is_close(cfq, cfq->active, rq))
		return false;
	if (cfq->era < ERA_2_6_32 || cfq->merges)
		return true;
	if (q->is_coop && cfq->busy_queues > 1)
		return false;
	q->is_coop = true;
	q->coop_preempt = true;
	return true;
}

/*
 * A request for the queue that idles.  A small one, nobody else waiting, may
 * become larger: it waits for an unplug or the timer.
 */
static void
end_idling(struct cfq *cfq, struct cfq_queue *q, const struct request *rq)
{
	bool is_27 = cfq->era == ERA_2_6_27;

	if (is_27)
		q->must_dispatch = true;
	if (is_27 || rq->sectors > CFQ_SMALL || cfq->busy_queues > 1) {
		blk_timer_cancel(cfq->elevator.queue, &cfq->idle_timer);
		blk_rerun(cfq->elevator.queue);
	}
	if (!is_27)
		q->must_dispatch = true;
}

static void
cfq_insert(struct elevator *el, struct request *rq)
{
	struct cfq *cfq = cfq_of(el);
	struct cfq_queue *q = cfq_queue_of(rq);

	cfq_read_priority(q, rq->context);
	q->queued++;
	cfq->queued++;
	if (is_meta(rq))
		q->meta_queued++;
	sort_in(cfq, q, rq);
	if (!q->is_busy)
		cfq_busy_add(cfq, q);
	update_next(cfq, q, rq);
	rq->deadline = cfq_now(cfq) + cfq->fifo_expire_ms[cfq_kind_of(rq)];
	list_add_tail(&q->fifo, &rq->queue);
	cfq_sample(cfq, q, rq);
	if (q == cfq->active) {
		if (q->has_waited)
			end_idling(cfq, q, rq);
	} else if (should_preempt(cfq, q, rq)) {
		preempt(cfq, q);
	}
}

/* ---- merging ---- */

static struct cfq_queue *
queue_of_bio(const struct bio *bio)
{
	struct cfq_process *p = cfq_process_of(bio->process->context);

	return p->queue[bio_is_sync(bio) ? CFQ_SYNC : CFQ_ASYNC];
}

static struct request *
cfq_find_front(struct elevator *el, const struct bio *bio)
{
	struct cfq_queue *q = queue_of_bio(bio);

	(void)el;
	return q ? sorted_find(&q->sorted, bio_end(bio)) : NULL;
}

static bool
cfq_allow_merge(struct elevator *el, const struct request *rq,
		const struct bio *bio)
{
	(void)el;
	if (bio_is_sync(bio) && !rq_is_sync(rq))
		return false;
	return queue_of_bio(bio) == cfq_queue_of(rq);
}

static void
cfq_merged_front(struct elevator *el, struct request *rq)
{
	struct cfq *cfq = cfq_of(el);
	struct cfq_queue *q = cfq_queue_of(rq);

	rb_remove(&q->sorted, &rq->node);
	sort_in(cfq, q, rq);
	update_next(cfq, q, rq);
}

static struct request *
cfq_former(struct elevator *el, struct request *rq)
{
	(void)el;
	return sorted_prev(rq);
}

static struct request *
cfq_latter(struct elevator *el, struct request *rq)
{
	(void)el;
	return sorted_next(rq);
}

static void
cfq_swallow(struct elevator *el, struct request *rq, struct request *gone)
{
	fifo_inherit(rq, gone);
	take_out(cfq_of(el), cfq_queue_of(gone), gone);
}

/* ---- dispatch ---- */

/* The active queue for this dispatch, or NULL to wait. */
static struct cfq_queue *
select_queue(struct cfq *cfq)
{
	struct cfq_queue *q = cfq->active;
	struct cfq_queue *next = NULL;

	if (q) {
		if (cfq_slice_used(cfq, q) &&
		    (!q->must_dispatch || cfq->era == ERA_2_6_27))
			goto expire;
		if (cfq->era == ERA_2_6_31 && cfq->busy_rt > 0 &&
		    q->io_class != IO_CLASS_RT) {
			cfq_slice_end(cfq, q, true);
			goto chosen;
		}
		if (q->sorted.node)
			return q;
		next = cfq_cooperator(cfq, q, false);
		if (next && cfq->merges)
			cfq_merge_plan(q, next);
		if (next)
			goto expire;
		if (cfq->idle_timer.pending ||
		    (q->dispatched > 0 && q->idle_window))
			return NULL;
	expire:
		cfq_slice_end(cfq, q, false);
	}
chosen:
	cfq_activate_queue(cfq, next);
	return cfq->active;
}

/* How many requests of an async queue the time without sync ones allows. */
static int64_t
async_depth(const struct cfq *cfq, const struct cfq_queue *q)
{
	int64_t depth =
		(cfq_now(cfq) - cfq->sync_done_at) / cfq->slice_ms[CFQ_SYNC];

	return depth == 0 && q->dispatched == 0 ? 1 : depth;
}

static bool
may_dispatch(const struct cfq *cfq, const struct cfq_queue *q)
{
	bool is_idle = q->io_class == IO_CLASS_IDLE;
	int64_t limit = is_idle ? 1 : cfq->quantum;

	if (cfq->era >= ERA_2_6_32 && q->idle_window &&
	    cfq->in_driver[CFQ_ASYNC] > 0)
		return false;
	if (q->kind == CFQ_ASYNC && cfq->sync_flight > 0)
		return false;
	if (q->dispatched >= limit) {
		if (cfq->busy_queues > 1 || (is_idle && cfq->era != ERA_2_6_27))
			return false;
		limit *= 4;
	}
	if (cfq->era >= ERA_2_6_32 && q->kind == CFQ_ASYNC &&
	    cfq->low_latency) {
		int64_t depth = async_depth(cfq, q);

		if (depth < limit)
			limit = depth;
	}
	return q->dispatched < limit;
}

/* The oldest request has a chance once a slice, at its beginning. */
static struct request *
pick(struct cfq *cfq, struct cfq_queue *q)
{
	struct request *oldest = fifo_head(&q->fifo);

	if (q->fifo_checked)
		return q->next;
	q->fifo_checked = true;
	return oldest && oldest->deadline <= cfq_now(cfq) ? oldest : q->next;
}

static int64_t
async_quota(const struct cfq *cfq, const struct cfq_queue *q)
{
	int64_t r = cfq->slice_async_rq;

	return 2 * (r + r * (CFQ_LEVELS - 1 - q->level));
}

/* Others wait and @q has had its share. */
static void
end_quota(struct cfq *cfq, struct cfq_queue *q)
{
	if (cfq->busy_queues > 1 &&
	    (q->io_class == IO_CLASS_IDLE ||
	     (q->kind == CFQ_ASYNC &&
	      q->slice_dispatch >= async_quota(cfq, q))))
		cfq_slice_end(cfq, q, false);
}

static void
serve(struct cfq *cfq, struct cfq_queue *q)
{
	struct request *rq = pick(cfq, q);

	move(cfq, q, rq);
	if (!cfq->attached)
		cfq_attach(cfq, rq->context);
	q->slice_dispatch++;
	q->must_dispatch = false;
	end_quota(cfq, q);
}

/* Everything, queue by queue, for a barrier. */
static bool
dispatch_forced(struct cfq *cfq)
{
	struct rb_node *first = rb_first(&cfq->service);
	struct cfq_queue *q;

	if (cfq->active)
		cfq_slice_end(cfq, cfq->active, false);
	if (!first)
		return false;
	q = container_of(first, struct cfq_queue, node);
	while (q->next)
		move(cfq, q, q->next);
	return true;
}

/*
 * 2.6.27 hands over up to a quantum at once, and goes on with the next queue
 * until one has to wait, or would begin where it has just had its share.
 */
static bool
dispatch_rounds(struct cfq *cfq)
{
	struct cfq_queue *q;
	bool did = false;

	while ((q = select_queue(cfq)) && may_dispatch(cfq, q)) {
		int64_t max = q->io_class == IO_CLASS_IDLE ? 1 : cfq->quantum;

		q->must_dispatch = false;
		q->has_waited = false;
		blk_timer_cancel(cfq->elevator.queue, &cfq->idle_timer);
		for (int64_t n = 0; n < max && q->next; n++) {
			struct request *rq = pick(cfq, q);

			move(cfq, q, rq);
			q->slice_dispatch++;
			if (!cfq->attached)
				cfq_attach(cfq, rq->context);
		}
		end_quota(cfq, q);
		did = true;
		if (!cfq->active && rb_first(&cfq->service) == &q->node)
			break;
	}
	return did;
}

static bool
cfq_dispatch(struct elevator *el, bool is_forced)
{
	struct cfq *cfq = cfq_of(el);
	struct cfq_queue *q;

	if (is_forced)
		return dispatch_forced(cfq);
	if (cfq->era == ERA_2_6_27)
		return dispatch_rounds(cfq);
	if (cfq->busy_queues == 0)
		return false;
	q = select_queue(cfq);
	if (!q || !may_dispatch(cfq, q))
		return false;
	serve(cfq, q);
	return true;
}

static void
cfq_activate(struct elevator *el, struct request *rq)
{
	struct cfq *cfq = cfq_of(el);

	cfq->in_driver[cfq_kind_of(rq)]++;
	if (cfq->era == ERA_2_6_27 && cfq_in_driver(cfq) >= HW_QUEUE_MIN)
		cfq->hw_tag = true;
	cfq->last_end = rq_end(rq);
}

static void
cfq_deactivate(struct elevator *el, struct request *rq)
{
	struct cfq *cfq = cfq_of(el);

	assert(cfq->in_driver[cfq_kind_of(rq)] > 0);
	cfq->in_driver[cfq_kind_of(rq)]--;
}

/* ---- completion ---- */

/* 2.6.27 runs the queue even if it is empty: that may end a slice. */
static void
schedule_run(struct cfq *cfq)
{
	if (cfq->busy_queues > 0 || cfq->era == ERA_2_6_27)
		blk_schedule_run(cfq->elevator.queue);
}

/* Does the drive take several?  Asked of busy times only. */
static void
update_hw_tag(struct cfq *cfq)
{
	uint32_t in_driver = cfq_in_driver(cfq);

	if (cfq->era == ERA_2_6_27)
		return;
	if (in_driver > cfq->hw_peak)
		cfq->hw_peak = in_driver;
	if (cfq->queued <= HW_QUEUE_MIN && in_driver <= HW_QUEUE_MIN)
		return;
	if (++cfq->hw_samples <= HW_SAMPLES)
		return;
	cfq->hw_tag = cfq->hw_peak >= HW_QUEUE_MIN;
	cfq->hw_samples = 0;
	cfq->hw_peak = 0;
}

/* The active queue is empty: wait for its process, if that pays. */
static void
arm_idle(struct cfq *cfq, struct cfq_queue *q)
{
	const struct cfq_process *p;
	const struct cfq_seeks *seeks;
	int64_t wait = cfq->slice_idle_ms;
	int64_t left = q->slice_end - cfq_now(cfq);

	if (blk_is_nonrot(cfq->elevator.queue) && cfq->hw_tag)
		return;
	if (wait == 0 || !q->idle_window || cfq_in_driver(cfq) > 0)
		return;
	if (!cfq->attached || cfq->attached->has_exited)
		return;
	p = cfq_process_of(cfq->attached);
	seeks = cfq_seeks_of(cfq, q, cfq->attached);
	if (cfq->era >= ERA_2_6_32 && cfq_is_valid(p->think_samples) &&
	    left < (int64_t)p->think_mean)
		return;
	q->has_waited = true;
	if (cfq_is_valid(seeks->samples) && cfq_is_seeky(seeks) &&
	    wait > CFQ_MIN_THINK_MS)
		wait = CFQ_MIN_THINK_MS;
	blk_timer_arm(cfq->elevator.queue, &cfq->idle_timer,
		      cfq_now(cfq) + wait);
}

static void
active_completed(struct cfq *cfq, struct cfq_queue *q, const struct request *rq)
{
	if (q->is_slice_new) {
		q->slice_end = cfq_now(cfq) + cfq_slice(cfq, q->kind, q->level);
		q->is_slice_new = false;
	}
	if (cfq_slice_used(cfq, q) || q->io_class == IO_CLASS_IDLE)
		cfq_slice_end(cfq, q, true);
	else if (!q->sorted.node && !cfq_cooperator(cfq, q, true) &&
		 rq_is_sync(rq) &&
		 (cfq->era == ERA_2_6_27 || !(rq->flags & IO_NOIDLE)))
		arm_idle(cfq, q);
}

static void
cfq_completed(struct elevator *el, struct request *rq)
{
	struct cfq *cfq = cfq_of(el);
	struct cfq_queue *q = cfq_queue_of(rq);

	update_hw_tag(cfq);
	assert(cfq->in_driver[cfq_kind_of(rq)] > 0 && q->dispatched > 0);
	cfq->in_driver[cfq_kind_of(rq)]--;
	q->dispatched--;
	if (q->kind == CFQ_SYNC)
		cfq->sync_flight--;
	if (rq_is_sync(rq)) {
		cfq_process_of(rq->context)->completed_at = cfq_now(cfq);
		cfq->sync_done_at = cfq_now(cfq);
	}
	if (q == cfq->active)
		active_completed(cfq, q, rq);
	if (cfq_in_driver(cfq) == 0)
		schedule_run(cfq);
}

static void
idle_timer_fire(struct event *ev, nsec_t now_ns)
{
	struct cfq *cfq = container_of(ev, struct cfq, idle_timer);
	struct cfq_queue *q = cfq->active;

	(void)now_ns;
	if (q && !q->must_dispatch) {
		bool is_used = cfq_slice_used(cfq, q);

		if (!is_used && cfq->busy_queues == 0)
			return;
		if (is_used || !q->sorted.node)
			cfq_slice_end(cfq, q, false);
	}
	schedule_run(cfq);
}

/* ---- requests come and go ---- */

static enum may_queue
cfq_may_queue(struct elevator *el, struct bio *bio)
{
	struct cfq_queue *q = queue_of_bio(bio);

	(void)el;
	if (!q)
		return MAY_QUEUE;
	cfq_read_priority(q, bio->process->context);
	if (!q->has_waited || q->must_queue_used)
		return MAY_QUEUE;
	q->must_queue_used = true;
	return MUST_QUEUE;
}

static void
cfq_prepare(struct elevator *el, struct request *rq, const struct bio *bio)
{
	struct cfq *cfq = cfq_of(el);
	struct cfq_process *p = cfq_process_of(rq->context);
	enum cfq_kind kind = cfq_kind_of(rq);

	(void)bio;
	if (!p->is_known) {
		p->is_known = true;
		p->completed_at = cfq_now(cfq);
	}
	cfq_note_priority(cfq, rq->context);
	if (p->queue[kind] && cfq->merges)
		p->queue[kind] = cfq_merge_done(cfq, p->queue[kind]);
	if (!p->queue[kind])
		p->queue[kind] = cfq_queue_for(cfq, rq->context, kind);
	rq->elv[0] = p->queue[kind];
	p->queue[kind]->refs++;
	p->queue[kind]->allocated++;
}

static void
cfq_release(struct elevator *el, struct request *rq)
{
	struct cfq_queue *q = cfq_queue_of(rq);

	q->allocated--;
	cfq_queue_put(cfq_of(el), q);
}

static void
cfq_context_exit(struct elevator *el, struct io_context *context)
{
	struct cfq *cfq = cfq_of(el);
	struct cfq_process *p = cfq_process_of(context);

	for (int kind = CFQ_ASYNC; kind < CFQ_KINDS; kind++) {
		struct cfq_queue *q = p->queue[kind];

		if (!q)
			continue;
		if (q == cfq->active) {
			cfq_slice_end(cfq, q, false);
			schedule_run(cfq);
		}
		p->queue[kind] = NULL;
		if (cfq->merges)
			cfq_merge_cancel(cfq, q);
		cfq_queue_put(cfq, q);
	}
}

static int
cfq_init(struct elevator *el, struct err *e)
{
	struct cfq *cfq = cfq_of(el);

	(void)e;
	cfq->era = blk_era(el->queue);
	cfq->hw_tag = cfq->era >= ERA_2_6_31;
	cfq->merges = cfq->era == ERA_2_6_32_71;
	cfq->sync_done_at = BLK_JIFFY_INIT;
	list_init(&cfq->queues);
	event_init(&cfq->idle_timer, PRIO_TIMER, idle_timer_fire);
	if (cfq->era <= ERA_2_6_27)
		blk_set_rerun(el->queue, BLK_RERUN_UNPLUG);
	return 0;
}

static void
cfq_exit(struct elevator *el)
{
	struct cfq *cfq = cfq_of(el);

	blk_timer_cancel(el->queue, &cfq->idle_timer);
	cfq_attach(cfq, NULL);
	while (!list_is_empty(&cfq->queues)) {
		struct cfq_queue *q =
			list_first(&cfq->queues, struct cfq_queue, all);

		list_remove(&q->all);
		free(q);
	}
}

static const struct option cfq_options[] = {
	ELEVATOR_OPTION1(struct cfq, quantum, "quantum", "requests", "4",
			 INT32_MAX,
			 "Requests a queue may have at the drive while others "
			 "wait, four times as many alone."),
	ELEVATOR_OPTION1(struct cfq, fifo_expire_ms[CFQ_SYNC],
			 "fifo_expire_sync", "ms", "125", INT32_MAX,
			 "A sync request older than this begins the slice."),
	ELEVATOR_OPTION1(struct cfq, fifo_expire_ms[CFQ_ASYNC],
			 "fifo_expire_async", "ms", "250", INT32_MAX,
			 "An async request older than this begins the slice."),
	ELEVATOR_OPTION(struct cfq, back_seek_max_kib, "back_seek_max", "KiB",
			"16384", INT32_MAX,
			"Farther back than this, a request counts as a wrap."),
	ELEVATOR_OPTION1(struct cfq, back_seek_penalty, "back_seek_penalty", "",
			 "2", INT32_MAX,
			 "Going back costs this many times the distance."),
	ELEVATOR_OPTION1(struct cfq, slice_ms[CFQ_SYNC], "slice_sync", "ms",
			 "100", INT32_MAX, "Slice of a process of level 4."),
	ELEVATOR_OPTION1(struct cfq, slice_ms[CFQ_ASYNC], "slice_async", "ms",
			 "40", INT32_MAX,
			 "Slice of the async requests of level 4."),
	ELEVATOR_OPTION1(
		struct cfq, slice_async_rq, "slice_async_rq", "requests", "2",
		INT32_MAX,
		"An async slice ends after 2 (r + r (7 - level)) of them."),
	ELEVATOR_OPTION(struct cfq, slice_idle_ms, "slice_idle", "ms", "8",
			INT32_MAX,
			"How long to wait for the next request of a process; 0 "
			"does not wait."),
	ELEVATOR_OPTION(struct cfq, low_latency, "low_latency", "", "1", 1,
			"1: throttle async requests after sync ones, idle for "
			"seeky processes too."),
};

static const struct option_table cfq_table = {
	.section = "elevator",
	.help = "tunables of cfq",
	.options = cfq_options,
	.count = ARRAY_LEN(cfq_options),
};

const struct elevator_ops cfq_elevator = {
	.abi = ELEVATOR_ABI,
	.name = "cfq",
	.help = "a queue and a time slice for every process",
	.first_era = ERA_2_6_27,
	.last_era = ERA_2_6_32_71,
	.state_size = sizeof(struct cfq),
	.context_size = sizeof(struct cfq_process),
	.options = &cfq_table,
	.init = cfq_init,
	.exit = cfq_exit,
	.insert = cfq_insert,
	.dispatch = cfq_dispatch,
	.find_front = cfq_find_front,
	.allow_merge = cfq_allow_merge,
	.merged_front = cfq_merged_front,
	.former = cfq_former,
	.latter = cfq_latter,
	.swallow = cfq_swallow,
	.activate = cfq_activate,
	.deactivate = cfq_deactivate,
	.completed = cfq_completed,
	.may_queue = cfq_may_queue,
	.prepare = cfq_prepare,
	.release = cfq_release,
	.context_exit = cfq_context_exit,
};
