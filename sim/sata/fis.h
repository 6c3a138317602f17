/* SPDX-License-Identifier: MIT */
/*
 * Frame information structures, encoded and decoded as the bytes on the wire
 * (Serial ATA revision 3.x, section 10.5; little endian).
 *
 * A FIS is composed in 64-bit words and read back with the same widths.
 */
#ifndef NCQSIM_SATA_FIS_H
#define NCQSIM_SATA_FIS_H

#include "sim/core/types.h"

#include <endian.h>
#include <string.h>

enum fis_type {
	FIS_REGISTER_H2D = 0x27,
	FIS_REGISTER_D2H = 0x34,
	FIS_DMA_ACTIVATE = 0x39,
	FIS_DMA_SETUP = 0x41,
	FIS_DATA = 0x46,
	FIS_PIO_SETUP = 0x5f,
	FIS_SET_DEVICE_BITS = 0xa1,
};

/* Bytes of each FIS; of a Data FIS, of its header alone. */
#define FIS_REGISTER_BYTES     20u
#define FIS_DMA_ACTIVATE_BYTES 4u
#define FIS_DMA_SETUP_BYTES    28u
#define FIS_SDB_BYTES          8u
#define FIS_DATA_HEADER_BYTES  4u
#define FIS_DATA_MAX_BYTES     8192u /* payload of one Data FIS */

/* Byte 1 of a FIS. */
#define FIS_COMMAND       0x80u /* H2D: the command register was written */
#define FIS_AUTO_ACTIVATE 0x80u /* DMA Setup */
#define FIS_INTERRUPT     0x40u
#define FIS_TO_HOST       0x20u /* DMA Setup: direction of the data */

/* The status register, and bits of the error register. */
#define ATA_STATUS_BSY 0x80u
#define ATA_STATUS_RDY 0x40u
#define ATA_STATUS_DRQ 0x08u
#define ATA_STATUS_ERR 0x01u
#define ATA_ERROR_ABRT 0x04u
#define ATA_ERROR_IDNF 0x10u

/* Commands (ACS-3); the device register of NCQ carries FUA in bit 7. */
enum ata_command {
	ATA_DATA_SET_MANAGEMENT = 0x06,
	ATA_READ_DMA_EXT = 0x25,
	ATA_WRITE_DMA_EXT = 0x35,
	ATA_WRITE_DMA_FUA_EXT = 0x3d,
	ATA_READ_FPDMA_QUEUED = 0x60,
	ATA_WRITE_FPDMA_QUEUED = 0x61,
	ATA_FLUSH_CACHE_EXT = 0xea,
};

#define ATA_DEVICE_LBA 0x40u
#define ATA_DEVICE_FUA 0x80u

/* PRIO: bits 15:14 of the count of an NCQ command. */
enum ata_priority {
	ATA_PRIORITY_NORMAL = 0,
	ATA_PRIORITY_ISOCHRONOUS = 1, /* the ICC field limits its time */
	ATA_PRIORITY_HIGH = 2,
};

/* What a Register FIS carries, either way. */
struct fis_register {
	uint8_t flags;   /* byte 1 */
	uint8_t command; /* H2D; D2H: status */
	uint8_t error;   /* D2H only */
	uint8_t device;
	uint64_t lba;      /* 48 bits */
	uint16_t features; /* H2D only */
	uint16_t count;
	uint8_t icc;     /* H2D only */
	uint8_t control; /* H2D only */
};

static inline void
fis_put64(uint8_t *to, uint64_t word)
{
	word = htole64(word);
	memcpy(to, &word, sizeof(word));
}

static inline uint64_t
fis_get64(const uint8_t *from)
{
	uint64_t word;

	memcpy(&word, from, sizeof(word));
	return le64toh(word);
}

/* 20 bytes at @to. */
static inline void
fis_h2d_encode(uint8_t *to, const struct fis_register *r)
{
	fis_put64(to, FIS_REGISTER_H2D | (uint64_t)r->flags << 8 |
			      (uint64_t)r->command << 16 |
			      (uint64_t)(r->features & 0xff) << 24 |
			      (r->lba & 0xffffff) << 32 |
			      (uint64_t)r->device << 56);
	fis_put64(to + 8, (r->lba >> 24 & 0xffffff) |
				  (uint64_t)(r->features >> 8) << 24 |
				  (uint64_t)r->count << 32 |
				  (uint64_t)r->icc << 48 |
				  (uint64_t)r->control << 56);
	memset(to + 16, 0, 4);
}

static inline void
fis_h2d_decode(const uint8_t *from, struct fis_register *r)
{
	uint64_t a = fis_get64(from), b = fis_get64(from + 8);

	r->flags = (uint8_t)(a >> 8);
	r->command = (uint8_t)(a >> 16);
	r->error = 0;
	r->device = (uint8_t)(a >> 56);
	r->lba = (a >> 32 & 0xffffff) | (b & 0xffffff) << 24;
	r->features = (uint16_t)((a >> 24 & 0xff) | (b >> 16 & 0xff00));
	r->count = (uint16_t)(b >> 32);
	r->icc = (uint8_t)(b >> 48);
	r->control = (uint8_t)(b >> 56);
}

/* 20 bytes at @to; @r->command is the status. */
static inline void
fis_d2h_encode(uint8_t *to, const struct fis_register *r)
{
	fis_put64(to, FIS_REGISTER_D2H | (uint64_t)r->flags << 8 |
			      (uint64_t)r->command << 16 |
			      (uint64_t)r->error << 24 |
			      (r->lba & 0xffffff) << 32 |
			      (uint64_t)r->device << 56);
	fis_put64(to + 8, (r->lba >> 24 & 0xffffff) | (uint64_t)r->count << 32);
	memset(to + 16, 0, 4);
}

/* 8 bytes at @to: the commands in @done have completed. */
static inline void
fis_sdb_encode(uint8_t *to, uint8_t status, uint8_t error, uint32_t done)
{
	fis_put64(to, FIS_SET_DEVICE_BITS | FIS_INTERRUPT << 8 |
			      (uint64_t)(status & 0x77) << 16 |
			      (uint64_t)error << 24 | (uint64_t)done << 32);
}

/* 28 bytes at @to. */
static inline void
fis_dma_setup_encode(uint8_t *to, uint8_t flags, uint32_t tag, uint32_t bytes)
{
	fis_put64(to,
		  FIS_DMA_SETUP | (uint64_t)flags << 8 | (uint64_t)tag << 32);
	fis_put64(to + 8, 0);
	fis_put64(to + 16, (uint64_t)bytes << 32);
	memset(to + 24, 0, 4);
}

static inline uint32_t
fis_dma_setup_tag(const uint8_t *fis)
{
	return (uint32_t)(fis_get64(fis) >> 32) & 31;
}

static inline uint32_t
fis_dma_setup_bytes(const uint8_t *fis)
{
	return (uint32_t)(fis_get64(fis + 16) >> 32);
}

/* Bytes of a FIS by its type, payload excluded; 0 for an unknown type. */
uint32_t fis_bytes(uint8_t type);

#endif
