/* SPDX-License-Identifier: MIT */
/*
 * One record of a blktrace file as bytes.
 *
 * Version 7 is 48 bytes: magic, sequence, time, sector, bytes, action, pid,
 * device, cpu, error, payload length.  Version 8 (Linux 6.19) is 64: pid
 * before a 64-bit action, then padding.  Both are in the byte order of the
 * machine that was traced.  The payload follows without padding, so that
 * records are unaligned.
 *
 * Two relatives come from ftrace's binary output: with 16 bytes of context
 * before each record, and (Linux 7.2) 48 bytes marked version 7 that hold the
 * first 48 bytes of a version 8 record.
 */
#ifndef NCQSIM_TRACES_BLKTRACE_RECORD_H
#define NCQSIM_TRACES_BLKTRACE_RECORD_H

#include "traces/trace.h"

#include <string.h>

#define BLK_MAGIC      UINT32_C(0x65617400)
#define BLK_MAGIC_MASK UINT32_C(0xffffff00)

#define BLK_V7_BYTES   48u
#define BLK_V8_BYTES   64u
#define BLK_LEAD_BYTES 16u /* ftrace's context before a record */

#define BLK_ACTION_MAX   19u
#define BLK_CGROUP       0x100u /* flag in the action's low half */
#define BLK_NOTE_PROCESS 0u
#define BLK_NOTE_TIME    1u
#define BLK_NOTE_MESSAGE 2u
#define BLK_CGROUP_BYTES 8u
#define BLK_SECTOR_BITS  48
#define BLK_TIME_BITS    62 /* 146 years of nanoseconds */

/* How the records of a file are laid out; decided once a file. */
struct blk_layout {
	uint32_t magic;  /* as stored, read in our own byte order */
	uint8_t lead;    /* bytes before each record */
	uint8_t version; /* 7 or 8 */
	uint8_t header;  /* bytes of a record without lead and payload */
	bool swap;       /* the other byte order */
	bool cut;        /* version 8 fields in 48 bytes */
};

static inline uint16_t
blk_get16(const uint8_t *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t
blk_get32(const uint8_t *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t
blk_get64(const uint8_t *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

/* Remap, split and unplug payloads are big-endian on every machine. */
static inline uint32_t
blk_get_be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t
blk_get_be64(const uint8_t *p)
{
	return (uint64_t)blk_get_be32(p) << 32 | blk_get_be32(p + 4);
}

/* The fields of the header that are not where they are in an event. */
struct blk_header {
	uint64_t time_ns;
	uint64_t action; /* category in the upper bits */
	uint32_t payload_bytes;
	uint32_t cpu;
};

static inline uint32_t
blk_payload_bytes(const uint8_t *p, const struct blk_layout *l)
{
	if (unlikely(l->cut))
		return 0;
	return blk_get16(p + (l->version == 7 ? 46 : 50), l->swap);
}

static inline uint64_t
blk_time_ns(const uint8_t *p, const struct blk_layout *l)
{
	return blk_get64(p + 8, l->swap);
}

/* Whether a version 7 or 8 record at @p is a process or timestamp note. */
static inline bool
blk_is_note(const uint8_t *p, const struct blk_layout *l)
{
	bool v7 = l->version == 7 && !l->cut;
	uint64_t action =
		v7 ? blk_get32(p + 28, l->swap) : blk_get64(p + 32, l->swap);

	return action >> 16 & TRACE_NOTIFY &&
	       (action & 0xffff & ~BLK_CGROUP) < BLK_NOTE_MESSAGE;
}

/*
 * Whether it is a message with a control group.  A dump of blkparse 1.2 keeps
 * the absolute time of these, as that of notes.
 */
static inline bool
blk_is_cgroup_message(const uint8_t *p, const struct blk_layout *l)
{
	bool v7 = l->version == 7 && !l->cut;
	uint64_t action =
		v7 ? blk_get32(p + 28, l->swap) : blk_get64(p + 32, l->swap);

	return action >> 16 & TRACE_NOTIFY && action & BLK_CGROUP;
}

/*
 * Decode the header at @p into @ev and @h, payload and action apart.
 * @swap and @v8 are constants where it is called, so that each use is
 * straight code.
 */
static inline void
blk_decode(const uint8_t *p, bool swap, bool v8, struct trace_event *ev,
	   struct blk_header *h)
{
	ev->sequence = blk_get32(p + 4, swap);
	h->time_ns = blk_get64(p + 8, swap);
	ev->sector = blk_get64(p + 16, swap);
	ev->bytes = blk_get32(p + 24, swap);
	if (v8) {
		ev->pid = blk_get32(p + 28, swap);
		h->action = blk_get64(p + 32, swap);
	} else {
		h->action = blk_get32(p + 28, swap);
		ev->pid = blk_get32(p + 32, swap);
	}
	ev->device = blk_get32(p + (v8 ? 40 : 36), swap);
	h->cpu = blk_get32(p + (v8 ? 44 : 40), swap);
}

#endif
