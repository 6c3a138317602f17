/* SPDX-License-Identifier: MIT */
#include "sim/ahci/ahci.h"

#include <stdlib.h>

/* What a slot's header said, kept from the fetch to the end. */
struct slot {
	const uint8_t *prdt; /* first entry, in memory */
	uint32_t prds;       /* entries */
};

struct ahci {
	struct ahci_host host;
	struct link *link;
	uint64_t interrupts;
	uint8_t *rx;   /* received-FIS area, once FRE is set */
	uint8_t *list; /* command list, once ST is set */
	uint32_t ghc;
	uint32_t is;
	uint32_t clb, clbu, fb, fbu;
	uint32_t pxis, pxie, cmd, tfd, sctl, serr, sact, ci;
	uint32_t sig;
	uint32_t fetched;  /* bit per slot of ci whose FIS was sent */
	uint32_t current;  /* slot whose FIS was sent last (PxCMD.CCS) */
	uint32_t receiver; /* slot whose data comes: newest DMA Setup, or
			    * the command itself when it is not queued */
	bool is_raised;    /* level of the interrupt line */
	struct slot slot[AHCI_SLOTS];
};

/* ---- interrupts (5.6) ---- */

static inline void
irq_update(struct ahci *hba)
{
	bool level;

	if (hba->pxis & hba->pxie)
		hba->is |= 1;
	level = hba->is && (hba->ghc & AHCI_GHC_IE);
	if (level == hba->is_raised)
		return;
	hba->is_raised = level;
	hba->interrupts += level;
	hba->host.irq(hba->host.ctx, level);
}

static void
irq_cause(struct ahci *hba, uint32_t cause)
{
	hba->pxis |= cause;
	irq_update(hba);
}

/* ---- memory ---- */

static uint8_t *
memory(struct ahci *hba, uint64_t at, uint32_t bytes)
{
	return hba->host.dma(hba->host.ctx, at, bytes);
}

static uint32_t
get32(const uint8_t *from)
{
	uint32_t word;

	memcpy(&word, from, sizeof(word));
	return le32toh(word);
}

static void
put32(uint8_t *to, uint32_t word)
{
	word = htole32(word);
	memcpy(to, &word, sizeof(word));
}

/* ---- commands to the drive (5.3) ---- */

/* Read slot @n's header and send its FIS.  False when memory is missing. */
static bool
slot_fetch(struct ahci *hba, uint32_t n)
{
	const uint8_t *header = hba->list + n * AHCI_HEADER_BYTES;
	uint64_t first = fis_get64(header), table = fis_get64(header + 8);
	uint32_t fis_bytes = (uint32_t)(first & 31) * 4;
	uint32_t prds = (uint32_t)(first >> 16) & 0xffff;
	struct slot *slot = &hba->slot[n];
	struct link_size size = { 0 };
	struct link_frames *room;
	const uint8_t *fis =
		memory(hba, table, AHCI_TABLE_PRDT + prds * AHCI_PRD_BYTES);

	/* Nothing but Register FISes is sent this way: 20 bytes. */
	if (!fis || fis_bytes != FIS_REGISTER_BYTES)
		return false;
	slot->prdt = fis + AHCI_TABLE_PRDT;
	slot->prds = prds;
	room = link_room(hba->link, LINK_HOST);
	memcpy(room->fis, fis, FIS_REGISTER_BYTES);
	link_add(&size, FIS_REGISTER_BYTES);
	link_send(hba->link, LINK_HOST, room, &size);
	return true;
}

/* Send the command of one of the slots @waiting. */
static void
slot_issue(struct ahci *hba, uint32_t waiting)
{
	uint32_t n;

	/* Round robin, from the slot after the last. */
	n = (hba->current + 1) % AHCI_SLOTS;
	n = (n + (uint32_t)__builtin_ctz(waiting >> n |
					 waiting << (-n % AHCI_SLOTS))) %
	    AHCI_SLOTS;
	if (!slot_fetch(hba, n)) {
		hba->cmd &= ~AHCI_CMD_CR;
		irq_cause(hba, AHCI_HBFS);
		return;
	}
	hba->current = n;
	hba->receiver = n;
	hba->fetched |= UINT32_C(1) << n;
	hba->tfd |= ATA_STATUS_BSY;
}

/* Send the next slot's command when the drive can take one. */
static inline void
slots_issue(struct ahci *hba)
{
	uint32_t waiting = hba->ci & ~hba->fetched;

	if (waiting && (hba->cmd & AHCI_CMD_CR) &&
	    !(hba->tfd & (ATA_STATUS_BSY | ATA_STATUS_DRQ)))
		slot_issue(hba, waiting);
}

/* ---- data (5.3.8, 5.4) ---- */

/*
 * Walk the table of @slot until it has room for @bytes, or to its end.
 * Returns the room seen.  Without a data store only time is simulated and
 * nothing is copied.
 */
static inline uint64_t
prdt_walk(const struct slot *slot, uint64_t bytes)
{
	uint64_t room = 0;

	for (uint32_t i = 0; i < slot->prds && room < bytes; i++)
		room += (get32(slot->prdt + i * AHCI_PRD_BYTES + 12) &
			 0x3fffff) +
			1;
	return room;
}

static inline void
prdt_account(struct ahci *hba, uint32_t tag, uint32_t bytes)
{
	if (unlikely(prdt_walk(&hba->slot[tag], bytes) < bytes))
		irq_cause(hba, AHCI_OFS);
	put32(hba->list + tag * AHCI_HEADER_BYTES + 4, bytes);
}

/* The drive wants @bytes of tag's data: one Data FIS, then the rest. */
static void
data_send(struct ahci *hba, uint32_t tag, uint32_t bytes)
{
	uint32_t first =
		bytes < FIS_DATA_MAX_BYTES ? bytes : FIS_DATA_MAX_BYTES;
	struct link_frames *room = link_room(hba->link, LINK_HOST);
	struct link_size size = { 0 };
	uint32_t activates;

	prdt_account(hba, tag, bytes);
	link_add_data(room, &size, first, first);
	link_send(hba->link, LINK_HOST, room, &size);
	bytes -= first;
	if (!bytes)
		return;
	size = (struct link_size){ 0 };
	room = link_room(hba->link, LINK_HOST);
	link_add_data(room, &size, bytes, bytes);
	/* The drive allows each further Data FIS with a DMA Activate. */
	activates = (bytes + FIS_DATA_MAX_BYTES - 1) / FIS_DATA_MAX_BYTES;
	size.frames += activates;
	size.line_bytes += activates * FIS_DMA_ACTIVATE_BYTES;
	link_send(hba->link, LINK_HOST, room, &size);
}

/* The drive is ready for the data of a write that is not queued: all of it,
 * as the table describes it.
 */
static void
dma_activate_receive(struct ahci *hba)
{
	const struct slot *slot = &hba->slot[hba->current];

	data_send(hba, hba->current, (uint32_t)prdt_walk(slot, UINT32_MAX));
}

/* ---- FISes from the drive (5.3.7 to 5.3.13) ---- */

static void
dma_setup_receive(struct ahci *hba, const uint8_t *fis)
{
	uint32_t tag = fis_dma_setup_tag(fis);

	hba->receiver = tag;
	if (hba->rx)
		memcpy(hba->rx + AHCI_RX_DMA_SETUP, fis, FIS_DMA_SETUP_BYTES);
	if ((fis[1] & (FIS_TO_HOST | FIS_AUTO_ACTIVATE)) == FIS_AUTO_ACTIVATE)
		data_send(hba, tag, fis_dma_setup_bytes(fis));
}

static void
d2h_receive(struct ahci *hba, const uint8_t *fis)
{
	if (hba->rx)
		memcpy(hba->rx + AHCI_RX_D2H, fis, FIS_REGISTER_BYTES);
	hba->tfd = fis[2] | (uint32_t)fis[3] << 8;
	if (hba->tfd & ATA_STATUS_ERR)
		irq_cause(hba, AHCI_TFES);
	else if (!(hba->tfd & (ATA_STATUS_BSY | ATA_STATUS_DRQ)))
		hba->ci &= ~(UINT32_C(1) << hba->current);
	hba->fetched &= hba->ci;
	if (fis[1] & FIS_INTERRUPT)
		irq_cause(hba, AHCI_DHRS);
	slots_issue(hba);
}

static void
sdb_receive(struct ahci *hba, const uint8_t *fis)
{
	if (hba->rx)
		memcpy(hba->rx + AHCI_RX_SDB, fis, FIS_SDB_BYTES);
	hba->tfd = (hba->tfd & ~UINT32_C(0xff77)) | (fis[2] & 0x77u) |
		   (uint32_t)fis[3] << 8;
	hba->sact &= ~get32(fis + 4);
	if (hba->tfd & ATA_STATUS_ERR)
		irq_cause(hba, AHCI_TFES);
	if (fis[1] & FIS_INTERRUPT)
		irq_cause(hba, AHCI_SDBS);
}

/* Returns the bytes of @fis. */
static inline uint32_t
fis_receive(struct ahci *hba, const uint8_t *fis, uint32_t data_bytes)
{
	switch (fis[0]) {
	case FIS_REGISTER_D2H:
		d2h_receive(hba, fis);
		return FIS_REGISTER_BYTES;
	case FIS_SET_DEVICE_BITS:
		sdb_receive(hba, fis);
		return FIS_SDB_BYTES;
	case FIS_DMA_SETUP:
		dma_setup_receive(hba, fis);
		return FIS_DMA_SETUP_BYTES;
	case FIS_DMA_ACTIVATE:
		dma_activate_receive(hba);
		return FIS_DMA_ACTIVATE_BYTES;
	case FIS_DATA:
		prdt_account(hba, hba->receiver, data_bytes);
		return FIS_DATA_HEADER_BYTES;
	default:
		assert(0 && "the drive sends no other FIS");
		return LINK_FIS_BYTES;
	}
}

static void
ahci_receive(void *ctx, const struct link_frames *frames, nsec_t now_ns)
{
	struct ahci *hba = ctx;
	const uint8_t *fis = frames->fis;
	const uint8_t *end = fis + frames->size.fis_bytes;
	uint32_t data_bytes = frames->size.data_bytes;

	(void)now_ns;
	while (fis < end)
		fis += fis_receive(hba, fis, data_bytes);
}

/* ---- registers (3.1, 3.3) ---- */

static void
cmd_write(struct ahci *hba, uint32_t value)
{
	uint64_t list = hba->clb | (uint64_t)hba->clbu << 32;
	uint64_t rx = hba->fb | (uint64_t)hba->fbu << 32;

	hba->cmd = value & (AHCI_CMD_ST | AHCI_CMD_SUD | AHCI_CMD_FRE);
	hba->rx = NULL;
	if (hba->cmd & AHCI_CMD_FRE) {
		hba->cmd |= AHCI_CMD_FR;
		hba->rx = memory(hba, rx, AHCI_RX_BYTES);
	}
	if (!(hba->cmd & AHCI_CMD_ST)) {
		hba->ci = hba->sact = hba->fetched = 0;
		return;
	}
	hba->list = memory(hba, list, AHCI_SLOTS * AHCI_HEADER_BYTES);
	if (hba->list)
		hba->cmd |= AHCI_CMD_CR;
	else
		irq_cause(hba, AHCI_HBFS);
}

/* The registers that a driver writes only when it sets up the port. */
static void
port_write(struct ahci *hba, uint32_t offset, uint32_t value)
{
	switch (offset - AHCI_PORT0) {
	case AHCI_PXIE:
		hba->pxie = value & 0xfdc000ff;
		irq_update(hba);
		break;
	case AHCI_PXCLB:
		hba->clb = value & ~UINT32_C(0x3ff);
		break;
	case AHCI_PXCLBU:
		hba->clbu = value;
		break;
	case AHCI_PXFB:
		hba->fb = value & ~UINT32_C(0xff);
		break;
	case AHCI_PXFBU:
		hba->fbu = value;
		break;
	case AHCI_PXCMD:
		cmd_write(hba, value);
		break;
	case AHCI_PXSCTL:
		hba->sctl = value;
		break;
	case AHCI_PXSERR:
		hba->serr &= ~value;
		break;
	default: /* read only, or reserved */
		break;
	}
}

void
ahci_write(struct ahci *hba, uint32_t offset, uint32_t value)
{
	switch (offset) {
	case AHCI_IS:
		hba->is &= ~value;
		irq_update(hba);
		break;
	case AHCI_GHC:
		hba->ghc = AHCI_GHC_AE | (value & AHCI_GHC_IE);
		irq_update(hba);
		break;
	case AHCI_PORT0 + AHCI_PXSACT:
		hba->sact |= value;
		break;
	case AHCI_PORT0 + AHCI_PXCI:
		if (hba->cmd & AHCI_CMD_ST)
			hba->ci |= value;
		slots_issue(hba);
		break;
	case AHCI_PORT0 + AHCI_PXIS:
		hba->pxis &= ~value;
		break;
	default:
		port_write(hba, offset, value);
		break;
	}
}

static uint32_t
port_read(const struct ahci *hba, uint32_t offset)
{
	switch (offset) {
	case AHCI_PXCLB:
		return hba->clb;
	case AHCI_PXCLBU:
		return hba->clbu;
	case AHCI_PXFB:
		return hba->fb;
	case AHCI_PXFBU:
		return hba->fbu;
	case AHCI_PXIS:
		return hba->pxis;
	case AHCI_PXIE:
		return hba->pxie;
	case AHCI_PXCMD:
		return hba->cmd | hba->current << 8;
	case AHCI_PXTFD:
		return hba->tfd;
	case AHCI_PXSIG:
		return hba->sig;
	case AHCI_PXSSTS:
		return 0x123; /* device present, active, 3 Gb/s */
	case AHCI_PXSCTL:
		return hba->sctl;
	case AHCI_PXSERR:
		return hba->serr;
	case AHCI_PXSACT:
		return hba->sact;
	case AHCI_PXCI:
		return hba->ci;
	default:
		return 0;
	}
}

uint32_t
ahci_read(struct ahci *hba, uint32_t offset)
{
	if (offset >= AHCI_PORT0)
		return port_read(hba, offset - AHCI_PORT0);
	switch (offset) {
	case AHCI_CAP:
		/* S64A, SNCQ, Gen 2, 32 slots, one port. */
		return 0xc0000000u | 2u << 20 | 31u << 8;
	case AHCI_GHC:
		return hba->ghc;
	case AHCI_IS:
		return hba->is;
	case AHCI_PI:
		return 1;
	case AHCI_VS:
		return 0x00010301;
	default:
		return 0;
	}
}

/* ---- life ---- */

struct ahci *
ahci_create(const struct ahci_host *host, struct link *link, struct err *e)
{
	struct ahci *hba = calloc(1, sizeof(*hba));

	if (!hba) {
		err_nomem(e);
		return NULL;
	}
	hba->host = *host;
	hba->link = link;
	hba->ghc = AHCI_GHC_AE;
	hba->tfd = ATA_STATUS_RDY;
	hba->sig = 0x00000101; /* an ATA disk */
	link_attach(link, LINK_HOST, ahci_receive, hba);
	return hba;
}

void
ahci_destroy(struct ahci *hba)
{
	free(hba);
}

uint64_t
ahci_interrupts(const struct ahci *hba)
{
	return hba->interrupts;
}
