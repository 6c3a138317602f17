/* SPDX-License-Identifier: MIT */
#include "models/elevators/sorted.h"

struct request *
sorted_insert(struct rb_root *root, struct request *rq)
{
	struct rb_node **link = &root->node;
	struct rb_node *parent = NULL;

	while (*link) {
		struct request *at = sorted_request(*link);

		parent = *link;
		if (rq->lba == at->lba)
			return at;
		link = rq->lba < at->lba ? &parent->left : &parent->right;
	}
	rb_insert(root, &rq->node, parent, link);
	return NULL;
}

struct request *
sorted_find(const struct rb_root *root, sector_t lba)
{
	struct rb_node *node = root->node;

	while (node) {
		struct request *at = sorted_request(node);

		if (lba == at->lba)
			return at;
		node = lba < at->lba ? node->left : node->right;
	}
	return NULL;
}

void
fifo_inherit(struct request *rq, struct request *gone)
{
	if (gone->deadline >= rq->deadline)
		return;
	rq->deadline = gone->deadline;
	list_remove(&rq->queue);
	list_add_after(&gone->queue, &rq->queue);
}

/* False when @rq is so far behind the head that it counts as wrapped. */
static bool
cost_of(const struct sorted_head *head, const struct request *rq,
	uint64_t *cost)
{
	if (rq->lba >= head->last)
		*cost = rq->lba - head->last;
	else if (rq->lba + head->back_max >= head->last)
		*cost = (head->last - rq->lba) * head->penalty;
	else
		return false;
	return true;
}

struct request *
sorted_choose(const struct sorted_head *head, struct request *a,
	      struct request *b)
{
	uint64_t cost_a, cost_b;
	bool near_a, near_b;

	if (!a || !b)
		return a ? a : b;
	near_a = cost_of(head, a, &cost_a);
	near_b = cost_of(head, b, &cost_b);
	if (near_a != near_b)
		return near_a ? a : b;
	if (!near_a)
		return a->lba <= b->lba ? a : b;
	if (cost_a != cost_b)
		return cost_a < cost_b ? a : b;
	return a->lba >= b->lba ? a : b;
}
