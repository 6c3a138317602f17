/* SPDX-License-Identifier: MIT */
/*
 * A trace as a source of records for a simulation.
 *
 * From Q: what was queued at the block device, to be merged and scheduled
 * again.  From D: what was issued to the drive.  Both take one device; time 0
 * is the first event of the trace.
 *
 * A write with a flush before it stays a write with IO_PREFLUSH, one with
 * FUA has IO_FUA; a flush without data is an IO_FLUSH.  Not replayed, but
 * counted: passthrough commands, zone commands, and bios of no bytes that
 * are no flush.  A remap (A) is no record: the Q on the device below is.
 *
 * A record is marked IO_UNPLUG when the queue ran for it: its process
 * unplugged, or it was issued before anything else was queued; in a trace
 * without D every sync one is.
 *
 * Files are read twice, first to choose the device and to find damage; a pipe
 * is read once, and its first Q or D chooses the device.
 */
#ifndef NCQSIM_TRACES_REPLAY_H
#define NCQSIM_TRACES_REPLAY_H

#include "sim/core/io.h"
#include "traces/match.h"
#include "traces/trace.h"

enum replay_from {
	REPLAY_QUEUED, /* Q */
	REPLAY_ISSUED, /* D */
};

/* All zero is the default. */
struct replay_options {
	struct trace_options trace;
	enum replay_from from;
	bool has_device;
	uint32_t device; /* major << 20 | minor */
	/*
	 * Times are divided by speed / speed_unit, in whole numbers: 5 and 2
	 * replay two and a half times as fast.  0: as recorded.
	 */
	uint32_t speed;
	uint32_t speed_unit;
	/* Told the recorded I/Os of the device.  NULL: nothing is. */
	const struct match_observer *observer;
};

struct replay_stats {
	uint64_t records;
	uint64_t passthrough;
	uint64_t zone_commands;
	uint64_t empty;        /* no bytes, no flush */
	uint64_t queued_again; /* second parts of splits, by old kernels */
	uint64_t other_device; /* Q or D of devices not chosen */
};

struct trace_replay;

/*
 * Open the trace that @paths name, as trace_open does.  ERR_INPUT also when
 * it has nothing to replay; the message then says what it has.
 */
int trace_replay_open(const char *const *paths, uint32_t count,
		      const struct replay_options *opt,
		      struct trace_replay **replay, struct err *e);

/* The records.  Its close() does nothing: trace_replay_close() does. */
struct io_source *trace_replay_source(struct trace_replay *replay);

void trace_replay_close(struct trace_replay *replay);

/* The device replayed; UINT32_MAX while a pipe has not shown one. */
uint32_t trace_replay_device(const struct trace_replay *replay);

/*
 * One past the highest sector of the device seen so far: of the whole trace
 * when it is read from files.
 */
sector_t trace_replay_sectors(const struct trace_replay *replay);

const struct replay_stats *
trace_replay_stats(const struct trace_replay *replay);

/* The reader: names of processes, statistics, warnings, progress. */
const struct trace_reader *
trace_replay_reader(const struct trace_replay *replay);

/* Lines about the choice of device and what the trace lacks. */
uint32_t trace_replay_warnings(const struct trace_replay *replay,
			       const char *const **lines);

/* "major,minor" as a device number; ERR_CONFIG when it is not. */
int trace_parse_device(const char *text, uint32_t *device, struct err *e);

#endif
