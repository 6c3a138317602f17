/* SPDX-License-Identifier: MIT */
#include "traces/comm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The slot of @pid, or the empty slot where it belongs. */
static uint32_t
comm_slot(const struct comm_map *map, uint32_t pid)
{
	uint32_t mask = map->capacity - 1;
	uint32_t i = (pid * UINT32_C(2654435761)) >> 7 & mask;

	assert(map->count < map->capacity);
	while (map->names[i][0] && map->pids[i] != pid)
		i = (i + 1) & mask;
	return i;
}

static int
comm_grow(struct comm_map *map, struct err *e)
{
	struct comm_map old = *map;

	map->capacity = old.capacity ? old.capacity * 2 : 64;
	map->pids = calloc(map->capacity, sizeof(*map->pids));
	map->names = calloc(map->capacity, sizeof(*map->names));
	if (!map->pids || !map->names) {
		free(map->pids);
		free(map->names);
		*map = old;
		return err_nomem(e);
	}
	for (uint32_t i = 0; i < old.capacity; i++) {
		uint32_t slot;

		if (!old.names[i][0])
			continue;
		slot = comm_slot(map, old.pids[i]);
		map->pids[slot] = old.pids[i];
		memcpy(map->names[slot], old.names[i], COMM_NAME_MAX);
	}
	free(old.pids);
	free(old.names);
	return 0;
}

int
comm_add(struct comm_map *map, uint32_t pid, const char *name, size_t bytes,
	 struct err *e)
{
	size_t length = bytes ? strnlen(name, bytes) : 0;
	uint32_t slot;

	if (length == 0)
		return 0;
	if (length > COMM_NAME_MAX - 1)
		length = COMM_NAME_MAX - 1;
	if (map->count * 2 >= map->capacity && comm_grow(map, e))
		return ERR_INTERNAL;
	slot = comm_slot(map, pid);
	if (map->names[slot][0])
		return 0;
	map->pids[slot] = pid;
	memcpy(map->names[slot], name, length);
	map->count++;
	return 0;
}

const char *
comm_find(const struct comm_map *map, uint32_t pid)
{
	uint32_t slot;

	if (map->count == 0)
		return NULL;
	slot = comm_slot(map, pid);
	return map->names[slot][0] ? map->names[slot] : NULL;
}

void
comm_free(struct comm_map *map)
{
	free(map->pids);
	free(map->names);
	memset(map, 0, sizeof(*map));
}
