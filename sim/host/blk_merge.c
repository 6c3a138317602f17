/* SPDX-License-Identifier: MIT */
/*
 * Merging: the last-merge cache, the hash of request ends, the elevator's
 * front merges, and requests that have become neighbours.
 */
#include "sim/host/blk_queue.h"

static inline uint32_t
hash_of(sector_t end)
{
	return (uint32_t)((end * UINT64_C(0x9e3779b97f4a7c15)) >>
			  (64 - BLK_HASH_BITS));
}

void
blk_hash_add(struct blk_queue *q, struct request *rq)
{
	struct request **bucket = &q->hash[hash_of(rq_end(rq))];

	assert(!(rq->state & RQ_HASHED));
	rq->state |= RQ_HASHED;
	rq->hash_next = *bucket;
	rq->hash_link = bucket;
	if (*bucket)
		(*bucket)->hash_link = &rq->hash_next;
	*bucket = rq;
}

void
blk_hash_remove(struct request *rq)
{
	if (!(rq->state & RQ_HASHED))
		return;
	rq->state &= (uint16_t)~RQ_HASHED;
	*rq->hash_link = rq->hash_next;
	if (rq->hash_next)
		rq->hash_next->hash_link = rq->hash_link;
}

/* The newest request that ends at @end; drops what will never merge. */
static struct request *
hash_find(struct blk_queue *q, sector_t end)
{
	struct request *rq = q->hash[hash_of(end)];

	while (rq) {
		struct request *next = rq->hash_next;

		if (rq->state & RQ_UNMERGEABLE)
			blk_hash_remove(rq);
		else if (rq_end(rq) == end)
			return rq;
		rq = next;
	}
	return NULL;
}

/* May @bio, contiguous with @rq, join it? */
static bool
is_acceptable(const struct blk_queue *q, const struct request *rq,
	      const struct bio *bio)
{
	if ((rq->state & RQ_UNMERGEABLE) || rq->op != bio->op)
		return false;
	return !q->ops->allow_merge || q->ops->allow_merge(q->el, rq, bio);
}

enum merge_side {
	MERGE_NONE,
	MERGE_BACK,
	MERGE_FRONT,
};

static enum merge_side
find_candidate(struct blk_queue *q, const struct bio *bio,
	       struct request **found)
{
	struct request *rq = q->last_merge;

	*found = rq;
	if (rq && rq_end(rq) == bio->lba && is_acceptable(q, rq, bio))
		return MERGE_BACK;
	if (rq && rq->lba == bio_end(bio) && is_acceptable(q, rq, bio))
		return MERGE_FRONT;
	rq = q->has_hash ? hash_find(q, bio->lba) : NULL;
	*found = rq;
	if (rq && is_acceptable(q, rq, bio))
		return MERGE_BACK;
	rq = q->ops->find_front ? q->ops->find_front(q->el, bio) : NULL;
	*found = rq;
	if (rq && is_acceptable(q, rq, bio))
		return MERGE_FRONT;
	return MERGE_NONE;
}

static bool
can_join(const struct blk_queue *q, const struct request *low,
	 const struct request *high)
{
	return rq_end(low) == high->lba && low->op == high->op &&
	       !((low->state | high->state) & RQ_UNMERGEABLE) &&
	       low->sectors + high->sectors <= q->config.max_sectors;
}

/* @low swallows @high, which follows it. */
static void
join_requests(struct blk_queue *q, struct request *low, struct request *high)
{
	blk_hash_remove(high);
	blk_hash_remove(low);
	low->last->next = high->first;
	low->last = high->last;
	high->first = NULL;
	low->sectors += high->sectors;
	if (high->queued_ns < low->queued_ns)
		low->queued_ns = high->queued_ns;
	q->ops->swallow(q->el, low, high);
	blk_hash_add(q, low);
	assert(q->held > 0);
	q->held--;
	q->last_merge = low;
	blk_tell(q, BLK_SWALLOW, low, NULL);
	blk_request_free(q, high);
}

/* Try to join @rq, grown on @side, with the neighbour there. */
static bool
join_neighbour(struct blk_queue *q, struct request *rq, enum merge_side side)
{
	struct request *other;

	if (!q->ops->latter)
		return false;
	if (side == MERGE_BACK) {
		other = q->ops->latter(q->el, rq);
		if (!other || !can_join(q, rq, other))
			return false;
		join_requests(q, rq, other);
	} else {
		other = q->ops->former(q->el, rq);
		if (!other || !can_join(q, other, rq))
			return false;
		join_requests(q, other, rq);
	}
	return true;
}

static void
append(struct blk_queue *q, struct request *rq, struct bio *bio)
{
	rq->last->next = bio;
	rq->last = bio;
	rq->sectors += bio->sectors;
	blk_tell(q, BLK_M, rq, bio);
	if (join_neighbour(q, rq, MERGE_BACK))
		return;
	if (rq->state & RQ_HASHED)
		blk_hash_remove(rq);
	blk_hash_add(q, rq);
	if (q->ops->merged_back)
		q->ops->merged_back(q->el, rq);
	q->last_merge = rq;
}

static void
prepend(struct blk_queue *q, struct request *rq, struct bio *bio)
{
	bio->next = rq->first;
	rq->first = bio;
	rq->lba = bio->lba;
	rq->sectors += bio->sectors;
	blk_tell(q, BLK_F, rq, bio);
	if (join_neighbour(q, rq, MERGE_FRONT))
		return;
	if (q->ops->merged_front)
		q->ops->merged_front(q->el, rq);
	q->last_merge = rq;
}

bool
blk_merge_bio(struct blk_queue *q, struct bio *bio)
{
	struct request *rq;
	enum merge_side side;

	if (q->config.no_merges)
		return false;
	side = find_candidate(q, bio, &rq);
	if (side == MERGE_NONE)
		return false;
	if (rq->sectors + bio->sectors > q->config.max_sectors) {
		rq->state |= RQ_NOMERGE;
		if (q->last_merge == rq)
			q->last_merge = NULL;
		return false;
	}
	if (side == MERGE_BACK)
		append(q, rq, bio);
	else
		prepend(q, rq, bio);
	return true;
}
