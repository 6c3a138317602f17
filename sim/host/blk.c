/* SPDX-License-Identifier: MIT */
/*
 * Submission, plugging, the dispatch list and the driver's side.
 */
#include "sim/host/blk_queue.h"

#include <stdlib.h>
#include <string.h>

/* ---- running the driver ---- */

static void
schedule_work(struct blk_queue *q, struct event *work)
{
	if (!work->pending)
		calendar_add(q->cal, work, q->cal->now_ns);
}

static void
run_driver(struct blk_queue *q)
{
	if (unlikely(q->is_running)) {
		q->is_plugged = true;
		schedule_work(q, &q->unplug_work);
		return;
	}
	q->is_running = true;
	q->driver.run(q->driver.ctx);
	q->is_running = false;
}

/* Clear the plug; true when there was one. */
static bool
remove_plug(struct blk_queue *q)
{
	if (!q->is_plugged)
		return false;
	q->is_plugged = false;
	calendar_cancel(q->cal, &q->unplug_timer);
	blk_tell(q, BLK_U, NULL, NULL);
	return true;
}

void
blk_unplug(struct blk_queue *q)
{
	if (remove_plug(q) || q->runs_open)
		run_driver(q);
}

void
blk_run(struct blk_queue *q)
{
	remove_plug(q);
	if (!blk_is_empty(q))
		run_driver(q);
}

void
blk_rerun(struct blk_queue *q)
{
	switch (q->rerun) {
	case BLK_RERUN_CLEAR:
		blk_run(q);
		break;
	case BLK_RERUN_UNPLUG:
		remove_plug(q);
		run_driver(q);
		break;
	case BLK_RERUN_PLAIN:
		run_driver(q);
		break;
	}
}

void
blk_set_rerun(struct blk_queue *q, enum blk_rerun how)
{
	q->rerun = how;
}

void
blk_schedule_run(struct blk_queue *q)
{
	schedule_work(q, &q->rerun_work);
}

static void
rerun_work_fire(struct event *ev, nsec_t now_ns)
{
	(void)now_ns;
	blk_rerun(container_of(ev, struct blk_queue, rerun_work));
}

static void
unplug_work_fire(struct event *ev, nsec_t now_ns)
{
	struct blk_queue *q = container_of(ev, struct blk_queue, unplug_work);

	(void)now_ns;
	if (remove_plug(q))
		run_driver(q);
}

static void
unplug_timer_fire(struct event *ev, nsec_t now_ns)
{
	struct blk_queue *q = container_of(ev, struct blk_queue, unplug_timer);

	(void)now_ns;
	blk_tell(q, BLK_UT, NULL, NULL);
	schedule_work(q, &q->unplug_work);
}

/* ---- time ---- */

int64_t
blk_jiffies(const struct blk_queue *q)
{
	return BLK_JIFFY_START +
	       (int64_t)((uint64_t)q->cal->now_ns / (uint64_t)BLK_JIFFY_NS);
}

nsec_t
blk_now_ns(const struct blk_queue *q)
{
	return q->cal->now_ns;
}

void
blk_timer_arm(struct blk_queue *q, struct event *ev, int64_t at)
{
	int64_t soonest = blk_jiffies(q) + 1;

	assert(ev->prio == PRIO_TIMER);
	calendar_cancel(q->cal, ev);
	if (at < soonest)
		at = soonest;
	calendar_add(q->cal, ev, (at - BLK_JIFFY_START) * BLK_JIFFY_NS);
}

void
blk_timer_cancel(struct blk_queue *q, struct event *ev)
{
	calendar_cancel(q->cal, ev);
}

/* ---- submission ---- */

/* The timer is armed later, by submit_end(), for most never need it. */
static void
plug(struct blk_queue *q)
{
	if (q->is_plugged || q->never_plugs)
		return;
	q->is_plugged = true;
	blk_tell(q, BLK_P, NULL, NULL);
}

/* What follows the merge or the insertion of @bio. */
static inline void
submit_end(struct blk_queue *q, const struct bio *bio)
{
	bool waits = (bio->flags & IO_UNPLUG) != 0 || q->never_plugs ||
		     (q->sync_write_waits && bio->op == IO_WRITE &&
		      (bio->flags & IO_SYNC) != 0);

	if (waits)
		blk_unplug(q);
	else if (q->is_plugged && !q->unplug_timer.pending)
		blk_timer_arm(q, &q->unplug_timer,
			      blk_jiffies(q) + q->config.unplug_delay_ms);
}

static void
insert_request(struct blk_queue *q, struct request *rq)
{
	rq->inserted_ns = q->cal->now_ns;
	rq->state |= RQ_ELEVATOR;
	q->held++;
	blk_hash_add(q, rq);
	if (!q->last_merge)
		q->last_merge = rq;
	blk_tell(q, BLK_I, rq, NULL);
	q->ops->insert(q->el, rq);
	if (q->is_plugged &&
	    blk_allocated(q) - q->in_flight >= q->config.unplug_thresh)
		blk_unplug(q);
}

void
blk_insert_for(struct blk_queue *q, struct request *rq, struct bio *bio)
{
	blk_tell(q, BLK_G, rq, bio);
	if (blk_is_empty(q))
		plug(q);
	if (unlikely(bio_is_ordered(bio)))
		blk_flush_insert(q, rq);
	else
		insert_request(q, rq);
	submit_end(q, bio);
}

/* The process has the priority that its bio says, from now on. */
static void
set_priority(struct io_context *context, const struct bio *bio)
{
	context->io_class = bio->io_class;
	context->io_level = bio->io_level;
	context->priority_changed = true;
}

void
blk_submit_now(struct blk_queue *q, struct bio *bio)
{
	struct io_context *context = bio->process->context;
	struct request *rq;

	if (unlikely(bio->io_class != context->io_class ||
		     (bio->io_class != IO_CLASS_NONE &&
		      bio->io_level != context->io_level)))
		set_priority(context, bio);
	if (!blk_is_empty(q) && !bio_is_ordered(bio) && blk_merge_bio(q, bio)) {
		submit_end(q, bio);
		return;
	}
	rq = blk_request_new(q, bio);
	if (unlikely(!rq))
		blk_process_sleep(q, bio);
	else
		blk_insert_for(q, rq, bio);
}

void
blk_submit(struct blk_queue *q, struct bio *bio)
{
	struct process *p = bio->process;

	assert(p->queue == q);
	assert(bio->sectors > 0 || bio->op == IO_FLUSH);
	bio->queued_ns = q->cal->now_ns;
	bio->next = NULL;
	/* Also of a bio that waits for its process to wake: an observer's Q
	 * is where its latency is counted from. */
	blk_tell(q, BLK_Q, NULL, bio);
	if (likely(!p->is_asleep)) {
		blk_submit_now(q, bio);
		return;
	}
	bio->after_exit = p->exit_parked;
	p->exit_parked = false;
	*p->parked_end = bio;
	p->parked_end = &bio->next;
}

/* ---- the dispatch list ---- */

/* @rq leaves the elevator. */
static void
leave_elevator(struct blk_queue *q, struct request *rq)
{
	assert(q->held > 0);
	q->held--;
	blk_hash_remove(rq);
	if (q->last_merge == rq)
		q->last_merge = NULL;
}

void
blk_dispatch_tail(struct blk_queue *q, struct request *rq)
{
	leave_elevator(q, rq);
	list_add_tail(&q->dispatch, &rq->queue);
	q->end_sector = rq_end(rq);
	q->boundary = rq;
}

/* May @rq not go before @entry, which is in the dispatch list? */
static bool
stays_behind(const struct blk_queue *q, const struct request *entry,
	     const struct request *rq)
{
	bool entry_wraps = entry->lba < q->end_sector;
	bool rq_wraps = rq->lba < q->end_sector;

	if ((entry->op != rq->op && q->config.era > ERA_2_6_18) ||
	    (entry->state &
	     (RQ_STARTED | RQ_BARRIER | RQ_REQUEUED | RQ_FLUSH_SEQ)))
		return true;
	if (entry_wraps != rq_wraps)
		return rq_wraps;
	return entry->lba <= rq->lba;
}

void
blk_dispatch_sorted(struct blk_queue *q, struct request *rq)
{
	struct list_node *at = q->dispatch.prev;

	leave_elevator(q, rq);
	while (at != &q->dispatch &&
	       !stays_behind(q, container_of(at, struct request, queue), rq))
		at = at->prev;
	list_add_after(at, &rq->queue);
}

sector_t
blk_dispatch_end(const struct blk_queue *q)
{
	if (list_is_empty(&q->dispatch))
		return 0;
	return rq_end(container_of(q->dispatch.prev, struct request, queue));
}

/* ---- the driver's side ---- */

/* The head of the dispatch list, filled from the elevator; NULL if none. */
static struct request *
dispatch_head(struct blk_queue *q)
{
	struct request *rq;

	while (list_is_empty(&q->dispatch)) {
		/* A barrier under way lets nothing past it. */
		if (q->sequence.rq && q->config.era < ERA_MODERN)
			return NULL;
		if (!q->ops->dispatch(q->el, false))
			return NULL;
	}
	rq = list_first(&q->dispatch, struct request, queue);
	if (unlikely(rq->state & RQ_BARRIER) && !q->sequence.rq) {
		blk_flush_begin(q, rq);
		rq = list_first(&q->dispatch, struct request, queue);
	}
	return rq;
}

/*
 * A barrier is under way: may its next step, or @rq, not start yet?  What
 * was given back by the driver was before the barrier.
 */
static bool
must_wait(const struct blk_queue *q, const struct request *rq)
{
	if (q->config.era == ERA_MODERN)
		return false;
	if (rq->state & RQ_FLUSH_SEQ)
		return q->in_flight > 0;
	return !(rq->state & RQ_REQUEUED);
}

struct request *
blk_peek(struct blk_queue *q)
{
	struct request *rq;

	if (q->is_plugged)
		return NULL;
	rq = dispatch_head(q);
	if (!rq)
		return NULL;
	if (unlikely(q->sequence.rq != NULL) && must_wait(q, rq))
		return NULL;
	if (!(rq->state & RQ_STARTED)) {
		rq->state |= RQ_STARTED;
		if (q->ops->activate && (rq->state & RQ_ELEVATOR))
			q->ops->activate(q->el, rq);
	}
	if (!q->boundary || q->boundary == rq) {
		q->end_sector = rq_end(rq);
		q->boundary = NULL;
	}
	return rq;
}

void
blk_start(struct blk_queue *q, struct request *rq)
{
	assert((rq->state & (RQ_STARTED | RQ_ISSUED)) == RQ_STARTED);
	assert(q->dispatch.next == &rq->queue);
	list_remove(&rq->queue);
	rq->state |= RQ_ISSUED;
	rq->issued_ns = q->cal->now_ns;
	q->in_flight++;
	if (q->learns_tags && q->in_flight > 4)
		q->never_plugs = true;
	blk_tell(q, BLK_D, rq, NULL);
}

void
blk_requeue(struct blk_queue *q, struct request *rq)
{
	assert(rq->state & RQ_ISSUED);
	q->in_flight--;
	blk_tell(q, BLK_R, rq, NULL);
	if (q->ops->deactivate && (rq->state & RQ_ELEVATOR))
		q->ops->deactivate(q->el, rq);
	rq->state &= (uint16_t) ~(RQ_STARTED | RQ_ISSUED);
	rq->state |= RQ_REQUEUED;
	list_add_after(&q->dispatch, &rq->queue);
}

static void
end_bios(struct blk_queue *q, struct request *rq, int status)
{
	struct bio *bio = rq->first;

	rq->first = NULL;
	while (bio) {
		struct bio *next = bio->next;

		bio->end(bio, q->cal->now_ns, status);
		bio = next;
	}
}

void
blk_complete(struct blk_queue *q, struct request *rq, int status)
{
	assert(rq->state & RQ_ISSUED);
	q->in_flight--;
	if (unlikely(rq->state & RQ_FLUSH_SEQ)) {
		blk_flush_step_done(q, rq, status);
	} else {
		blk_tell(q, BLK_C, rq, NULL);
		end_bios(q, rq, status);
		if (q->ops->completed)
			q->ops->completed(q->el, rq);
		blk_request_free(q, rq);
	}
	blk_run(q);
}

void
blk_finish(struct blk_queue *q, struct request *rq, int status)
{
	blk_tell(q, BLK_C, rq, NULL);
	end_bios(q, rq, status);
	blk_request_free(q, rq);
}

/* ---- making and inspecting a queue ---- */

void
blk_config_init(struct blk_config *config)
{
	*config = (struct blk_config){
		.era = ERA_2_6_32,
		.nr_requests = 128,
		.max_sectors = 1024,
		.unplug_thresh = 4,
		.unplug_delay_ms = 3,
	};
	config->elevator = elevator_find("noop", config->era, NULL);
}

static int
check_config(const struct blk_config *config, struct err *e)
{
	const struct elevator_ops *ops = config->elevator;
	int rc = elevator_check(ops, e);

	if (rc < 0)
		return rc;
	if (config->era < ops->first_era || config->era > ops->last_era)
		return err_set(e, ERR_CONFIG,
			       "elevator %s belongs to host.kernel %s to %s, "
			       "not to %s",
			       ops->name, host_era_name(ops->first_era),
			       host_era_name(ops->last_era),
			       host_era_name(config->era));
	if (config->nr_requests < 1 || config->nr_requests > 65536)
		return err_set(e, ERR_CONFIG,
			       "nr_requests = %u: must be 1 to 65536",
			       config->nr_requests);
	if (config->max_sectors < 1)
		return err_set(e, ERR_CONFIG,
			       "max_sectors = 0: must be 1 or more");
	return 0;
}

static int
elevator_start(struct blk_queue *q, struct err *e)
{
	struct elevator head = { .ops = q->ops, .queue = q };

	q->el = calloc(1, q->ops->state_size);
	if (!q->el)
		return err_nomem(e);
	if (q->ops->options)
		option_defaults(q->ops->options, q->el);
	*q->el = head;
	return q->ops->init ? q->ops->init(q->el, e) : 0;
}

static void
queue_init(struct blk_queue *q, const struct blk_config *config)
{
	bool is_modern = config->era == ERA_MODERN;

	q->config = *config;
	q->ops = config->elevator;
	list_init(&q->dispatch);
	list_init(&q->sequence.waiting);
	q->never_plugs = is_modern;
	q->runs_open =
		is_modern || (config->is_nonrot && config->era > ERA_2_6_27);
	q->learns_tags = config->is_nonrot && config->era == ERA_2_6_32;
	q->pools_by_op = config->era <= ERA_2_6_27;
	q->sync_write_waits = q->pools_by_op;
	q->has_hash = config->era > ERA_2_6_18 || config->elevator->find_front;
	event_init(&q->unplug_timer, PRIO_TIMER, unplug_timer_fire);
	event_init(&q->unplug_work, PRIO_WORK, unplug_work_fire);
	event_init(&q->rerun_work, PRIO_WORK, rerun_work_fire);
}

struct blk_queue *
blk_create(const struct blk_config *config, struct calendar *cal,
	   const struct blk_driver *driver, struct err *e)
{
	struct blk_queue *q;

	if (check_config(config, e) < 0)
		return NULL;
	q = calloc(1, sizeof(*q));
	if (!q) {
		err_nomem(e);
		return NULL;
	}
	queue_init(q, config);
	q->cal = cal;
	q->driver = *driver;
	if (calendar_reserve(cal, 3 + BLK_ELV_TIMERS, e) < 0 ||
	    process_table_init(&q->processes, e) < 0 ||
	    blk_pool_init(q, e) < 0 || elevator_start(q, e) < 0) {
		blk_destroy(q);
		return NULL;
	}
	return q;
}

void
blk_destroy(struct blk_queue *q)
{
	if (!q)
		return;
	calendar_cancel(q->cal, &q->unplug_timer);
	calendar_cancel(q->cal, &q->unplug_work);
	calendar_cancel(q->cal, &q->rerun_work);
	if (q->el && q->ops->exit)
		q->ops->exit(q->el);
	free(q->el);
	blk_pool_free(q);
	free(q);
}

void
blk_observe(struct blk_queue *q, const struct blk_observer *observer)
{
	q->observer = observer ? *observer : (struct blk_observer){ 0 };
}

int
blk_set(struct blk_queue *q, const char *name, const char *text,
	const struct option_place *place, struct err *e)
{
	if (!q->ops->options)
		return err_set(e, ERR_CONFIG, "elevator.%s: %s has no tunables",
			       name, q->ops->name);
	return option_set(q->ops->options, q->el, name, text, place, e);
}

uint32_t
blk_allocated(const struct blk_queue *q)
{
	return q->pools[0].count + q->pools[1].count;
}

uint32_t
blk_in_flight(const struct blk_queue *q)
{
	return q->in_flight;
}

const struct elevator *
blk_elevator(const struct blk_queue *q)
{
	return q->el;
}

enum host_era
blk_era(const struct blk_queue *q)
{
	return q->config.era;
}

bool
blk_is_nonrot(const struct blk_queue *q)
{
	return q->config.is_nonrot;
}

uint32_t
blk_nr_requests(const struct blk_queue *q)
{
	return q->config.nr_requests;
}
