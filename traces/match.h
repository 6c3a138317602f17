/* SPDX-License-Identifier: MIT */
/*
 * Turns the events of a trace into I/Os with their times: when each bio was
 * queued, got a request or was merged, was inserted, issued and completed.
 *
 * Events belong together by device and sector range, as btt has it: an I, D
 * or C takes every bio that lies wholly inside its range, so that a merged
 * request's times count for each of its bios.  In addition
 *
 *	- an X cuts a bio in two; it is complete when all its parts are;
 *	- a request completed in several C takes each bio with the C that
 *	  reaches its end;
 *	- an R makes the bios of a request wait for the next D;
 *	- a write with a flush before it, or with FUA on a drive without, ends
 *	  with the C of no bytes that the kernel's flush machinery gives it
 *	  after the last flush (end_ns), while its data is done with its own C
 *	  (complete_ns, btt's); an empty flush has only the former.
 *
 * Passthrough requests have no place and are left out.  Memory grows with
 * what is outstanding; of more than MATCH_PENDING_MAX bios that never
 * complete the one queued first is given up, of more requests one of them.
 */
#ifndef NCQSIM_TRACES_MATCH_H
#define NCQSIM_TRACES_MATCH_H

#include "traces/trace.h"

#define MATCH_PENDING_MAX (UINT32_C(1) << 17)

/* A bio; times are trace_event's, -1 where the event was not seen. */
struct trace_bio {
	nsec_t queue_ns;    /* Q */
	nsec_t get_ns;      /* G, M or F */
	nsec_t insert_ns;   /* I */
	nsec_t issue_ns;    /* the latest D */
	nsec_t complete_ns; /* C of the data; -1 for an empty flush */
	nsec_t end_ns;      /* C of all */
	sector_t sector;
	uint32_t bytes;
	uint32_t category; /* enum trace_category */
	uint32_t device;
	uint32_t pid;
	uint32_t requeues;
	bool merged; /* M or F, not G */
	bool split;  /* into parts: times of the first I, D and last C */
};

/* A request that was issued and completed. */
struct trace_request {
	nsec_t issue_ns;
	nsec_t complete_ns; /* of its last bytes */
	sector_t sector;
	uint32_t bytes;
	uint32_t category;
	uint32_t device;
	int error; /* 0 or -errno */
};

/* What is told; each may be NULL. */
struct match_observer {
	void *ctx;
	void (*issued)(void *ctx, const struct trace_bio *bio);
	void (*completed)(void *ctx, const struct trace_bio *bio);
	void (*request)(void *ctx, const struct trace_request *request);
};

struct trace_match;

int trace_match_open(const struct match_observer *observer,
		     struct trace_match **match, struct err *e);

/* Take the next event.  Returns 0 or ERR_INTERNAL (no memory). */
int trace_match_feed(struct trace_match *match, const struct trace_event *ev,
		     struct err *e);

/*
 * Whether a Q is no new bio, but the second part of one that was just split:
 * kernels before 5.x queue it again.  To be asked before the event is fed.
 */
bool trace_match_is_rest(const struct trace_match *match,
			 const struct trace_event *ev);

/* Bios that are not complete, and those that were given up. */
uint32_t trace_match_pending(const struct trace_match *match);
uint64_t trace_match_lost(const struct trace_match *match);

/*
 * Report the bios whose data is complete although the end of their flush was
 * not seen, then free all.  NULL is allowed.
 */
void trace_match_close(struct trace_match *match);

#endif
