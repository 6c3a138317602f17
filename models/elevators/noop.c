/* SPDX-License-Identifier: MIT */
/*
 * noop: first come, first served, with merging.  One list in the order of
 * arrival, no tunables.  The block layer merges at the back through its
 * hash; the only neighbours that can join are neighbours in the list.
 *
 * This is the elevator to copy: rename it, keep the table at the bottom,
 * add it to table.c.
 */
#include "models/elevators/elevator.h"
#include "sim/host/blk_elevator.h"

struct noop {
	struct elevator elevator; /* first */
	struct list_node fifo;
};

static struct noop *
noop_of(struct elevator *el)
{
	return container_of(el, struct noop, elevator);
}

static int
noop_init(struct elevator *el, struct err *e)
{
	(void)e;
	list_init(&noop_of(el)->fifo);
	return 0;
}

static void
noop_insert(struct elevator *el, struct request *rq)
{
	list_add_tail(&noop_of(el)->fifo, &rq->queue);
}

static bool
noop_dispatch(struct elevator *el, bool is_forced)
{
	struct list_node *fifo = &noop_of(el)->fifo;
	struct request *rq;

	(void)is_forced;
	if (list_is_empty(fifo))
		return false;
	rq = list_first(fifo, struct request, queue);
	list_remove(&rq->queue);
	blk_dispatch_sorted(el->queue, rq);
	return true;
}

static struct request *
noop_at(struct elevator *el, struct list_node *node)
{
	if (node == &noop_of(el)->fifo)
		return NULL;
	return container_of(node, struct request, queue);
}

static struct request *
noop_former(struct elevator *el, struct request *rq)
{
	return noop_at(el, rq->queue.prev);
}

static struct request *
noop_latter(struct elevator *el, struct request *rq)
{
	return noop_at(el, rq->queue.next);
}

static void
noop_swallow(struct elevator *el, struct request *rq, struct request *gone)
{
	(void)el;
	(void)rq;
	list_remove(&gone->queue);
}

const struct elevator_ops noop_elevator = {
	.abi = ELEVATOR_ABI,
	.name = "noop",
	.help = "first come, first served, with merging",
	.first_era = ERA_2_6_18,
	.last_era = ERA_2_6_32_71,
	.state_size = sizeof(struct noop),
	.init = noop_init,
	.insert = noop_insert,
	.dispatch = noop_dispatch,
	.former = noop_former,
	.latter = noop_latter,
	.swallow = noop_swallow,
};
