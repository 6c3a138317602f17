/* SPDX-License-Identifier: MIT */
/*
 * Barriers and flushes.
 *
 * Up to 2.6.32 a barrier, a flush and a write with a flush before it are all
 * ordered: the elevator is drained in front of them, and once one is the
 * head of the dispatch list nothing starts before it is over.
 *
 *	idle --- head of the list, device empty ---> before, or write
 *	before --- flush completed ----------------> write, or idle
 *	write --- written, no FUA -----------------> after
 *	write --- written with FUA ----------------> idle
 *	after --- flush completed -----------------> idle
 *
 * In blk-mq the same steps order only this write with its flushes; others
 * pass.  One sequence runs at a time, the next ones wait.
 */
#include "sim/host/blk_queue.h"

static void
drain_elevator(struct blk_queue *q)
{
	while (q->held > 0) {
		bool did = q->ops->dispatch(q->el, true);

		assert(did);
		(void)did;
	}
}

void
blk_flush_insert(struct blk_queue *q, struct request *rq)
{
	rq->inserted_ns = q->cal->now_ns;
	blk_tell(q, BLK_I, rq, NULL);
	if (q->config.era == ERA_MODERN) {
		if (q->sequence.rq)
			list_add_tail(&q->sequence.waiting, &rq->queue);
		else
			blk_flush_begin(q, rq);
		return;
	}
	drain_elevator(q);
	rq->state |= RQ_BARRIER;
	list_add_tail(&q->dispatch, &rq->queue);
	blk_run(q);
}

/* Make @rq the next one for the driver. */
static void
put_first(struct blk_queue *q, struct request *rq)
{
	rq->state |= RQ_FLUSH_SEQ;
	rq->state &= (uint16_t) ~(RQ_STARTED | RQ_ISSUED);
	list_add_after(&q->dispatch, &rq->queue);
}

static void
enter_step(struct blk_queue *q, enum flush_step step)
{
	struct blk_sequence *s = &q->sequence;

	s->step = step;
	if (step == FLUSH_WRITE) {
		put_first(q, s->rq);
		return;
	}
	s->flush = (struct request){
		.op = IO_FLUSH,
		.state = RQ_SYNC,
		.context = s->rq->context,
		.queued_ns = s->rq->queued_ns,
		.inserted_ns = q->cal->now_ns,
	};
	put_first(q, &s->flush);
}

void
blk_flush_begin(struct blk_queue *q, struct request *rq)
{
	struct blk_sequence *s = &q->sequence;

	assert(!s->rq);
	if (rq->state & RQ_BARRIER)
		list_remove(&rq->queue);
	s->rq = rq;
	s->status = 0;
	enter_step(q, FLUSH_BEFORE);
}

/* The sequence is over: its bios end, the next one may begin. */
static void
finish(struct blk_queue *q)
{
	struct blk_sequence *s = &q->sequence;
	struct request *rq = s->rq;

	s->rq = NULL;
	s->step = FLUSH_IDLE;
	blk_finish(q, rq, s->status);
	if (!s->rq && !list_is_empty(&s->waiting)) {
		rq = list_first(&s->waiting, struct request, queue);
		list_remove(&rq->queue);
		blk_flush_begin(q, rq);
	}
}

/* Does the write of @rq need a flush after it? */
static bool
needs_flush_after(const struct blk_queue *q, const struct request *rq)
{
	return !q->config.has_fua && (rq->flags & (IO_BARRIER | IO_FUA)) != 0;
}

void
blk_flush_step_done(struct blk_queue *q, struct request *rq, int status)
{
	struct blk_sequence *s = &q->sequence;

	assert(s->step != FLUSH_IDLE);
	assert(rq == (s->step == FLUSH_WRITE ? s->rq : &s->flush));
	(void)rq;
	if (!s->status)
		s->status = status;
	if (!s->status && s->step == FLUSH_BEFORE && s->rq->sectors > 0)
		enter_step(q, FLUSH_WRITE);
	else if (!s->status && s->step == FLUSH_WRITE &&
		 needs_flush_after(q, s->rq))
		enter_step(q, FLUSH_AFTER);
	else
		finish(q);
}
