/* SPDX-License-Identifier: MIT */
/*
 * The controller: AHCI 1.3.1, one port, transport-neutral.
 *
 * Whoever drives it writes registers and memory structures as a real driver
 * does; the core reaches memory and the interrupt line through two
 * callbacks.  Register offsets, structures and flow: AHCI 1.3.1 sections 3,
 * 4 and 5; section numbers stand at the code.
 *
 * A command slot:
 *
 *   host: PxSACT |= bit (NCQ), PxCI |= bit
 *        |  port not busy, slot's turn
 *        v
 *   fetch header and table, send Register H2D        BSY set
 *        |  D2H, BSY and DRQ clear                   CI bit cleared
 *        v
 *   NCQ: waits for Set Device Bits                   SACT bit cleared
 */
#ifndef NCQSIM_AHCI_AHCI_H
#define NCQSIM_AHCI_AHCI_H

#include "sim/core/event.h"
#include "sim/sata/link.h"

/* HBA registers (AHCI 1.3.1 section 3.1). */
#define AHCI_CAP 0x00u
#define AHCI_GHC 0x04u
#define AHCI_IS  0x08u
#define AHCI_PI  0x0cu
#define AHCI_VS  0x10u

#define AHCI_PORT0      0x100u
#define AHCI_PORT_BYTES 0x80u

/* Port registers (3.3), as offsets within a port. */
#define AHCI_PXCLB  0x00u
#define AHCI_PXCLBU 0x04u
#define AHCI_PXFB   0x08u
#define AHCI_PXFBU  0x0cu
#define AHCI_PXIS   0x10u
#define AHCI_PXIE   0x14u
#define AHCI_PXCMD  0x18u
#define AHCI_PXTFD  0x20u
#define AHCI_PXSIG  0x24u
#define AHCI_PXSSTS 0x28u
#define AHCI_PXSCTL 0x2cu
#define AHCI_PXSERR 0x30u
#define AHCI_PXSACT 0x34u
#define AHCI_PXCI   0x38u

#define AHCI_GHC_AE 0x80000000u
#define AHCI_GHC_IE 0x00000002u

/* PxIS and PxIE. */
#define AHCI_DHRS 0x00000001u /* Register D2H FIS with the I bit */
#define AHCI_SDBS 0x00000008u /* Set Device Bits FIS with the I bit */
#define AHCI_OFS  0x01000000u /* more data than the PRDT has room for */
#define AHCI_HBFS 0x20000000u /* memory could not be reached */
#define AHCI_TFES 0x40000000u /* the drive reported an error */

/* PxCMD. */
#define AHCI_CMD_ST  0x0001u
#define AHCI_CMD_SUD 0x0002u
#define AHCI_CMD_FRE 0x0010u
#define AHCI_CMD_FR  0x4000u
#define AHCI_CMD_CR  0x8000u

/* Command header and table (4.2.2, 4.2.3). */
#define AHCI_SLOTS        32u
#define AHCI_HEADER_BYTES 32u
#define AHCI_HEADER_WRITE 0x40u
#define AHCI_TABLE_PRDT   0x80u
#define AHCI_PRD_BYTES    16u
#define AHCI_PRDT_MAX     65535u
#define AHCI_RX_DMA_SETUP 0x00u
#define AHCI_RX_D2H       0x40u
#define AHCI_RX_SDB       0x58u
#define AHCI_RX_BYTES     256u

struct ahci;

/* What the core needs of its surroundings. */
struct ahci_host {
	/* @bytes of memory at bus address @at, or NULL when there is none. */
	void *(*dma)(void *ctx, uint64_t at, uint32_t bytes);
	/* The interrupt line rises or falls. */
	void (*irq)(void *ctx, bool level);
	void *ctx;
};

/* A controller on the controller's end of @link. */
struct ahci *
ahci_create(const struct ahci_host *host, struct link *link, struct err *e);
void ahci_destroy(struct ahci *hba);

/* 32-bit register access at a dword offset of the register file. */
uint32_t ahci_read(struct ahci *hba, uint32_t offset);
void ahci_write(struct ahci *hba, uint32_t offset, uint32_t value);

/* Interrupts raised so far: rising edges of the line. */
uint64_t ahci_interrupts(const struct ahci *hba);

#endif
