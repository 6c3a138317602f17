/* SPDX-License-Identifier: MIT */
/*
 * DiskSim's parameter files (.parv, .diskspecs, .model) as a tree.
 *
 *	type name {			a block; inside it entries, with commas
 *	   Some key = 1.5,		a scalar: everything up to the comma
 *	   Other key = [ 1, 2 ],	a list of scalars or blocks
 *	   Third key = type { ... },	a block
 *	   Model = source other.model	the block that this file begins with
 *	} # comment
 *
 * "source FILE" alone takes in the blocks of another file; statements that
 * begin otherwise (instantiate, topology) are passed over.  Names of files
 * are relative to the file that gives them.
 */
#ifndef NCQSIM_FRONTEND_DISKSIM_H
#define NCQSIM_FRONTEND_DISKSIM_H

#include "sim/core/err.h"

#include <stdbool.h>
#include <stddef.h>

enum dnode_kind {
	DNODE_SCALAR,
	DNODE_LIST,
	DNODE_BLOCK,
};

/* One value; children are owned. */
struct dnode {
	enum dnode_kind kind;
	char *key;  /* before "=", blanks as single ones; NULL in a list */
	char *type; /* of a block: its first word */
	char *text; /* of a scalar; of a block its name */
	const char *file;
	int line;
	bool used;                         /* dnode_find() has given it out */
	struct dnode *child, *last, *next; /* children: first, last */
};

struct dfile; /* owns the names of files */

/* The blocks of @path and of what it sources.  ERR_INPUT: file:line. */
int disksim_read(const char *path, struct dnode **root, struct dfile **files,
		 struct err *e);
void disksim_free(struct dnode *root, struct dfile *files);

/* The first block of @type below @node, at any depth, or NULL. */
struct dnode *disksim_block(struct dnode *node, const char *type);

/* The entry of a block, marked as used, or NULL. */
struct dnode *disksim_find(const struct dnode *block, const char *key);

/* A scalar as a number; ERR_INPUT with its place when it is none. */
int disksim_number(const struct dnode *node, double *value, struct err *e);

/* A message about @node: "file:line: ..."; returns ERR_INPUT. */
int disksim_fail(const struct dnode *node, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
