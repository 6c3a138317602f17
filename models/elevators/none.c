/* SPDX-License-Identifier: MIT */
/*
 * none: no elevator.  blk-mq hands every request to the driver in the order
 * of arrival; only requests the driver has not taken yet can be merged into.
 *
 * Modelled: the order, back and front merges with the last request.  Not
 * modelled: the list of up to 32 requests that a process gathers before it
 * waits; here every bio is on its own.
 */
#include "models/elevators/elevator.h"
#include "sim/host/blk_elevator.h"

struct none {
	struct elevator elevator; /* first */
	struct list_node fifo;
};

static struct list_node *
fifo_of(struct elevator *el)
{
	return &container_of(el, struct none, elevator)->fifo;
}

static int
none_init(struct elevator *el, struct err *e)
{
	(void)e;
	list_init(fifo_of(el));
	return 0;
}

static void
none_insert(struct elevator *el, struct request *rq)
{
	list_add_tail(fifo_of(el), &rq->queue);
}

static bool
none_dispatch(struct elevator *el, bool is_forced)
{
	struct request *rq = rq_of_node(fifo_of(el), fifo_of(el)->next);

	(void)is_forced;
	if (!rq)
		return false;
	list_remove(&rq->queue);
	blk_dispatch_tail(el->queue, rq);
	return true;
}

const struct elevator_ops none_elevator = {
	.abi = ELEVATOR_ABI,
	.name = "none",
	.help = "no elevator: the order of arrival",
	.first_era = ERA_MODERN,
	.last_era = ERA_MODERN,
	.state_size = sizeof(struct none),
	.init = none_init,
	.insert = none_insert,
	.dispatch = none_dispatch,
};
