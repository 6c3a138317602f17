/* SPDX-License-Identifier: MIT */
/*
 * The contract between the block layer and an elevator.
 *
 * An elevator holds requests between insertion and dispatch.  It owns no
 * request: the block layer makes, merges, completes and frees them.  The
 * helpers an elevator may call are in sim/host/blk_elevator.h.
 *
 * An elevator is one struct elevator_ops at the bottom of its file, with
 * everything else static, and one line in table.c.  noop.c is the smallest
 * one, written to be copied.
 */
#ifndef NCQSIM_ELEVATORS_ELEVATOR_H
#define NCQSIM_ELEVATORS_ELEVATOR_H

#include "sim/core/err.h"
#include "sim/core/option.h"
#include "sim/core/types.h"

struct bio;
struct blk_queue;
struct io_context;
struct request;

/* Raised whenever this header or the ones it leads to change meaning. */
#define ELEVATOR_ABI 1u

/* What a shared object calls its struct elevator_ops. */
#define ELEVATOR_SYMBOL "ncqsim_elevator"

/* Which Linux the block layer and the elevators behave like. */
enum host_era {
	ERA_2_6_18,
	ERA_2_6_27,
	ERA_2_6_31,
	ERA_2_6_32, /* .0 to .21: the default */
	ERA_2_6_32_71,
	ERA_MODERN, /* blk-mq */
};

/*
 * A tunable from 0 (or 1) to @top: the int64_t @field of @state, which the
 * name, the unit, the default as text and one line of help describe.
 */
#define ELEVATOR_OPTION(state, field, name, unit, initial, top, help)          \
	ELEVATOR_RANGE(state, field, name, unit, initial, 0, top, help)
#define ELEVATOR_OPTION1(state, field, name, unit, initial, top, help)         \
	ELEVATOR_RANGE(state, field, name, unit, initial, 1, top, help)
#define ELEVATOR_RANGE(state, field, name_, unit_, initial_, low, top, help_)  \
	{                                                                      \
		.name = (name_), .unit = (unit_), .initial = (initial_),       \
		.help = (help_), .min = (low), .max = (top),                   \
		.type = OPTION_INT, .offset = offsetof(state, field)           \
	}

/*
 * The head of every elevator's state, which the block layer allocates,
 * zeroed, with the tunables at their defaults.
 */
struct elevator {
	const struct elevator_ops *ops;
	struct blk_queue *queue;
};

enum may_queue {
	MAY_QUEUE,  /* as the pool decides */
	MUST_QUEUE, /* even if the pool is marked full (not past its limit) */
	/* Not now: asked again when one of the bio's sync-ness is freed, so
	 * only while the elevator knows of one. */
	MAY_NOT_QUEUE,
};

struct elevator_ops {
	/* Required: ELEVATOR_ABI of the header it was compiled with. */
	uint32_t abi;
	/* Required: what -e calls it, and one line about it. */
	const char *name;
	const char *help;
	/* Required: the eras it exists in, both included. */
	enum host_era first_era;
	enum host_era last_era;
	/* Required: size of its state, which begins with struct elevator. */
	size_t state_size;
	/* Optional: bytes it wants in every io context, zeroed at its start. */
	size_t context_size;
	/*
	 * Optional: tunables, OPTION_INT fields of its state by their sysfs
	 * names and in sysfs units, in a section called "elevator".
	 */
	const struct option_table *options;

	/*
	 * Optional.  init: 0 or a negative code with @e filled.  exit: free
	 * what the state owns (not the state); no request is left.
	 */
	int (*init)(struct elevator *el, struct err *e);
	void (*exit)(struct elevator *el);

	/*
	 * Required.  Take @rq.  From here until it is handed to
	 * blk_dispatch_*() the elevator may use rq->queue, rq->node,
	 * rq->deadline and rq->elv.
	 */
	void (*insert)(struct elevator *el, struct request *rq);
	/*
	 * Required.  Hand over at least one request with blk_dispatch_*()
	 * and return true, or return false when there is none or none shall
	 * go now.  Whoever holds back must see to it that the queue is run
	 * again.  With @is_forced it must not hold back: the block layer
	 * calls until it has nothing left.
	 */
	bool (*dispatch)(struct elevator *el, bool is_forced);

	/* Optional.  A held request that begins where @bio ends, or NULL. */
	struct request *(*find_front)(struct elevator *el,
				      const struct bio *bio);
	/* Optional.  May @bio join @rq, which is contiguous? */
	bool (*allow_merge)(struct elevator *el, const struct request *rq,
			    const struct bio *bio);
	/* Optional.  @rq now begins earlier: sort it again. */
	void (*merged_front)(struct elevator *el, struct request *rq);
	/* Optional.  @rq now ends later, and has swallowed no neighbour. */
	void (*merged_back)(struct elevator *el, struct request *rq);
	/*
	 * Optional, all three or none.  The neighbours of @rq in the
	 * elevator's order, or NULL.  @rq has swallowed @gone, which is
	 * freed after this call: forget it.
	 */
	struct request *(*former)(struct elevator *el, struct request *rq);
	struct request *(*latter)(struct elevator *el, struct request *rq);
	void (*swallow)(struct elevator *el, struct request *rq,
			struct request *gone);

	/* Optional.  The driver has chosen @rq / has given it back. */
	void (*activate)(struct elevator *el, struct request *rq);
	void (*deactivate)(struct elevator *el, struct request *rq);
	/* Optional.  The device has finished @rq. */
	void (*completed)(struct elevator *el, struct request *rq);

	/* Optional.  Asked before a request is made for @bio. */
	enum may_queue (*may_queue)(struct elevator *el, struct bio *bio);
	/* Optional.  @rq has been made for @bio / is about to be freed. */
	void (*prepare)(struct elevator *el, struct request *rq,
			const struct bio *bio);
	void (*release)(struct elevator *el, struct request *rq);
	/* Optional.  The process of @context exits. */
	void (*context_exit)(struct elevator *el, struct io_context *context);
};

/* The built-in ones; ended by NULL. */
extern const struct elevator_ops *const elevator_table[];

/*
 * The built-in elevator @name of @era, or, when there is a slash in @name,
 * the one in the shared object of that path; or NULL with @e filled: the
 * message lists the names there are.
 */
const struct elevator_ops *
elevator_find(const char *name, enum host_era era, struct err *e);

/*
 * The elevator of the shared object at @path, checked, or NULL with @e
 * filled.  The object defines a struct elevator_ops called ELEVATOR_SYMBOL
 * and is built against these headers, as installed, with
 *
 *	cc -shared -fPIC -O2 $(pkg-config --cflags ncqsim) mine.c -o mine.so
 *
 * It may call everything in sim/host/blk_elevator.h, models/elevators/
 * sorted.h and sim/core/rbtree.h, and it is never unloaded.
 */
const struct elevator_ops *elevator_load(const char *path, struct err *e);

/* 0, or ERR_CONFIG and a sentence about the first thing wrong in @ops. */
int elevator_check(const struct elevator_ops *ops, struct err *e);

/* "2.6.32" and so on; NULL for a value that is no era. */
const char *host_era_name(enum host_era era);
/* The era called @name, or ERR_CONFIG with @e filled. */
int host_era_parse(const char *name, struct err *e);

#endif
