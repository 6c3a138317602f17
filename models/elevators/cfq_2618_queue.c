/* SPDX-License-Identifier: MIT */
/*
 * CFQ of 2.6.18: whose turn it is.  See cfq_2618.h.
 */
#include "models/elevators/cfq_2618.h"

#include <stdlib.h>

/* ---- turns ---- */

struct queue18 *
cfq18_first(struct list_node *list)
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
void
cfq18_sort_queue(struct cfq18 *cfq, struct queue18 *q, bool is_preempted)
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
		if (++cfq->level_end == CFQ18_LEVELS) {
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
	if (cfq->level_end == CFQ18_LEVELS) {
		cfq->level = 0;
		cfq->level_end = 0;
	}
	return true;
}

void
cfq18_attach(struct cfq18 *cfq, struct io_context *context)
{
	if (context)
		io_context_get(context);
	if (cfq->attached)
		io_context_put(cfq->attached);
	cfq->attached = context;
}

void
cfq18_begin_slice(struct cfq18 *cfq, struct queue18 *q)
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
	int64_t end = cfq->completed_at + CFQ18_IDLE_GRACE;

	if (list_is_empty(&cfq->idle))
		return NULL;
	if (cfq18_now(cfq) >= end)
		return cfq18_first(&cfq->idle);
	blk_timer_arm(cfq->elevator.queue, &cfq->grace_timer, end);
	return NULL;
}

struct queue18 *
cfq18_choose_queue(struct cfq18 *cfq)
{
	struct queue18 *q = NULL;

	if (!list_is_empty(&cfq->round) || next_level(cfq))
		q = cfq18_first(&cfq->round);
	else
		q = cfq18_first(&cfq->busy);
	if (!q)
		q = first_idle(cfq);
	cfq18_begin_slice(cfq, q);
	return q;
}

void
cfq18_end_slice(struct cfq18 *cfq, bool is_preempted)
{
	struct queue18 *q = cfq->active;

	if (!q)
		return;
	if (q->is_waiting)
		blk_timer_cancel(cfq->elevator.queue, &cfq->idle_timer);
	if (!is_preempted && q->dispatched == 0)
		blk_schedule_run(cfq->elevator.queue);
	if (q->dispatched == 0)
		q->served_at = cfq18_now(cfq);
	q->must_dispatch = false;
	q->is_waiting = false;
	q->slice_left = q->slice_end > cfq18_now(cfq)
				? q->slice_end - cfq18_now(cfq)
				: 0;
	if (q->is_busy)
		cfq18_sort_queue(cfq, q, is_preempted);
	cfq->active = NULL;
	cfq18_attach(cfq, NULL);
	cfq->slice_dispatch = 0;
}

/* ---- queues ---- */

void
cfq18_put_queue(struct cfq18 *cfq, struct queue18 *q)
{
	assert(q->refs > 0);
	if (--q->refs > 0)
		return;
	assert(!q->is_busy && q->dispatched == 0);
	if (cfq->active == q)
		cfq18_end_slice(cfq, false);
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
		*level = CFQ18_LEVEL_NORMAL;
	} else if (*io_class == IO_CLASS_IDLE) {
		*level = CFQ18_LEVELS - 1;
	}
}

/* 0: no priority was set. */
static uint8_t
key_of(const struct io_context *context)
{
	switch (context->io_class) {
	case IO_CLASS_NONE:
		return 0;
	case IO_CLASS_IDLE:
		return IO_CLASS_IDLE * CFQ18_LEVELS + CFQ18_LEVELS - 1;
	default:
		return (uint8_t)(context->io_class * CFQ18_LEVELS +
				 context->io_level);
	}
}

void
cfq18_read_priority(struct cfq18 *cfq, struct queue18 *q,
		    const struct io_context *context)
{
	if (!q->prio_changed)
		return;
	q->prio_changed = false;
	priority_of(context, &q->io_class, &q->level);
	if (q->io_class == IO_CLASS_IDLE)
		q->idle_window = false;
	else
		q->key = key_of(context);
	if (q->is_busy)
		cfq18_sort_queue(cfq, q, false);
}

/*
 * The latest shared queue of the priority of @context.  The kernel's quirk:
 * one of the idle class keeps the key of those without a priority.
 */
static struct queue18 *
find_async(struct cfq18 *cfq, const struct io_context *context)
{
	uint8_t key = key_of(context);

	for (struct list_node *n = cfq->queues.prev; n != &cfq->queues;
	     n = n->prev) {
		struct queue18 *q = container_of(n, struct queue18, all);

		if (q->kind == ASYNC && q->key == key)
			return q;
	}
	return NULL;
}

/* The queue for requests of @context, with a reference. */
struct queue18 *
cfq18_get_queue(struct cfq18 *cfq, struct io_context *context, enum kind kind)
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
		cfq18_read_priority(cfq, q, context);
	}
	q->refs++;
	return q;
}

void
cfq18_note_priority(struct cfq18 *cfq, struct io_context *context)
{
	struct process18 *p = cfq18_process_of(context);
	struct queue18 *old = p->queue[ASYNC];

	if (!context->priority_changed)
		return;
	context->priority_changed = false;
	if (old) {
		p->queue[ASYNC] = cfq18_get_queue(cfq, context, ASYNC);
		cfq18_put_queue(cfq, old);
	}
	if (p->queue[SYNC])
		p->queue[SYNC]->prio_changed = true;
}
