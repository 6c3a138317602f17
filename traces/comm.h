/* SPDX-License-Identifier: MIT */
/*
 * Names of processes by pid.  The first name of a pid stays, as blkparse
 * does it.  A hash table with open addressing.
 */
#ifndef NCQSIM_TRACES_COMM_H
#define NCQSIM_TRACES_COMM_H

#include "sim/core/err.h"
#include "sim/core/types.h"

#define COMM_NAME_MAX 64

struct comm_map {
	uint32_t *pids;
	char (*names)[COMM_NAME_MAX];
	uint32_t count;
	uint32_t capacity; /* a power of two, or 0 */
};

/* Remember the @bytes long @name (cut at a NUL) unless @pid has one. */
int comm_add(struct comm_map *map, uint32_t pid, const char *name, size_t bytes,
	     struct err *e);

/* NULL when @pid has no name. */
const char *comm_find(const struct comm_map *map, uint32_t pid);

void comm_free(struct comm_map *map);

#endif
