/* SPDX-License-Identifier: MIT */
#include "sim/core/rbtree.h"

#include <assert.h>

static bool
is_red(const struct rb_node *node)
{
	return node && node->is_red;
}

/* Let @to take the place of @from below the parent of @from. */
static void
replace_child(struct rb_root *root, struct rb_node *from, struct rb_node *to)
{
	struct rb_node *parent = from->parent;

	if (!parent)
		root->node = to;
	else if (parent->left == from)
		parent->left = to;
	else
		parent->right = to;
	if (to)
		to->parent = parent;
}

static void
rotate_left(struct rb_root *root, struct rb_node *x)
{
	struct rb_node *y = x->right;

	x->right = y->left;
	if (y->left)
		y->left->parent = x;
	replace_child(root, x, y);
	y->left = x;
	x->parent = y;
}

static void
rotate_right(struct rb_root *root, struct rb_node *x)
{
	struct rb_node *y = x->left;

	x->left = y->right;
	if (y->right)
		y->right->parent = x;
	replace_child(root, x, y);
	y->right = x;
	x->parent = y;
}

/* One step up with a red @node below a red parent; returns where to go on. */
static struct rb_node *
fix_red_pair(struct rb_root *root, struct rb_node *node)
{
	struct rb_node *parent = node->parent;
	struct rb_node *grand = parent->parent;
	bool is_left = parent == grand->left;
	struct rb_node *uncle = is_left ? grand->right : grand->left;

	if (is_red(uncle)) {
		parent->is_red = false;
		uncle->is_red = false;
		grand->is_red = true;
		return grand;
	}
	if (is_left && node == parent->right) {
		rotate_left(root, parent);
		parent = node;
	} else if (!is_left && node == parent->left) {
		rotate_right(root, parent);
		parent = node;
	}
	parent->is_red = false;
	grand->is_red = true;
	if (is_left)
		rotate_right(root, grand);
	else
		rotate_left(root, grand);
	return grand; /* red below a black parent: done */
}

void
rb_insert(struct rb_root *root, struct rb_node *node, struct rb_node *parent,
	  struct rb_node **link)
{
	assert(!*link);
	assert(!node->in_tree);
	node->left = NULL;
	node->right = NULL;
	node->parent = parent;
	node->is_red = true;
	node->in_tree = true;
	*link = node;
	while (is_red(node->parent))
		node = fix_red_pair(root, node);
	root->node->is_red = false;
}

/*
 * @node (which may be NULL, hence @parent) lacks one black on its paths and
 * is the left or the right child.  Returns true when the balance is back.
 */
static bool
fix_left_deficit(struct rb_root *root, struct rb_node *parent)
{
	struct rb_node *sib = parent->right;

	if (sib->is_red) {
		sib->is_red = false;
		parent->is_red = true;
		rotate_left(root, parent);
		sib = parent->right;
	}
	if (!is_red(sib->left) && !is_red(sib->right)) {
		sib->is_red = true;
		return false;
	}
	if (!is_red(sib->right)) {
		sib->left->is_red = false;
		sib->is_red = true;
		rotate_right(root, sib);
		sib = parent->right;
	}
	sib->is_red = parent->is_red;
	parent->is_red = false;
	sib->right->is_red = false;
	rotate_left(root, parent);
	return true;
}

static bool
fix_right_deficit(struct rb_root *root, struct rb_node *parent)
{
	struct rb_node *sib = parent->left;

	if (sib->is_red) {
		sib->is_red = false;
		parent->is_red = true;
		rotate_right(root, parent);
		sib = parent->left;
	}
	if (!is_red(sib->left) && !is_red(sib->right)) {
		sib->is_red = true;
		return false;
	}
	if (!is_red(sib->left)) {
		sib->right->is_red = false;
		sib->is_red = true;
		rotate_left(root, sib);
		sib = parent->left;
	}
	sib->is_red = parent->is_red;
	parent->is_red = false;
	sib->left->is_red = false;
	rotate_right(root, parent);
	return true;
}

static void
fix_deficit(struct rb_root *root, struct rb_node *node, struct rb_node *parent)
{
	bool done = false;

	while (!done && parent && !is_red(node)) {
		if (node == parent->left)
			done = fix_left_deficit(root, parent);
		else
			done = fix_right_deficit(root, parent);
		node = parent;
		parent = node->parent;
	}
	if (!done && node)
		node->is_red = false;
}

/* Take out a node with two children; its successor takes place and colour. */
static void
remove_inner(struct rb_root *root, struct rb_node *node)
{
	struct rb_node *heir = rb_next(node);
	struct rb_node *child = heir->right;
	struct rb_node *parent = heir->parent;
	bool was_red = heir->is_red;

	if (parent == node) {
		parent = heir;
	} else {
		replace_child(root, heir, child);
		heir->right = node->right;
		heir->right->parent = heir;
	}
	replace_child(root, node, heir);
	heir->left = node->left;
	heir->left->parent = heir;
	heir->is_red = node->is_red;
	if (!was_red)
		fix_deficit(root, child, parent);
}

void
rb_remove(struct rb_root *root, struct rb_node *node)
{
	struct rb_node *child = node->left ? node->left : node->right;

	assert(node->in_tree);
	node->in_tree = false;
	if (node->left && node->right) {
		remove_inner(root, node);
		return;
	}
	replace_child(root, node, child);
	if (!node->is_red)
		fix_deficit(root, child, node->parent);
}

struct rb_node *
rb_first(const struct rb_root *root)
{
	struct rb_node *node = root->node;

	while (node && node->left)
		node = node->left;
	return node;
}

struct rb_node *
rb_last(const struct rb_root *root)
{
	struct rb_node *node = root->node;

	while (node && node->right)
		node = node->right;
	return node;
}

struct rb_node *
rb_next(const struct rb_node *node)
{
	struct rb_node *up = node->parent;

	if (node->right)
		return rb_first(&(struct rb_root){ node->right });
	while (up && node == up->right) {
		node = up;
		up = node->parent;
	}
	return up;
}

struct rb_node *
rb_prev(const struct rb_node *node)
{
	struct rb_node *up = node->parent;

	if (node->left)
		return rb_last(&(struct rb_root){ node->left });
	while (up && node == up->left) {
		node = up;
		up = node->parent;
	}
	return up;
}
