/* SPDX-License-Identifier: MIT */
#include "frontend/trace_shape.h"

#include "frontend/text.h"

#include <inttypes.h>
#include <stdio.h>

/* Where the device's last I/O ended; NULL when there are too many. */
static sector_t *
find_end(struct trace_ios *ios, uint32_t device)
{
	uint32_t i;

	for (i = 0; i < ios->device_count; i++)
		if (ios->devices[i] == device)
			return &ios->ends[i];
	if (i == SHAPE_DEVICES)
		return NULL;
	ios->device_count++;
	ios->devices[i] = device;
	ios->ends[i] = UINT64_MAX;
	return &ios->ends[i];
}

static void
add_io(struct trace_ios *ios, const struct trace_event *ev)
{
	sector_t *end;

	if (ev->category & TRACE_PC)
		return;
	if (ev->bytes == 0) {
		ios->flushes += !!(ev->category & TRACE_FLUSH);
		return;
	}
	if (ev->category & TRACE_DISCARD) {
		ios->discards++;
		return;
	}
	if (ev->category & TRACE_WRITE) {
		ios->writes++;
		ios->write_bytes += ev->bytes;
	} else {
		ios->reads++;
		ios->read_bytes += ev->bytes;
	}
	end = find_end(ios, ev->device);
	if (!end)
		return;
	ios->sequential += *end == ev->sector;
	*end = ev->sector + ev->bytes / SECTOR_BYTES;
}

static void
add_gap(struct trace_ios *ios, const struct trace_event *ev)
{
	nsec_t gap_ns = ev->time_ns - ios->last_ns;

	ios->last_ns = ev->time_ns;
	if (gap_ns <= ios->gap_ns)
		return;
	ios->gap_ns = gap_ns;
	ios->gap_at_ns = ev->time_ns;
}

void
shape_add(struct trace_shape *shape, const struct trace_event *ev)
{
	switch (ev->action) {
	case TRACE_QUEUE:
		add_gap(&shape->queued, ev);
		add_io(&shape->queued, ev);
		break;
	case TRACE_ISSUE:
		add_gap(&shape->issued, ev);
		add_io(&shape->issued, ev);
		shape->outstanding++;
		if (shape->outstanding > shape->depth)
			shape->depth = shape->outstanding;
		break;
	case TRACE_REQUEUE:
	case TRACE_COMPLETE:
		shape->outstanding -= shape->outstanding > 0;
		break;
	default:
		break;
	}
}

static uint64_t
ios_count(const struct trace_ios *ios)
{
	return ios->reads + ios->writes + ios->discards + ios->flushes;
}

static const struct trace_ios *
shape_ios(const struct trace_shape *shape)
{
	return ios_count(&shape->queued) ? &shape->queued : &shape->issued;
}

/* In tenths of a percent. */
static unsigned
sequential_permille(const struct trace_ios *ios)
{
	uint64_t n = ios->reads + ios->writes;

	return n ? (unsigned)(ios->sequential * 1000 / n) : 0;
}

void
shape_print(const struct trace_shape *shape)
{
	const struct trace_ios *ios = shape_ios(shape);
	unsigned permille = sequential_permille(ios);

	if (ios_count(ios) == 0)
		return;
	printf("  reads      %" PRIu64 ", %s\n", ios->reads,
	       text_bytes(ios->read_bytes).s);
	printf("  writes     %" PRIu64 ", %s\n", ios->writes,
	       text_bytes(ios->write_bytes).s);
	if (ios->discards || ios->flushes)
		printf("  others     %" PRIu64 " discards, %" PRIu64
		       " flushes\n",
		       ios->discards, ios->flushes);
	printf("  sequential %u.%u %%\n", permille / 10, permille % 10);
	if (shape->depth)
		printf("  depth      %" PRIu64 " at most\n", shape->depth);
	printf("  idle       %s at most, up to %s\n", text_time(ios->gap_ns).s,
	       text_time(ios->gap_at_ns).s);
}

void
shape_json(const struct trace_shape *shape, struct json *json)
{
	const struct trace_ios *ios = shape_ios(shape);

	json_begin_object(json, "ios");
	json_string(json, "from", ios == &shape->queued ? "Q" : "D");
	json_uint(json, "reads", ios->reads);
	json_uint(json, "read_bytes", ios->read_bytes);
	json_uint(json, "writes", ios->writes);
	json_uint(json, "write_bytes", ios->write_bytes);
	json_uint(json, "discards", ios->discards);
	json_uint(json, "flushes", ios->flushes);
	json_uint(json, "sequential", ios->sequential);
	json_uint(json, "depth_max", shape->depth);
	json_int(json, "idle_max_ns", ios->gap_ns);
	json_int(json, "idle_max_end_ns", ios->gap_at_ns);
	json_end_object(json);
}
