/* SPDX-License-Identifier: MIT */
#include "frontend/blktrace.h"

#include <assert.h>

static uint8_t
action_of(enum probe_action action)
{
	switch (action) {
	case PROBE_QUEUE:
		return TRACE_QUEUE;
	case PROBE_GETRQ:
		return TRACE_GET_RQ;
	case PROBE_SLEEPRQ:
		return TRACE_SLEEP_RQ;
	case PROBE_BACKMERGE:
		return TRACE_BACK_MERGE;
	case PROBE_FRONTMERGE:
		return TRACE_FRONT_MERGE;
	case PROBE_INSERT:
		return TRACE_INSERT;
	case PROBE_ISSUE:
		return TRACE_ISSUE;
	case PROBE_REQUEUE:
		return TRACE_REQUEUE;
	case PROBE_COMPLETE:
		return TRACE_COMPLETE;
	case PROBE_PLUG:
		return TRACE_PLUG;
	case PROBE_UNPLUG:
		return TRACE_UNPLUG;
	case PROBE_UNPLUG_TIMER:
		return TRACE_UNPLUG_TIMER;
	}
	assert(false && "not an action of enum probe_action");
	return 0;
}

/* The kernel marks a discard as a write too, and no read as synchronous. */
static uint32_t
category_of(const struct probe_block *ev)
{
	uint32_t category = 0;

	if (ev->op == IO_READ)
		category = TRACE_READ;
	else if (ev->op == IO_WRITE)
		category = TRACE_WRITE;
	else if (ev->op == IO_DISCARD)
		category = TRACE_WRITE | TRACE_DISCARD;
	else
		category = TRACE_FLUSH;
	if (ev->flags & IO_SYNC && ev->op != IO_READ)
		category |= TRACE_SYNC;
	if (ev->flags & IO_META)
		category |= TRACE_META;
	if (ev->flags & IO_AHEAD)
		category |= TRACE_AHEAD;
	if (ev->flags & IO_FUA)
		category |= TRACE_FUA;
	if (ev->flags & IO_PREFLUSH)
		category |= TRACE_FLUSH;
	return category | TRACE_FS;
}

static void
on_block(struct probe *probe, const struct probe_block *ev)
{
	struct blktrace_file *file =
		container_of(probe, struct blktrace_file, probe);
	struct trace_event out = {
		.time_ns = ev->time_ns,
		.sector = ev->lba,
		.bytes = ev->sectors * SECTOR_BYTES,
		.arg = ev->count,
		.category = category_of(ev),
		.pid = ev->pid,
		.device = file->device,
		.action = action_of(ev->action),
		.error = ev->status,
	};
	const char *name = NULL;

	if (file->failed)
		return;
	if (ev->pid != file->last_pid)
		name = file->name(file->ctx, ev->pid);
	file->last_pid = ev->pid;
	if (name)
		file->failed = blktrace_writer_process(file->writer, ev->pid,
						       name, &file->err);
	if (!file->failed)
		file->failed =
			blktrace_writer_event(file->writer, &out, &file->err);
}

int
blktrace_file_start(struct blktrace_file *file, const char *prefix,
		    struct err *e)
{
	file->probe.block = on_block;
	file->last_pid = UINT32_MAX;
	/* The wall clock would make every run's file another. */
	return blktrace_writer_open(prefix, 1, 0, &file->writer, e);
}

int
blktrace_file_commit(struct blktrace_file *file, struct err *e)
{
	struct blktrace_writer *writer = file->writer;

	assert(writer);
	if (file->failed) {
		blktrace_file_discard(file);
		return err_set(e, file->err.code, "%s", file->err.text);
	}
	file->writer = NULL;
	return blktrace_writer_close(writer, true, e);
}

void
blktrace_file_discard(struct blktrace_file *file)
{
	if (file->writer)
		blktrace_writer_close(file->writer, false, NULL);
	file->writer = NULL;
}
