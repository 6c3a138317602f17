/* SPDX-License-Identifier: MIT */
/*
 * Everything inside the case: commands arrive as FISes, wait under their
 * tags, are chosen by the firmware, use the mechanism, and are answered.
 *
 * One command:
 *
 *   (Register H2D arrives)
 *        |  refused ---------------------------------> D2H with ERR
 *        |  read, NCQ: D2H release
 *        |  write: D2H release, DMA Setup --> WAIT_DATA
 *        v                                       | first Data FIS arrives
 *     QUEUED <-----------------------------------+
 *        |  the firmware picks it
 *        v
 *     ACTIVE    positioning and transfer; the arm moves
 *        |  last sector has passed
 *        v
 *     answered: DMA Setup, last Data, Set Device Bits (NCQ read);
 *               Set Device Bits (NCQ write); D2H (not queued)
 *
 *   from       event                    to         function
 *   FREE       H2D, read                QUEUED     command_receive
 *   FREE       H2D, write               WAIT_DATA  command_receive
 *   FREE       H2D, no media            ACTIVE     unqueued_without_media
 *   WAIT_DATA  first Data               QUEUED     data_receive
 *   QUEUED     picked                   ACTIVE     drive_dispatch
 *   ACTIVE     media end                FREE       media_done
 *
 * There is no cache yet: every read and write uses the media.  Data written
 * to part of a physical sector costs a read of it and one revolution.
 */
#ifndef NCQSIM_DRIVE_DRIVE_H
#define NCQSIM_DRIVE_DRIVE_H

#include "models/firmware/firmware.h"
#include "sim/core/event.h"
#include "sim/drive/drive_config.h"
#include "sim/drive/queue.h"
#include "sim/probe.h"
#include "sim/sata/link.h"

struct drive;

/* Who is told of each choice of the firmware's, before the arm moves. */
struct drive_observer {
	void (*decide)(void *ctx, const struct probe_decision *decision);
	void *ctx;
};

/*
 * A drive on the drive's end of @link.  The configuration is copied where it
 * is kept.  NULL with @e filled when it is contradictory.
 */
struct drive *
drive_create(const struct drive_config *config,
	     const struct firmware_ops *firmware, struct calendar *cal,
	     struct link *link, struct err *e);
void drive_destroy(struct drive *drive);

/* Seed the errors of the firmware's estimates; 0 without. */
void drive_seed(struct drive *drive, uint64_t seed);

/* Tell @observer, which is copied; one at most. */
void drive_observe(struct drive *drive, const struct drive_observer *observer);

/* How the last media access under @tag divided. */
const struct probe_access *
drive_access(const struct drive *drive, uint32_t tag);

/* The media's time for destaging, of extents that are on the media. */
nsec_t drive_destage_ns(const struct drive *drive);

/* Time during which a command was active, to @now_ns. */
nsec_t drive_busy_ns(const struct drive *drive, nsec_t now_ns);

/* Published capacity in logical sectors, and their size. */
uint64_t drive_sectors(const struct drive *drive);
uint32_t drive_sector_bytes(const struct drive *drive);

const struct geometry *drive_geometry(const struct drive *drive);
const struct seek_curve *drive_seek(const struct drive *drive);

#endif
