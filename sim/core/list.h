/* SPDX-License-Identifier: MIT */
/*
 * A doubly linked list whose nodes live in their owners.  The head is a node
 * too: an empty list points at itself.
 */
#ifndef NCQSIM_CORE_LIST_H
#define NCQSIM_CORE_LIST_H

#include "sim/core/types.h"

struct list_node {
	struct list_node *next;
	struct list_node *prev;
};

static inline void
list_init(struct list_node *head)
{
	head->next = head;
	head->prev = head;
}

static inline bool
list_is_empty(const struct list_node *head)
{
	return head->next == head;
}

/* Put @node, which is in no list, between @before and its successor. */
static inline void
list_add_after(struct list_node *before, struct list_node *node)
{
	node->prev = before;
	node->next = before->next;
	before->next->prev = node;
	before->next = node;
}

static inline void
list_add_tail(struct list_node *head, struct list_node *node)
{
	list_add_after(head->prev, node);
}

/* Take @node out; it is a list of its own afterwards. */
static inline void
list_remove(struct list_node *node)
{
	node->next->prev = node->prev;
	node->prev->next = node->next;
	list_init(node);
}

/* The owner of the first node; the list must not be empty. */
#define list_first(head, type, member) container_of((head)->next, type, member)

#endif
