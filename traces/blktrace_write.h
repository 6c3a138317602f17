/* SPDX-License-Identifier: MIT */
/*
 * Writes events as blktrace files, version 7, in this machine's byte order:
 * PREFIX.blktrace.0 and so on, one a CPU, which blkparse, btt, iowatcher and
 * our own reader take.  Everything goes to PREFIX.blktrace.N.tmp first, which
 * is renamed when the whole trace is written.
 */
#ifndef NCQSIM_TRACES_BLKTRACE_WRITE_H
#define NCQSIM_TRACES_BLKTRACE_WRITE_H

#include "traces/trace.h"

#define BLKTRACE_CPUS_MAX 256u

struct blktrace_writer;

/*
 * Start a trace of @cpus CPUs (1 to BLKTRACE_CPUS_MAX), each with its file
 * even when it stays empty.  @wall_ns is the wall clock at time 0, in ns
 * since 1970.  Returns 0, ERR_OUTPUT, or ERR_INTERNAL (no memory).
 */
int blktrace_writer_open(const char *prefix, uint32_t cpus, int64_t wall_ns,
			 struct blktrace_writer **writer, struct err *e);

/*
 * Add an event.  Its cpu is below the number of CPUs, and its time not before
 * that of an earlier event of the same CPU.  Used: time_ns, sector, bytes,
 * action, category, pid, device, cpu, error; arg and arg_device for A, X, U
 * and UT; the payload for a process note (its name), a message, and a
 * passthrough command.  Timestamp notes are passed over, the writer's own is
 * in the trace.  After an error only close may be called.
 */
int blktrace_writer_event(struct blktrace_writer *writer,
			  const struct trace_event *ev, struct err *e);

/* Add the name of a process, unless it is already in the trace. */
int blktrace_writer_process(struct blktrace_writer *writer, uint32_t pid,
			    const char *name, struct err *e);

/*
 * Finish the files and free the writer, in any case.  With @keep false, or
 * after an error, nothing is left behind.
 */
int
blktrace_writer_close(struct blktrace_writer *writer, bool keep, struct err *e);

#endif
