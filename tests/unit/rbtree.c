/* SPDX-License-Identifier: MIT */
#include "sim/core/rbtree.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define NODES 200

struct item {
	struct rb_node node;
	unsigned key;
};

static struct item *
item_of(struct rb_node *node)
{
	return node ? container_of(node, struct item, node) : NULL;
}

static void
insert(struct rb_root *root, struct item *item)
{
	struct rb_node **link = &root->node;
	struct rb_node *parent = NULL;

	while (*link) {
		parent = *link;
		link = item->key < item_of(parent)->key ? &parent->left
							: &parent->right;
	}
	rb_insert(root, &item->node, parent, link);
}

/* Black height of a subtree; asserts the rules of the colours. */
static int
check_subtree(const struct rb_node *node, const struct rb_node *parent)
{
	int left, right;

	if (!node)
		return 1;
	assert_ptr_equal(node->parent, parent);
	if (parent && parent->is_red)
		assert_false(node->is_red);
	left = check_subtree(node->left, node);
	right = check_subtree(node->right, node);
	assert_int_equal(left, right);
	return left + !node->is_red;
}

static void
check_tree(const struct rb_root *root, unsigned count)
{
	struct item *last = NULL;
	unsigned n = 0;

	if (root->node)
		assert_false(root->node->is_red);
	check_subtree(root->node, NULL);
	for (struct rb_node *i = rb_first(root); i; i = rb_next(i)) {
		if (last) {
			assert_true(last->key < item_of(i)->key);
			assert_ptr_equal(rb_prev(i), &last->node);
		}
		last = item_of(i);
		n++;
	}
	assert_int_equal(n, count);
	assert_ptr_equal(item_of(rb_last(root)), last);
}

/* 37 and 200, 77 and 200 have no common divisor: all keys, shuffled. */
static void
test_order_and_colours(void **state)
{
	static struct item items[NODES];
	struct rb_root root = { NULL };

	(void)state;
	for (unsigned i = 0; i < NODES; i++) {
		items[i].key = i * 37 % NODES;
		insert(&root, &items[i]);
		check_tree(&root, i + 1);
	}
	for (unsigned i = 0; i < NODES; i++) {
		rb_remove(&root, &items[i * 77 % NODES].node);
		check_tree(&root, NODES - 1 - i);
	}
}

/*
 * The shape is part of the contract.  1 to 7 in order: 2 is the root, 4 its
 * right child (worked by hand from the textbook's insertion).  Removing 4,
 * which has two children, puts its successor 5 in its place and colour.
 */
static void
test_shape(void **state)
{
	struct item items[8];
	struct rb_root root = { NULL };

	(void)state;
	for (unsigned i = 1; i <= 7; i++) {
		items[i] = (struct item){ .key = i };
		insert(&root, &items[i]);
	}
	assert_int_equal(item_of(root.node)->key, 2);
	assert_int_equal(item_of(root.node->right)->key, 4);
	assert_true(items[4].node.is_red);
	assert_int_equal(item_of(items[4].node.right)->key, 6);
	rb_remove(&root, &items[4].node);
	assert_int_equal(item_of(root.node->right)->key, 5);
	assert_true(items[5].node.is_red);
	assert_int_equal(item_of(items[5].node.left)->key, 3);
	assert_int_equal(item_of(items[5].node.right)->key, 6);
	assert_null(items[6].node.left);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_colours),
		cmocka_unit_test(test_shape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
