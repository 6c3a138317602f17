/* SPDX-License-Identifier: MIT */
/*
 * What a drive file says (models/drives, DESIGN section 5), as one struct.
 * Every key is declared in the option tables of drive_config.c.
 */
#ifndef NCQSIM_DRIVE_DRIVE_CONFIG_H
#define NCQSIM_DRIVE_DRIVE_CONFIG_H

#include "sim/core/err.h"
#include "sim/core/option.h"
#include "sim/drive/geometry.h"
#include "sim/drive/seek.h"

/* [drive]: identity. */
struct drive_identity {
	char model[OPTION_NAME_MAX];
	char firmware_rev[OPTION_NAME_MAX];
	char inherit[OPTION_NAME_MAX];
	int64_t capacity_sectors; /* of 512 bytes, as published; 0 = all */
	int64_t year;
};

/* [mechanism] */
struct mechanism_config {
	int64_t rpm;
	int64_t heads;
	int mapping; /* enum geometry_mapping */
	int64_t band_cyl;
	int sparing;                   /* enum geometry_sparing */
	int64_t physical_sector_bytes; /* 512 or 4096 */
	int64_t logical_sector_bytes;  /* 512, or 4096 for 4Kn */
	bool zero_latency; /* may begin anywhere within what it reads */
};

/* [interface] */
struct interface_config {
	int kind;             /* enum interface_kind */
	int64_t link_mbps;    /* 1500, 3000, 6000; PATA: bytes as UDMA mode */
	int64_t queue_depth;  /* 1 (no NCQ) to 32 */
	nsec_t command_ns;    /* firmware overhead of one media command */
	nsec_t turnaround_ns; /* link: handshake of one frame */
};

enum interface_kind {
	INTERFACE_SATA,
	INTERFACE_PATA,
};

/* [firmware] */
struct firmware_config {
	char policy[OPTION_NAME_MAX]; /* name in models/firmware */
};

struct drive_config {
	struct drive_identity identity;
	struct mechanism_config mechanism;
	struct seek_config seek;
	struct interface_config interface;
	struct firmware_config firmware;
	struct geometry_zone_config *zones; /* owned */
	uint32_t zone_count;
	struct geometry_defect *defects; /* owned */
	uint32_t defect_count;
};

/* The tables by section, NULL-ended by an entry without options. */
extern const struct option_table drive_config_tables[];

/*
 * Read a drive file, following inherit (relative to the file's folder, then
 * @models_dir).  On success the caller frees with drive_config_free().
 */
int drive_config_read(const char *path, const char *models_dir,
		      struct drive_config *config, struct err *e);
void drive_config_free(struct drive_config *config);

/* Set one "section.key" by hand, as --set does. */
int
drive_config_set(struct drive_config *config, const char *key, const char *text,
		 const struct option_place *place, struct err *e);

/* Build the map of a drive from its configuration. */
int drive_config_geometry(const struct drive_config *config,
			  struct geometry **out, struct err *e);

#endif
