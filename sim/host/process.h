/* SPDX-License-Identifier: MIT */
/*
 * Processes as the block layer sees them, and their io contexts.
 *
 * A process is a pid that submits bios in order; it sleeps when the request
 * pool is exhausted and what it submits meanwhile waits behind it.  An io
 * context is the identity the elevators know: it begins with the first bio
 * of a process and ends with its exit, while requests and elevators may
 * still hold references; a pid used again gets a new one.
 */
#ifndef NCQSIM_HOST_PROCESS_H
#define NCQSIM_HOST_PROCESS_H

#include "sim/core/event.h"
#include "sim/host/request.h"

struct blk_queue;

struct io_context {
	uint32_t pid;
	uint32_t refs;
	uint8_t io_class;      /* enum io_class */
	uint8_t io_level;      /* 0 to 7 */
	bool priority_changed; /* since the elevator last cleared it */
	bool has_exited;
	uint32_t batch_credit;  /* requests over the limit it may still take */
	int64_t waited_jiffies; /* when the credit was given */
	/* ops->context_size bytes for the elevator, zeroed. */
	_Alignas(16) unsigned char elevator[];
};

struct process {
	uint32_t pid;
	bool is_asleep;
	bool exit_parked;           /* an exit waits behind the parked bios */
	struct io_context *context; /* NULL before the first bio */
	struct blk_queue *queue;
	struct bio *blocked; /* the bio it sleeps for */
	struct bio *parked;  /* submitted while it slept, oldest first */
	struct bio **parked_end;
	struct process *next_sleeper;
	struct event wake;
};

/* Open hash from pid to process. */
struct process_table {
	struct process **slots;
	uint32_t mask; /* slots - 1; a power of two minus one */
	uint32_t count;
	struct process *recent; /* the last one found */
};

int process_table_init(struct process_table *t, struct err *e);
void process_table_free(struct process_table *t);
/* NULL when there is none. */
struct process *process_find(struct process_table *t, uint32_t pid);
/* Add one that is not there; NULL with @e filled when memory runs out. */
struct process *
process_add(struct process_table *t, uint32_t pid, struct err *e);

/* A new context with one reference; NULL when memory runs out. */
struct io_context *io_context_new(uint32_t pid, size_t elevator_bytes);

static inline struct io_context *
io_context_get(struct io_context *context)
{
	context->refs++;
	return context;
}

/* Give a reference back; the last one frees the context. */
void io_context_put(struct io_context *context);

#endif
