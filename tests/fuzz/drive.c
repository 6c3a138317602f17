/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a drive file.  It is refused with a message, or
 * it makes a drive whose map is the same in both directions.
 */
#include "sim/core/rng.h"
#include "sim/drive/drive_config.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PROBES        2000
#define CYLINDERS_MAX 20000 /* of which seek tables are made here */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_lba(const struct geometry *geo, uint64_t lba)
{
	struct geometry_place p, next;

	geometry_decode(geo, lba, &p);
	assert(p.cyl < geometry_cylinders(geo));
	assert(p.head < geometry_heads(geo));
	assert(p.spt == geometry_spt(geo, p.cyl, p.head));
	assert(p.spt == geometry_format_spt(geo, p.format));
	assert(p.sector < p.spt && p.slot < p.spt);
	assert(p.run >= 1 && p.run <= p.spt);
	assert(lba + p.run <= geometry_capacity(geo));
	assert(geometry_encode(geo, p.cyl, p.head, p.sector) == lba);
	geometry_decode(geo, lba + p.run - 1, &next);
	assert(next.cyl == p.cyl && next.head == p.head);
	assert(next.sector == p.sector + p.run - 1);
	assert(next.slot == (p.slot + p.run - 1) % p.spt);
}

static void
check_map(const struct geometry *geo)
{
	uint64_t capacity = geometry_capacity(geo);
	struct rng rng;

	rng_init(&rng, capacity, "fuzz");
	for (uint64_t i = 0; i < PROBES && i < capacity; i++) {
		check_lba(geo, i);
		check_lba(geo, capacity - 1 - i);
		check_lba(geo, rng_below(&rng, capacity));
	}
}

static void
check_drive(const struct drive_config *config)
{
	struct seek_curve *seek = NULL;
	struct geometry *geo = NULL;
	struct err e = { 0 };
	int status = drive_config_geometry(config, &geo, &e);

	assert(status <= 0 && (status < 0) == (e.text[0] != '\0'));
	if (status < 0)
		return;
	check_map(geo);
	if (geometry_cylinders(geo) <= CYLINDERS_MAX) {
		status = drive_config_seek(config, geometry_cylinders(geo),
					   &seek, &e);
		assert((status < 0) == (e.text[0] != '\0'));
		if (status == 0)
			assert(seek_mean_ns(seek) >= 0);
		seek_free(seek);
	}
	geometry_free(geo);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("drive", 0), status;
	struct drive_config config;
	struct err e = { 0 };
	char path[64];

	/* no other file is to be opened */
	if (fd < 0 || memmem(data, size, "inherit", 7)) {
		close(fd);
		return 0;
	}
	assert(write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	status = drive_config_read(path, NULL, &config, &e);
	assert(status <= 0 && (status < 0) == (e.text[0] != '\0'));
	if (status == 0) {
		check_drive(&config);
		drive_config_free(&config);
	}
	close(fd);
	return 0;
}
