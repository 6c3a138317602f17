/* SPDX-License-Identifier: MIT */
/*
 * deadline: batches in sector order, cut by per-direction deadlines.
 *
 * Reads and writes are sorted apart.  A batch goes up from where it begins;
 * the next one continues, or restarts at the oldest request when that has
 * expired or the batch ran into the end.  Reads go first, but after
 * writes_starved batches of them the writes get one.
 *
 * Up to 2.6.27 a batch also ends at the first gap; in 2.6.18 it restarts at
 * the lowest sector, and a batch that continues keeps its count.
 */
#include "models/elevators/elevator.h"
#include "models/elevators/sorted.h"
#include "sim/host/blk_elevator.h"

enum direction {
	READ,
	WRITE,
	DIRECTIONS,
};

struct deadline {
	struct elevator elevator; /* first */
	int64_t read_expire_ms;
	int64_t write_expire_ms;
	int64_t writes_starved;
	int64_t fifo_batch;
	int64_t front_merges;
	struct rb_root tree[DIRECTIONS];
	struct list_node fifo[DIRECTIONS];
	struct request *next[DIRECTIONS]; /* at most one is set */
	int64_t batching;                 /* requests of this batch */
	int64_t starved;                  /* read batches while writes waited */
	sector_t last_end;                /* of the last request moved */
	bool ends_at_gap;
	bool is_2618;
};

static struct deadline *
deadline_of(struct elevator *el)
{
	return container_of(el, struct deadline, elevator);
}

static enum direction
direction_of(uint8_t op)
{
	return op == IO_READ ? READ : WRITE;
}

static int
deadline_init(struct elevator *el, struct err *e)
{
	struct deadline *dd = deadline_of(el);
	enum host_era era = blk_era(el->queue);

	(void)e;
	list_init(&dd->fifo[READ]);
	list_init(&dd->fifo[WRITE]);
	dd->ends_at_gap = era <= ERA_2_6_27;
	dd->is_2618 = era == ERA_2_6_18;
	return 0;
}

/* Forget @rq; the batch goes on behind it. */
static void
take_out(struct deadline *dd, struct request *rq)
{
	enum direction dir = direction_of(rq->op);

	if (dd->next[dir] == rq)
		dd->next[dir] = sorted_next(rq);
	rb_remove(&dd->tree[dir], &rq->node);
	list_remove(&rq->queue);
}

static void
move(struct deadline *dd, struct request *rq)
{
	enum direction dir = direction_of(rq->op);

	dd->next[READ] = NULL;
	dd->next[WRITE] = NULL;
	dd->next[dir] = sorted_next(rq);
	dd->last_end = rq_end(rq);
	take_out(dd, rq);
	blk_dispatch_tail(dd->elevator.queue, rq);
}

/* An alias is pushed out at once: two of one sector cannot be sorted. */
static void
sort_in(struct deadline *dd, struct request *rq)
{
	struct rb_root *tree = &dd->tree[direction_of(rq->op)];
	struct request *alias;

	while ((alias = sorted_insert(tree, rq)))
		move(dd, alias);
}

static void
deadline_insert(struct elevator *el, struct request *rq)
{
	struct deadline *dd = deadline_of(el);
	enum direction dir = direction_of(rq->op);

	sort_in(dd, rq);
	rq->deadline = blk_jiffies(el->queue) +
		       (dir == READ ? dd->read_expire_ms : dd->write_expire_ms);
	list_add_tail(&dd->fifo[dir], &rq->queue);
}

static struct request *
deadline_find_front(struct elevator *el, const struct bio *bio)
{
	struct deadline *dd = deadline_of(el);

	if (!dd->front_merges)
		return NULL;
	return sorted_find(&dd->tree[direction_of(bio->op)], bio_end(bio));
}

static void
deadline_merged_front(struct elevator *el, struct request *rq)
{
	struct deadline *dd = deadline_of(el);

	rb_remove(&dd->tree[direction_of(rq->op)], &rq->node);
	sort_in(dd, rq);
}

static struct request *
deadline_former(struct elevator *el, struct request *rq)
{
	(void)el;
	return sorted_prev(rq);
}

static struct request *
deadline_latter(struct elevator *el, struct request *rq)
{
	(void)el;
	return sorted_next(rq);
}

static void
deadline_swallow(struct elevator *el, struct request *rq, struct request *gone)
{
	fifo_inherit(rq, gone);
	take_out(deadline_of(el), gone);
}

/* The next one of the batch, if that goes on. */
static struct request *
continue_batch(struct deadline *dd)
{
	struct request *rq = dd->next[WRITE] ? dd->next[WRITE] : dd->next[READ];

	if (!rq)
		return NULL;
	if (dd->ends_at_gap && rq->lba != dd->last_end)
		dd->batching += dd->fifo_batch;
	return dd->batching < dd->fifo_batch ? rq : NULL;
}

/* The direction of the next batch, or DIRECTIONS when nothing waits. */
static enum direction
choose_direction(struct deadline *dd)
{
	bool reads = !list_is_empty(&dd->fifo[READ]);
	bool writes = !list_is_empty(&dd->fifo[WRITE]);

	if (reads && !(writes && dd->starved++ >= dd->writes_starved))
		return READ;
	if (!writes)
		return DIRECTIONS;
	dd->starved = 0;
	return WRITE;
}

static struct request *
start_batch(struct deadline *dd, enum direction dir)
{
	struct request *oldest = fifo_head(&dd->fifo[dir]);
	struct request *next = dd->next[dir];
	bool has_expired = blk_jiffies(dd->elevator.queue) > oldest->deadline;

	if (has_expired) {
		dd->batching = 0;
		return oldest;
	}
	if (!next || !dd->is_2618)
		dd->batching = 0;
	if (next)
		return next;
	return dd->is_2618 ? sorted_request(rb_first(&dd->tree[dir])) : oldest;
}

static bool
deadline_dispatch(struct elevator *el, bool is_forced)
{
	struct deadline *dd = deadline_of(el);
	struct request *rq = continue_batch(dd);

	(void)is_forced;
	if (!rq) {
		enum direction dir = choose_direction(dd);

		if (dir == DIRECTIONS)
			return false;
		rq = start_batch(dd, dir);
	}
	dd->batching++;
	move(dd, rq);
	return true;
}

static const struct option deadline_options[] = {
	ELEVATOR_OPTION(struct deadline, read_expire_ms, "read_expire", "ms",
			"500", INT32_MAX,
			"A read that has waited longer begins the next batch."),
	ELEVATOR_OPTION(
		struct deadline, write_expire_ms, "write_expire", "ms", "5000",
		INT32_MAX,
		"A write that has waited longer begins the next batch."),
	ELEVATOR_OPTION(struct deadline, writes_starved, "writes_starved",
			"batches", "2", INT32_MAX,
			"Batches of reads before waiting writes get one."),
	ELEVATOR_OPTION(
		struct deadline, fifo_batch, "fifo_batch", "requests", "16",
		INT32_MAX,
		"Requests in sector order before deadlines are looked at."),
	ELEVATOR_OPTION(struct deadline, front_merges, "front_merges", "", "1",
			1,
			"1: look for a request that begins where a bio ends."),
};

static const struct option_table deadline_table = {
	.section = "elevator",
	.help = "tunables of deadline",
	.options = deadline_options,
	.count = ARRAY_LEN(deadline_options),
};

const struct elevator_ops deadline_elevator = {
	.abi = ELEVATOR_ABI,
	.name = "deadline",
	.help = "batches in sector order, with deadlines for reads and writes",
	.first_era = ERA_2_6_18,
	.last_era = ERA_2_6_32_71,
	.state_size = sizeof(struct deadline),
	.options = &deadline_table,
	.init = deadline_init,
	.insert = deadline_insert,
	.dispatch = deadline_dispatch,
	.find_front = deadline_find_front,
	.merged_front = deadline_merged_front,
	.former = deadline_former,
	.latter = deadline_latter,
	.swallow = deadline_swallow,
};
