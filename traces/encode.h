/* SPDX-License-Identifier: MIT */
/*
 * Events as bytes of a trace in one file:
 *
 *	blktrace    version 7 records of all CPUs in one stream, in time order
 *	blktrace8   the same of version 8
 *	blkparse    the text of blkparse in its default format
 *	fio-iolog   version 3; of Q events
 *	disksim     DiskSim ASCII; of Q events
 *	csv         time,action,rwbs,major,minor,sector,bytes,pid,cpu,error,
 *	            process; of all events but notes and messages
 *
 * The formats of one I/O a line lose what else a trace has; when it has no Q
 * they are made of its D events.  The encoder writes nothing itself.
 */
#ifndef NCQSIM_TRACES_ENCODE_H
#define NCQSIM_TRACES_ENCODE_H

#include "traces/trace.h"

struct trace_encoder;

struct encode_bytes {
	const char *data; /* the encoder's, until it is called again */
	size_t size;
};

/*
 * An encoder of @format for events of @reader, whose names of processes and
 * wall clock it takes.  ERR_CONFIG names the formats.
 */
int trace_encoder_open(const char *format, const struct trace_reader *reader,
		       struct trace_encoder **encoder, struct err *e);

/* Take D instead of Q, in formats of one I/O a line. */
void trace_encoder_issued(struct trace_encoder *encoder);

/* The bytes of an event; none is possible.  0 or ERR_INTERNAL. */
int trace_encode(struct trace_encoder *encoder, const struct trace_event *ev,
		 struct encode_bytes *bytes, struct err *e);

/* I/Os or records that the bytes so far held. */
uint64_t trace_encoder_count(const struct trace_encoder *encoder);

/* NULL is allowed. */
void trace_encoder_close(struct trace_encoder *encoder);

/* The format of index @i, or NULL past the last. */
const char *trace_encoder_name(uint32_t i);

#endif
