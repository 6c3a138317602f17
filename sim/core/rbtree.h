/* SPDX-License-Identifier: MIT */
/*
 * A red-black tree whose nodes live in their owners.
 *
 * Insertion and deletion are those of Cormen, Leiserson, Rivest and Stein,
 * "Introduction to Algorithms", chapter 13; a node with two children is
 * replaced by its in-order successor, which takes its colour.  The shape is
 * part of the contract: CFQ's search for a close queue depends on it.
 *
 * The tree knows no keys.  To insert, the owner descends from root->node,
 * and gives the parent it ended at and the child link that was NULL there.
 */
#ifndef NCQSIM_CORE_RBTREE_H
#define NCQSIM_CORE_RBTREE_H

#include "sim/core/types.h"

struct rb_node {
	struct rb_node *left;
	struct rb_node *right;
	struct rb_node *parent;
	bool is_red;
	bool in_tree;
};

struct rb_root {
	struct rb_node *node;
};

/* Link @node as the child @link of @parent (NULL: the root) and rebalance. */
void rb_insert(struct rb_root *root, struct rb_node *node,
	       struct rb_node *parent, struct rb_node **link);

/* Take @node, which is in the tree, out and rebalance. */
void rb_remove(struct rb_root *root, struct rb_node *node);

/* In-order neighbours and ends; NULL where there is none. */
struct rb_node *rb_first(const struct rb_root *root);
struct rb_node *rb_last(const struct rb_root *root);
struct rb_node *rb_next(const struct rb_node *node);
struct rb_node *rb_prev(const struct rb_node *node);

#endif
