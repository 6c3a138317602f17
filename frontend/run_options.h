/* SPDX-License-Identifier: MIT */
/*
 * The options that say what a run is, for every command that makes one:
 * those of "run" that a result keeps.  The command's argument struct begins
 * with a struct run_args.
 */
#ifndef NCQSIM_FRONTEND_RUN_OPTIONS_H
#define NCQSIM_FRONTEND_RUN_OPTIONS_H

#include "frontend/run.h"

#define RUN_ARG(field) offsetof(struct run_args, field)

/* clang-format off */
#define RUN_OPTIONS \
	{ .name = "drive", \
	  .letter = 'd', \
	  .repeats = true, \
	  .kind = CLI_VALUE, \
	  .argument = "DRIVE", \
	  .help = "the drive: a file, or a name of \"ncqsim drive list\"; " \
		  "wd3200bjkt without it", \
	  .offset = RUN_ARG(drive) }, \
	{ .name = "elevator", \
	  .section = "elevator", \
	  .letter = 'e', \
	  .repeats = true, \
	  .kind = CLI_VALUE, \
	  .argument = "ELEVATOR", \
	  .help = "the I/O scheduler, with tunables as in " \
		  "deadline:read_expire=100; noop without it; several, as in " \
		  "noop,cfq:slice_idle=0,quantum=8 (two), or all, run one " \
		  "after the other and are shown side by side", \
	  .offset = RUN_ARG(elevator) }, \
	{ .name = "queue-depth", \
	  .key = "host.queue_depth", \
	  .letter = 'q', \
	  .repeats = true, \
	  .kind = CLI_VALUE, \
	  .argument = "DEPTH", \
	  .help = "commands the drive holds at once, 1 to 32; 1 turns NCQ off", \
	  .offset = RUN_ARG(queue_depth) }, \
	{ .name = "firmware", \
	  .section = "firmware", .key = "firmware.policy", \
	  .letter = 'p', \
	  .repeats = true, \
	  .kind = CLI_VALUE, \
	  .argument = "POLICY", \
	  .help = "the drive's own ordering, instead of the one its file " \
		  "names, with keys of [firmware] as in sptf:guard_us=500", \
	  .offset = RUN_ARG(firmware) }, \
	{ .name = "set", \
	  .is_pairs = true, \
	  .repeats = true, \
	  .kind = CLI_LIST, \
	  .argument = "KEY=VALUE", \
	  .help = "set any key of \"ncqsim help keys\"; may be repeated", \
	  .offset = RUN_ARG(set) }, \
	{ .name = "from", \
	  .repeats = true, \
	  .kind = CLI_CHOICE, \
	  .argument = "Q|D", \
	  .choices = run_from_names, \
	  .help = "replay what was queued (Q, merged again; the default) or " \
		  "what was issued to the drive (D)", \
	  .offset = RUN_ARG(from) }, \
	{ .name = "replay", \
	  .key = "run.replay", \
	  .repeats = true, \
	  .kind = CLI_CHOICE, \
	  .argument = "MODE", \
	  .choices = run_replay_names, \
	  .help = "timed: at the recorded times (the default); depth: keep a " \
		  "number outstanding, times ignored; think: as long after " \
		  "the completion before as recorded (the default of " \
		  "DiskSim's validate format)", \
	  .offset = RUN_ARG(replay) }, \
	{ .name = "measured-clock", \
	  .repeats = true, \
	  .kind = CLI_FLAG, \
	  .help = "the same as --replay timed: a validate trace at the " \
		  "measured arrival times", \
	  .offset = RUN_ARG(measured_clock) }, \
	{ .name = "depth", \
	  .key = "run.depth", \
	  .repeats = true, \
	  .kind = CLI_VALUE, \
	  .argument = "N", \
	  .help = "how many --replay depth keeps outstanding", \
	  .offset = RUN_ARG(depth) }, \
	{ .name = "speed", \
	  .repeats = true, \
	  .kind = CLI_VALUE, \
	  .argument = "X", \
	  .help = "replay X times as fast: 2, 0.5", \
	  .offset = RUN_ARG(speed) }, \
	{ .name = "beyond", \
	  .key = "run.beyond", \
	  .repeats = true, \
	  .kind = CLI_CHOICE, \
	  .argument = "WHAT", \
	  .choices = run_beyond_names, \
	  .help = "a record past the drive's end: error (the default), wrap, " \
		  "scale all addresses, or drop it", \
	  .offset = RUN_ARG(beyond) }, \
	{ .name = "device", \
	  .repeats = true, \
	  .kind = CLI_VALUE, \
	  .argument = "MAJ,MIN", \
	  .help = "only this device of a trace of several", \
	  .offset = RUN_ARG(device) }, \
	{ .name = "format", \
	  .repeats = true, \
	  .kind = CLI_VALUE, \
	  .argument = "FORMAT", \
	  .help = "the trace format, instead of recognising it", \
	  .offset = RUN_ARG(format) }, \
	{ .name = "columns", \
	  .repeats = true, \
	  .kind = CLI_VALUE, \
	  .argument = "LIST", \
	  .help = "the columns of a table, \"time=3:ms,lba=1,size=2:bytes," \
		  "op=4\", or blkparse's -f format", \
	  .offset = RUN_ARG(columns) }, \
	{ .name = "time-unit", \
	  .repeats = true, \
	  .kind = CLI_VALUE, \
	  .argument = "UNIT", \
	  .help = "s, ms, us or ns, where the trace does not tell", \
	  .offset = RUN_ARG(time_unit) }, \
	{ .name = "lenient", \
	  .repeats = true, \
	  .kind = CLI_FLAG, \
	  .help = "leave out what is damaged in a trace, and say so", \
	  .offset = RUN_ARG(lenient) }, \
	{ .name = "workload", \
	  .repeats = true, \
	  .kind = CLI_VALUE, \
	  .argument = "LOAD", \
	  .help = "no trace: randread,bs=4k,count=10000; also read write rw " \
		  "randwrite randrw, offset= size= rwmixread= rate_iops= " \
		  "cmdprio_percentage= seed=", \
	  .offset = RUN_ARG(workload) }
/* clang-format on */

extern const char *const run_from_names[];

#endif
