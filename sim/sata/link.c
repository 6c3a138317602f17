/* SPDX-License-Identifier: MIT */
#include "sim/sata/link.h"

static void
begin(struct link *link, enum link_end from)
{
	const struct link_side *side = &link->side[from];
	const struct link_frames *frames = &side->ring[side->head % LINK_QUEUE];
	nsec_t ns = link_wire_ns(link, frames->frames, frames->line_bytes);

	link->is_busy = true;
	link->sender = (uint8_t)from;
	link->busy_ns += ns;
	calendar_add(link->cal, &link->done, link->cal->now_ns + ns);
}

/* Whoever waits sends next; the drive first. */
static void
begin_next(struct link *link)
{
	for (int end = LINK_DRIVE; end >= LINK_HOST; end--) {
		if (link->side[end].head != link->side[end].tail) {
			begin(link, (enum link_end)end);
			return;
		}
	}
}

static void
done_fire(struct event *ev, nsec_t now_ns)
{
	struct link *link = container_of(ev, struct link, done);
	struct link_side *from = &link->side[link->sender];
	const struct link_side *to = &link->side[!link->sender];
	const struct link_frames *frames = &from->ring[from->head % LINK_QUEUE];

	/* Still busy while it is received: an answer waits its turn. */
	to->receive(to->ctx, frames, now_ns);
	from->head++;
	link->is_busy = false;
	begin_next(link);
}

int
link_init(struct link *link, struct calendar *cal, int64_t mbps,
	  nsec_t turnaround_ns, struct err *e)
{
	memset(link, 0, sizeof(*link));
	link->cal = cal;
	link->turnaround_ns = turnaround_ns;
	/* The longest burst is 65536 sectors: 2^25 bytes, 2^41 after * 40000.
	 */
	link->rate = reciprocal_of((uint64_t)mbps, UINT64_C(1) << 45);
	event_init(&link->done, PRIO_COMPLETE, done_fire);
	return calendar_reserve(cal, 1, e);
}

void
link_attach(struct link *link, enum link_end end, link_receive_fn *receive,
	    void *ctx)
{
	link->side[end].receive = receive;
	link->side[end].ctx = ctx;
}

struct link_frames *
link_frames_new(struct link *link, enum link_end from)
{
	struct link_side *side = &link->side[from];
	struct link_frames *frames = &side->ring[side->tail % LINK_QUEUE];

	assert(side->tail - side->head < LINK_QUEUE);
	frames->fis_bytes = 0;
	frames->frames = 0;
	frames->line_bytes = 0;
	frames->data_bytes = 0;
	return frames;
}

void
link_send(struct link *link, enum link_end from)
{
	link->side[from].tail++;
	if (!link->is_busy)
		begin(link, from);
}
