/* SPDX-License-Identifier: MIT */
/*
 * What a drive file says (models/drives, DESIGN section 5), as one struct.
 * Every key is declared in the option tables of drive_options.c; 0, -1 or an
 * empty list may stand for "not given", as the help of the key says.
 */
#ifndef NCQSIM_DRIVE_DRIVE_CONFIG_H
#define NCQSIM_DRIVE_DRIVE_CONFIG_H

#include "sim/core/err.h"
#include "sim/core/option.h"
#include "sim/drive/cache.h"
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
	int sparing; /* enum geometry_sparing */
	int64_t spare_range_cyl;
	int64_t physical_sector_bytes; /* 512 or 4096 */
	int64_t logical_sector_bytes;  /* 512, or 4096 for 4Kn */
	bool zero_latency; /* may begin anywhere within what it reads */
	struct option_list slipped;        /* cyl head sector, ... */
	struct option_list slipped_tracks; /* cyl head, ... */
	struct option_list remapped; /* cyl head sector to-c to-h to-s, ... */
};

/* Skews in slots (-1 = not given) or in time, rounded up to slots (0 = not). */
struct skew_config {
	int64_t track_slots, cyl_slots, band_slots;
	nsec_t track_ns, cyl_ns, band_ns;
};

/* [zones]: what all zones share, and the short way to say them all. */
struct zones_config {
	int64_t count; /* 0 = the zones are given one by one */
	int64_t cylinders;
	int64_t spt_outer, spt_inner; /* between them linear by zone */
	int64_t spare_sectors;
	struct skew_config skew;
};

/* [zone N]; numbers in physical sectors. */
struct zone_config {
	int64_t cylinders;
	struct option_list spt; /* one for all heads, or one for each */
	int64_t spare_sectors;  /* -1 = as [zones] */
	int64_t front_tracks;
	int64_t front_sectors;
	int64_t first_slot; /* -1 = so that no revolution is lost */
	struct skew_config skew;
};

/* [interface] */
struct interface_config {
	int kind;             /* enum interface_kind */
	int64_t link_mbps;    /* SATA: on the wire; PATA: payload, Mbit/s */
	int64_t queue_depth;  /* 1 (no NCQ) to 32 */
	nsec_t command_ns;    /* firmware overhead of one media command */
	nsec_t turnaround_ns; /* link: handshake of one frame */
	/* negative: as the one before it */
	nsec_t read_after_write_ns; /* command_ns behind a write */
	nsec_t write_ns;            /* command_ns of a write */
	nsec_t write_after_write_ns;
	/* SCSI only */
	nsec_t block_ns; /* 512 bytes on the bus */
	nsec_t read_done_ns, write_done_ns;
	int64_t read_start_percent, read_start_sectors;
};

enum interface_kind {
	INTERFACE_SATA,
	INTERFACE_PATA,
	INTERFACE_SCSI,
};

/* [firmware] */
struct firmware_config {
	char policy[OPTION_NAME_MAX]; /* name in models/firmware */
	/* The rules of models/firmware/rules.h; 0: none. */
	nsec_t guard_ns;
	nsec_t age_limit_ns;
	int64_t age_credit; /* us off per ms waited; 0 = the policy's own */
	int64_t window;     /* commands; 0 = the policy's own */
	bool stream_first;
	bool priority; /* honour the host's NCQ priority and deadlines */
	nsec_t deadline_margin_ns;
	nsec_t seek_error_ns; /* standard deviations */
	nsec_t rotate_error_ns;
	bool vector; /* AVX2 may be used; the choices are the same */
};

struct drive_config {
	char path[OPTION_NAME_MAX * 2]; /* of the file, for messages */
	struct drive_identity identity;
	struct mechanism_config mechanism;
	struct zones_config all_zones;
	struct seek_config seek;
	struct cache_config cache;
	struct interface_config interface;
	struct firmware_config firmware;
	struct zone_config *zones; /* owned; [zone 0] first */
	uint32_t zone_count;
};

/*
 * The tables by section, each filling a struct drive_config, NULL-ended by
 * an entry without options; and that of one [zone N], which fills a struct
 * zone_config.
 */
extern const struct option_table drive_config_tables[];
extern const struct option_table drive_zone_table;

/*
 * Read a drive file, following inherit (relative to the file's folder, then
 * @models_dir and its folder drives; ".ini" may be left out).  A file's keys
 * replace inherited ones one by one; a [zones] with a count replaces all
 * zones, and [zone N] an inherited count.  On success the caller frees with
 * drive_config_free(); @models_dir may be NULL.
 */
int drive_config_read(const char *path, const char *models_dir,
		      struct drive_config *config, struct err *e);
void drive_config_free(struct drive_config *config);

/* A copy with lists of its own. */
int drive_config_copy(const struct drive_config *config,
		      struct drive_config *copy, struct err *e);

/*
 * Set one "section.key" by hand, as --set does; "zone 3.spt" for a zone that
 * there is.
 */
int
drive_config_set(struct drive_config *config, const char *key, const char *text,
		 const struct option_place *place, struct err *e);

/* The value of a key as text; its length, or ERR_CONFIG. */
int drive_config_get(const struct drive_config *config, const char *key,
		     char *buf, size_t size, struct err *e);

/*
 * Build the map, or the seek curve, of a drive from its configuration.
 * Contradictions between keys are found here: ERR_CONFIG with the file.
 */
int drive_config_geometry(const struct drive_config *config,
			  struct geometry **out, struct err *e);
int drive_config_seek(const struct drive_config *config, uint32_t cylinders,
		      struct seek_curve **out, struct err *e);

#endif
