/* SPDX-License-Identifier: MIT */
/*
 * anticipatory: after a sync request wait a little for the next one of the
 * same process, which is probably close, instead of seeking away.
 *
 * Sync and async requests are sorted apart and served in batches limited by
 * time; the drive is drained between them.  Anticipation:
 *
 *	off -------- sync batch, P's request still at the drive --> wait_req
 *	off -------- sync batch, P's request completed -----------> wait_next
 *	wait_req --- P's request completes: the timer starts -----> wait_next
 *	wait_req, wait_next --- timer, or it has become pointless > finished
 *	any -------- a request is dispatched ---------------------> off
 *
 * P is the process whose sync request was dispatched last.  "Sync" are all
 * reads and the writes somebody waits for.
 */
#include "models/elevators/elevator.h"
#include "models/elevators/sorted.h"
#include "sim/host/blk_elevator.h"

#define BACK_MAX       (1024 * 1024) /* sectors; farther back is a wrap */
#define BACK_PENALTY   2
#define THINK_MAX_MS   19
#define CLOSE_SECTORS  8192
#define CLOSE_DELAY_MS 20
#define ONE            256u /* 1.0 of the statistics */

enum class {
	ASYNC,
	SYNC,
	CLASSES,
};

enum status {
	STATUS_OFF,
	STATUS_WAIT_REQ,  /* for P's request to complete */
	STATUS_WAIT_NEXT, /* for P's next one; the timer runs */
	STATUS_FINISHED,  /* waited enough before this request */
};

/* What is known of a process; zero at its first bio. */
struct as_process {
	bool has_started;   /* has made a sync request */
	bool has_completed; /* one has been completed */
	uint32_t queued;
	uint32_t dispatched; /* and not yet seen by the driver */
	int64_t completed_at;
	uint32_t think_samples;
	uint32_t think_mean_ms;
	uint64_t think_total;
	uint32_t seek_samples;
	uint64_t seek_mean;
	uint64_t seek_total;
	sector_t last_end;
};

struct as {
	struct elevator elevator; /* first */
	int64_t read_expire_ms;
	int64_t write_expire_ms;
	int64_t read_batch_expire_ms;
	int64_t write_batch_expire_ms;
	int64_t antic_expire_ms;
	struct rb_root tree[CLASSES];
	struct list_node fifo[CLASSES];
	struct request *next[CLASSES];
	sector_t last_end[CLASSES];
	int64_t fifo_checked[CLASSES];

	enum class batch;
	int64_t batch_expires;
	bool changed_batch; /* the old one is not finished */
	bool new_batch;     /* sync, none of it completed yet */
	bool batch_idled;   /* the writes ran out */
	int64_t write_quota;
	int64_t writes_left;

	enum status status;
	int64_t antic_start;
	struct event timer;
	struct io_context *watched; /* P; a reference */
	bool watched_is_done;       /* its request has completed */
	uint32_t dispatched;        /* and not completed */

	/* Of all processes; 1.0 is ONE. */
	uint32_t exit_prob;    /* that one makes just one request */
	uint32_t exit_no_coop; /* and nobody else comes close */
	uint64_t new_think_total;
	uint64_t new_think_mean_ms;
	uint64_t new_seek_total;
	uint64_t new_seek_mean;
	bool is_2618;
};

static struct as *
as_of(struct elevator *el)
{
	return container_of(el, struct as, elevator);
}

static struct as_process *
process_of(struct io_context *context)
{
	return io_context_data(context);
}

static enum class class_of(const struct request *rq) {
	return rq_is_sync(rq) ? SYNC : ASYNC;
}

static int64_t
now(const struct as *as)
{
	return blk_jiffies(as->elevator.queue);
}

static bool
has(const struct as *as, enum class c)
{
	return !list_is_empty(&as->fifo[c]);
}

static bool
is_waiting(const struct as *as)
{
	return as->status == STATUS_WAIT_REQ || as->status == STATUS_WAIT_NEXT;
}

/* An average that forgets an eighth at each sample. */
static uint64_t
decay(uint64_t total, uint64_t sample)
{
	return (7 * total + ONE * sample) / 8;
}

static void
raise_prob(uint32_t *prob)
{
	*prob = (uint32_t)decay(*prob, 1);
}

static void
lower_prob(uint32_t *prob)
{
	*prob = (uint32_t)decay(*prob, 0);
}

/* ---- anticipation ---- */

static void
antic_stop(struct as *as)
{
	if (!is_waiting(as))
		return;
	blk_timer_cancel(as->elevator.queue, &as->timer);
	as->status = STATUS_FINISHED;
	blk_schedule_run(as->elevator.queue);
}

/* The time is counted from P's completion, not from now. */
static void
antic_wait_next(struct as *as)
{
	as->status = STATUS_WAIT_NEXT;
	blk_timer_arm(as->elevator.queue, &as->timer,
		      as->antic_start + as->antic_expire_ms);
}

static void
timer_fire(struct event *ev, nsec_t now_ns)
{
	struct as *as = container_of(ev, struct as, timer);

	(void)now_ns;
	if (!is_waiting(as))
		return;
	as->status = STATUS_FINISHED;
	blk_schedule_run(as->elevator.queue);
	if (process_of(as->watched)->think_samples == 0)
		raise_prob(&as->exit_prob);
	if (as->watched->has_exited)
		raise_prob(&as->exit_no_coop);
}

static void
watch(struct as *as, struct io_context *context)
{
	if (context)
		io_context_get(context);
	if (as->watched)
		io_context_put(as->watched);
	as->watched = context;
}

/* ---- statistics ---- */

static void
sample_think(struct as *as, struct as_process *p)
{
	int64_t think = 0;

	if (p->has_completed && p->queued == 0 && p->dispatched == 0)
		think = now(as) - p->completed_at;
	if (think > THINK_MAX_MS)
		think = THINK_MAX_MS;
	if (p->think_samples == 0) {
		as->new_think_total =
			decay(as->new_think_total, (uint64_t)think);
		as->new_think_mean_ms = as->new_think_total / ONE;
		lower_prob(&as->exit_prob);
	}
	p->think_samples = (uint32_t)decay(p->think_samples, 1);
	p->think_total = decay(p->think_total, (uint64_t)think);
	p->think_mean_ms =
		(uint32_t)((p->think_total + ONE / 2) / p->think_samples);
}

static void
sample_seek(struct as *as, struct as_process *p, sector_t lba)
{
	sector_t d = lba > p->last_end ? lba - p->last_end : p->last_end - lba;
	sector_t limit;

	if (p->seek_samples == 0) {
		as->new_seek_total = decay(as->new_seek_total, d);
		as->new_seek_mean = as->new_seek_total / ONE;
	}
	limit = 4 * p->seek_mean + (p->seek_samples <= 60 ? 2097152 : 131072);
	if (d > limit)
		d = limit;
	p->seek_samples = (uint32_t)decay(p->seek_samples, 1);
	p->seek_total = decay(p->seek_total, d);
	p->seek_mean = (p->seek_total + p->seek_samples / 2) / p->seek_samples;
}

static void
sample(struct as *as, struct as_process *p, const struct request *rq)
{
	if (!rq_is_sync(rq))
		return;
	if (p->has_started) {
		sample_think(as, p);
		sample_seek(as, p, rq->lba);
	}
	p->has_started = true;
	p->last_end = rq_end(rq);
}

/* ---- is waiting for P worth it? ---- */

/*
 * Is @rq so close that P could hardly do better?  The longer P has been
 * waited for, the wider.  The shift is the kernel's, of a 32-bit int.
 */
static bool
is_close(const struct as *as, const struct as_process *p,
	 const struct request *rq)
{
	sector_t last = as->last_end[as->batch];
	sector_t lba = rq->lba;
	sector_t mean = p->seek_samples > 0 ? p->seek_mean : as->new_seek_mean;
	int64_t delay = 0;
	uint64_t delta;

	if (as->status != STATUS_OFF && as->watched_is_done)
		delay = now(as) - as->antic_start;
	if (delay > CLOSE_DELAY_MS ||
	    (delay > 0 && delay > as->antic_expire_ms))
		return true;
	delta = (uint64_t)(int32_t)((uint32_t)CLOSE_SECTORS << delay);
	if (last <= lba + delta / 2 && lba <= last + delta)
		return true;
	return (lba > last ? lba - last : last - lba) < mean;
}

/* @rq is close to where P was: P's statistics take it for P's own. */
static void
take_for_own(struct as *as, const struct request *rq)
{
	struct as_process *p = process_of(as->watched);

	if (as->watched->has_exited) {
		if (p->think_samples == 0)
			raise_prob(&as->exit_prob);
		lower_prob(&as->exit_no_coop);
	}
	sample(as, p, rq);
}

/* Does P, of which nothing waits, probably not come in time? */
static bool
is_hopeless(struct as *as)
{
	const struct as_process *p = process_of(as->watched);
	uint64_t antic = (uint64_t)as->antic_expire_ms;

	if (as->watched->has_exited) {
		if (p->think_samples == 0)
			raise_prob(&as->exit_prob);
		if (as->exit_no_coop > 128)
			return true;
	}
	if (p->think_samples == 0)
		return as->new_think_mean_ms > antic ||
		       as->exit_prob * as->exit_no_coop > 128 * ONE;
	return p->think_mean_ms > antic;
}

/* Is it pointless to go on waiting for P, now that @rq (or none) is there? */
static bool
can_break(struct as *as, struct request *rq)
{
	const struct as_process *p = process_of(as->watched);

	if (rq && rq->context == as->watched)
		return true;
	if (as->watched_is_done &&
	    now(as) - as->antic_start >= as->antic_expire_ms)
		return true;
	if (p->queued > 0 || p->dispatched > 0)
		return true;
	if (rq && rq_is_sync(rq) && is_close(as, p, rq)) {
		take_for_own(as, rq);
		return true;
	}
	return is_hopeless(as);
}

/* Start waiting for P instead of serving @rq (or none)?  True: waits. */
static bool
anticipate(struct as *as, struct request *rq)
{
	if (!as->watched || as->status == STATUS_FINISHED || can_break(as, rq))
		return false;
	assert(as->status == STATUS_OFF);
	if (as->watched_is_done)
		antic_wait_next(as);
	else
		as->status = STATUS_WAIT_REQ;
	return true;
}

/* ---- sorting ---- */

static struct request *
choose(const struct as *as, enum class c, struct request *a, struct request *b)
{
	struct sorted_head head = { as->last_end[c], BACK_MAX, BACK_PENALTY };

	return sorted_choose(&head, a, b);
}

/* The best one after @rq, which is still sorted. */
static struct request *
next_after(const struct as *as, struct request *rq)
{
	enum class c = class_of(rq);
	struct request *up = sorted_next(rq);

	if (!up)
		up = sorted_request(rb_first(&as->tree[c]));
	return choose(as, c, up == rq ? NULL : up, sorted_prev(rq));
}

static void
take_out(struct as *as, struct request *rq)
{
	struct as_process *p = process_of(rq->context);

	assert(p->queued > 0);
	p->queued--;
	rb_remove(&as->tree[class_of(rq)], &rq->node);
	list_remove(&rq->queue);
}

static void
move(struct as *as, struct request *rq)
{
	enum class c = class_of(rq);

	antic_stop(as);
	as->status = STATUS_OFF;
	as->last_end[c] = rq_end(rq);
	watch(as, c == SYNC ? rq->context : NULL);
	if (c == ASYNC && as->writes_left > 0)
		as->writes_left--;
	as->watched_is_done = false;
	as->next[c] = next_after(as, rq);
	take_out(as, rq);
	process_of(rq->context)->dispatched++;
	as->dispatched++;
	blk_dispatch_sorted(as->elevator.queue, rq);
}

static void
sort_in(struct as *as, struct request *rq)
{
	struct request *alias;

	while ((alias = sorted_insert(&as->tree[class_of(rq)], rq)))
		move(as, alias);
}

static void
as_insert(struct elevator *el, struct request *rq)
{
	struct as *as = as_of(el);
	struct as_process *p = process_of(rq->context);
	enum class c = class_of(rq);

	sample(as, p, rq);
	p->queued++;
	sort_in(as, rq);
	rq->deadline = now(as) +
		       (c == SYNC ? as->read_expire_ms : as->write_expire_ms);
	list_add_tail(&as->fifo[c], &rq->queue);
	as->next[c] = choose(as, c, rq, as->next[c]);
	if (is_waiting(as) && can_break(as, rq))
		antic_stop(as);
}

/*
 * As in the kernel, the trees, which are by sync-ness, are indexed by
 * direction here: a read is looked for among the async ones, in vain.
 */
static struct request *
as_find_front(struct elevator *el, const struct bio *bio)
{
	enum class c = bio->op == IO_READ ? ASYNC : SYNC;

	return sorted_find(&as_of(el)->tree[c], bio_end(bio));
}

static void
as_merged_front(struct elevator *el, struct request *rq)
{
	struct as *as = as_of(el);

	rb_remove(&as->tree[class_of(rq)], &rq->node);
	sort_in(as, rq);
}

static struct request *
as_former(struct elevator *el, struct request *rq)
{
	(void)el;
	return sorted_prev(rq);
}

static struct request *
as_latter(struct elevator *el, struct request *rq)
{
	(void)el;
	return sorted_next(rq);
}

static void
as_swallow(struct elevator *el, struct request *rq, struct request *gone)
{
	struct as *as = as_of(el);
	enum class c = class_of(gone);

	if (as->is_2618 && gone->deadline < rq->deadline) {
		struct io_context *swap = rq->context;

		rq->context = gone->context;
		gone->context = swap;
	}
	fifo_inherit(rq, gone);
	if (as->next[c] == gone)
		as->next[c] = next_after(as, gone);
	take_out(as, gone);
	if (c == SYNC) {
		process_of(gone->context)->completed_at = now(as);
		process_of(gone->context)->has_completed = true;
	}
}

/* ---- dispatch ---- */

/* May the oldest one of @c go first?  Asked for only now and then. */
static bool
fifo_expired(struct as *as, enum class c)
{
	int64_t expire = c == SYNC ? as->read_expire_ms : as->write_expire_ms;
	int64_t t = now(as);

	if (t - as->fifo_checked[c] < expire)
		return false;
	as->fifo_checked[c] = t;
	return has(as, c) && fifo_head(&as->fifo[c])->deadline < t;
}

static bool
batch_expired(const struct as *as)
{
	if (as->changed_batch || as->new_batch)
		return false;
	if (as->batch == ASYNC && as->writes_left == 0)
		return true;
	return now(as) > as->batch_expires;
}

static struct request *
begin_sync(struct as *as)
{
	if (as->batch == ASYNC)
		as->changed_batch = true;
	as->batch = SYNC;
	as->fifo_checked[SYNC] = now(as);
	return fifo_head(&as->fifo[SYNC]);
}

static struct request *
begin_async(struct as *as)
{
	if (as->batch == SYNC) {
		as->changed_batch = true;
		as->new_batch = false;
	}
	as->batch = ASYNC;
	as->writes_left = as->write_quota;
	as->batch_idled = false;
	if (as->is_2618)
		return as->next[ASYNC];
	as->fifo_checked[ASYNC] = now(as);
	return fifo_head(&as->fifo[ASYNC]);
}

/* The request to serve, or NULL to wait. */
static struct request *
pick(struct as *as)
{
	bool sync = has(as, SYNC);
	bool async = has(as, ASYNC);
	struct request *rq;

	if (!(sync && async && batch_expired(as))) {
		rq = as->next[as->batch];
		if (as->batch == SYNC && as->antic_expire_ms > 0) {
			if (fifo_expired(as, SYNC))
				return fifo_head(&as->fifo[SYNC]);
			if (anticipate(as, rq))
				return NULL;
		}
		if (rq && sync && !async)
			as->batch_expires = now(as) + as->read_batch_expire_ms;
		if (rq)
			goto found;
	}
	if (sync && !(async && as->batch == SYNC))
		rq = begin_sync(as);
	else
		rq = begin_async(as);
found:
	if (fifo_expired(as, as->batch))
		rq = fifo_head(&as->fifo[as->batch]);
	return rq;
}

/* The first request of a batch waits for the end of the old batch. */
static bool
finish_change(struct as *as)
{
	if (as->dispatched > 0)
		return false;
	if (as->batch == ASYNC)
		as->batch_expires = now(as) + as->write_batch_expire_ms;
	else
		as->new_batch = true;
	as->changed_batch = false;
	return true;
}

static bool
dispatch_forced(struct as *as)
{
	struct request *rq = fifo_head(&as->fifo[SYNC]);

	as->batch = SYNC;
	as->changed_batch = false;
	as->new_batch = false;
	if (!rq)
		rq = fifo_head(&as->fifo[ASYNC]);
	if (!rq)
		return false;
	move(as, rq);
	return true;
}

static bool
as_dispatch(struct elevator *el, bool is_forced)
{
	struct as *as = as_of(el);
	struct request *rq;

	if (is_forced)
		return dispatch_forced(as);
	if (as->batch == ASYNC && !has(as, SYNC) &&
	    (as->writes_left == 0 || !has(as, ASYNC)))
		as->batch_idled = true;
	if ((!has(as, SYNC) && !has(as, ASYNC)) || is_waiting(as) ||
	    as->changed_batch)
		return false;
	rq = pick(as);
	if (!rq || (as->changed_batch && !finish_change(as)))
		return false;
	move(as, rq);
	return true;
}

static void
as_activate(struct elevator *el, struct request *rq)
{
	struct as_process *p = process_of(rq->context);

	(void)el;
	assert(p->dispatched > 0);
	p->dispatched--;
}

static void
as_deactivate(struct elevator *el, struct request *rq)
{
	(void)el;
	process_of(rq->context)->dispatched++;
}

/* ---- completion ---- */

/* How long did the last write batch take, and so how long shall the next? */
static void
resize_writes(struct as *as)
{
	int64_t batch = as->write_batch_expire_ms;
	int64_t took = now(as) - as->batch_expires + batch;

	if (took < 0)
		took = 0;
	if (took > batch && !as->batch_idled) {
		if (took > 3 * batch)
			as->write_quota /= 2;
		else
			as->write_quota--;
	} else if (took < batch && as->writes_left == 0) {
		if (batch > 3 * took)
			as->write_quota *= 2;
		else
			as->write_quota++;
	}
	if (as->write_quota < 1)
		as->write_quota = 1;
}

/* The last request of the old batch is done. */
static void
end_drain(struct as *as)
{
	if (!as->is_2618)
		as->batch_expires =
			now(as) + (as->batch == SYNC
					   ? as->read_batch_expire_ms
					   : as->write_batch_expire_ms);
	blk_schedule_run(as->elevator.queue);
	as->changed_batch = false;
	if (as->batch == SYNC)
		as->new_batch = true;
}

static void
as_completed(struct elevator *el, struct request *rq)
{
	struct as *as = as_of(el);
	struct as_process *p = process_of(rq->context);

	if (as->changed_batch && as->dispatched == 1)
		end_drain(as);
	assert(as->dispatched > 0);
	as->dispatched--;
	if (as->new_batch && class_of(rq) == as->batch) {
		resize_writes(as);
		as->batch_expires = now(as) + as->read_batch_expire_ms;
		as->new_batch = false;
	}
	if (as->watched == rq->context) {
		as->antic_start = now(as);
		as->watched_is_done = true;
		if (as->status == STATUS_WAIT_REQ)
			antic_wait_next(as);
	}
	if (rq_is_sync(rq)) {
		p->completed_at = now(as);
		p->has_completed = true;
	}
}

/* The process that is waited for must not wait for a request. */
static enum may_queue
as_may_queue(struct elevator *el, struct bio *bio)
{
	struct as *as = as_of(el);

	if (is_waiting(as) && bio->process->context == as->watched)
		return MUST_QUEUE;
	return MAY_QUEUE;
}

/* ---- start and end ---- */

static int
as_init(struct elevator *el, struct err *e)
{
	struct as *as = as_of(el);
	enum host_era era = blk_era(el->queue);

	(void)e;
	list_init(&as->fifo[SYNC]);
	list_init(&as->fifo[ASYNC]);
	event_init(&as->timer, PRIO_TIMER, timer_fire);
	as->batch_expires = BLK_JIFFY_INIT + as->read_batch_expire_ms;
	as->write_quota = as->write_batch_expire_ms / 10;
	as->is_2618 = era == ERA_2_6_18;
	if (era == ERA_2_6_18)
		blk_set_rerun(el->queue, BLK_RERUN_PLAIN);
	else if (era == ERA_2_6_27)
		blk_set_rerun(el->queue, BLK_RERUN_UNPLUG);
	return 0;
}

static void
as_exit(struct elevator *el)
{
	struct as *as = as_of(el);

	blk_timer_cancel(el->queue, &as->timer);
	watch(as, NULL);
}

static const struct option as_options[] = {
	ELEVATOR_OPTION(struct as, read_expire_ms, "read_expire", "ms", "125",
			INT32_MAX,
			"A sync request that has waited longer may go first."),
	ELEVATOR_OPTION(
		struct as, write_expire_ms, "write_expire", "ms", "250",
		INT32_MAX,
		"An async request that has waited longer may go first."),
	ELEVATOR_OPTION(
		struct as, read_batch_expire_ms, "read_batch_expire", "ms",
		"500", INT32_MAX,
		"Length of a batch of sync requests while async ones wait."),
	ELEVATOR_OPTION(
		struct as, write_batch_expire_ms, "write_batch_expire", "ms",
		"125", INT32_MAX,
		"Length of a batch of async requests while sync ones wait."),
	ELEVATOR_OPTION(struct as, antic_expire_ms, "antic_expire", "ms", "6",
			INT32_MAX,
			"How long to wait for the next request of a process; 0 "
			"does not wait."),
};

static const struct option_table as_table = {
	.section = "elevator",
	.help = "tunables of anticipatory",
	.options = as_options,
	.count = ARRAY_LEN(as_options),
};

const struct elevator_ops anticipatory_elevator = {
	.abi = ELEVATOR_ABI,
	.name = "anticipatory",
	.help = "waits for the next close request of the same process",
	.first_era = ERA_2_6_18,
	.last_era = ERA_2_6_32_71,
	.state_size = sizeof(struct as),
	.context_size = sizeof(struct as_process),
	.options = &as_table,
	.init = as_init,
	.exit = as_exit,
	.insert = as_insert,
	.dispatch = as_dispatch,
	.find_front = as_find_front,
	.merged_front = as_merged_front,
	.former = as_former,
	.latter = as_latter,
	.swallow = as_swallow,
	.activate = as_activate,
	.deactivate = as_deactivate,
	.completed = as_completed,
	.may_queue = as_may_queue,
};
