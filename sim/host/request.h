/* SPDX-License-Identifier: MIT */
/*
 * The two things the block layer handles: a bio, one transfer as somebody
 * submitted it, and a request, one or more contiguous bios that the elevator
 * sorts and the driver receives.
 */
#ifndef NCQSIM_HOST_REQUEST_H
#define NCQSIM_HOST_REQUEST_H

#include "sim/core/io.h"
#include "sim/core/list.h"
#include "sim/core/rbtree.h"

struct io_context;
struct process;

/*
 * Owned by the submitter, who fills everything above the line, gives it to
 * blk_submit() and does not touch it before end() is called; in end() it may
 * be reused or freed.
 */
struct bio {
	sector_t lba;            /* 512-byte units */
	uint32_t sectors;        /* 0 only for a flush */
	uint8_t op;              /* enum io_op */
	uint8_t flags;           /* enum io_flag */
	uint8_t io_class;        /* enum io_class, set before it is queued */
	uint8_t io_level;        /* 0 to 7; no meaning with IO_CLASS_NONE */
	struct process *process; /* from blk_process() */
	/* @status is 0, or what the driver gave to blk_complete(). */
	void (*end)(struct bio *bio, nsec_t now_ns, int status);
	void *cookie; /* the submitter's */
	/* ---- the block layer's ---- */
	nsec_t queued_ns; /* when blk_submit() was called */
	struct bio *next; /* the next higher one of its request */
	bool after_exit;  /* parked behind the exit of its process */
};

enum request_state {
	RQ_SYNC = 1 << 0,      /* sync-ness of the bio that made it */
	RQ_STARTED = 1 << 1,   /* seen by the driver: nothing changes it */
	RQ_NOMERGE = 1 << 2,   /* a merge was refused for size */
	RQ_BARRIER = 1 << 3,   /* nothing may pass it */
	RQ_REQUEUED = 1 << 4,  /* came back: never merged, never passed */
	RQ_HASHED = 1 << 5,    /* in the back-merge hash */
	RQ_ELEVATOR = 1 << 6,  /* the elevator knows it */
	RQ_ISSUED = 1 << 7,    /* the driver has it */
	RQ_POOL_SYNC = 1 << 8, /* which pool counter it came from */
	RQ_FLUSH_SEQ = 1 << 9, /* a step of a flush sequence */
};

#define RQ_UNMERGEABLE (RQ_STARTED | RQ_NOMERGE | RQ_BARRIER | RQ_REQUEUED)

struct request {
	sector_t lba;
	uint32_t sectors;
	uint16_t state;         /* bits of enum request_state */
	uint8_t op;             /* enum io_op, of all its bios */
	uint8_t flags;          /* enum io_flag of the bio that made it */
	struct list_node queue; /* dispatch list; before, the elevator's */
	struct bio *first;      /* ascending by sector */
	struct bio *last;
	struct io_context *context; /* of the bio that made it; a reference */
	uint64_t driver;            /* the driver's word, such as the tag */
	struct request *hash_next;  /* newer first */
	struct request **hash_link;
	nsec_t queued_ns;   /* earliest of its bios */
	nsec_t inserted_ns; /* given to the elevator */
	nsec_t issued_ns;   /* taken by the driver */
	/* For the elevator's use while it holds the request, and after. */
	struct rb_node node;
	int64_t deadline; /* in its own unit, such as jiffies */
	void *elv[2];     /* 0 when the request is made */
};

static inline sector_t
rq_end(const struct request *rq)
{
	return rq->lba + rq->sectors;
}

static inline bool
rq_is_sync(const struct request *rq)
{
	return (rq->state & RQ_SYNC) != 0;
}

static inline bool
rq_is_read(const struct request *rq)
{
	return rq->op == IO_READ;
}

/* The request whose .queue is @node; NULL for the head of the list. */
static inline struct request *
rq_of_node(struct list_node *head, struct list_node *node)
{
	return node == head ? NULL : container_of(node, struct request, queue);
}

static inline sector_t
bio_end(const struct bio *bio)
{
	return bio->lba + bio->sectors;
}

/* Every read is sync; anything else only when its submitter said so. */
static inline bool
bio_is_sync(const struct bio *bio)
{
	return bio->op == IO_READ || (bio->flags & IO_SYNC) != 0;
}

#endif
