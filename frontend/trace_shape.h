/* SPDX-License-Identifier: MIT */
/*
 * What the I/Os of a trace look like: how many read and write, how often one
 * begins where the one before it ended, how deep the queue is.
 */
#ifndef NCQSIM_FRONTEND_TRACE_SHAPE_H
#define NCQSIM_FRONTEND_TRACE_SHAPE_H

#include "sim/core/json.h"
#include "traces/trace.h"

#define SHAPE_DEVICES 64

/* I/Os are the Q events; the D events when there is no Q. */
struct trace_ios {
	uint64_t reads, writes, discards, flushes;
	uint64_t read_bytes, write_bytes;
	uint64_t sequential; /* begin at the end of the device's one before */
	nsec_t gap_ns;       /* the longest time without an event */
	nsec_t gap_at_ns;    /* when it ended */
	sector_t ends[SHAPE_DEVICES];
	uint32_t devices[SHAPE_DEVICES];
	uint32_t device_count;
	nsec_t last_ns;
};

struct trace_shape {
	struct trace_ios queued, issued;
	uint64_t outstanding; /* requests issued and not completed */
	uint64_t depth;       /* the most of them */
};

/* Take the next event. */
void shape_add(struct trace_shape *shape, const struct trace_event *ev);

/* Human: lines that begin with two blanks; JSON: an object "ios". */
void shape_print(const struct trace_shape *shape);
void shape_json(const struct trace_shape *shape, struct json *json);

#endif
