/* SPDX-License-Identifier: MIT */
#include "sim/stats.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Processes are found by a table twice their number, so that most look-ups
 * end at the first slot. */
#define SLOTS (2 * STATS_PROCESSES)

/*
 * What a struct hist is made from when asked for.  It leaves out all that
 * follows from the buckets: at millions of requests a second each store to
 * memory shows.
 */
struct tally {
	uint64_t sum; /* 2^64 ns is 584 years of latency */
	uint64_t min;
	uint64_t max;
	uint64_t buckets[HIST_BUCKETS];
};

struct cell {
	uint64_t sectors;
	struct tally latency_ns;
};

struct process {
	uint32_t pid;
	struct cell *cells[STATS_OPS]; /* made when first needed */
};

struct stats {
	struct probe probe;
	struct stats_requests requests; /* but for what is derived */
	struct stats_span span;
	struct tally *d2c[STATS_OPS];
	struct process processes[STATS_PROCESSES];
	uint32_t process_count;
	struct process *recent; /* of the latest bio; never NULL */
	uint8_t slots[SLOTS];   /* process index + 1; 0 = free */
	bool is_short;
};

static inline void
tally_add(struct tally *tally, uint64_t value)
{
	tally->sum += value;
	if (unlikely(value < tally->min))
		tally->min = value;
	if (unlikely(value > tally->max))
		tally->max = value;
	tally->buckets[hist_bucket(value)]++;
}

static void
tally_init(struct tally *tally)
{
	memset(tally, 0, sizeof(*tally));
	tally->min = UINT64_MAX;
}

/* Add all of @tally to @hist; the squares are those of the buckets'
 * middles, so that a deviation is as exact as a percentile. */
static void
tally_merge(const struct tally *tally, struct hist *hist)
{
	hist->sum += tally->sum;
	if (tally->min < hist->min)
		hist->min = tally->min;
	if (tally->max > hist->max)
		hist->max = tally->max;
	for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
		uint64_t n = tally->buckets[i];
		uint64_t middle;

		if (!n)
			continue;
		middle = hist_bucket_low(i) + (hist_bucket_width(i) - 1) / 2;
		hist->buckets[i] += n;
		hist->count += n;
		hist->sum_squares += (uint128_t)middle * middle * n;
	}
}

static uint64_t
tally_count(const struct tally *tally)
{
	uint64_t count = 0;

	for (uint32_t i = 0; tally && i < HIST_BUCKETS; i++)
		count += tally->buckets[i];
	return count;
}

/* A process not seen before; the last entry takes all that do not fit. */
static uint32_t
add_process(struct stats *stats, uint32_t pid, uint32_t slot)
{
	uint32_t i = stats->process_count;

	if (i >= STATS_PROCESSES - 1)
		pid = STATS_OTHERS;
	if (i == STATS_PROCESSES)
		return i - 1;
	stats->processes[i].pid = pid;
	stats->process_count++;
	if (pid != STATS_OTHERS)
		stats->slots[slot] = (uint8_t)(i + 1);
	return i;
}

static uint32_t
find_process(struct stats *stats, uint32_t pid)
{
	uint32_t slot = (pid * 2654435761u) >> 16;

	/* At most half the slots are in use, so the search ends. */
	for (;; slot++) {
		uint32_t at = slot % SLOTS;
		uint32_t i = stats->slots[at];

		if (!i)
			return add_process(stats, pid, at);
		if (stats->processes[i - 1].pid == pid)
			return i - 1;
	}
}

static __attribute__((noinline)) struct tally *
new_tally(struct stats *stats)
{
	struct tally *tally = malloc(sizeof(*tally));

	if (tally)
		tally_init(tally);
	else
		stats->is_short = true;
	return tally;
}

static struct cell *
new_cell(struct stats *stats)
{
	struct cell *cell = malloc(sizeof(*cell));

	if (!cell) {
		stats->is_short = true;
		return NULL;
	}
	cell->sectors = 0;
	tally_init(&cell->latency_ns);
	return cell;
}

/* The cell of a bio whose process is not the latest one's, or that is the
 * first of its kind; NULL when memory is out. */
static __attribute__((noinline)) struct cell *
find_cell(struct stats *stats, const struct probe_bio *ev)
{
	struct cell **cell;

	stats->recent = &stats->processes[find_process(stats, ev->pid)];
	cell = &stats->recent->cells[ev->op];
	if (!*cell)
		*cell = new_cell(stats);
	return *cell;
}

static void
on_bio(struct probe *probe, const struct probe_bio *ev)
{
	struct stats *stats = container_of(probe, struct stats, probe);
	struct cell *cell = stats->recent->cells[ev->op];

	assert(ev->op < STATS_OPS);
	assert(ev->completed_ns >= ev->queued_ns);
	if (unlikely(stats->recent->pid != ev->pid || !cell)) {
		cell = find_cell(stats, ev);
		if (!cell)
			return;
	}
	cell->sectors += ev->sectors;
	tally_add(&cell->latency_ns,
		  (uint64_t)(ev->completed_ns - ev->queued_ns));
	if (unlikely(ev->queued_ns < stats->span.first_ns))
		stats->span.first_ns = ev->queued_ns;
	stats->span.last_ns = ev->completed_ns;
}

/* A command that had no access of its own. */
static void
add_served(struct stats_requests *sum, uint8_t source, uint8_t op)
{
	if (source == PROBE_STREAM)
		sum->streams++;
	else if (op == IO_READ)
		sum->hits++;
	else
		sum->kept++;
}

static void
add_access(struct stats_requests *sum, const struct probe_access *a)
{
	nsec_t wait_ns = a->started_ns - a->arrived_ns;
	uint32_t depth = a->depth;

	sum->overhead_ns += a->overhead_ns;
	sum->seek_ns += a->seek_ns;
	sum->switch_ns += a->switch_ns;
	sum->rotate_ns += a->rotate_ns;
	sum->transfer_ns += a->transfer_ns;
	sum->seek_cyl += a->seek_cyl;
	sum->seeks += a->seek_cyl != 0;
	if (a->passed) {
		sum->passing++;
		sum->passed += a->passed;
	}
	if (unlikely(wait_ns > sum->oldest_wait_ns))
		sum->oldest_wait_ns = wait_ns;
	sum->depth[depth < STATS_DEPTHS ? depth : STATS_DEPTHS - 1]++;
}

/* Until stats_get_requests(), bios and bio_d2c_ns hold only what requests
 * have beyond one bio each. */
static void
on_request(struct probe *probe, const struct probe_request *ev)
{
	struct stats *stats = container_of(probe, struct stats, probe);
	struct stats_requests *sum = &stats->requests;
	nsec_t d2c_ns = ev->completed_ns - ev->issued_ns;
	struct tally **d2c = &stats->d2c[ev->op];

	assert(ev->op < STATS_OPS);
	assert(d2c_ns >= 0);
	if (ev->bios != 1) {
		sum->bios += (uint64_t)ev->bios - 1;
		sum->bio_d2c_ns += d2c_ns * ((nsec_t)ev->bios - 1);
	}
	if (unlikely(ev->status))
		sum->errors++;
	add_access(sum, ev->access);
	if (unlikely(ev->access->source != PROBE_MEDIA))
		add_served(sum, ev->access->source, ev->op);
	if (unlikely(!*d2c)) {
		*d2c = new_tally(stats);
		if (!*d2c)
			return;
	}
	tally_add(*d2c, (uint64_t)d2c_ns);
}

struct stats *
stats_create(struct err *e)
{
	struct stats *stats = calloc(1, sizeof(*stats));

	if (!stats) {
		err_nomem(e);
		return NULL;
	}
	stats->probe.bio = on_bio;
	stats->probe.request = on_request;
	stats->span.first_ns = INT64_MAX;
	stats->recent = stats->processes;
	return stats;
}

void
stats_free(struct stats *stats)
{
	if (!stats)
		return;
	for (int op = 0; op < STATS_OPS; op++) {
		free(stats->d2c[op]);
		for (uint32_t i = 0; i < stats->process_count; i++)
			free(stats->processes[i].cells[op]);
	}
	free(stats);
}

struct probe *
stats_probe(struct stats *stats)
{
	return &stats->probe;
}

struct stats_requests
stats_get_requests(const struct stats *stats)
{
	struct stats_requests sum = stats->requests;

	for (int op = 0; op < STATS_OPS; op++) {
		uint64_t count = tally_count(stats->d2c[op]);

		sum.count += count;
		if (op <= IO_WRITE)
			sum.media += count;
		if (stats->d2c[op])
			sum.bio_d2c_ns += (nsec_t)stats->d2c[op]->sum;
	}
	sum.media -= sum.hits + sum.streams + sum.kept;
	sum.bios += sum.count;
	sum.busy_ns = sum.overhead_ns + sum.seek_ns + sum.switch_ns +
		      sum.rotate_ns + sum.transfer_ns;
	return sum;
}

struct stats_span
stats_get_span(const struct stats *stats)
{
	struct stats_span span = stats->span;

	if (span.first_ns > span.last_ns)
		span.first_ns = span.last_ns;
	return span;
}

void
stats_gather_d2c(const struct stats *stats, int op, struct hist *out)
{
	hist_init(out);
	for (int i = 0; i < STATS_OPS; i++)
		if (stats->d2c[i] && (op == STATS_ANY || op == i))
			tally_merge(stats->d2c[i], out);
}

size_t
stats_process_count(const struct stats *stats)
{
	return stats->process_count;
}

uint32_t
stats_process_pid(const struct stats *stats, size_t process)
{
	assert(process < stats->process_count);
	return stats->processes[process].pid;
}

uint64_t
stats_process_bios(const struct stats *stats, size_t process)
{
	uint64_t bios = 0;

	assert(process < stats->process_count);
	for (int op = 0; op < STATS_OPS; op++) {
		const struct cell *cell = stats->processes[process].cells[op];

		if (cell)
			bios += tally_count(&cell->latency_ns);
	}
	return bios;
}

static void
gather_process(const struct process *process, int op, struct stats_bios *out)
{
	for (int i = 0; i < STATS_OPS; i++) {
		const struct cell *cell = process->cells[i];

		if (!cell || (op != STATS_ANY && op != i))
			continue;
		/* A discard moves no data: it is not bandwidth of them all. */
		if (op == i || i != IO_DISCARD)
			out->sectors += cell->sectors;
		tally_merge(&cell->latency_ns, &out->latency_ns);
	}
}

void
stats_gather(const struct stats *stats, int process, int op,
	     struct stats_bios *out)
{
	out->sectors = 0;
	hist_init(&out->latency_ns);
	for (int i = 0; i < (int)stats->process_count; i++)
		if (process == STATS_ANY || process == i)
			gather_process(&stats->processes[i], op, out);
}

bool
stats_is_short(const struct stats *stats)
{
	return stats->is_short;
}
