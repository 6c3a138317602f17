/* SPDX-License-Identifier: MIT */
#include "models/elevators/cfq.h"

#include <stdlib.h>

/* ---- priority ---- */

/* Take over class and level of @context if they have changed. */
void
cfq_read_priority(struct cfq_queue *q, struct io_context *context)
{
	if (!q->prio_changed)
		return;
	q->prio_changed = false;
	q->io_class = context->io_class;
	q->level = context->io_level;
	if (q->io_class == IO_CLASS_NONE) {
		q->io_class = IO_CLASS_BE;
		q->level = CFQ_LEVEL_NORMAL;
	} else if (q->io_class == IO_CLASS_IDLE) {
		q->level = CFQ_LEVELS - 1;
		q->idle_window = false;
	}
}

/* Where the shared async queue of the priority of @context is kept. */
static struct cfq_queue **
async_slot(struct cfq *cfq, const struct io_context *context)
{
	switch (context->io_class) {
	case IO_CLASS_RT:
		return &cfq->async[0][context->io_level];
	case IO_CLASS_BE:
		return &cfq->async[1][context->io_level];
	case IO_CLASS_IDLE:
		return &cfq->async_idle;
	default:
		return &cfq->async[1][CFQ_LEVEL_NORMAL];
	}
}

static struct cfq_queue *
queue_new(struct cfq *cfq, struct io_context *context, enum cfq_kind kind)
{
	struct cfq_queue *q = calloc(1, sizeof(*q));

	/* A queue per process that has bios: there is no way to go on. */
	assert(q);
	q->kind = kind;
	q->pid = context->pid;
	q->prio_changed = true;
	q->idle_window = kind == CFQ_SYNC;
	list_init(&q->fifo);
	list_add_tail(&cfq->queues, &q->all);
	cfq_read_priority(q, context);
	return q;
}

/*
 * The queue for requests of @context, with a reference.  The kernel's quirk:
 * when the priority has changed and nobody has used the new one yet, the old
 * async queue is registered for it.
 */
struct cfq_queue *
cfq_queue_for(struct cfq *cfq, struct io_context *context, enum cfq_kind kind)
{
	struct cfq_queue **slot =
		kind == CFQ_ASYNC ? async_slot(cfq, context) : NULL;
	struct cfq_queue *q = slot ? *slot : NULL;

	if (!q)
		q = cfq_process_of(context)->queue[kind];
	if (!q)
		q = queue_new(cfq, context, kind);
	if (slot && !*slot) {
		*slot = q;
		q->refs++;
	}
	q->refs++;
	return q;
}

void
cfq_queue_put(struct cfq *cfq, struct cfq_queue *q)
{
	assert(q->refs > 0);
	if (--q->refs > 0)
		return;
	assert(!q->is_busy && q->dispatched == 0);
	if (cfq->active == q) {
		cfq_slice_end(cfq, q, false);
		blk_schedule_run(cfq->elevator.queue);
	}
	list_remove(&q->all);
	free(q);
}

/* The priority of @context has changed: seen at its next allocation. */
void
cfq_note_priority(struct cfq *cfq, struct io_context *context)
{
	struct cfq_process *p = cfq_process_of(context);
	struct cfq_queue *old = p->queue[CFQ_ASYNC];

	if (!context->priority_changed)
		return;
	context->priority_changed = false;
	if (old) {
		p->queue[CFQ_ASYNC] = cfq_queue_for(cfq, context, CFQ_ASYNC);
		cfq_queue_put(cfq, old);
	}
	if (p->queue[CFQ_SYNC])
		p->queue[CFQ_SYNC]->prio_changed = true;
}

/* ---- the service tree ---- */

int64_t
cfq_slice(const struct cfq *cfq, enum cfq_kind kind, int level)
{
	int64_t base = cfq->slice_ms[kind];

	return base + base / 5 * (CFQ_LEVEL_NORMAL - level);
}

static struct cfq_queue *
service_queue(struct rb_node *node)
{
	return node ? container_of(node, struct cfq_queue, node) : NULL;
}

/*
 * How far behind now a queue sorts: the longer the slice, the sooner its
 * turn.  The kernel's product is an unsigned 32-bit value.
 */
static int64_t
slice_offset(const struct cfq *cfq, const struct cfq_queue *q)
{
	uint32_t difference = (uint32_t)(cfq_slice(cfq, CFQ_SYNC, 0) -
					 cfq_slice(cfq, q->kind, q->level));

	return (int64_t)(uint32_t)((cfq->busy_queues - 1) * difference);
}

static int64_t
service_key(struct cfq *cfq, struct cfq_queue *q, bool is_front)
{
	bool is_new_tree = cfq->era >= ERA_2_6_32;
	int64_t key;

	if (q->io_class == IO_CLASS_IDLE) {
		struct cfq_queue *last = service_queue(rb_last(&cfq->service));

		return CFQ_IDLE_DELAY +
		       (last && last != q ? last->key : cfq_now(cfq));
	}
	if (is_front) {
		struct cfq_queue *first =
			service_queue(rb_first(&cfq->service));

		if (!is_new_tree)
			return 0;
		return (first ? first->key : cfq_now(cfq)) - BLK_HZ;
	}
	key = slice_offset(cfq, q) + cfq_now(cfq);
	key += is_new_tree ? -q->slice_resid : q->slice_resid;
	q->slice_resid = 0;
	return key;
}

/* RT first, idle last; then by key, equal ones in order of arrival. */
static bool
sorts_before(const struct cfq_queue *q, const struct cfq_queue *other)
{
	bool rt = q->io_class == IO_CLASS_RT;
	bool idle = q->io_class == IO_CLASS_IDLE;

	if (rt != (other->io_class == IO_CLASS_RT))
		return rt;
	if (idle != (other->io_class == IO_CLASS_IDLE))
		return !idle;
	return q->key < other->key;
}

/* Sort @q in, again if it is there; in front when it preempts. */
void
cfq_service_add(struct cfq *cfq, struct cfq_queue *q, bool is_front)
{
	struct rb_node **link = &cfq->service.node;
	struct rb_node *parent = NULL;
	int64_t key = service_key(cfq, q, is_front);

	if (q->node.in_tree) {
		if (key == q->key)
			return;
		rb_remove(&cfq->service, &q->node);
		link = &cfq->service.node;
	}
	q->key = key;
	while (*link) {
		parent = *link;
		link = sorts_before(q, service_queue(parent)) ? &parent->left
							      : &parent->right;
	}
	rb_insert(&cfq->service, &q->node, parent, link);
}

/* @q has got its first request. */
void
cfq_busy_add(struct cfq *cfq, struct cfq_queue *q)
{
	assert(!q->is_busy);
	q->is_busy = true;
	cfq->busy_queues++;
	cfq->busy_rt += q->io_class == IO_CLASS_RT;
	cfq_service_add(cfq, q, false);
	cfq_close_add(cfq, q);
}

/* @q has lost its last one. */
void
cfq_busy_remove(struct cfq *cfq, struct cfq_queue *q)
{
	assert(q->is_busy);
	q->is_busy = false;
	if (q->node.in_tree)
		rb_remove(&cfq->service, &q->node);
	cfq_close_remove(q);
	cfq->busy_queues--;
	cfq->busy_rt -= q->io_class == IO_CLASS_RT;
}

/* ---- slices ---- */

bool
cfq_slice_used(const struct cfq *cfq, const struct cfq_queue *q)
{
	return !q->is_slice_new && cfq_now(cfq) >= q->slice_end;
}

void
cfq_attach(struct cfq *cfq, struct io_context *context)
{
	if (context)
		io_context_get(context);
	if (cfq->attached)
		io_context_put(cfq->attached);
	cfq->attached = context;
}

/* Only a slice that has timed out keeps what is left, or overdrawn. */
void
cfq_slice_end(struct cfq *cfq, struct cfq_queue *q, bool is_timed_out)
{
	if (q->has_waited)
		blk_timer_cancel(cfq->elevator.queue, &cfq->idle_timer);
	q->has_waited = false;
	if (is_timed_out && !q->is_slice_new)
		q->slice_resid = q->slice_end - cfq_now(cfq);
	if (q->is_busy) {
		cfq_service_add(cfq, q, false);
		cfq_close_add(cfq, q);
	}
	if (cfq->active == q)
		cfq->active = NULL;
	cfq_attach(cfq, NULL);
}

/* Begin the slice of @q, or of the first of the service tree when NULL. */
void
cfq_activate_queue(struct cfq *cfq, struct cfq_queue *q)
{
	if (!q) {
		q = service_queue(rb_first(&cfq->service));
		if (q && !q->coop_preempt && !cfq->merges)
			q->is_coop = false;
	}
	cfq->active = q;
	if (!q)
		return;
	q->coop_preempt = false;
	q->slice_start = cfq_now(cfq);
	q->slice_end = 0;
	q->slice_dispatch = 0;
	q->has_waited = false;
	q->must_dispatch = false;
	q->must_queue_used = false;
	q->fifo_checked = false;
	q->is_slice_new = true;
	blk_timer_cancel(cfq->elevator.queue, &cfq->idle_timer);
}
