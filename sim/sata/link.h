/* SPDX-License-Identifier: MIT */
/*
 * The serial link between controller and drive: half duplex, one frame at a
 * time, the drive winning when both want to send (Serial ATA 3.x, 9.6.2).
 *
 * What travels is a transmission: one FIS, or several that follow each other
 * without the other end getting a word in (the drive always has the next
 * frame ready).  It is delivered as a whole when its last frame has arrived.
 *
 *      idle --send--> busy --end of frame--> deliver, then
 *                      ^                      drive waits:      send its next
 *                      |                      controller waits: send its next
 *                      +----------------------else              idle
 */
#ifndef NCQSIM_SATA_LINK_H
#define NCQSIM_SATA_LINK_H

#include "sim/core/event.h"
#include "sim/core/wide.h"
#include "sim/sata/fis.h"

enum link_end {
	LINK_HOST,
	LINK_DRIVE,
};

#define LINK_QUEUE     128u /* transmissions that may wait at one end */
#define LINK_FIS_BYTES 64u  /* FISes of one transmission */

struct link_frames {
	uint8_t fis[LINK_FIS_BYTES]; /* one after another, whole dwords */
	uint32_t fis_bytes;          /* used of fis[] */
	uint32_t frames;             /* handshakes it costs */
	uint32_t line_bytes;         /* FIS bytes and payload on the line */
	uint32_t data_bytes;         /* payload that belongs to the FISes */
};

/* The other end's frames arrive here. */
typedef void
link_receive_fn(void *ctx, const struct link_frames *frames, nsec_t now_ns);

struct link_side {
	link_receive_fn *receive; /* what the other end sent */
	void *ctx;
	uint32_t head, tail; /* of the ring; equal when it is empty */
	struct link_frames ring[LINK_QUEUE];
};

struct link {
	struct calendar *cal;
	struct event done;
	struct reciprocal rate; /* by the line rate in Mb/s */
	nsec_t turnaround_ns;
	nsec_t busy_ns; /* total time with a frame on the line */
	uint8_t sender; /* enum link_end of the frame under way */
	bool is_busy;
	struct link_side side[2];
};

/*
 * A link of @mbps (1500, 3000, 6000; ten bits a byte) where each frame's
 * handshake takes @turnaround_ns.  Reserves one event of @cal.
 */
int link_init(struct link *link, struct calendar *cal, int64_t mbps,
	      nsec_t turnaround_ns, struct err *e);

/* Say who listens at @end. */
void link_attach(struct link *link, enum link_end end, link_receive_fn *receive,
		 void *ctx);

/* A fresh transmission to fill and send; room is an invariant. */
struct link_frames *link_frames_new(struct link *link, enum link_end from);

/* Append room for one FIS of @bytes. */
static inline uint8_t *
link_frames_add(struct link_frames *frames, uint32_t bytes)
{
	uint8_t *fis = frames->fis + frames->fis_bytes;

	assert(frames->fis_bytes + bytes <= LINK_FIS_BYTES);
	frames->fis_bytes += bytes;
	frames->frames++;
	frames->line_bytes += bytes;
	return fis;
}

/*
 * Append the Data FISes that carry @bytes, of which the last @on_line bytes
 * take time now; the rest was streamed before.  One header stands for all.
 */
static inline void
link_frames_add_data(struct link_frames *frames, uint32_t bytes,
		     uint32_t on_line)
{
	uint8_t *fis = link_frames_add(frames, FIS_DATA_HEADER_BYTES);
	uint32_t more =
		(on_line + FIS_DATA_MAX_BYTES - 1) / FIS_DATA_MAX_BYTES - 1;

	memset(fis, 0, FIS_DATA_HEADER_BYTES);
	fis[0] = FIS_DATA;
	frames->frames += more;
	frames->line_bytes += on_line + more * FIS_DATA_HEADER_BYTES;
	frames->data_bytes += bytes;
}

/* Send what link_frames_new() gave last. */
void link_send(struct link *link, enum link_end from);

/*
 * Time on the line of @frames frames of @bytes in all: start, check and end
 * words, a pair of ALIGN words every 256, and the handshakes.  Rounded up.
 */
static inline nsec_t
link_wire_ns(const struct link *link, uint32_t frames, uint32_t bytes)
{
	uint64_t words = bytes / 4 + 3u * frames;

	words += words / 254 * 2;
	return (nsec_t)reciprocal_div_up(link->rate, words * 40000) +
	       frames * link->turnaround_ns;
}

#endif
