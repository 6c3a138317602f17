/* SPDX-License-Identifier: MIT */
#include "sim/host/feed.h"

#include "sim/core/wide.h"

#include <stdlib.h>

#define BLOCK_BIOS 256u /* bios allocated at a time */

/* A bio of ours; free ones form a list through bio.next. */
struct feed_bio {
	struct bio bio;
	uint32_t number; /* of its record */
};

struct feed_block {
	struct feed_block *next;
	struct feed_bio bios[BLOCK_BIOS];
};

struct feed {
	struct feed_config config;
	struct blk_queue *queue;
	struct calendar *cal;
	struct io_source *source;
	struct event submit;
	struct bio *free;
	struct feed_block *blocks;
	uint64_t outstanding;
	bool has_record; /* @record waits to be submitted */
	bool is_stalled; /* the record's time has passed, the backlog is full */
	bool is_thinking;   /* the record waits for those before it */
	nsec_t recorded_ns; /* FEED_THINK: the record's own time */
	struct io_record record;
	struct feed_totals totals;
	struct err err;
	int failed;
};

/* ---- bios ---- */

static bool
bios_grow(struct feed *feed)
{
	struct feed_block *block = calloc(1, sizeof(*block));

	if (!block)
		return false;
	block->next = feed->blocks;
	feed->blocks = block;
	for (uint32_t i = 0; i < BLOCK_BIOS; i++) {
		block->bios[i].bio.next = feed->free;
		feed->free = &block->bios[i].bio;
	}
	return true;
}

static void
fail(struct feed *feed, int code)
{
	feed->failed = code;
	feed->has_record = false;
	calendar_stop(feed->cal);
}

/* Nothing is to come and nothing outstanding: the run ends here. */
static void
stop_if_over(const struct feed *feed)
{
	if (unlikely(!feed->has_record && feed->outstanding == 0))
		calendar_stop(feed->cal);
}

static uint64_t
limit(const struct feed *feed)
{
	return feed->config.mode == FEED_DEPTH ? feed->config.depth
					       : feed->config.backlog_max;
}

static void
bio_done(struct bio *bio, nsec_t now_ns, int status)
{
	struct feed *feed = bio->cookie;
	struct feed_bio *own = container_of(bio, struct feed_bio, bio);

	feed->outstanding--;
	feed->totals.bios++;
	feed->totals.last_complete_ns = now_ns;
	if (feed->config.done)
		feed->config.done(feed->config.done_ctx, bio, own->number,
				  now_ns, status);
	bio->next = feed->free;
	feed->free = bio;
	if (feed->is_stalled && !feed->submit.pending)
		calendar_add(feed->cal, &feed->submit, now_ns);
	if (feed->is_thinking && feed->outstanding == 0) {
		feed->is_thinking = false;
		feed->record.time_ns = now_ns + feed->record.think_ns;
		calendar_add(feed->cal, &feed->submit, feed->record.time_ns);
	}
	stop_if_over(feed);
}

/* Submit @sectors at @lba of the present record. */
static void
bio_submit(struct feed *feed, sector_t lba, uint32_t sectors)
{
	const struct io_record *rec = &feed->record;
	struct process *process;
	struct bio *bio;

	process = blk_process(feed->queue, rec->pid, &feed->err);
	if (!process || (!feed->free && !bios_grow(feed))) {
		fail(feed, err_nomem(&feed->err));
		return;
	}
	bio = feed->free;
	feed->free = bio->next;
	container_of(bio, struct feed_bio, bio)->number = rec->number;
	bio->lba = lba;
	bio->sectors = sectors;
	bio->op = rec->op;
	bio->flags = rec->flags;
	if (feed->config.mode != FEED_TIMED)
		bio->flags |= IO_UNPLUG; /* its process waits for it */
	bio->io_class = rec->io_class;
	bio->io_level = rec->io_level;
	bio->process = process;
	bio->end = bio_done;
	bio->cookie = feed;
	feed->outstanding++;
	blk_submit(feed->queue, bio);
}

/* ---- records ---- */

/* What is wrong with the present record for this drive. */
static int
record_beyond(struct feed *feed)
{
	const struct io_record *rec = &feed->record;

	return err_set(&feed->err, ERR_INPUT,
		       "record %u: sectors %llu to %llu lie beyond the "
		       "drive's end; it has %llu sectors (--beyond "
		       "wrap|scale|drop to go on)",
		       rec->number, (unsigned long long)rec->lba,
		       (unsigned long long)rec->lba + rec->sectors - 1,
		       (unsigned long long)feed->config.capacity);
}

/* Move the present record onto the drive; false when it is to be left out. */
static bool
record_fit(struct feed *feed)
{
	struct io_record *rec = &feed->record;
	uint64_t capacity = feed->config.capacity;

	switch (feed->config.beyond) {
	case FEED_BEYOND_ERROR:
		fail(feed, record_beyond(feed));
		return false;
	case FEED_BEYOND_DROP:
		feed->totals.dropped++;
		return false;
	case FEED_BEYOND_WRAP:
		rec->lba %= capacity;
		break;
	case FEED_BEYOND_SCALE:
		break;
	}
	if (rec->sectors > capacity)
		rec->sectors = (uint32_t)capacity;
	if (rec->lba > capacity - rec->sectors)
		rec->lba = capacity - rec->sectors;
	return true;
}

/* LBAs of the source's device in proportion, on whole sectors. */
static void
record_scale(struct feed *feed)
{
	struct io_record *rec = &feed->record;
	uint64_t unit = feed->config.sector_bytes / SECTOR_BYTES;

	if (feed->config.span <= feed->config.capacity)
		return;
	rec->lba = (uint64_t)((uint128_t)rec->lba * feed->config.capacity /
			      feed->config.span);
	rec->lba -= rec->lba % unit;
}

/* Check the present record; false when it is left out or the feed failed. */
static bool
record_check(struct feed *feed)
{
	struct io_record *rec = &feed->record;
	uint64_t capacity = feed->config.capacity;
	uint64_t unit = feed->config.sector_bytes / SECTOR_BYTES;

	if (rec->op == IO_FLUSH && rec->sectors == 0)
		return true;
	if (feed->config.beyond == FEED_BEYOND_SCALE)
		record_scale(feed);
	if (unlikely(rec->lba >= capacity ||
		     rec->sectors > capacity - rec->lba) &&
	    !record_fit(feed))
		return false;
	if (unlikely(unit > 1 && ((rec->lba | rec->sectors) & (unit - 1)))) {
		fail(feed, err_set(&feed->err, ERR_INPUT,
				   "record %u: sectors %llu+%u are not whole "
				   "%u-byte sectors of the drive",
				   rec->number, (unsigned long long)rec->lba,
				   rec->sectors, feed->config.sector_bytes));
		return false;
	}
	return true;
}

/*
 * FEED_THINK: give the present record a time in this run, or let it wait for
 * the completions that its time counts from.
 */
static void
record_arrange(struct feed *feed)
{
	struct io_record *rec = &feed->record;
	nsec_t distance_ns = rec->time_ns - feed->recorded_ns;

	feed->recorded_ns = rec->time_ns;
	if (rec->think_ns < 0)
		rec->time_ns = feed->totals.last_arrival_ns + distance_ns;
	else if (feed->outstanding == 0)
		rec->time_ns = feed->totals.last_complete_ns + rec->think_ns;
	else
		feed->is_thinking = true;
}

static void
record_fetch(struct feed *feed)
{
	int rc = feed->source->next(feed->source, &feed->record, &feed->err);

	feed->has_record = rc > 0;
	if (rc < 0)
		fail(feed, rc);
	if (rc > 0 && feed->config.mode == FEED_THINK)
		record_arrange(feed);
}

static void
record_submit(struct feed *feed)
{
	bool is_media =
		feed->record.op == IO_READ || feed->record.op == IO_WRITE;
	uint32_t left = feed->record.sectors, part;
	sector_t lba = feed->record.lba;

	feed->totals.last_arrival_ns = feed->cal->now_ns;
	do {
		part = left;
		if (part > feed->config.max_sectors && is_media)
			part = feed->config.max_sectors;
		bio_submit(feed, lba, part);
		lba += part;
		left -= part;
	} while (unlikely(left > 0) && !feed->failed);
	feed->totals.backlog_arrival = feed->outstanding;
	if (feed->outstanding > feed->totals.backlog_max)
		feed->totals.backlog_max = feed->outstanding;
}

static bool
record_is_due(const struct feed *feed)
{
	return feed->config.mode == FEED_DEPTH ||
	       feed->record.time_ns <= feed->cal->now_ns;
}

static void
submit_fire(struct event *ev, nsec_t now_ns)
{
	struct feed *feed = container_of(ev, struct feed, submit);

	feed->is_stalled = false;
	while (feed->has_record && !feed->is_thinking && record_is_due(feed)) {
		if (feed->outstanding >= limit(feed)) {
			feed->is_stalled = true;
			feed->totals.stalls++;
			return;
		}
		feed->totals.records++;
		if (record_check(feed))
			record_submit(feed);
		if (!feed->failed)
			record_fetch(feed);
	}
	if (feed->has_record && !feed->is_thinking)
		calendar_add(feed->cal, &feed->submit, feed->record.time_ns);
	stop_if_over(feed);
	(void)now_ns;
}

/* ---- life ---- */

struct feed *
feed_create(const struct feed_config *config, struct blk_queue *queue,
	    struct calendar *cal, struct err *e)
{
	struct feed *feed = calloc(1, sizeof(*feed));

	if (!feed) {
		err_nomem(e);
		return NULL;
	}
	assert(config->max_sectors > 0 && config->capacity > 0);
	feed->config = *config;
	feed->queue = queue;
	feed->cal = cal;
	event_init(&feed->submit, PRIO_SUBMIT, submit_fire);
	if (!bios_grow(feed)) {
		err_nomem(e);
		free(feed);
		return NULL;
	}
	if (calendar_reserve(cal, 1, e) < 0) {
		feed_destroy(feed);
		return NULL;
	}
	return feed;
}

void
feed_destroy(struct feed *feed)
{
	if (!feed)
		return;
	while (feed->blocks) {
		struct feed_block *next = feed->blocks->next;

		free(feed->blocks);
		feed->blocks = next;
	}
	free(feed);
}

void
feed_begin(struct feed *feed, struct io_source *source)
{
	feed->source = source;
	record_fetch(feed);
	if (feed->has_record)
		calendar_add(feed->cal, &feed->submit,
			     feed->config.mode == FEED_DEPTH
				     ? feed->cal->now_ns
				     : feed->record.time_ns);
}

int
feed_state(const struct feed *feed, struct err *e)
{
	if (feed->failed) {
		if (e)
			*e = feed->err;
		return feed->failed;
	}
	return feed->has_record || feed->outstanding > 0;
}

void
feed_totals(const struct feed *feed, struct feed_totals *totals)
{
	*totals = feed->totals;
}
