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
#include "models/elevators/elevator.h"
#include "models/elevators/sorted.h"
#include "sim/host/blk_elevator.h"

#include <stdlib.h>

#define LEVELS       8
#define LEVEL_NORMAL 4
#define SEEKY        131072 /* sectors */
#define IDLE_GRACE   (BLK_HZ / 10)
#define SEEKY_WAIT   2 /* ms */
#define SAMPLES_MIN  80
#define HW_TAG_MIN   5
#define ONE          256u /* 1.0 of the statistics */

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
	int64_t served_at; /* 0: never */
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
	struct list_node levels[LEVELS];
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

static struct cfq18 *
cfq_of(struct elevator *el)
{
	return container_of(el, struct cfq18, elevator);
}

static struct process18 *
process_of(struct io_context *context)
{
	return io_context_data(context);
}

static struct queue18 *
queue_of(const struct request *rq)
{
	return rq->elv[0];
}

static int64_t
now(const struct cfq18 *cfq)
{
	return blk_jiffies(cfq->elevator.queue);
}

static enum kind
kind_of(uint8_t op)
{
	return op == IO_READ ? SYNC : ASYNC;
}

/* ---- turns ---- */

static struct queue18 *
first_of(struct list_node *list)
{
	return list_is_empty(list) ? NULL
				   : list_first(list, struct queue18, turn);
}

/* By the time of the last service; the never served before the others. */
static void
add_by_service(struct list_node *list, struct queue18 *q)
{
	struct list_node *at = list->prev;

	for (; at != list; at = at->prev) {
		const struct queue18 *other =
			container_of(at, struct queue18, turn);

		if (other->served_at == 0 || other->served_at < q->served_at)
			break;
	}
	list_add_after(at, &q->turn);
}

/* Sort @q in, in front of its list when it was preempted. */
static void
sort_queue(struct cfq18 *cfq, struct queue18 *q, bool is_preempted)
{
	struct list_node *list = &cfq->levels[q->level];

	list_remove(&q->turn);
	if (q->io_class == IO_CLASS_RT)
		list = &cfq->round;
	else if (q->io_class == IO_CLASS_IDLE)
		list = &cfq->idle;
	else if (q->dispatched > 0)
		list = &cfq->busy;
	if (is_preempted)
		list_add_after(list, &q->turn);
	else if (list == &cfq->busy)
		list_add_tail(list, &q->turn);
	else
		add_by_service(list, q);
}

/* Fill the round with the next level that has queues; false: there is none. */
static bool
next_level(struct cfq18 *cfq)
{
	bool has_wrapped = false;
	int level;

	for (;;) {
		for (level = cfq->level; level <= cfq->level_end; level++)
			if (!list_is_empty(&cfq->levels[level]))
				break;
		if (level <= cfq->level_end)
			break;
		cfq->level = 0;
		if (++cfq->level_end == LEVELS) {
			cfq->level_end = 0;
			if (has_wrapped)
				return false;
			has_wrapped = true;
		}
	}
	while (!list_is_empty(&cfq->levels[level])) {
		struct list_node *node = cfq->levels[level].next;

		list_remove(node);
		list_add_tail(&cfq->round, node);
	}
	cfq->level = level + 1;
	if (cfq->level > cfq->level_end) {
		cfq->level_end = cfq->level;
		cfq->level = 0;
	}
	if (cfq->level_end == LEVELS) {
		cfq->level = 0;
		cfq->level_end = 0;
	}
	return true;
}

static void
attach(struct cfq18 *cfq, struct io_context *context)
{
	if (context)
		io_context_get(context);
	if (cfq->attached)
		io_context_put(cfq->attached);
	cfq->attached = context;
}

static void
begin_slice(struct cfq18 *cfq, struct queue18 *q)
{
	cfq->active = q;
	if (!q)
		return;
	blk_timer_cancel(cfq->elevator.queue, &cfq->grace_timer);
	q->slice_end = 0;
	q->slice_left = 0;
	q->must_queue_used = false;
	q->fifo_used = false;
}

/* The idle class has its turn when nobody else had a request for a while. */
static struct queue18 *
first_idle(struct cfq18 *cfq)
{
	int64_t end = cfq->completed_at + IDLE_GRACE;

	if (list_is_empty(&cfq->idle))
		return NULL;
	if (now(cfq) >= end)
		return first_of(&cfq->idle);
	blk_timer_arm(cfq->elevator.queue, &cfq->grace_timer, end);
	return NULL;
}

static struct queue18 *
choose_queue(struct cfq18 *cfq)
{
	struct queue18 *q = NULL;

	if (!list_is_empty(&cfq->round) || next_level(cfq))
		q = first_of(&cfq->round);
	else
		q = first_of(&cfq->busy);
	if (!q)
		q = first_idle(cfq);
	begin_slice(cfq, q);
	return q;
}

static void
end_slice(struct cfq18 *cfq, bool is_preempted)
{
	struct queue18 *q = cfq->active;

	if (!q)
		return;
	if (q->is_waiting)
		blk_timer_cancel(cfq->elevator.queue, &cfq->idle_timer);
	if (!is_preempted && q->dispatched == 0)
		blk_schedule_run(cfq->elevator.queue);
	q->must_dispatch = false;
	q->is_waiting = false;
	q->slice_left = q->slice_end > now(cfq) ? q->slice_end - now(cfq) : 0;
	if (q->is_busy)
		sort_queue(cfq, q, is_preempted);
	cfq->active = NULL;
	attach(cfq, NULL);
	cfq->slice_dispatch = 0;
}

/* ---- queues ---- */

static void
put_queue(struct cfq18 *cfq, struct queue18 *q)
{
	assert(q->refs > 0);
	if (--q->refs > 0)
		return;
	assert(!q->is_busy && q->dispatched == 0);
	if (cfq->active == q)
		end_slice(cfq, false);
	list_remove(&q->all);
	list_remove(&q->turn);
	free(q);
}

/* Class and level that a queue of @context has. */
static void
priority_of(const struct io_context *context, enum io_class *io_class,
	    uint8_t *level)
{
	*io_class = context->io_class;
	*level = context->io_level;
	if (*io_class == IO_CLASS_NONE) {
		*io_class = IO_CLASS_BE;
		*level = LEVEL_NORMAL;
	} else if (*io_class == IO_CLASS_IDLE) {
		*level = LEVELS - 1;
	}
}

static void
read_priority(struct cfq18 *cfq, struct queue18 *q,
	      const struct io_context *context)
{
	if (!q->prio_changed)
		return;
	q->prio_changed = false;
	priority_of(context, &q->io_class, &q->level);
	if (q->io_class == IO_CLASS_IDLE)
		q->idle_window = false;
	if (q->is_busy)
		sort_queue(cfq, q, false);
}

static struct queue18 *
find_async(struct cfq18 *cfq, const struct io_context *context)
{
	enum io_class io_class;
	uint8_t level;

	priority_of(context, &io_class, &level);
	for (struct list_node *n = cfq->queues.next; n != &cfq->queues;
	     n = n->next) {
		struct queue18 *q = container_of(n, struct queue18, all);

		if (q->kind == ASYNC && q->io_class == io_class &&
		    q->level == level)
			return q;
	}
	return NULL;
}

/* The queue for requests of @context, with a reference. */
static struct queue18 *
get_queue(struct cfq18 *cfq, struct io_context *context, enum kind kind)
{
	struct queue18 *q = kind == ASYNC ? find_async(cfq, context) : NULL;

	if (!q) {
		q = calloc(1, sizeof(*q));
		/* One per process that has bios: there is no way to go on. */
		assert(q);
		q->kind = kind;
		q->idle_window = true; /* async ones too, for ever */
		q->prio_changed = true;
		list_init(&q->fifo);
		list_init(&q->turn);
		list_add_tail(&cfq->queues, &q->all);
		read_priority(cfq, q, context);
	}
	q->refs++;
	return q;
}

static void
note_priority(struct cfq18 *cfq, struct io_context *context)
{
	struct process18 *p = process_of(context);
	struct queue18 *old = p->queue[ASYNC];

	if (!context->priority_changed)
		return;
	context->priority_changed = false;
	if (old) {
		p->queue[ASYNC] = get_queue(cfq, context, ASYNC);
		put_queue(cfq, old);
	}
	if (p->queue[SYNC])
		p->queue[SYNC]->prio_changed = true;
}

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
	return (7 * total + ONE * sample) / 8;
}

static void
sample(struct cfq18 *cfq, struct process18 *p, const struct request *rq)
{
	int64_t think = now(cfq) - p->completed_at;
	sector_t d = rq->lba > p->last_end ? rq->lba - p->last_end
					   : p->last_end - rq->lba;
	sector_t limit =
		4 * p->seek_mean + (p->seek_samples <= 60 ? 2097152 : 131072);

	if (think > 2 * cfq->slice_idle_ms)
		think = 2 * cfq->slice_idle_ms;
	p->think_samples = (uint32_t)decay(p->think_samples, 1);
	p->think_total = decay(p->think_total, (uint64_t)think);
	p->think_mean = (p->think_total + ONE / 2) / p->think_samples;
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
	const struct process18 *p = process_of(context);

	if (q->io_class == IO_CLASS_IDLE)
		return;
	if (context->has_exited || cfq->slice_idle_ms == 0 ||
	    (cfq->hw_tag && p->seek_mean > SEEKY))
		q->idle_window = false;
	else if (p->think_samples > SAMPLES_MIN)
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
slice_of(const struct cfq18 *cfq, enum kind kind, int level)
{
	int64_t base = cfq->slice_ms[kind];

	return base + base / 5 * (LEVEL_NORMAL - level);
}

static void
preempt(struct cfq18 *cfq, struct queue18 *q)
{
	int64_t left = q->slice_left;

	for (struct list_node *n = cfq->round.next, *next; n != &cfq->round;
	     n = next) {
		next = n->next;
		sort_queue(cfq, container_of(n, struct queue18, turn), true);
	}
	if (left == 0)
		left = slice_of(cfq, q->kind, q->level) / 2;
	end_slice(cfq, true);
	begin_slice(cfq, q);
	q->slice_end = now(cfq) + left;
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
	end_slice(cfq, false);
	blk_rerun(cfq->elevator.queue);
}

static void
cfq18_insert(struct elevator *el, struct request *rq)
{
	struct cfq18 *cfq = cfq_of(el);
	struct queue18 *q = queue_of(rq);

	read_priority(cfq, q, rq->context);
	sort_in(cfq, q, rq);
	if (!q->is_busy) {
		q->is_busy = true;
		cfq->busy_queues++;
		sort_queue(cfq, q, false);
	}
	q->next = choose(cfq, q->next, rq);
	rq->deadline = now(cfq);
	list_add_tail(&q->fifo, &rq->queue);
	if (q->kind == ASYNC) {
		enqueued_async(cfq, rq);
		return;
	}
	sample(cfq, process_of(rq->context), rq);
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
	struct process18 *p = process_of(bio->process->context);
	struct queue18 *q = p->queue[kind_of(bio->op)];

	(void)el;
	return q ? sorted_find(&q->sorted, bio_end(bio)) : NULL;
}

static void
cfq18_merged_front(struct elevator *el, struct request *rq)
{
	struct cfq18 *cfq = cfq_of(el);
	struct queue18 *q = queue_of(rq);

	rb_remove(&q->sorted, &rq->node);
	sort_in(cfq, q, rq);
	q->next = choose(cfq, q->next, rq);
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

static void
cfq18_swallow(struct elevator *el, struct request *rq, struct request *gone)
{
	fifo_inherit(rq, gone);
	take_out(cfq_of(el), queue_of(gone), gone);
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
	p = process_of(cfq->attached);
	q->must_dispatch = true;
	q->is_waiting = true;
	if (p->seek_samples > SAMPLES_MIN && p->seek_mean > SEEKY &&
	    wait > SEEKY_WAIT)
		wait = SEEKY_WAIT;
	blk_timer_arm(cfq->elevator.queue, &cfq->idle_timer, now(cfq) + wait);
	return true;
}

/* The queue to serve, or NULL to wait. */
static struct queue18 *
select_queue(struct cfq18 *cfq)
{
	struct queue18 *q = cfq->active;

	if (!q)
		return choose_queue(cfq);
	if (q->must_dispatch || now(cfq) <= q->slice_end) {
		if (q->sorted.node)
			return q;
		if (q->dispatched > 0)
			return NULL;
		if (q->kind == SYNC && arm_idle(cfq, q))
			return NULL;
	}
	end_slice(cfq, false);
	return choose_queue(cfq);
}

static struct request *
pick(struct cfq18 *cfq, struct queue18 *q)
{
	struct request *oldest = fifo_head(&q->fifo);

	if (!q->fifo_used && oldest &&
	    now(cfq) > oldest->deadline + cfq->fifo_expire_ms[q->kind]) {
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
			attach(cfq, rq->context);
	}
	if (q->slice_end == 0)
		q->slice_end = now(cfq) + slice_of(cfq, q->kind, q->level);
	if ((q->kind == ASYNC &&
	     cfq->slice_dispatch >= 2 * (r + r * (LEVELS - 1 - q->level))) ||
	    q->io_class == IO_CLASS_IDLE || !q->idle_window)
		end_slice(cfq, false);
}

static bool
dispatch_forced(struct cfq18 *cfq)
{
	end_slice(cfq, false);
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
	struct cfq18 *cfq = cfq_of(el);
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
	struct cfq18 *cfq = cfq_of(el);

	(void)rq;
	if (++cfq->in_driver >= HW_TAG_MIN)
		cfq->hw_tag = true;
}

static void
cfq18_deactivate(struct elevator *el, struct request *rq)
{
	(void)rq;
	assert(cfq_of(el)->in_driver > 0);
	cfq_of(el)->in_driver--;
}

static void
cfq18_completed(struct elevator *el, struct request *rq)
{
	struct cfq18 *cfq = cfq_of(el);
	struct queue18 *q = queue_of(rq);

	assert(cfq->in_driver > 0 && q->dispatched > 0);
	cfq->in_driver--;
	q->dispatched--;
	if (q->io_class != IO_CLASS_IDLE)
		cfq->completed_at = now(cfq);
	if (q->dispatched == 0) {
		q->served_at = now(cfq);
		if (q->is_busy)
			sort_queue(cfq, q, false);
	}
	if (q->kind == SYNC)
		process_of(rq->context)->completed_at = now(cfq);
	if (q == cfq->active && q->kind == SYNC && !q->sorted.node &&
	    now(cfq) <= q->slice_end)
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
	if (q && now(cfq) <= q->slice_end) {
		if (cfq->busy_queues == 0)
			return;
		if (q->sorted.node)
			q->must_dispatch = true;
		else
			end_slice(cfq, false);
	} else {
		end_slice(cfq, false);
	}
	blk_schedule_run(cfq->elevator.queue);
}

static void
grace_timer_fire(struct event *ev, nsec_t now_ns)
{
	struct cfq18 *cfq = container_of(ev, struct cfq18, grace_timer);
	int64_t end = cfq->completed_at + IDLE_GRACE;

	(void)now_ns;
	if (now(cfq) < end)
		blk_timer_arm(cfq->elevator.queue, &cfq->grace_timer, end);
	else
		blk_schedule_run(cfq->elevator.queue);
}

/* ---- requests come and go ---- */

static enum may_queue
cfq18_may_queue(struct elevator *el, struct bio *bio)
{
	struct io_context *context = bio->process->context;
	struct queue18 *q = process_of(context)->queue[kind_of(bio->op)];

	if (!q)
		return MAY_QUEUE;
	read_priority(cfq_of(el), q, context);
	if (!q->is_waiting || q->must_queue_used)
		return MAY_QUEUE;
	q->must_queue_used = true;
	return MUST_QUEUE;
}

static void
cfq18_prepare(struct elevator *el, struct request *rq, const struct bio *bio)
{
	struct cfq18 *cfq = cfq_of(el);
	struct process18 *p = process_of(rq->context);
	enum kind kind = kind_of(bio->op);

	if (!p->is_known) {
		p->is_known = true;
		p->completed_at = now(cfq);
	}
	note_priority(cfq, rq->context);
	if (!p->queue[kind])
		p->queue[kind] = get_queue(cfq, rq->context, kind);
	rq->elv[0] = p->queue[kind];
	p->queue[kind]->refs++;
}

static void
cfq18_release(struct elevator *el, struct request *rq)
{
	put_queue(cfq_of(el), queue_of(rq));
}

static void
cfq18_context_exit(struct elevator *el, struct io_context *context)
{
	struct cfq18 *cfq = cfq_of(el);
	struct process18 *p = process_of(context);

	for (int kind = ASYNC; kind < KINDS; kind++) {
		struct queue18 *q = p->queue[kind];

		if (!q)
			continue;
		if (q == cfq->active)
			end_slice(cfq, false);
		p->queue[kind] = NULL;
		put_queue(cfq, q);
	}
}

static int
cfq18_init(struct elevator *el, struct err *e)
{
	struct cfq18 *cfq = cfq_of(el);

	(void)e;
	for (int i = 0; i < LEVELS; i++)
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
	struct cfq18 *cfq = cfq_of(el);

	blk_timer_cancel(el->queue, &cfq->idle_timer);
	blk_timer_cancel(el->queue, &cfq->grace_timer);
	attach(cfq, NULL);
	while (!list_is_empty(&cfq->queues)) {
		struct queue18 *q =
			list_first(&cfq->queues, struct queue18, all);

		list_remove(&q->all);
		free(q);
	}
}

static const struct option cfq18_options[] = {
	ELEVATOR_OPTION(struct cfq18, quantum, "quantum", "requests", "4",
			INT32_MAX,
			"Requests handed over in one round of a queue."),
	ELEVATOR_OPTION(struct cfq18, queued, "queued", "requests", "8",
			INT32_MAX,
			"Accepted, but without effect, as in the kernel."),
	ELEVATOR_OPTION(struct cfq18, fifo_expire_ms[SYNC], "fifo_expire_sync",
			"ms", "125", INT32_MAX,
			"One read older than this is picked in a slice."),
	ELEVATOR_OPTION(struct cfq18, fifo_expire_ms[ASYNC],
			"fifo_expire_async", "ms", "250", INT32_MAX,
			"One write older than this is picked in a slice."),
	ELEVATOR_OPTION(struct cfq18, back_seek_max_kib, "back_seek_max", "KiB",
			"16384", INT32_MAX,
			"Farther back than this, a request counts as a wrap."),
	ELEVATOR_OPTION(struct cfq18, back_seek_penalty, "back_seek_penalty",
			"", "2", INT32_MAX,
			"Going back costs this many times the distance."),
	ELEVATOR_OPTION(struct cfq18, slice_ms[SYNC], "slice_sync", "ms", "100",
			INT32_MAX, "Slice of a process of level 4."),
	ELEVATOR_OPTION(struct cfq18, slice_ms[ASYNC], "slice_async", "ms",
			"40", INT32_MAX, "Slice of the writes of level 4."),
	ELEVATOR_OPTION(
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
