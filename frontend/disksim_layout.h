/* SPDX-License-Identifier: MIT */
/* The parts of disksim_import.c: one writes the layout. */
#ifndef NCQSIM_FRONTEND_DISKSIM_LAYOUT_H
#define NCQSIM_FRONTEND_DISKSIM_LAYOUT_H

#include "frontend/disksim.h"

#include <stdarg.h>
#include <stdio.h>

/* An import under way. */
struct import {
	FILE *out, *warn; /* warn may be NULL */
	struct err *e;
	struct dnode *root;
	const struct dnode *disk, *model, *layout, *mech;
};

/* "key = value   # from" */
void import_line(const struct import *im, const char *key, const char *from,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* A comment in the file and a warning. */
void import_warn(const struct import *im, const struct dnode *node,
		 const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* A number of a block that must be there; or may be. */
int import_number(const struct dnode *block, const char *key, double *value,
		  struct err *e);
int import_number_or(const struct dnode *block, const char *key, double other,
		     double *value, struct err *e);

/* The rest of [mechanism], and the zones. */
int import_layout(const struct import *im);

#endif
