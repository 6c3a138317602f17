/* SPDX-License-Identifier: MIT */
/*
 * One file, pipe or standard input of a trace, read through a window that
 * can be looked at without consuming it.
 */
#ifndef NCQSIM_TRACES_INPUT_H
#define NCQSIM_TRACES_INPUT_H

#include "sim/core/err.h"
#include "sim/core/types.h"

/*
 * Bytes pos..end of buf are read and not consumed; buf[0] is byte @offset of
 * the file.  The owner moves pos forward.
 */
struct trace_input {
	uint8_t *buf;
	size_t pos;
	size_t end;
	size_t capacity;
	uint64_t offset;
	uint64_t size; /* of a regular file; 0: unknown */
	int fd;
	bool eof;
	char *path;            /* as shown in messages */
	struct unpack *unpack; /* NULL: the file's own bytes */
	bool lenient;          /* damaged packing is an early end */
	char *damage;          /* what ended it; NULL: nothing */
};

struct unpack;

#define INPUT_BUFFER_BYTES ((size_t)128 << 10)

/*
 * Open @path; "-" is standard input.  The input owns a copy of the name.
 * What is compressed comes unpacked; @member is a file of a tarball, or NULL.
 */
int input_open(struct trace_input *in, const char *path, const char *member,
	       struct err *e);
void input_close(struct trace_input *in);

/*
 * Try to have @bytes ready from pos on; fewer only at the end of the file.
 * Moves the buffer.  Returns 0 or a negative code.
 */
int input_fill(struct trace_input *in, size_t bytes, struct err *e);

static inline size_t
input_ready(const struct trace_input *in)
{
	return in->end - in->pos;
}

/* Bytes of the file, packed ones of a packed file, that were read. */
uint64_t input_consumed(const struct trace_input *in);

/* The file offset of the next byte to consume. */
static inline uint64_t
input_tell(const struct trace_input *in)
{
	return in->offset + in->pos;
}

#endif
