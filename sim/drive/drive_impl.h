/* SPDX-License-Identifier: MIT */
/*
 * The drive's state, shared by drive.c (commands and answers) and
 * drive_media.c (the mechanism and the buffer at work).
 */
#ifndef NCQSIM_DRIVE_DRIVE_IMPL_H
#define NCQSIM_DRIVE_DRIVE_IMPL_H

#include "sim/core/rng.h"
#include "sim/drive/buffer.h"
#include "sim/drive/drive.h"

/* A command by tag; what is not NCQ uses tag 0, alone. */
struct command {
	struct mech_range range; /* physical sectors */
	uint64_t lba;            /* logical */
	uint32_t bytes;          /* to move over the link */
	uint32_t waiting_bytes;  /* of a write, not yet asked for */
	bool is_ncq;
	bool is_media;
	bool is_hit;     /* a read that needs no media */
	bool is_fua;     /* a write that must be on the media */
	bool is_partial; /* a write that covers part of a sector */
	bool waits_data;
	uint8_t priority; /* enum ata_priority */
	uint8_t icc;
};

struct drive {
	struct calendar *cal;
	struct link *link;
	const struct firmware_ops *firmware;
	struct firmware_config rules;
	bool is_restricted; /* by rules that always may be */
	bool is_imprecise;  /* estimates have errors: */
	struct rng errors;
	struct drive_observer observer;
	struct mech mech;
	struct event media;
	nsec_t overhead_ns;    /* firmware, of one media command */
	nsec_t apart_ns[2][2]; /* the same by write and the one before */
	struct interface_config bus;
	bool is_apart;       /* these are in use: all is timed as on SCSI */
	bool is_after_write; /* the last command done was one */
	nsec_t tail_ns;      /* of the active command, from the media's end */
	nsec_t busy_ns;      /* up to the present access */
	nsec_t active_since_ns;
	uint64_t sectors;      /* logical */
	uint32_t sector_bytes; /* logical */
	uint32_t sector_shift; /* logical sectors in a physical one, log2 */
	uint32_t depth;        /* tags in use, at most */
	uint32_t outstanding;  /* bit per tag */
	uint32_t active;       /* tag on the media, or one of the below */
	uint64_t guard_ticks;
	nsec_t oldest_ns;    /* no command that waits came before */
	uint64_t last_first; /* where the last one on the media began */
	bool is_falling;     /* which was below the one before it */
	uint32_t asked_head; /* writes whose data is asked for, in order: */
	uint32_t asked_tail; /* asked[head % QUEUE_TAGS] receives now */
	uint8_t asked[QUEUE_TAGS];
	struct drive_queue queue;
	struct command command[QUEUE_TAGS];
	struct probe_access access[QUEUE_TAGS];
	struct seek_bounds bounds;
	struct geometry *geo;
	struct seek_curve *seek;

	/* The buffer, and what waits for it. */
	struct buffer buffer;
	bool writes_back;
	nsec_t destage_ns;         /* the media's time for it */
	bool flushes;              /* tag 0 waits until nothing is dirty */
	struct buffer_piece piece; /* being destaged */
	uint32_t blocked;     /* bit per tag: a write for which no room is */
	struct event destage; /* the drive has been idle long enough */
	struct event served;  /* the firmware has served a hit or a write */
	uint32_t served_head, served_tail; /* of the ring below */
	struct {
		nsec_t at_ns;
		uint32_t tag;
	} serving[QUEUE_TAGS];
};

/* Values of drive.active besides the tags. */
#define DRIVE_IDLE     QUEUE_TAGS
#define DRIVE_DESTAGES (QUEUE_TAGS + 1)

/* ---- drive_media.c: what goes to the media, and what the buffer serves ----
 */

int drive_media_init(struct drive *drive, struct err *e);

/* A read has arrived: serve it from the buffer, or queue it. */
void drive_begin_read(struct drive *drive, uint32_t tag);

/* A write that must go to the media has its data. */
void drive_begin_write(struct drive *drive, uint32_t tag);

/* A write that may stay in the buffer has all its data. */
void drive_buffer_write(struct drive *drive, uint32_t tag);

/* A command that costs the firmware's time alone, tag 0; the drive is idle
 * but for what it destages, which a flush waits for.
 */
void drive_begin_without_media(struct drive *drive, bool is_flush);

/* ---- drive_bus.c: a parallel SCSI bus and firmware that tells apart ---- */

void drive_bus_init(struct drive *drive, const struct interface_config *bus);

/* From the media's end to the answer, for an access dispatched with @delay_ns.
 */
nsec_t drive_bus_tail_ns(const struct drive *drive, uint32_t tag,
			 nsec_t delay_ns, const struct mech_access *access);

/* From now to the answer of what the buffer has at @done_ns. */
nsec_t drive_bus_served_ns(const struct drive *drive, uint32_t tag,
			   nsec_t hit_ns, nsec_t done_ns);

/* Leave to the media what the buffer has not of the read that @tag is. */
void drive_skip_front(struct drive *drive, uint32_t tag);

/* Firmware time of the write into the buffer that @tag is. */
nsec_t drive_write_ns(const struct drive *drive, uint32_t tag);

/* ---- drive.c ---- */

/* The command under @tag is done. */
void drive_answer(struct drive *drive, uint32_t tag);

#endif
