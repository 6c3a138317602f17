/* SPDX-License-Identifier: MIT */
/*
 * kyber: no sorting; a limit on the requests at the drive per domain, lower
 * for a domain while others miss their latency target.
 *
 * Reads, writes, discards and the rest wait apart, in the order of arrival,
 * and are served in turn, up to 16, 8, 1 and 1 of them.  Each holds a token
 * while at the drive: 256, 128, 64 and 16 at most.  Every 100 ms the latest
 * latencies are looked at in eighths of twice the target: when 99 % of the
 * I/O times of reads or writes are not within the target, every domain gets
 * (k + 1) / 4 of its tokens, k being where 90 % of its total times end.
 *
 * Modelled from public descriptions: domains, tokens, batches, the idea of
 * the control loop.  Not modelled: per-CPU queues, the reserve of tags for
 * sync requests.
 */
#include "models/elevators/elevator.h"
#include "sim/host/blk_elevator.h"

#include <string.h>

#define BUCKETS      8 /* quarters of the target; 4 and above are bad */
#define GOOD_BUCKETS 4
#define PERIOD_MS    100
#define SAMPLES_MIN  8

enum domain {
	READ,
	WRITE,
	DISCARD,
	OTHER,
	DOMAINS,
};

static const uint32_t full_tokens[DOMAINS] = { 256, 128, 64, 16 };
static const uint32_t batch_limits[DOMAINS] = { 16, 8, 1, 1 };

struct kyber {
	struct elevator elevator; /* first */
	int64_t target_ns[2];     /* of reads and writes */
	struct list_node fifo[DOMAINS];
	uint32_t tokens[DOMAINS]; /* at most at the drive */
	uint32_t used[DOMAINS];
	enum domain domain; /* whose batch it is */
	uint32_t batching;
	uint32_t total[2][BUCKETS];
	uint32_t io[2][BUCKETS];
	struct event timer;
};

static struct kyber *
kyber_of(struct elevator *el)
{
	return container_of(el, struct kyber, elevator);
}

static enum domain
domain_of(const struct request *rq)
{
	switch (rq->op) {
	case IO_READ:
		return READ;
	case IO_WRITE:
		return WRITE;
	case IO_DISCARD:
		return DISCARD;
	default:
		return OTHER;
	}
}

static void
count(uint32_t *buckets, nsec_t took_ns, int64_t target_ns)
{
	int64_t bucket = took_ns > 0 ? (took_ns - 1) * 4 / target_ns : 0;

	buckets[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
}

/* The bucket in which @percent of the samples end; -1: too few of them. */
static int
percentile(const uint32_t *buckets, uint64_t percent)
{
	uint64_t samples = 0, wanted;
	int i;

	for (i = 0; i < BUCKETS; i++)
		samples += buckets[i];
	if (samples < SAMPLES_MIN)
		return -1;
	wanted = (samples * percent + 99) / 100;
	for (i = 0; i < BUCKETS - 1 && buckets[i] < wanted; i++)
		wanted -= buckets[i];
	return i;
}

static void
resize(struct kyber *k, enum domain d, int bucket)
{
	uint32_t tokens = full_tokens[d] * (uint32_t)(bucket + 1) / 4;

	if (tokens > full_tokens[d])
		tokens = full_tokens[d];
	k->tokens[d] = tokens > 0 ? tokens : 1;
}

static void
timer_fire(struct event *ev, nsec_t now_ns)
{
	struct kyber *k = container_of(ev, struct kyber, timer);
	bool is_bad = false;

	(void)now_ns;
	for (int d = READ; d <= WRITE; d++)
		is_bad |= percentile(k->io[d], 99) >= GOOD_BUCKETS;
	for (int d = READ; d <= WRITE; d++) {
		int bucket = percentile(k->total[d], 90);

		if (bucket < 0)
			continue;
		resize(k, (enum domain)d, is_bad ? bucket : BUCKETS - 1);
		memset(k->total[d], 0, sizeof(k->total[d]));
		memset(k->io[d], 0, sizeof(k->io[d]));
	}
	blk_schedule_run(k->elevator.queue);
}

static int
kyber_init(struct elevator *el, struct err *e)
{
	struct kyber *k = kyber_of(el);

	(void)e;
	for (int d = 0; d < DOMAINS; d++) {
		list_init(&k->fifo[d]);
		k->tokens[d] = full_tokens[d];
	}
	event_init(&k->timer, PRIO_TIMER, timer_fire);
	return 0;
}

static void
kyber_exit(struct elevator *el)
{
	blk_timer_cancel(el->queue, &kyber_of(el)->timer);
}

static void
kyber_insert(struct elevator *el, struct request *rq)
{
	list_add_tail(&kyber_of(el)->fifo[domain_of(rq)], &rq->queue);
}

/* Dispatch one of domain @d if there is one and a token for it. */
static bool
dispatch_domain(struct kyber *k, enum domain d, bool is_forced)
{
	struct request *rq = rq_of_node(&k->fifo[d], k->fifo[d].next);

	if (!rq || (k->used[d] >= k->tokens[d] && !is_forced))
		return false;
	list_remove(&rq->queue);
	k->used[d]++;
	k->batching++;
	blk_dispatch_tail(k->elevator.queue, rq);
	return true;
}

static bool
kyber_dispatch(struct elevator *el, bool is_forced)
{
	struct kyber *k = kyber_of(el);

	if (k->batching < batch_limits[k->domain] &&
	    dispatch_domain(k, k->domain, is_forced))
		return true;
	k->batching = 0;
	for (int i = 0; i < DOMAINS; i++) {
		k->domain = (k->domain + 1) % DOMAINS;
		if (dispatch_domain(k, k->domain, is_forced))
			return true;
	}
	return false;
}

static void
kyber_completed(struct elevator *el, struct request *rq)
{
	struct kyber *k = kyber_of(el);
	enum domain d = domain_of(rq);
	nsec_t now_ns = blk_now_ns(el->queue);

	assert(k->used[d] > 0);
	k->used[d]--;
	if (d > WRITE)
		return;
	count(k->total[d], now_ns - rq->inserted_ns, k->target_ns[d]);
	count(k->io[d], now_ns - rq->issued_ns, k->target_ns[d]);
	if (!k->timer.pending)
		blk_timer_arm(el->queue, &k->timer,
			      blk_jiffies(el->queue) + PERIOD_MS);
}

static struct request *
kyber_former(struct elevator *el, struct request *rq)
{
	return rq_of_node(&kyber_of(el)->fifo[domain_of(rq)], rq->queue.prev);
}

static struct request *
kyber_latter(struct elevator *el, struct request *rq)
{
	return rq_of_node(&kyber_of(el)->fifo[domain_of(rq)], rq->queue.next);
}

static void
kyber_swallow(struct elevator *el, struct request *rq, struct request *gone)
{
	(void)el, (void)rq;
	list_remove(&gone->queue);
}

static const struct option kyber_options[] = {
	ELEVATOR_OPTION1(struct kyber, target_ns[READ], "read_lat_nsec", "ns",
			 "2000000", INT32_MAX,
			 "Latency that reads are to have."),
	ELEVATOR_OPTION1(struct kyber, target_ns[WRITE], "write_lat_nsec", "ns",
			 "10000000", INT32_MAX,
			 "Latency that writes are to have."),
};

static const struct option_table kyber_table = {
	.section = "elevator",
	.help = "tunables of kyber",
	.options = kyber_options,
	.count = ARRAY_LEN(kyber_options),
};

const struct elevator_ops kyber_elevator = {
	.abi = ELEVATOR_ABI,
	.name = "kyber",
	.help = "limits what is at the drive by latency targets",
	.first_era = ERA_MODERN,
	.last_era = ERA_MODERN,
	.state_size = sizeof(struct kyber),
	.options = &kyber_table,
	.init = kyber_init,
	.exit = kyber_exit,
	.insert = kyber_insert,
	.dispatch = kyber_dispatch,
	.former = kyber_former,
	.latter = kyber_latter,
	.swallow = kyber_swallow,
	.completed = kyber_completed,
};
