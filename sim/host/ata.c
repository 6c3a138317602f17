/* SPDX-License-Identifier: MIT */
#include "sim/host/ata.h"

#include <stdlib.h>

/*
 * The memory that the controller reaches, at bus address 0: what a driver
 * allocates for one port.  Data buffers lie beyond and are never touched,
 * since without a data store only time is simulated.
 */
struct arena {
	uint8_t list[AHCI_SLOTS * AHCI_HEADER_BYTES];
	uint8_t rx[AHCI_RX_BYTES];
	uint8_t unused[768]; /* tables begin at a multiple of 2 KiB */
	struct {
		uint8_t fis[AHCI_TABLE_PRDT];
		uint8_t prdt[ATA_SEGMENTS_MAX * AHCI_PRD_BYTES];
		uint8_t unused[1024 - 768];
	} table[AHCI_SLOTS];
};

#define BUFFER_ADDRESS UINT64_C(0x100000000)
#define PRD_BYTES_MAX  (UINT32_C(1) << 22)

struct ata {
	struct ata_config config;
	struct ahci *hba;
	struct blk_queue *queue;
	uint32_t queued;       /* bit per tag with an NCQ command */
	uint32_t lone;         /* bit of the command that is not queued */
	uint32_t tags;         /* bit per usable tag */
	uint32_t sector_shift; /* 512-byte sectors in a logical one, log2 */
	struct request *request[ATA_TAGS_MAX];
	struct arena arena;
};

/* ---- building commands ---- */

static bool
request_is_media(const struct request *rq)
{
	return rq->op == IO_READ || rq->op == IO_WRITE;
}

/*
 * The ICC field for a limit: bit 7 clear, units of 10 ms; set, of half a
 * second; less one, rounded down.
 */
static uint8_t
icc_of(uint32_t limit_ms)
{
	if (limit_ms <= 128 * 10)
		return (uint8_t)(limit_ms < 10 ? 0 : limit_ms / 10 - 1);
	return (uint8_t)(0x80 | (limit_ms / 500 - 1));
}

static void
registers_prioritize(const struct ata *ata, const struct request *rq,
		     struct fis_register *r)
{
	enum ata_priority priority = ATA_PRIORITY_HIGH;

	if (!rq->first || rq->first->io_class != IO_CLASS_RT)
		return;
	if (ata->config.ncq_deadline_ms) {
		priority = ATA_PRIORITY_ISOCHRONOUS;
		r->icc = icc_of(ata->config.ncq_deadline_ms);
	}
	r->count |= (uint16_t)(priority << 14);
}

/* NCQ keeps the count in the features and the tag in the count. */
static void
registers_queued(const struct request *rq, uint32_t sectors, uint32_t tag,
		 struct fis_register *r)
{
	r->command = rq->op == IO_READ ? ATA_READ_FPDMA_QUEUED
				       : ATA_WRITE_FPDMA_QUEUED;
	r->features = (uint16_t)sectors;
	r->count = (uint16_t)(tag << 3);
	if (rq->flags & IO_FUA)
		r->device |= ATA_DEVICE_FUA;
}

static void
registers_unqueued(const struct request *rq, uint32_t sectors,
		   struct fis_register *r)
{
	static const uint8_t command[] = {
		[IO_READ] = ATA_READ_DMA_EXT,
		[IO_WRITE] = ATA_WRITE_DMA_EXT,
		[IO_DISCARD] = ATA_DATA_SET_MANAGEMENT,
		[IO_FLUSH] = ATA_FLUSH_CACHE_EXT,
	};

	r->command = command[rq->op];
	r->count = (uint16_t)sectors;
	if (rq->op == IO_DISCARD) {
		r->features = 1; /* TRIM */
		r->count = 1;    /* one block of ranges */
		r->lba = 0;
	}
}

static uint32_t
segment_put(uint8_t *prdt, uint32_t n, uint64_t address, uint32_t bytes)
{
	assert(n < ATA_SEGMENTS_MAX && bytes > 0);
	fis_put64(prdt + n * AHCI_PRD_BYTES, address);
	fis_put64(prdt + n * AHCI_PRD_BYTES + 8, (uint64_t)(bytes - 1) << 32);
	return n + 1;
}

/*
 * One segment a bio.  A request of more bios than a command has segments
 * puts the rest in its last one: where they lie in memory does not matter.
 */
static uint32_t
segments_build(uint8_t *prdt, const struct request *rq)
{
	uint64_t address = BUFFER_ADDRESS;
	uint32_t n = 0, bytes;
	uint64_t left = (uint64_t)rq->sectors * SECTOR_BYTES;

	for (const struct bio *bio = rq->first; left > 0;) {
		bytes = bio && n + 8 < ATA_SEGMENTS_MAX
				? bio->sectors * SECTOR_BYTES
				: PRD_BYTES_MAX;
		if (bytes > left)
			bytes = (uint32_t)left;
		if (bytes > PRD_BYTES_MAX)
			bytes = PRD_BYTES_MAX;
		n = segment_put(prdt, n, address, bytes);
		address += bytes;
		left -= bytes;
		bio = bio ? bio->next : NULL;
	}
	return n;
}

/* Fill slot @tag's header and table for @rq. */
static void
command_build(struct ata *ata, const struct request *rq, uint32_t tag,
	      bool is_queued)
{
	uint8_t *header = ata->arena.list + tag * AHCI_HEADER_BYTES;
	uint64_t table = (uint64_t)((const uint8_t *)&ata->arena.table[tag] -
				    (const uint8_t *)&ata->arena);
	uint32_t sectors = rq->sectors >> ata->sector_shift;
	struct fis_register r = {
		.flags = FIS_COMMAND,
		.device = ATA_DEVICE_LBA,
		.lba = rq->lba >> ata->sector_shift,
	};
	uint32_t prds = 0;

	if (is_queued) {
		registers_queued(rq, sectors, tag, &r);
		if (unlikely(ata->config.ncq_prio))
			registers_prioritize(ata, rq, &r);
	} else {
		registers_unqueued(rq, sectors, &r);
	}
	if (request_is_media(rq))
		prds = segments_build(ata->arena.table[tag].prdt, rq);
	fis_h2d_encode(ata->arena.table[tag].fis, &r);
	fis_put64(header, FIS_REGISTER_BYTES / 4 |
				  (rq->op == IO_WRITE ? AHCI_HEADER_WRITE : 0) |
				  (uint64_t)prds << 16);
	fis_put64(header + 8, table);
}

/* ---- issuing ---- */

static bool
rq_is_queued(const struct ata *ata, const struct request *rq)
{
	return ata->config.queue_depth > 1 && request_is_media(rq);
}

static void
command_issue(struct ata *ata, struct request *rq, bool is_queued)
{
	uint32_t tag = (uint32_t)__builtin_ctz(ata->tags & ~ata->queued);
	uint32_t bit = UINT32_C(1) << tag;

	ata->request[tag] = rq;
	rq->driver = tag;
	command_build(ata, rq, tag, is_queued);
	if (is_queued) {
		ata->queued |= bit;
		ahci_write(ata->hba, AHCI_PORT0 + AHCI_PXSACT, bit);
	} else {
		ata->lone = bit;
	}
	ahci_write(ata->hba, AHCI_PORT0 + AHCI_PXCI, bit);
}

/* Take requests while a tag is free; the block layer's request function. */
static void
ata_run(void *ctx)
{
	struct ata *ata = ctx;
	struct request *rq;

	while ((rq = blk_peek(ata->queue))) {
		bool is_queued = rq_is_queued(ata, rq);

		if (ata->lone || ata->queued == ata->tags)
			break;
		blk_start(ata->queue, rq);
		if (!is_queued && ata->queued) {
			blk_requeue(ata->queue, rq);
			break;
		}
		command_issue(ata, rq, is_queued);
	}
}

/* ---- interrupts ---- */

static void
command_end(struct ata *ata, uint32_t tag, int status)
{
	struct request *rq = ata->request[tag];

	if (ata->config.done)
		ata->config.done(ata->config.done_ctx, rq, tag, status);
	blk_complete(ata->queue, rq, status);
}

static void
commands_end(struct ata *ata, uint32_t tags, int status)
{
	/* Free them all first: completing one runs the queue. */
	ata->queued &= ~tags;
	ata->lone &= ~tags;
	for (; tags; tags &= tags - 1)
		command_end(ata, (uint32_t)__builtin_ctz(tags), status);
}

/* The commands that the controller no longer has. */
static uint32_t
commands_done(struct ata *ata)
{
	uint32_t done =
		ata->queued & ~ahci_read(ata->hba, AHCI_PORT0 + AHCI_PXSACT);

	if (ata->lone)
		done |= ata->lone &
			~ahci_read(ata->hba, AHCI_PORT0 + AHCI_PXCI);
	return done;
}

/* The order of libahci: port status, then global status, then commands. */
static void
ata_irq(void *ctx, bool level)
{
	struct ata *ata = ctx;
	uint32_t status;

	if (!level)
		return;
	status = ahci_read(ata->hba, AHCI_PORT0 + AHCI_PXIS);
	ahci_write(ata->hba, AHCI_PORT0 + AHCI_PXIS, status);
	ahci_write(ata->hba, AHCI_IS, 1);
	/* Records were checked against the drive's end: nothing can fail. */
	assert(!(status & (AHCI_TFES | AHCI_HBFS | AHCI_OFS)));
	commands_end(ata, commands_done(ata), 0);
}

static void *
ata_dma(void *ctx, uint64_t at, uint32_t bytes)
{
	struct ata *ata = ctx;

	if (at > sizeof(ata->arena) || bytes > sizeof(ata->arena) - at)
		return NULL;
	return (uint8_t *)&ata->arena + at;
}

/* ---- life ---- */

struct ata *
ata_create(const struct ata_config *config, struct err *e)
{
	struct ata *ata = calloc(1, sizeof(*ata));

	assert(config->queue_depth >= 1 && config->queue_depth <= ATA_TAGS_MAX);
	if (!ata) {
		err_nomem(e);
		return NULL;
	}
	ata->config = *config;
	ata->tags = UINT32_MAX >> (ATA_TAGS_MAX - config->queue_depth);
	while (SECTOR_BYTES << ata->sector_shift < config->sector_bytes)
		ata->sector_shift++;
	return ata;
}

void
ata_destroy(struct ata *ata)
{
	free(ata);
}

struct ahci_host
ata_ahci_host(struct ata *ata)
{
	return (struct ahci_host){ ata_dma, ata_irq, ata };
}

struct blk_driver
ata_blk_driver(struct ata *ata)
{
	return (struct blk_driver){ ata_run, ata };
}

void
ata_start(struct ata *ata, struct ahci *hba, struct blk_queue *queue)
{
	ata->hba = hba;
	ata->queue = queue;
	ahci_write(hba, AHCI_PORT0 + AHCI_PXCLB, offsetof(struct arena, list));
	ahci_write(hba, AHCI_PORT0 + AHCI_PXFB, offsetof(struct arena, rx));
	ahci_write(hba, AHCI_PORT0 + AHCI_PXCMD,
		   AHCI_CMD_FRE | AHCI_CMD_SUD | AHCI_CMD_ST);
	ahci_write(hba, AHCI_PORT0 + AHCI_PXIE,
		   AHCI_DHRS | AHCI_SDBS | AHCI_OFS | AHCI_HBFS | AHCI_TFES);
	ahci_write(hba, AHCI_GHC, AHCI_GHC_AE | AHCI_GHC_IE);
}

uint32_t
ata_outstanding(const struct ata *ata)
{
	return (uint32_t)__builtin_popcount(ata->queued | ata->lone);
}
