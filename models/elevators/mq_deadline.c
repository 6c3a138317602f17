/* SPDX-License-Identifier: MIT */
/*
 * mq-deadline, as of Linux 5.18: deadline of 2.6.32 once per priority class.
 *
 * A class is served only while no request of a higher one waits or is at the
 * drive, unless one of its own has waited longer than prio_aging_expire.  A
 * batch goes up from the start of the request dispatched last.
 *
 * All but reads may have async_depth requests, sync and async ones counted
 * apart, as the pool of the block layer counts them.
 *
 * Modelled: classes, aging, batches, deadlines, starvation, front merges.
 * Not modelled: zoned drives.
 */
#include "models/elevators/elevator.h"
#include "models/elevators/sorted.h"
#include "sim/host/blk_elevator.h"

enum direction {
	READ,
	WRITE,
	DIRECTIONS,
};

enum rank {
	RANK_RT,
	RANK_BE,
	RANK_IDLE,
	RANKS,
};

struct prio_class {
	struct rb_root tree[DIRECTIONS];
	struct list_node fifo[DIRECTIONS];
	sector_t position[DIRECTIONS]; /* start of the last dispatched */
	uint32_t unfinished;           /* queued or at the drive */
};

struct mqd {
	struct elevator elevator; /* first */
	int64_t expire_ms[DIRECTIONS];
	int64_t writes_starved;
	int64_t fifo_batch;
	int64_t front_merges;
	int64_t prio_aging_expire_ms;
	int64_t async_depth;   /* 0: by the size of the pool */
	uint32_t throttled[2]; /* requests there are, but reads; [is sync] */
	struct prio_class classes[RANKS];
	enum direction direction; /* of the batch */
	int64_t batching;
	int64_t starved;
};

static struct mqd *
mqd_of(struct elevator *el)
{
	return container_of(el, struct mqd, elevator);
}

static enum direction
direction_of(uint8_t op)
{
	return op == IO_READ ? READ : WRITE;
}

static enum rank
rank_of(uint8_t io_class)
{
	if (io_class == IO_CLASS_RT)
		return RANK_RT;
	return io_class == IO_CLASS_IDLE ? RANK_IDLE : RANK_BE;
}

/* The class a request was inserted into is kept in its first word. */
static struct prio_class *
class_of(const struct request *rq)
{
	return rq->elv[0];
}

static int
mqd_init(struct elevator *el, struct err *e)
{
	struct mqd *mqd = mqd_of(el);

	(void)e;
	for (int i = 0; i < RANKS; i++) {
		list_init(&mqd->classes[i].fifo[READ]);
		list_init(&mqd->classes[i].fifo[WRITE]);
	}
	mqd->direction = WRITE;
	return 0;
}

static void
move(struct mqd *mqd, struct request *rq)
{
	struct prio_class *c = class_of(rq);
	enum direction dir = direction_of(rq->op);

	c->position[dir] = rq->lba;
	rb_remove(&c->tree[dir], &rq->node);
	list_remove(&rq->queue);
	blk_dispatch_tail(mqd->elevator.queue, rq);
}

static void
sort_in(struct mqd *mqd, struct request *rq)
{
	struct rb_root *tree = &class_of(rq)->tree[direction_of(rq->op)];
	struct request *alias;

	while ((alias = sorted_insert(tree, rq)))
		move(mqd, alias);
}

static void
mqd_insert(struct elevator *el, struct request *rq)
{
	struct mqd *mqd = mqd_of(el);
	enum direction dir = direction_of(rq->op);
	struct prio_class *c = &mqd->classes[rank_of(rq->context->io_class)];

	rq->elv[0] = c;
	c->unfinished++;
	sort_in(mqd, rq);
	rq->deadline = blk_jiffies(el->queue) + mqd->expire_ms[dir];
	list_add_tail(&c->fifo[dir], &rq->queue);
}

static struct request *
mqd_find_front(struct elevator *el, const struct bio *bio)
{
	struct mqd *mqd = mqd_of(el);
	struct prio_class *c = &mqd->classes[rank_of(bio->io_class)];

	if (!mqd->front_merges)
		return NULL;
	return sorted_find(&c->tree[direction_of(bio->op)], bio_end(bio));
}

static void
mqd_merged_front(struct elevator *el, struct request *rq)
{
	rb_remove(&class_of(rq)->tree[direction_of(rq->op)], &rq->node);
	sort_in(mqd_of(el), rq);
}

static struct request *
mqd_former(struct elevator *el, struct request *rq)
{
	(void)el;
	return sorted_prev(rq);
}

static struct request *
mqd_latter(struct elevator *el, struct request *rq)
{
	(void)el;
	return sorted_next(rq);
}

static void
mqd_swallow(struct elevator *el, struct request *rq, struct request *gone)
{
	struct prio_class *c = class_of(gone);

	(void)el;
	fifo_inherit(rq, gone);
	rb_remove(&c->tree[direction_of(gone->op)], &gone->node);
	list_remove(&gone->queue);
	c->unfinished--;
}

/* The first one at or above the position, or NULL: no wrap. */
static struct request *
next_up(const struct prio_class *c, enum direction dir)
{
	struct rb_node *node = c->tree[dir].node;
	struct request *best = NULL;

	while (node) {
		struct request *at = sorted_request(node);

		if (at->lba >= c->position[dir]) {
			best = at;
			node = node->left;
		} else {
			node = node->right;
		}
	}
	return best;
}

static enum direction
choose_direction(struct mqd *mqd, const struct prio_class *c)
{
	bool reads = !list_is_empty(&c->fifo[READ]);
	bool writes = !list_is_empty(&c->fifo[WRITE]);

	if (reads && !(writes && mqd->starved++ >= mqd->writes_starved))
		return READ;
	if (!writes)
		return DIRECTIONS;
	mqd->starved = 0;
	return WRITE;
}

/* Dispatch one of @c, if it has any. */
static bool
dispatch_class(struct mqd *mqd, struct prio_class *c)
{
	struct request *rq = next_up(c, mqd->direction);

	if (!rq || mqd->batching >= mqd->fifo_batch) {
		enum direction dir = choose_direction(mqd, c);
		struct request *oldest;

		if (dir == DIRECTIONS)
			return false;
		oldest = fifo_head(&c->fifo[dir]);
		rq = next_up(c, dir);
		if (!rq || oldest->deadline <= blk_jiffies(mqd->elevator.queue))
			rq = oldest;
		mqd->direction = dir;
		mqd->batching = 0;
	}
	mqd->batching++;
	move(mqd, rq);
	return true;
}

/* Has one of @c waited longer than a lower class has to? */
static bool
has_aged(const struct mqd *mqd, const struct prio_class *c)
{
	int64_t born =
		blk_jiffies(mqd->elevator.queue) - mqd->prio_aging_expire_ms;

	for (int dir = READ; dir < DIRECTIONS; dir++) {
		const struct request *oldest = fifo_head(&c->fifo[dir]);

		if (oldest && oldest->deadline - mqd->expire_ms[dir] <= born)
			return true;
	}
	return false;
}

static bool
mqd_dispatch(struct elevator *el, bool is_forced)
{
	struct mqd *mqd = mqd_of(el);

	for (int i = RANK_BE; i < RANKS; i++)
		if (has_aged(mqd, &mqd->classes[i]) &&
		    dispatch_class(mqd, &mqd->classes[i]))
			return true;
	for (int i = 0; i < RANKS; i++) {
		if (dispatch_class(mqd, &mqd->classes[i]))
			return true;
		if (mqd->classes[i].unfinished > 0 && !is_forced)
			return false;
	}
	return false;
}

static void
mqd_completed(struct elevator *el, struct request *rq)
{
	(void)el;
	assert(class_of(rq)->unfinished > 0);
	class_of(rq)->unfinished--;
}

/* ---- requests there may be ---- */

static uint32_t
async_depth(const struct mqd *mqd)
{
	uint32_t depth = 3 * blk_nr_requests(mqd->elevator.queue) / 4;

	if (mqd->async_depth > 0)
		return (uint32_t)mqd->async_depth;
	return depth > 0 ? depth : 1;
}

static enum may_queue
mqd_may_queue(struct elevator *el, struct bio *bio)
{
	const struct mqd *mqd = mqd_of(el);

	if (bio->op == IO_READ ||
	    mqd->throttled[bio_is_sync(bio)] < async_depth(mqd))
		return MAY_QUEUE;
	return MAY_NOT_QUEUE;
}

static void
mqd_prepare(struct elevator *el, struct request *rq, const struct bio *bio)
{
	(void)bio;
	if (rq->op != IO_READ)
		mqd_of(el)->throttled[rq_is_sync(rq)]++;
}

static void
mqd_release(struct elevator *el, struct request *rq)
{
	if (rq->op == IO_READ)
		return;
	assert(mqd_of(el)->throttled[rq_is_sync(rq)] > 0);
	mqd_of(el)->throttled[rq_is_sync(rq)]--;
}

static const struct option mqd_options[] = {
	ELEVATOR_OPTION(
		struct mqd, expire_ms[READ], "read_expire", "ms", "500",
		INT32_MAX,
		"A read that has waited as long begins the next batch."),
	ELEVATOR_OPTION(
		struct mqd, expire_ms[WRITE], "write_expire", "ms", "5000",
		INT32_MAX,
		"A write that has waited as long begins the next batch."),
	ELEVATOR_OPTION(struct mqd, writes_starved, "writes_starved", "batches",
			"2", INT32_MAX,
			"Batches of reads before waiting writes get one."),
	ELEVATOR_OPTION(
		struct mqd, fifo_batch, "fifo_batch", "requests", "16",
		INT32_MAX,
		"Requests in sector order before deadlines are looked at."),
	ELEVATOR_OPTION(struct mqd, front_merges, "front_merges", "", "1", 1,
			"1: look for a request that begins where a bio ends."),
	ELEVATOR_OPTION(struct mqd, prio_aging_expire_ms, "prio_aging_expire",
			"ms", "10000", INT32_MAX,
			"A request of a lower class that has waited as long is "
			"served."),
	ELEVATOR_OPTION(struct mqd, async_depth, "async_depth", "requests", "0",
			INT32_MAX,
			"All but reads may have as many; 0: three quarters of "
			"host.nr_requests."),
};

static const struct option_table mqd_table = {
	.section = "elevator",
	.help = "tunables of mq-deadline",
	.options = mqd_options,
	.count = ARRAY_LEN(mqd_options),
};

const struct elevator_ops mq_deadline_elevator = {
	.abi = ELEVATOR_ABI,
	.name = "mq-deadline",
	.help = "deadline for blk-mq, with priority classes",
	.first_era = ERA_MODERN,
	.last_era = ERA_MODERN,
	.state_size = sizeof(struct mqd),
	.options = &mqd_table,
	.init = mqd_init,
	.insert = mqd_insert,
	.dispatch = mqd_dispatch,
	.find_front = mqd_find_front,
	.merged_front = mqd_merged_front,
	.former = mqd_former,
	.latter = mqd_latter,
	.swallow = mqd_swallow,
	.completed = mqd_completed,
	.may_queue = mqd_may_queue,
	.prepare = mqd_prepare,
	.release = mqd_release,
};
