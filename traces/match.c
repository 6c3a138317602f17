/* SPDX-License-Identifier: MIT */
/*
 * A bio is kept as one part, or as several once it is split.  The parts that
 * wait for completion are in a tree by first sector; the bios that wait for
 * the end of their flush are in a list.
 *
 *	Q -> part in tree --D--> part with issue --C--> done
 *	                  <--R--
 *	all parts done -> completed, or in the flush list until the C of 0 bytes
 */
#include "traces/match.h"

#include "sim/core/list.h"
#include "sim/core/rbtree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct match_bio {
	struct trace_bio bio;
	struct list_node age;   /* in match->ages, oldest first */
	struct list_node flush; /* in match_device.flushes */
	uint32_t parts;         /* not complete */
	bool has_fua;           /* a C of it had FUA */
};

/* A range of sectors that waits for completion. */
struct match_part {
	struct rb_node node;
	struct match_bio *owner;
	sector_t start;
	sector_t end;
	bool is_rest; /* of a split, and nothing has happened to it since */
};

/* A request at the drive. */
struct match_issue {
	struct rb_node node;
	struct trace_request request;
	sector_t next; /* first sector not completed; the key */
};

struct match_device {
	uint32_t device;
	struct rb_root parts;
	struct rb_root issues;
	struct list_node flushes; /* bios that wait for a C of no bytes */
	nsec_t flush_issue_ns;    /* of the flush command at the drive, or -1 */
};

struct trace_match {
	struct match_observer observer;
	struct match_device **devices;
	uint32_t device_count;
	uint32_t pending;
	uint32_t issue_count;
	uint64_t lost;
	struct list_node ages;
};

int
trace_match_open(const struct match_observer *observer,
		 struct trace_match **match, struct err *e)
{
	struct trace_match *m = calloc(1, sizeof(*m));

	if (!m)
		return err_nomem(e);
	m->observer = *observer;
	list_init(&m->ages);
	*match = m;
	return 0;
}

static struct match_device *
find_device(const struct trace_match *m, uint32_t device)
{
	for (uint32_t i = 0; i < m->device_count; i++)
		if (m->devices[i]->device == device)
			return m->devices[i];
	return NULL;
}

static struct match_device *
add_device(struct trace_match *m, uint32_t device)
{
	struct match_device **devices;
	struct match_device *dev;

	devices = realloc(m->devices, (m->device_count + 1) * sizeof(*devices));
	if (!devices)
		return NULL;
	m->devices = devices;
	dev = calloc(1, sizeof(*dev));
	if (!dev)
		return NULL;
	dev->device = device;
	dev->flush_issue_ns = -1;
	list_init(&dev->flushes);
	m->devices[m->device_count++] = dev;
	return dev;
}

static struct match_part *
part_of(struct rb_node *node)
{
	return node ? container_of(node, struct match_part, node) : NULL;
}

/* The part with the lowest start that is not below @sector. */
static struct match_part *
first_part(const struct match_device *dev, sector_t sector)
{
	struct rb_node *node = dev->parts.node;
	struct rb_node *best = NULL;

	while (node) {
		if (part_of(node)->start >= sector) {
			best = node;
			node = node->left;
		} else {
			node = node->right;
		}
	}
	return part_of(best);
}

/* Among equal starts the new one comes last. */
static void
insert_part(struct match_device *dev, struct match_part *part)
{
	struct rb_node **link = &dev->parts.node;
	struct rb_node *parent = NULL;

	while (*link) {
		parent = *link;
		link = part->start < part_of(parent)->start ? &parent->left
							    : &parent->right;
	}
	rb_insert(&dev->parts, &part->node, parent, link);
}

static struct match_issue *
issue_of(struct rb_node *node)
{
	return node ? container_of(node, struct match_issue, node) : NULL;
}

/* The latest request at the drive that goes on at @sector. */
static struct match_issue *
find_issue(const struct match_device *dev, sector_t sector)
{
	struct rb_node *node = dev->issues.node;

	while (node && issue_of(node)->next != sector)
		node = sector < issue_of(node)->next ? node->left : node->right;
	return issue_of(node);
}

static void
insert_issue(struct match_device *dev, struct match_issue *issue)
{
	struct rb_node **link = &dev->issues.node;
	struct rb_node *parent = NULL;

	while (*link) {
		parent = *link;
		link = issue->next < issue_of(parent)->next ? &parent->left
							    : &parent->right;
	}
	rb_insert(&dev->issues, &issue->node, parent, link);
}

static void
free_issue(struct trace_match *m, struct match_device *dev,
	   struct match_issue *issue)
{
	rb_remove(&dev->issues, &issue->node);
	m->issue_count--;
	free(issue);
}

static sector_t
event_end(const struct trace_event *ev)
{
	return ev->sector + (ev->bytes >> 9);
}

static void
free_bio(struct trace_match *m, struct match_bio *b)
{
	list_remove(&b->age);
	list_remove(&b->flush);
	m->pending--;
	free(b);
}

static void
report_bio(struct trace_match *m, struct match_bio *b)
{
	if (b->bio.end_ns < 0)
		b->bio.end_ns = b->bio.complete_ns;
	if (m->observer.completed)
		m->observer.completed(m->observer.ctx, &b->bio);
	free_bio(m, b);
}

/* Take the parts of a bio out of the tree: there are few bios that need it. */
static void
drop_parts(struct match_device *dev, struct match_bio *b)
{
	struct match_part *part = first_part(dev, b->bio.sector);

	while (part && b->parts > 0) {
		struct match_part *next = part_of(rb_next(&part->node));

		if (part->owner == b) {
			rb_remove(&dev->parts, &part->node);
			free(part);
			b->parts--;
		}
		part = next;
	}
	assert(b->parts == 0);
}

/* Too many wait: the oldest will not complete any more. */
static void
give_up_oldest(struct trace_match *m)
{
	struct match_bio *b = list_first(&m->ages, struct match_bio, age);
	struct match_device *dev = find_device(m, b->bio.device);

	assert(dev);
	drop_parts(dev, b);
	if (b->bio.complete_ns >= 0) {
		report_bio(m, b);
		return;
	}
	m->lost++;
	free_bio(m, b);
}

static struct match_bio *
new_bio(struct trace_match *m, const struct trace_event *ev)
{
	struct match_bio *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->bio = (struct trace_bio){
		.queue_ns = ev->time_ns,
		.get_ns = -1,
		.insert_ns = -1,
		.issue_ns = -1,
		.complete_ns = -1,
		.end_ns = -1,
		.sector = ev->sector,
		.bytes = ev->bytes,
		.category = ev->category,
		.device = ev->device,
		.pid = ev->pid,
	};
	list_init(&b->flush);
	list_add_tail(&m->ages, &b->age);
	m->pending++;
	return b;
}

/* The second part of a split that @ev queues again, or NULL. */
static struct match_part *
find_rest(const struct match_device *dev, const struct trace_event *ev)
{
	struct match_part *part = first_part(dev, ev->sector);

	for (; part && part->start == ev->sector;
	     part = part_of(rb_next(&part->node)))
		if (part->is_rest && part->end == event_end(ev))
			return part;
	return NULL;
}

bool
trace_match_is_rest(const struct trace_match *match,
		    const struct trace_event *ev)
{
	const struct match_device *dev = find_device(match, ev->device);

	return dev && find_rest(dev, ev);
}

static int
feed_queue(struct trace_match *m, struct match_device *dev,
	   const struct trace_event *ev, struct err *e)
{
	struct match_part *part = find_rest(dev, ev);
	struct match_bio *b;

	if (part) {
		part->is_rest = false;
		return 0;
	}
	if (m->pending >= MATCH_PENDING_MAX)
		give_up_oldest(m);
	b = new_bio(m, ev);
	if (!b)
		return err_nomem(e);
	if (ev->bytes < SECTOR_BYTES) {
		list_add_tail(&dev->flushes, &b->flush);
		return 0;
	}
	part = calloc(1, sizeof(*part));
	if (!part) {
		free_bio(m, b);
		return err_nomem(e);
	}
	part->owner = b;
	part->start = ev->sector;
	part->end = event_end(ev);
	b->parts = 1;
	insert_part(dev, part);
	return 0;
}

static int
feed_split(struct match_device *dev, const struct trace_event *ev,
	   struct err *e)
{
	struct match_part *part = first_part(dev, ev->sector);
	struct match_part *rest;

	while (part && part->start == ev->sector && part->end <= ev->arg)
		part = part_of(rb_next(&part->node));
	if (!part || part->start != ev->sector || ev->arg <= part->start)
		return 0;
	rest = calloc(1, sizeof(*rest));
	if (!rest)
		return err_nomem(e);
	rest->owner = part->owner;
	rest->start = ev->arg;
	rest->end = part->end;
	rest->is_rest = true;
	part->end = ev->arg;
	part->is_rest = false;
	part->owner->parts++;
	part->owner->bio.split = true;
	insert_part(dev, rest);
	return 0;
}

static void
feed_get(struct match_device *dev, const struct trace_event *ev)
{
	struct match_part *part = first_part(dev, ev->sector);

	for (; part && part->start == ev->sector;
	     part = part_of(rb_next(&part->node))) {
		struct trace_bio *bio = &part->owner->bio;

		part->is_rest = false;
		if (bio->get_ns >= 0)
			continue;
		bio->get_ns = ev->time_ns;
		bio->merged = ev->action != TRACE_GET_RQ;
		return;
	}
}

/* What an I, D or R does to one part. */
static void
stamp_part(struct trace_match *m, struct match_part *part,
	   const struct trace_event *ev)
{
	struct trace_bio *bio = &part->owner->bio;

	part->is_rest = false;
	if (ev->action == TRACE_INSERT) {
		if (!bio->split || bio->insert_ns < 0)
			bio->insert_ns = ev->time_ns;
	} else if (ev->action == TRACE_REQUEUE) {
		bio->requeues++;
	} else if (!bio->split || bio->issue_ns < 0) {
		bio->issue_ns = ev->time_ns;
		if (m->observer.issued)
			m->observer.issued(m->observer.ctx, bio);
	}
}

static void
stamp_range(struct trace_match *m, struct match_device *dev,
	    const struct trace_event *ev)
{
	sector_t end = event_end(ev);
	struct match_part *part = first_part(dev, ev->sector);

	for (; part && part->start < end; part = part_of(rb_next(&part->node)))
		if (part->end <= end)
			stamp_part(m, part, ev);
}

/* A D: a request goes to the drive, or goes there again. */
static int
feed_issue(struct trace_match *m, struct match_device *dev,
	   const struct trace_event *ev, struct err *e)
{
	struct match_issue *issue;

	if (ev->bytes < SECTOR_BYTES) {
		dev->flush_issue_ns = ev->time_ns;
		return 0;
	}
	stamp_range(m, dev, ev);
	issue = find_issue(dev, ev->sector);
	if (!issue) {
		if (m->issue_count >= MATCH_PENDING_MAX && dev->issues.node)
			free_issue(m, dev, issue_of(rb_first(&dev->issues)));
		issue = calloc(1, sizeof(*issue));
		if (!issue)
			return err_nomem(e);
		m->issue_count++;
		issue->next = ev->sector;
		insert_issue(dev, issue);
	}
	issue->request = (struct trace_request){
		.issue_ns = ev->time_ns,
		.sector = ev->sector,
		.bytes = ev->bytes,
		.category = ev->category,
		.device = ev->device,
	};
	return 0;
}

static void
feed_requeue(struct trace_match *m, struct match_device *dev,
	     const struct trace_event *ev)
{
	struct match_issue *issue = find_issue(dev, ev->sector);

	stamp_range(m, dev, ev);
	if (issue)
		free_issue(m, dev, issue);
}

/* Whether the kernel will report the end of @b apart from its data. */
static bool
has_flush_end(const struct match_bio *b)
{
	return b->bio.category & TRACE_FLUSH ||
	       (b->bio.category & TRACE_FUA && !b->has_fua);
}

static void
complete_part(struct trace_match *m, struct match_device *dev,
	      struct match_part *part, const struct trace_event *ev)
{
	struct match_bio *b = part->owner;

	rb_remove(&dev->parts, &part->node);
	free(part);
	if (ev->category & TRACE_FUA)
		b->has_fua = true;
	assert(b->parts > 0);
	if (--b->parts > 0)
		return;
	b->bio.complete_ns = ev->time_ns;
	if (has_flush_end(b))
		list_add_tail(&dev->flushes, &b->flush);
	else
		report_bio(m, b);
}

/*
 * The request that a C with bytes belongs to moves on; the start of the range
 * whose bios are then complete is returned.
 */
static sector_t
advance_issue(struct trace_match *m, struct match_device *dev,
	      const struct trace_event *ev)
{
	struct match_issue *issue = find_issue(dev, ev->sector);
	struct trace_request *rq;
	sector_t start;

	if (!issue)
		return ev->sector;
	rq = &issue->request;
	start = rq->sector;
	if (event_end(ev) < rq->sector + (rq->bytes >> 9)) {
		rb_remove(&dev->issues, &issue->node);
		issue->next = event_end(ev);
		insert_issue(dev, issue);
		return start;
	}
	rq->complete_ns = ev->time_ns;
	rq->error = ev->error;
	if (m->observer.request)
		m->observer.request(m->observer.ctx, rq);
	free_issue(m, dev, issue);
	return start;
}

static void
complete_range(struct trace_match *m, struct match_device *dev,
	       const struct trace_event *ev)
{
	sector_t end = event_end(ev);
	struct match_part *part = first_part(dev, advance_issue(m, dev, ev));

	while (part && part->start < end) {
		struct match_part *next = part_of(rb_next(&part->node));

		if (part->end <= end)
			complete_part(m, dev, part, ev);
		part = next;
	}
}

/* A C of no bytes: a flush command, or the end of a bio that needed one. */
static void
complete_flush(struct trace_match *m, struct match_device *dev,
	       const struct trace_event *ev)
{
	struct list_node *node;

	if (ev->category & TRACE_FLUSH && !(ev->category & TRACE_WRITE)) {
		struct trace_request rq = {
			.issue_ns = dev->flush_issue_ns,
			.complete_ns = ev->time_ns,
			.category = ev->category,
			.device = ev->device,
			.error = ev->error,
		};

		if (dev->flush_issue_ns >= 0 && m->observer.request)
			m->observer.request(m->observer.ctx, &rq);
		dev->flush_issue_ns = -1;
		return;
	}
	for (node = dev->flushes.next; node != &dev->flushes;
	     node = node->next) {
		struct match_bio *b =
			container_of(node, struct match_bio, flush);

		if (b->bio.sector != ev->sector)
			continue;
		b->bio.end_ns = ev->time_ns;
		report_bio(m, b);
		return;
	}
}

int
trace_match_feed(struct trace_match *match, const struct trace_event *ev,
		 struct err *e)
{
	struct match_device *dev;

	if (ev->category & (TRACE_PC | TRACE_NOTIFY))
		return 0;
	dev = find_device(match, ev->device);
	if (!dev)
		dev = add_device(match, ev->device);
	if (!dev)
		return err_nomem(e);
	switch (ev->action) {
	case TRACE_QUEUE:
		return feed_queue(match, dev, ev, e);
	case TRACE_SPLIT:
		return feed_split(dev, ev, e);
	case TRACE_GET_RQ:
	case TRACE_BACK_MERGE:
	case TRACE_FRONT_MERGE:
		feed_get(dev, ev);
		return 0;
	case TRACE_INSERT:
		stamp_range(match, dev, ev);
		return 0;
	case TRACE_ISSUE:
		return feed_issue(match, dev, ev, e);
	case TRACE_REQUEUE:
		feed_requeue(match, dev, ev);
		return 0;
	case TRACE_COMPLETE:
		if (ev->bytes < SECTOR_BYTES)
			complete_flush(match, dev, ev);
		else
			complete_range(match, dev, ev);
		return 0;
	default:
		return 0;
	}
}

uint32_t
trace_match_pending(const struct trace_match *match)
{
	return match->pending;
}

uint64_t
trace_match_lost(const struct trace_match *match)
{
	return match->lost;
}

static void
close_device(struct trace_match *m, struct match_device *dev)
{
	struct rb_node *node;

	while (!list_is_empty(&dev->flushes)) {
		struct match_bio *b =
			list_first(&dev->flushes, struct match_bio, flush);

		if (b->bio.complete_ns >= 0)
			report_bio(m, b);
		else
			free_bio(m, b);
	}
	while ((node = rb_first(&dev->parts))) {
		struct match_part *part = part_of(node);

		rb_remove(&dev->parts, node);
		if (--part->owner->parts == 0)
			free_bio(m, part->owner);
		free(part);
	}
	while ((node = rb_first(&dev->issues)))
		free_issue(m, dev, issue_of(node));
	free(dev);
}

void
trace_match_close(struct trace_match *match)
{
	if (!match)
		return;
	for (uint32_t i = 0; i < match->device_count; i++)
		close_device(match, match->devices[i]);
	assert(match->pending == 0 && match->issue_count == 0);
	free(match->devices);
	free(match);
}
