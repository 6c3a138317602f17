/* SPDX-License-Identifier: MIT */
/*
 * The clock and the event list.
 *
 * Events are totally ordered by (time, priority, sequence): at equal times
 * the named priority decides, at equal priority the one armed first runs
 * first.  calendar_step() is the only place that moves the clock, and it
 * asserts that the clock never goes back.
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
	struct calendar_entry *entries;
	uint32_t count;
	uint32_t capacity;
	bool is_heap;
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

/* For calendar_add(): the list is, or becomes, a heap. */
void calendar_add_to_heap(struct calendar *cal, struct calendar_entry entry);

/*
 * Arm @ev for @at_ns, which is now or later.  It must not be pending.
 */
static inline void
calendar_add(struct calendar *cal, struct event *ev, nsec_t at_ns)
{
	struct calendar_entry entry = { at_ns, ev };
	uint32_t i = cal->count;

	assert(at_ns >= cal->now_ns && !ev->pending && i < cal->capacity);
	ev->order = (uint64_t)ev->prio << 56 | cal->sequence++;
	ev->pending = true;
	if (unlikely(cal->is_heap || i >= CALENDAR_SORTED_MAX)) {
		calendar_add_to_heap(cal, entry);
		return;
	}
	for (; i > 0 && calendar_entry_before(&cal->entries[i - 1], &entry);
	     i--)
		cal->entries[i] = cal->entries[i - 1];
	cal->entries[i] = entry;
	cal->count++;
}

/* Disarm @ev if it is pending. */
void calendar_cancel(struct calendar *cal, struct event *ev);

/* Fire the earliest event.  Returns false when nothing is pending. */
bool calendar_step(struct calendar *cal);

/* Time of the earliest pending event, or -1 when there is none. */
nsec_t calendar_next_ns(const struct calendar *cal);

#endif
