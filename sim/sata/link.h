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

/* The sizes of a transmission, summed up by link_add() from zeroes. */
struct link_size {
	uint32_t fis_bytes;  /* used of fis[] */
	uint32_t frames;     /* handshakes it costs */
	uint32_t line_bytes; /* FIS bytes and payload on the line */
	uint32_t data_bytes; /* payload that belongs to the FISes */
};

struct link_frames {
	uint8_t fis[LINK_FIS_BYTES]; /* one after another, whole dwords */
	struct link_size size;
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

/*
 * Where the FISes of the next transmission from @from go, LINK_FIS_BYTES in
 * all; link_send() sends it.  That there is room is an invariant.
 */
static inline struct link_frames *
link_room(struct link *link, enum link_end from)
{
	struct link_side *side = &link->side[from];

	assert(side->tail - side->head < LINK_QUEUE);
	return &side->ring[side->tail % LINK_QUEUE];
}

/* Add one FIS of @bytes to @size.  Returns where in the room it goes. */
static inline uint32_t
link_add(struct link_size *size, uint32_t bytes)
{
	uint32_t at = size->fis_bytes;

	assert(at + bytes <= LINK_FIS_BYTES);
	size->fis_bytes += bytes;
	size->frames++;
	size->line_bytes += bytes;
	return at;
}

/*
 * Add the Data FISes that carry @bytes, of which the last @on_line bytes
 * take time now; the rest was streamed before.  One header in @room stands
 * for all.
 */
static inline void
link_add_data(struct link_frames *room, struct link_size *size, uint32_t bytes,
	      uint32_t on_line)
{
	const uint8_t header[FIS_DATA_HEADER_BYTES] = { FIS_DATA };
	uint32_t at = link_add(size, FIS_DATA_HEADER_BYTES);
	uint32_t more = (on_line - 1) / FIS_DATA_MAX_BYTES;

	assert(on_line > 0);
	memcpy(room->fis + at, header, sizeof(header));
	size->frames += more;
	size->line_bytes += on_line + more * FIS_DATA_HEADER_BYTES;
	size->data_bytes += bytes;
}

/* For link_send(): the line is free for @from's @frames of @bytes in all. */
void link_start(struct link *link, enum link_end from, uint32_t frames,
		uint32_t bytes);

/* Send what was put into @room, of @size. */
static inline void
link_send(struct link *link, enum link_end from, struct link_frames *room,
	  const struct link_size *size)
{
	room->size = *size;
	link->side[from].tail++;
	if (!link->is_busy)
		link_start(link, from, size->frames, size->line_bytes);
}

/*
 * Time on the line of @frames frames of @bytes in all: start, check and end
 * words, a pair of ALIGN words every 256, and the handshakes.  Rounded up.
 */
static inline nsec_t
link_wire_ns(const struct link *link, uint32_t frames, uint32_t bytes)
{
	uint32_t words = bytes / 4 + 3u * frames;

	words += words / 254 * 2;
	return (nsec_t)reciprocal_div_up(link->rate, words * UINT64_C(40000)) +
	       frames * link->turnaround_ns;
}

#endif
