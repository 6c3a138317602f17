/* SPDX-License-Identifier: MIT */
/*
 * An elevator of one's own: the last request that came is the next to go.
 * Build it with
 *
 *	cc -shared -fPIC -O2 $(pkg-config --cflags ncqsim) lifo.c -o lifo.so
 *
 * and try it with "-e ./lifo.so:patience=8".
 */
#include "models/elevators/elevator.h"
#include "sim/host/blk_elevator.h"

struct lifo {
	struct elevator elevator; /* first */
	int64_t patience;
	struct list_node requests; /* newest first */
	int64_t passed_over;       /* times the oldest was not chosen */
};

static struct lifo *
lifo_of(struct elevator *el)
{
	return container_of(el, struct lifo, elevator);
}

static int
lifo_init(struct elevator *el, struct err *e)
{
	(void)e;
	list_init(&lifo_of(el)->requests);
	return 0;
}

static void
lifo_insert(struct elevator *el, struct request *rq)
{
	list_add_after(&lifo_of(el)->requests, &rq->queue);
}

static bool
lifo_dispatch(struct elevator *el, bool is_forced)
{
	struct lifo *lifo = lifo_of(el);
	struct list_node *node = lifo->requests.next;

	(void)is_forced;
	if (list_is_empty(&lifo->requests))
		return false;
	if (lifo->passed_over++ >= lifo->patience)
		node = lifo->requests.prev;
	if (node == lifo->requests.prev)
		lifo->passed_over = 0;
	list_remove(node);
	blk_dispatch_tail(el->queue, rq_of_node(NULL, node));
	return true;
}

static const struct option lifo_options[] = {
	ELEVATOR_OPTION(struct lifo, patience, "patience", "requests", "16",
			INT32_MAX,
			"The oldest one is passed over this many times."),
};

static const struct option_table lifo_table = {
	.section = "elevator",
	.help = "tunables of lifo",
	.options = lifo_options,
	.count = ARRAY_LEN(lifo_options),
};

const struct elevator_ops ncqsim_elevator = {
	.abi = ELEVATOR_ABI,
	.name = "lifo",
	.help = "last come, first served",
	.first_era = ERA_2_6_18,
	.last_era = ERA_MODERN,
	.state_size = sizeof(struct lifo),
	.options = &lifo_table,
	.init = lifo_init,
	.insert = lifo_insert,
	.dispatch = lifo_dispatch,
};
