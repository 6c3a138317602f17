/* SPDX-License-Identifier: MIT */
/*
 * The mechanism and the buffer at work: which command or extent uses the
 * media next, and what the buffer serves without it.
 *
 * What is active, and what follows when it ends (go_on):
 *
 *   pressed, or a flush waits ---> the next dirty extent
 *   else a command waits --------> the firmware's choice
 *   else something is dirty -----> after destage_idle_ns, the next extent,
 *                                  and then the others
 *   else ------------------------> idle, perhaps reading ahead
 */
#include "sim/drive/drive_impl.h"

#include "models/firmware/rules.h"
#include "sim/drive/decision.h"

/* ---- host commands on the media ---- */

/* A write to part of a sector: read the whole, write it a turn later. */
static cold_path struct mech_access
access_partial(struct drive *drive, uint32_t tag, struct mech_access access)
{
	struct mech at = drive->mech;
	struct mech_access second;

	mech_move(&at, &access);
	mech_access(&at, drive->cal->now_ns, access.end_ns,
		    &drive->command[tag].range, &drive->queue.target[tag],
		    &second);
	access.seek_ns += second.seek_ns;
	access.switch_ns += second.switch_ns;
	access.rotate_ns += second.rotate_ns;
	access.transfer_ns += second.transfer_ns;
	access.end_ns = second.end_ns;
	return access;
}

static inline void
access_record(struct drive *drive, uint32_t tag, nsec_t delay_ns,
	      const struct mech_access *access)
{
	struct probe_access *probe = &drive->access[tag];

	probe->arrived_ns = drive->queue.arrived_ns[tag];
	probe->started_ns = drive->cal->now_ns;
	probe->done_ns = drive->cal->now_ns + access->end_ns;
	probe->overhead_ns = delay_ns;
	probe->seek_ns = access->seek_ns;
	probe->switch_ns = access->switch_ns;
	probe->rotate_ns = access->rotate_ns;
	probe->transfer_ns = access->transfer_ns;
	probe->seek_cyl = access->seek_cyl;
	probe->depth = drive->queue.count;
	probe->source = PROBE_MEDIA;
	probe->passed = drive->queue.count > 1
				? queue_count_older(&drive->queue, tag)
				: 0;
}

/* May a command be over age?  Looks for the oldest only when it may. */
static inline bool
may_be_aged(struct drive *drive, nsec_t now_ns)
{
	nsec_t limit_ns = drive->rules.age_limit_ns;

	if (!limit_ns || now_ns - drive->oldest_ns <= limit_ns)
		return false;
	drive->oldest_ns = queue_oldest_ns(&drive->queue);
	return now_ns - drive->oldest_ns > limit_ns;
}

/* The tag that rules and policy choose of several. */
static uint32_t
choose(struct drive *drive, struct drive_view *view, enum probe_rule *rule)
{
	const struct drive_queue *queue = &drive->queue;

	if (may_be_aged(drive, view->now_ns) || drive->is_restricted ||
	    ((queue->high | queue->isochronous) & queue->tags)) {
		view->oldest_ns = drive->oldest_ns;
		view->tags = rules_restrict(view, rule);
	}
	if ((view->tags & (view->tags - 1)) == 0)
		return (uint32_t)__builtin_ctz(view->tags);
	return drive->firmware->pick(view);
}

static void
tell_decision(const struct drive *drive, const struct drive_view *view,
	      enum probe_rule rule, uint32_t tag)
{
	struct probe_decision decision = {
		.policy = drive->firmware->name,
		.why = drive->firmware->why,
		.rule = rule,
	};

	decision_describe(&decision, view, tag);
	for (uint32_t i = 0; i < decision.count; i++) {
		struct probe_candidate *c = &decision.candidate[i];

		/* In 512-byte sectors, and to the sector. */
		c->lba = drive->command[c->tag].lba *
			 (drive->sector_bytes / SECTOR_BYTES);
		c->sectors = drive->command[c->tag].bytes / SECTOR_BYTES;
	}
	drive->observer.decide(drive->observer.ctx, &decision);
}

/* The tag to serve next, when several wait or somebody looks. */
static __attribute__((noinline)) uint32_t
decide(struct drive *drive, uint64_t next_sector)
{
	struct drive_view view = {
		.tags = drive->queue.tags,
		.mech = &drive->mech,
		.queue = &drive->queue,
		.bounds = &drive->bounds,
		.now_ns = drive->cal->now_ns,
		.overhead_ns = drive->overhead_ns,
		.next_sector = next_sector,
		.guard_ticks = drive->guard_ticks,
		.firmware = &drive->rules,
		.last_first = drive->last_first,
		.is_falling = drive->is_falling,
	};
	enum probe_rule rule = PROBE_RULE_NONE;
	uint32_t tag = (uint32_t)__builtin_ctz(view.tags);

	if (drive->queue.count > 1)
		tag = choose(drive, &view, &rule);
	if (unlikely(drive->observer.decide))
		tell_decision(drive, &view, rule, tag);
	return tag;
}

/* Which way the arm went, for policies that sweep. */
static inline void
note_sweep(struct drive *drive, uint64_t first)
{
	if (first != drive->last_first)
		drive->is_falling = first < drive->last_first;
	drive->last_first = first;
}

/*
 * Begin the next command; @next_sector follows what the media has just ended
 * with, or is UINT64_MAX.
 */
static void
dispatch(struct drive *drive, uint64_t next_sector)
{
	nsec_t now_ns = drive->cal->now_ns, delay_ns = drive->overhead_ns;
	uint32_t tag = (uint32_t)__builtin_ctz(drive->queue.tags);
	struct mech_access access;

	buffer_stop_ahead(&drive->buffer, &drive->mech, now_ns);
	if (drive->queue.count > 1 || unlikely(drive->observer.decide != NULL))
		tag = decide(drive, next_sector);
	if (unlikely(drive->is_apart))
		delay_ns = drive->apart_ns[drive->command[tag].range.write]
					  [drive->is_after_write];
	if (drive->queue.first[tag] == next_sector)
		delay_ns = 0; /* see view_delay_ns() */
	mech_access(&drive->mech, now_ns, delay_ns, &drive->command[tag].range,
		    &drive->queue.target[tag], &access);
	if (unlikely(drive->command[tag].is_partial))
		access = access_partial(drive, tag, access);
	if (unlikely(drive->is_apart))
		drive->tail_ns =
			drive_bus_tail_ns(drive, tag, delay_ns, &access);
	access_record(drive, tag, delay_ns, &access);
	mech_move(&drive->mech, &access);
	note_sweep(drive, drive->queue.first[tag]);
	queue_remove(&drive->queue, tag);
	drive->active = tag;
	drive->active_since_ns = now_ns;
	calendar_add(drive->cal, &drive->media, now_ns + access.end_ns);
}

/* How wrong the firmware will be about @tag's command, as long as it waits. */
static void
draw_errors(struct drive *drive, uint32_t tag)
{
	const struct spindle *sp = &drive->mech.spindle;
	int64_t turn = (int64_t)sp->rev.d;
	nsec_t ns = rng_normal_ns(&drive->errors, drive->rules.rotate_error_ns);
	int64_t ticks = ns * (int64_t)sp->ticks_per_ns % turn;

	drive->queue.rotate_error_ticks[tag] =
		(uint64_t)(ticks < 0 ? ticks + turn : ticks);
	drive->queue.seek_error_ns[tag] =
		rng_normal_ns(&drive->errors, drive->rules.seek_error_ns);
}

/*
 * ICC, the Isochronous Command Completion field: the time limit in units of
 * 10 ms, or with bit 7 set of half a second, less one.
 */
static void
set_priority(struct drive *drive, uint32_t tag)
{
	const struct command *command = &drive->command[tag];
	nsec_t unit_ns = (command->icc & 0x80 ? 500 : 10) * NSEC_PER_MSEC;
	uint32_t bit = UINT32_C(1) << tag;

	if (command->priority == ATA_PRIORITY_HIGH) {
		drive->queue.high |= bit;
	} else if (command->priority == ATA_PRIORITY_ISOCHRONOUS) {
		drive->queue.isochronous |= bit;
		drive->queue.deadline_ns[tag] =
			drive->cal->now_ns +
			((command->icc & 0x7f) + 1) * unit_ns;
	}
}

/* ---- destaging ---- */

static void
destage_begin(struct drive *drive, uint64_t next_sector)
{
	nsec_t now_ns = drive->cal->now_ns;
	struct buffer_piece piece;
	struct mech_target target;
	struct mech_access access;

	buffer_stop_ahead(&drive->buffer, &drive->mech, now_ns);
	piece = buffer_destage(&drive->buffer, &drive->mech, now_ns,
			       next_sector);
	mech_aim(&drive->mech, piece.range.sector, &target);
	mech_access(&drive->mech, now_ns, piece.delay_ns, &piece.range, &target,
		    &access);
	mech_move(&drive->mech, &access);
	drive->piece = piece;
	drive->active = DRIVE_DESTAGES;
	drive->active_since_ns = now_ns;
	calendar_add(drive->cal, &drive->media, now_ns + access.end_ns);
}

/* The media is free: what is next?  See the top of the file. */
static void
go_on(struct drive *drive, uint64_t next_sector)
{
	bool is_dirty = buffer_is_dirty(&drive->buffer);

	assert(drive->active == DRIVE_IDLE);
	if (unlikely(is_dirty && (drive->flushes || drive->blocked ||
				  buffer_is_pressed(&drive->buffer))))
		destage_begin(drive, next_sector);
	else if (drive->queue.count > 0)
		dispatch(drive, next_sector);
	else if (is_dirty && !drive->destage.pending)
		calendar_add(
			drive->cal, &drive->destage,
			drive->cal->now_ns +
				drive->buffer.cache.config.destage_idle_ns);
}

/* The drive was idle for a while: write out what is dirty, if it still is. */
static void
destage_fire(struct event *ev, nsec_t now_ns)
{
	struct drive *drive = container_of(ev, struct drive, destage);

	(void)now_ns;
	if (drive->active == DRIVE_IDLE && buffer_is_dirty(&drive->buffer))
		destage_begin(drive, UINT64_MAX);
}

static inline void
enqueue(struct drive *drive, uint32_t tag)
{
	queue_insert(&drive->queue, &drive->mech, &drive->bounds, tag,
		     &drive->command[tag].range, drive->cal->now_ns);
	if (unlikely(drive->is_imprecise))
		draw_errors(drive, tag);
	if (unlikely(drive->command[tag].priority))
		set_priority(drive, tag);
	if (drive->active == DRIVE_IDLE)
		go_on(drive, UINT64_MAX);
}

/* ---- what the buffer serves ---- */

static void
serve_at(struct drive *drive, uint32_t tag, nsec_t at_ns)
{
	uint32_t slot = drive->served_tail++ % QUEUE_TAGS;

	assert(drive->served_tail - drive->served_head <= QUEUE_TAGS);
	if (drive->served.pending &&
	    at_ns < drive->serving[(slot - 1) % QUEUE_TAGS].at_ns)
		at_ns = drive->serving[(slot - 1) % QUEUE_TAGS].at_ns;
	drive->serving[slot].at_ns = at_ns;
	drive->serving[slot].tag = tag;
	if (!drive->served.pending)
		calendar_add(drive->cal, &drive->served, at_ns);
}

static void
served_fire(struct event *ev, nsec_t now_ns)
{
	struct drive *drive = container_of(ev, struct drive, served);
	uint32_t slot = drive->served_head++ % QUEUE_TAGS;

	drive_answer(drive, drive->serving[slot].tag);
	slot = drive->served_head % QUEUE_TAGS;
	if (drive->served_head != drive->served_tail)
		calendar_add(drive->cal, &drive->served,
			     drive->serving[slot].at_ns);
	(void)now_ns;
}

/* The access of a command that the media did not do alone. */
static void
record_served(struct drive *drive, uint32_t tag, nsec_t done_ns, bool streams)
{
	nsec_t now_ns = drive->cal->now_ns;

	drive->access[tag] = (struct probe_access){
		.arrived_ns = now_ns,
		.started_ns = now_ns,
		.done_ns = done_ns,
		.overhead_ns = streams ? 0 : done_ns - now_ns,
		.transfer_ns = streams ? done_ns - now_ns : 0,
		.source = streams ? PROBE_STREAM : PROBE_BUFFER,
		.depth = 1 + drive->queue.count,
	};
}

void
drive_begin_read(struct drive *drive, uint32_t tag)
{
	nsec_t now_ns = drive->cal->now_ns, done_ns, hit_ns = 0;
	enum buffer_read how = BUFFER_MISS;

	if (unlikely(drive->is_apart))
		hit_ns = cache_hit_ns(&drive->buffer.cache,
				      drive->command[tag].range.sector);
	if (drive->buffer.is_used)
		how = buffer_read(&drive->buffer, &drive->mech, now_ns,
				  &drive->command[tag].range,
				  drive->active == DRIVE_IDLE, &done_ns);
	if (how == BUFFER_MISS) {
		if (unlikely(drive->is_apart))
			drive_skip_front(drive, tag);
		enqueue(drive, tag);
		return;
	}
	record_served(drive, tag, done_ns, how == BUFFER_STREAM);
	if (unlikely(drive->is_apart)) {
		nsec_t end_ns =
			drive_bus_served_ns(drive, tag, hit_ns, done_ns);

		drive->tail_ns = end_ns - done_ns;
		if (how == BUFFER_HIT)
			done_ns = end_ns;
	}
	if (how == BUFFER_HIT) {
		drive->command[tag].is_hit = true;
		serve_at(drive, tag, done_ns);
		return;
	}
	drive->active = tag;
	drive->active_since_ns = now_ns;
	calendar_add(drive->cal, &drive->media, done_ns);
}

void
drive_begin_write(struct drive *drive, uint32_t tag)
{
	buffer_write_through(&drive->buffer, &drive->command[tag].range);
	enqueue(drive, tag);
}

void
drive_buffer_write(struct drive *drive, uint32_t tag)
{
	nsec_t done_ns;

	if (!buffer_write(&drive->buffer, drive->cal->now_ns,
			  &drive->command[tag].range,
			  drive_write_ns(drive, tag), &done_ns)) {
		drive->blocked |= UINT32_C(1) << tag;
	} else {
		drive->blocked &= ~(UINT32_C(1) << tag);
		if (unlikely(drive->is_apart))
			done_ns = drive_bus_served_ns(drive, tag, 0, done_ns);
		record_served(drive, tag, done_ns, false);
		serve_at(drive, tag, done_ns);
	}
	if (drive->active == DRIVE_IDLE)
		go_on(drive, UINT64_MAX);
}

void
drive_begin_without_media(struct drive *drive, bool is_flush)
{
	drive->command[0].is_ncq = false;
	drive->command[0].is_media = false;
	drive->outstanding = 1;
	drive->flushes = is_flush && buffer_is_dirty(&drive->buffer);
	if (!drive->flushes)
		serve_at(drive, 0, drive->cal->now_ns + drive->overhead_ns);
	else if (drive->active == DRIVE_IDLE)
		go_on(drive, UINT64_MAX);
}

/* ---- the media is done ---- */

/* An extent is on the media: there is room for a write, or a flush ends. */
static void
destage_done(struct drive *drive)
{
	uint32_t blocked = drive->blocked;

	buffer_destaged(&drive->buffer, drive->piece.entry);
	for (; blocked; blocked &= blocked - 1)
		drive_buffer_write(drive, (uint32_t)__builtin_ctz(blocked));
	if (drive->flushes && !buffer_is_dirty(&drive->buffer)) {
		drive->flushes = false;
		serve_at(drive, 0, drive->cal->now_ns + drive->overhead_ns);
	}
}

static void
media_done(struct event *ev, nsec_t now_ns)
{
	struct drive *drive = container_of(ev, struct drive, media);
	const struct mech_range *range;
	uint64_t next_sector;

	drive->busy_ns += now_ns - drive->active_since_ns;
	if (unlikely(drive->active == DRIVE_DESTAGES)) {
		drive->destage_ns += now_ns - drive->active_since_ns;
		range = &drive->piece.range;
		next_sector = range->sector + range->count;
		destage_done(drive);
		drive->active = DRIVE_IDLE;
		if (drive->queue.count == 0 && buffer_is_dirty(&drive->buffer))
			destage_begin(drive, next_sector); /* once begun */
		else
			go_on(drive, next_sector);
		return;
	}
	range = &drive->command[drive->active].range;
	next_sector = range->sector + range->count;
	if (drive->buffer.is_used && !range->write)
		buffer_read_done(&drive->buffer, &drive->mech, now_ns, range,
				 drive->queue.count == 0);
	if (unlikely(drive->is_apart))
		serve_at(drive, drive->active, now_ns + drive->tail_ns);
	else
		drive_answer(drive, drive->active);
	drive->active = DRIVE_IDLE;
	go_on(drive, next_sector);
}

int
drive_media_init(struct drive *drive, struct err *e)
{
	drive->active = DRIVE_IDLE;
	event_init(&drive->media, PRIO_DRIVE, media_done);
	event_init(&drive->destage, PRIO_DRIVE, destage_fire);
	event_init(&drive->served, PRIO_DRIVE, served_fire);
	return calendar_reserve(drive->cal, 3, e);
}
