/* SPDX-License-Identifier: MIT */
#include "sim/sata/link.h"

/* Put @from's frames on the line.  Returns when the last one has arrived. */
static inline nsec_t
begin(struct link *link, enum link_end from, uint32_t frames, uint32_t bytes)
{
	nsec_t ns = link_wire_ns(link, frames, bytes);

	link->is_busy = true;
	link->sender = (uint8_t)from;
	link->busy_ns += ns;
	return link->cal->now_ns + ns;
}

void
link_start(struct link *link, enum link_end from, uint32_t frames,
	   uint32_t bytes)
{
	calendar_add(link->cal, &link->done, begin(link, from, frames, bytes));
}

/* The present transmission has arrived. */
static inline void
deliver(struct link *link)
{
	struct link_side *from = &link->side[link->sender];
	const struct link_side *to = &link->side[!link->sender];

	/* Still busy while it is received: an answer waits its turn. */
	to->receive(to->ctx, &from->ring[from->head % LINK_QUEUE],
		    link->cal->now_ns);
	if (++from->head == from->tail)
		from->head = from->tail = 0; /* the next one finds it cached */
}

static void
done_fire(struct event *ev, nsec_t now_ns)
{
	struct link *link = container_of(ev, struct link, done);
	const struct link_size *size;
	struct link_side *side;
	enum link_end end;
	nsec_t end_ns;

	(void)now_ns;
	do {
		deliver(link);
		/* Whoever waits sends next; the drive first. */
		end = link->side[LINK_DRIVE].head !=
		      link->side[LINK_DRIVE].tail;
		side = &link->side[end];
		if (side->head == side->tail) {
			link->is_busy = false;
			return;
		}
		size = &side->ring[side->head % LINK_QUEUE].size;
		end_ns = begin(link, end, size->frames, size->line_bytes);
	} while (calendar_advance(link->cal, end_ns));
	calendar_add(link->cal, &link->done, end_ns);
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
