/* SPDX-License-Identifier: MIT */
/*
 * noop: first come, first served.  Only neighbours in the list can join.
 * The elevator to copy: rename it, add it to table.c.
 */
#include "models/elevators/elevator.h"
#include "sim/host/blk_elevator.h"

struct noop {
	struct elevator elevator;
	struct list_node fifo;
};

static struct list_node *
fifo_of(struct elevator *el)
{
	return &container_of(el, struct noop, elevator)->fifo;
}

static int
noop_init(struct elevator *el, struct err *e)
{
	(void)e;
	list_init(fifo_of(el));
	return 0;
}

static void
noop_insert(struct elevator *el, struct request *rq)
{
	list_add_tail(fifo_of(el), &rq->queue);
}

static bool
noop_dispatch(struct elevator *el, bool is_forced)
{
	struct list_node *node = fifo_of(el)->next;

	(void)is_forced; /* it never holds back */
	if (node == fifo_of(el))
		return false;
	list_remove(node);
	blk_dispatch_sorted(el->queue,
			    container_of(node, struct request, queue));
	return true;
}

static struct request *
noop_former(struct elevator *el, struct request *rq)
{
	return rq_of_node(fifo_of(el), rq->queue.prev);
}

static struct request *
noop_latter(struct elevator *el, struct request *rq)
{
	return rq_of_node(fifo_of(el), rq->queue.next);
}

static void
noop_swallow(struct elevator *el, struct request *rq, struct request *gone)
{
	(void)el, (void)rq;
	list_remove(&gone->queue);
}

const struct elevator_ops noop_elevator = {
	.abi = ELEVATOR_ABI,
	.name = "noop",
	.help = "first come, first served, with merging",
	.last_era = ERA_2_6_32_71,
	.state_size = sizeof(struct noop),
	.init = noop_init,
	.insert = noop_insert,
	.dispatch = noop_dispatch,
	.former = noop_former,
	.latter = noop_latter,
	.swallow = noop_swallow,
};
