/* SPDX-License-Identifier: MIT */
/*
 * What the sorting elevators share: trees of requests by first sector and
 * lists of them by deadline.
 */
#ifndef NCQSIM_ELEVATORS_SORTED_H
#define NCQSIM_ELEVATORS_SORTED_H

#include "sim/core/rbtree.h"
#include "sim/host/request.h"

static inline struct request *
sorted_request(struct rb_node *node)
{
	return node ? container_of(node, struct request, node) : NULL;
}

static inline struct request *
sorted_next(struct request *rq)
{
	return sorted_request(rb_next(&rq->node));
}

static inline struct request *
sorted_prev(struct request *rq)
{
	return sorted_request(rb_prev(&rq->node));
}

/*
 * Insert @rq.  When one with the same first sector (an alias) is there
 * already, nothing is done and the other one is returned.
 */
struct request *sorted_insert(struct rb_root *root, struct request *rq);

/* The one that begins at @lba, or NULL. */
struct request *sorted_find(const struct rb_root *root, sector_t lba);

/* Of two lists in order of @rq->deadline: the head, or NULL. */
static inline struct request *
fifo_head(const struct list_node *fifo)
{
	return list_is_empty(fifo) ? NULL
				   : list_first(fifo, struct request, queue);
}

/*
 * @rq is about to swallow @gone: it takes place and deadline of @gone when
 * that is strictly earlier.
 */
void fifo_inherit(struct request *rq, struct request *gone);

/*
 * Of two requests, which is the better next one with the head at @last?
 * AS and CFQ: the cost of going back is @penalty times the distance, up to
 * @back_max sectors; beyond, it is a wrap.  At a tie the higher one.  Either
 * may be NULL.
 */
struct sorted_head {
	sector_t last;
	sector_t back_max;
	uint32_t penalty;
};

struct request *sorted_choose(const struct sorted_head *head, struct request *a,
			      struct request *b);

#endif
