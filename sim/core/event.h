/* SPDX-License-Identifier: MIT */
/*
 * The clock and the event list.
 *
 * Events are totally ordered by (time, priority, sequence): at equal times
 * the named priority decides, at equal priority the one armed first runs
 * first.  calendar_step() and calendar_advance() alone move the clock,
 * and assert that it never goes back.
 *
 * The owner embeds its struct event; adding and removing allocate nothing
 * once calendar_reserve() has made room.  The list is a small sorted array,
 * earliest last, and a binary heap above CALENDAR_SORTED_MAX pending events.
 */
#ifndef NCQSIM_CORE_EVENT_H
#define NCQSIM_CORE_EVENT_H

#include "sim/core/err.h"
#include "sim/core/types.h"

#include <assert.h>

/*
 * What happens first at one instant.  A timer that expires sees the state
 * before a completion, a completion frees a tag before a submission wants
 * one (the order of the elevator vectors, README section 4).
 */
enum event_prio {
	PRIO_WORK,     /* block-layer worker: before the next event at all */
	PRIO_TIMER,    /* elevator, plug and coalescing timers */
	PRIO_DRIVE,    /* inside the drive: media, cache, command arrival */
	PRIO_COMPLETE, /* frames reaching the controller, interrupts */
	PRIO_SUBMIT,   /* arrivals from a trace, processes that wake */
	PRIO_OBSERVE,  /* periodic samples; must not change the model */
};

struct event {
	void (*fire)(struct event *ev, nsec_t now_ns);
	uint64_t order; /* priority in the top byte, then the sequence */
	enum event_prio prio;
	bool pending;
};

/* One pending event; internal to the calendar. */
struct calendar_entry {
	nsec_t time_ns;
	struct event *event;
};

struct calendar {
	nsec_t now_ns;
	uint64_t sequence;
	struct calendar_entry *entries; /* before the first: a sentinel */
	uint32_t count;
	uint32_t capacity;
	uint32_t sorted_max; /* of count; 0 while the list is a heap */
	bool is_heap;
	bool is_stopped; /* calendar_run() is to return */
};

#define CALENDAR_SORTED_MAX 64u

void calendar_init(struct calendar *cal);
void calendar_free(struct calendar *cal);

/* Room for @events more owners.  Returns 0 or ERR_INTERNAL (no memory). */
int calendar_reserve(struct calendar *cal, uint32_t events, struct err *e);

/* Prepare an event for use.  @fire gets the event and the time it fires. */
static inline void
event_init(struct event *ev, enum event_prio prio,
	   void (*fire)(struct event *, nsec_t))
{
	ev->fire = fire;
	ev->prio = prio;
	ev->pending = false;
}

static inline bool
calendar_entry_before(const struct calendar_entry *a,
		      const struct calendar_entry *b)
{
	if (likely(a->time_ns != b->time_ns))
		return a->time_ns < b->time_ns;
	return a->event->order < b->event->order;
}

/* For calendar_add(): the list is, or becomes, a heap.  Room is checked. */
void calendar_add_to_heap(struct calendar *cal, struct calendar_entry entry);

/*
 * Arm @ev for @at_ns, which is now or later.  It must not be pending.
 */
static inline void
calendar_add(struct calendar *cal, struct event *ev, nsec_t at_ns)
{
	struct calendar_entry entry = { at_ns, ev }, *to;

	assert(at_ns >= cal->now_ns && !ev->pending);
	ev->order = (uint64_t)ev->prio << 56 | cal->sequence++;
	ev->pending = true;
	if (unlikely(cal->count >= cal->sorted_max)) {
		calendar_add_to_heap(cal, entry);
		return;
	}
	for (to = cal->entries + cal->count++;
	     calendar_entry_before(to - 1, &entry); to--)
		*to = *(to - 1);
	*to = entry;
}

/* Disarm @ev if it is pending. */
void calendar_cancel(struct calendar *cal, struct event *ev);

/* Fire the earliest event.  Returns false when nothing is pending. */
bool calendar_step(struct calendar *cal);

/*
 * Fire events until @events have fired, none is left or one of them has
 * called calendar_stop().  Returns how many of @events have not fired.
 */
uint64_t calendar_run(struct calendar *cal, uint64_t events);

/* Let calendar_run() return after the present event. */
static inline void
calendar_stop(struct calendar *cal)
{
	cal->is_stopped = true;
}

/* Time of the earliest pending event, or -1 when there is none. */
static inline nsec_t
calendar_next_ns(const struct calendar *cal)
{
	if (cal->count == 0)
		return -1;
	return cal->entries[cal->is_heap ? 0 : cal->count - 1].time_ns;
}

/*
 * What calendar_add() and firing at once would do, for an event at @at_ns
 * that is certainly the next: nothing is pending at or before it.  Moves the
 * clock and returns true, or returns false.
 */
static inline bool
calendar_advance(struct calendar *cal, nsec_t at_ns)
{
	if (cal->is_stopped || (cal->count && calendar_next_ns(cal) <= at_ns))
		return false;
	assert(at_ns >= cal->now_ns);
	cal->now_ns = at_ns;
	return true;
}

#endif
