/* SPDX-License-Identifier: MIT */
/*
 * libncqsim: simulate a hard drive behind an AHCI controller and a Linux
 * block layer.
 *
 *	struct ncqsim_config *cfg = ncqsim_config_new(models_dir, &e);
 *	ncqsim_config_drive(cfg, "wd3200bjkt", &e);
 *	ncqsim_config_elevator(cfg, "noop", &e);
 *	ncqsim_config_set(cfg, "host.queue_depth", "31", NULL, &e);
 *	struct ncqsim *sim = ncqsim_create(cfg, &e);
 *	ncqsim_attach(sim, &my_probe);
 *	ncqsim_feed(sim, source);
 *	while ((more = ncqsim_run(sim, 100000, &e)) > 0)
 *		show_progress(sim);
 *	ncqsim_destroy(sim);
 *
 * Functions that can fail return a negative enum err_code and fill the
 * struct err, which may be NULL; see sim/core/err.h.  Nothing here prints,
 * exits or keeps state outside its arguments, so any number of simulations
 * may run in as many threads.
 */
#ifndef NCQSIM_H
#define NCQSIM_H

#include "sim/core/err.h"
#include "sim/core/io.h"
#include "sim/core/option.h"
#include "sim/core/types.h"
#include "sim/probe.h"

#define NCQSIM_VERSION "0.1.0"

struct ncqsim;
struct ncqsim_config;

/* [run]: how records are turned into load. */
enum ncqsim_replay {
	REPLAY_TIMED, /* open loop, at the record's time */
	REPLAY_DEPTH, /* closed loop, run.depth bios outstanding */
	REPLAY_THINK, /* closed loop, the recorded time after a completion */
};

enum ncqsim_beyond {
	BEYOND_ERROR, /* a record past the drive's end stops the run */
	BEYOND_WRAP,  /* LBA modulo the capacity */
	BEYOND_SCALE, /* LBA * capacity / run.span_sectors */
	BEYOND_DROP,  /* left out and counted */
};

/*
 * A configuration with every option at its default and no drive yet.
 * @models_dir holds drives/ and is remembered; NULL = the installed one.
 */
struct ncqsim_config *ncqsim_config_new(const char *models_dir, struct err *e);
struct ncqsim_config *
ncqsim_config_copy(const struct ncqsim_config *cfg, struct err *e);
void ncqsim_config_free(struct ncqsim_config *cfg);

/* Take the drive from a file: a path, or a name in models/drives. */
int
ncqsim_config_drive(struct ncqsim_config *cfg, const char *name, struct err *e);

/* Choose an elevator: "NAME" or "NAME:tunable=value,...". */
int ncqsim_config_elevator(struct ncqsim_config *cfg, const char *spec,
			   struct err *e);

/* Choose the firmware's ordering policy: "NAME" or "NAME:key=value,...". */
int ncqsim_config_firmware(struct ncqsim_config *cfg, const char *spec,
			   struct err *e);

/* What may be chosen: the @i-th name, or NULL past the last; and a line of
 * help about it. */
const char *ncqsim_elevator_name(size_t i);
const char *ncqsim_elevator_help(size_t i);
/* Its first and last value of host.kernel. */
void ncqsim_elevator_eras(size_t i, const char **first, const char **last);
const char *ncqsim_firmware_name(size_t i);
const char *ncqsim_firmware_help(size_t i);

/*
 * Set any option by its key, "section.name".  @place is named in messages
 * and may be NULL ("--set").
 */
int
ncqsim_config_set(struct ncqsim_config *cfg, const char *key, const char *text,
		  const struct option_place *place, struct err *e);

/* The present value of a key as text; returns its length or ERR_CONFIG. */
int ncqsim_config_get(const struct ncqsim_config *cfg, const char *key,
		      char *buf, size_t size, struct err *e);

/*
 * The @i-th option table, or NULL past the last: for help, manual pages,
 * completion and for writing a configuration into a result.
 */
const struct option_table *
ncqsim_config_table(const struct ncqsim_config *cfg, size_t i);

/*
 * Build the machine.  The configuration is copied.  Returns NULL with @e
 * filled when it is contradictory.
 */
struct ncqsim *ncqsim_create(const struct ncqsim_config *cfg, struct err *e);
void ncqsim_destroy(struct ncqsim *sim);

/* Add a probe, which the caller owns and keeps until the simulation ends. */
void ncqsim_attach(struct ncqsim *sim, struct probe *probe);

/* Give the machine its load.  The source stays the caller's. */
void ncqsim_feed(struct ncqsim *sim, struct io_source *source);

/*
 * Fire up to @events events.  Returns 1 when there is more to do, 0 when
 * every record has been served, or a negative code: the source's, or
 * ERR_INPUT for a record beyond the drive's end.
 */
int ncqsim_run(struct ncqsim *sim, uint64_t events, struct err *e);

/* Plain counts of a run so far. */
struct ncqsim_totals {
	nsec_t now_ns;            /* the simulated clock */
	nsec_t last_arrival_ns;   /* newest record submitted */
	nsec_t last_complete_ns;  /* newest completion */
	uint64_t records;         /* taken from the source */
	uint64_t dropped;         /* beyond the end, left out */
	uint64_t bios;            /* completed */
	uint64_t requests;        /* completed, after merging */
	uint64_t interrupts;      /* the controller raised */
	uint64_t backlog_max;     /* most bios outstanding at once */
	uint64_t backlog_arrival; /* bios outstanding at last_arrival_ns */
	uint64_t stalls;          /* arrivals that had to wait: saturated */
	uint64_t hash; /* over (completion time, LBA, tag) of each request */
	nsec_t drive_busy_ns; /* the drive had a command under way */
	nsec_t destage_ns;    /* of it: writing out what was in the buffer */
};

void ncqsim_totals(const struct ncqsim *sim, struct ncqsim_totals *totals);

/* What the report needs to know of the drive. */
struct ncqsim_drive_info {
	const char *model; /* valid while the simulation lives */
	uint64_t sectors;  /* of 512 bytes */
	uint32_t rpm;
	uint32_t heads;
	uint32_t cylinders;
	uint32_t queue_depth; /* in force: host's and drive's minimum */
	nsec_t revolution_ns; /* rounded */
	nsec_t seek_mean_ns;  /* read, over all pairs of cylinders */
	uint32_t outer_spt, inner_spt;
};

void
ncqsim_drive_info(const struct ncqsim *sim, struct ncqsim_drive_info *info);

#endif
