/* SPDX-License-Identifier: MIT */
/*
 * The host's disk driver: takes requests from the block layer, builds AHCI
 * commands in memory, rings the controller's registers, and ends requests
 * from its interrupt.
 *
 * With a queue depth above one reads and writes are NCQ commands, under the
 * lowest free tag; with depth one they are READ and WRITE DMA EXT.  A
 * command that is not queued waits until the drive is idle and the other way
 * round: it is given back to the block layer until then (as libata's
 * deferral does).
 */
#ifndef NCQSIM_HOST_ATA_H
#define NCQSIM_HOST_ATA_H

#include "sim/ahci/ahci.h"
#include "sim/host/blk.h"

#define ATA_TAGS_MAX 32u

/* Linux: AHCI_MAX_SG, segments of one command. */
#define ATA_SEGMENTS_MAX 168u

struct ata_config {
	uint32_t queue_depth;     /* 1 to ATA_TAGS_MAX; 1 = not queued */
	uint32_t sector_bytes;    /* logical: 512 or 4096 */
	bool ncq_prio;            /* real-time requests at high priority, */
	uint32_t ncq_deadline_ms; /* or isochronous with this limit */
	/* Called for each request just before it ends; may be NULL. */
	void (*done)(void *ctx, const struct request *rq, uint32_t tag,
		     int status);
	void *done_ctx;
};

struct ata;

/*
 * A driver without its controller and queue; ata_start() gives them.  It is
 * in two steps because the three need each other.
 */
struct ata *ata_create(const struct ata_config *config, struct err *e);
void ata_destroy(struct ata *ata);

/* The callbacks to build the controller and the queue with. */
struct ahci_host ata_ahci_host(struct ata *ata);
struct blk_driver ata_blk_driver(struct ata *ata);

/* Bring up the port and begin. */
void ata_start(struct ata *ata, struct ahci *hba, struct blk_queue *queue);

/* Commands with the drive now. */
uint32_t ata_outstanding(const struct ata *ata);

#endif
