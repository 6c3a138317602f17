/* SPDX-License-Identifier: MIT */
#include "sim/drive/drive.h"

#include "models/firmware/rules.h"
#include "sim/core/rng.h"
#include "sim/drive/decision.h"

#include <stdlib.h>

/* A command by tag; what is not NCQ uses tag 0, alone. */
struct command {
	struct mech_range range; /* physical sectors */
	uint64_t lba;            /* logical */
	uint32_t bytes;          /* to move over the link */
	uint32_t waiting_bytes;  /* of a write, not yet asked for */
	bool is_ncq;
	bool is_media;
	bool is_partial; /* a write that covers part of a sector */
	bool waits_data;
	uint8_t priority; /* enum ata_priority */
	uint8_t icc;
};

struct drive {
	struct calendar *cal;
	struct link *link;
	const struct firmware_ops *firmware;
	struct firmware_config rules;
	bool is_restricted; /* by rules that always may be */
	bool is_imprecise;  /* estimates have errors: */
	struct rng errors;
	struct drive_observer observer;
	struct mech mech;
	struct event media;
	nsec_t overhead_ns; /* firmware, of one media command */
	nsec_t busy_ns;     /* up to the present access */
	nsec_t active_since_ns;
	uint64_t sectors;      /* logical */
	uint32_t sector_bytes; /* logical */
	uint32_t sector_shift; /* logical sectors in a physical one, log2 */
	uint32_t depth;        /* tags in use, at most */
	uint32_t outstanding;  /* bit per tag */
	uint32_t active;       /* tag on the media, or QUEUE_TAGS */
	uint64_t guard_ticks;
	nsec_t oldest_ns;    /* no command that waits came before */
	uint64_t last_first; /* where the last one on the media began */
	bool is_falling;     /* which was below the one before it */
	uint32_t asked_head; /* writes whose data is asked for, in order: */
	uint32_t asked_tail; /* asked[head % QUEUE_TAGS] receives now */
	uint8_t asked[QUEUE_TAGS];
	struct drive_queue queue;
	struct command command[QUEUE_TAGS];
	struct probe_access access[QUEUE_TAGS];
	struct seek_bounds bounds;
	struct geometry *geo;
	struct seek_curve *seek;
};

/* ---- choosing and accessing ---- */

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
	probe->passed = drive->queue.count > 1
				? queue_count_older(&drive->queue, tag)
				: 0;
}

/* The tag that rules and policy choose of several. */
static uint32_t
choose(struct drive *drive, struct drive_view *view, enum probe_rule *rule)
{
	const struct drive_queue *queue = &drive->queue;
	nsec_t limit_ns = drive->rules.age_limit_ns;

	if (drive->is_restricted ||
	    ((queue->high | queue->isochronous) & queue->tags)) {
		if (limit_ns && view->now_ns - drive->oldest_ns > limit_ns)
			drive->oldest_ns = queue_oldest_ns(queue);
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
drive_dispatch(struct drive *drive, uint64_t next_sector)
{
	nsec_t now_ns = drive->cal->now_ns, delay_ns = drive->overhead_ns;
	uint32_t tag = (uint32_t)__builtin_ctz(drive->queue.tags);
	struct mech_access access;

	if (drive->queue.count > 1 || unlikely(drive->observer.decide != NULL))
		tag = decide(drive, next_sector);
	if (unlikely(drive->queue.first[tag] == next_sector))
		delay_ns = 0; /* see view_delay_ns() */
	mech_access(&drive->mech, now_ns, delay_ns, &drive->command[tag].range,
		    &drive->queue.target[tag], &access);
	if (unlikely(drive->command[tag].is_partial))
		access = access_partial(drive, tag, access);
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

static inline void
enqueue(struct drive *drive, uint32_t tag)
{
	queue_insert(&drive->queue, &drive->mech, &drive->bounds, tag,
		     &drive->command[tag].range, drive->cal->now_ns);
	if (unlikely(drive->is_imprecise))
		draw_errors(drive, tag);
	if (unlikely(drive->command[tag].priority))
		set_priority(drive, tag);
	if (drive->active == QUEUE_TAGS)
		drive_dispatch(drive, UINT64_MAX);
}

/* ---- answers ---- */

static void
send_register(struct drive *drive, uint8_t flags, uint8_t status, uint8_t error)
{
	struct fis_register r = {
		.flags = flags,
		.command = status,
		.error = error,
		.device = ATA_DEVICE_LBA,
	};
	struct link_frames *room = link_room(drive->link, LINK_DRIVE);
	struct link_size size = { 0 };

	link_add(&size, FIS_REGISTER_BYTES);
	fis_d2h_encode(room->fis, &r);
	link_send(drive->link, LINK_DRIVE, room, &size);
}

static cold_path void
refuse(struct drive *drive, uint8_t error)
{
	send_register(drive, FIS_INTERRUPT, ATA_STATUS_RDY | ATA_STATUS_ERR,
		      error);
}

/* Ask the controller for the data of the next write that needs some. */
static void
ask_for_data(struct drive *drive)
{
	uint32_t tag = drive->asked[drive->asked_head % QUEUE_TAGS];
	const uint8_t activate[FIS_DMA_ACTIVATE_BYTES] = { FIS_DMA_ACTIVATE };
	struct link_frames *room = link_room(drive->link, LINK_DRIVE);
	struct link_size size = { 0 };

	if (drive->command[tag].is_ncq) {
		link_add(&size, FIS_DMA_SETUP_BYTES);
		fis_dma_setup_encode(room->fis, FIS_AUTO_ACTIVATE, tag,
				     drive->command[tag].bytes);
	} else {
		link_add(&size, FIS_DMA_ACTIVATE_BYTES);
		memcpy(room->fis, activate, sizeof(activate));
	}
	link_send(drive->link, LINK_DRIVE, room, &size);
}

/* What of a read's data goes out after its last sector has passed: the rest
 * was sent while it was read. */
static inline uint32_t
last_data_bytes(uint32_t bytes)
{
	return (bytes - 1) % FIS_DATA_MAX_BYTES + 1;
}

static inline void
answer_queued(struct drive *drive, uint32_t tag, const struct command *command)
{
	struct link_frames *room = link_room(drive->link, LINK_DRIVE);
	struct link_size size = { 0 };

	if (!command->range.write) {
		link_add(&size, FIS_DMA_SETUP_BYTES);
		fis_dma_setup_encode(room->fis, FIS_TO_HOST, tag,
				     command->bytes);
		link_add_data(room, &size, command->bytes,
			      last_data_bytes(command->bytes));
	}
	fis_sdb_encode(room->fis + link_add(&size, FIS_SDB_BYTES),
		       ATA_STATUS_RDY, 0, UINT32_C(1) << tag);
	link_send(drive->link, LINK_DRIVE, room, &size);
}

static void
answer_unqueued(struct drive *drive, const struct command *command)
{
	static const struct fis_register done = {
		.flags = FIS_INTERRUPT,
		.command = ATA_STATUS_RDY,
		.device = ATA_DEVICE_LBA,
	};
	struct link_frames *room = link_room(drive->link, LINK_DRIVE);
	struct link_size size = { 0 };

	if (command->is_media && !command->range.write)
		link_add_data(room, &size, command->bytes,
			      last_data_bytes(command->bytes));
	fis_d2h_encode(room->fis + link_add(&size, FIS_REGISTER_BYTES), &done);
	link_send(drive->link, LINK_DRIVE, room, &size);
}

static void
answer(struct drive *drive, uint32_t tag)
{
	const struct command *command = &drive->command[tag];

	drive->outstanding &= ~(UINT32_C(1) << tag);
	if (likely(command->is_ncq))
		answer_queued(drive, tag, command);
	else
		answer_unqueued(drive, command);
}

static void
media_done(struct event *ev, nsec_t now_ns)
{
	struct drive *drive = container_of(ev, struct drive, media);
	const struct mech_range *range = &drive->command[drive->active].range;

	drive->busy_ns += now_ns - drive->active_since_ns;
	answer(drive, drive->active);
	drive->active = QUEUE_TAGS;
	if (drive->queue.count > 0)
		drive_dispatch(drive, range->sector + range->count);
}

/* ---- commands ---- */

/* What a media command asks for, in logical sectors. */
struct transfer {
	uint64_t lba;
	uint32_t sectors;
	bool write;
	bool is_ncq;
	uint8_t priority; /* enum ata_priority */
	uint8_t icc;
};

static inline void
command_begin(struct drive *drive, uint32_t tag, const struct transfer *t)
{
	struct command *command = &drive->command[tag];
	uint32_t shift = drive->sector_shift;
	uint64_t end = t->lba + t->sectors;
	uint64_t last = (end - 1) >> shift;

	command->range.sector = t->lba >> shift;
	command->range.count = (uint32_t)(last - command->range.sector + 1);
	command->range.write = t->write;
	command->bytes = t->sectors * drive->sector_bytes;
	command->lba = t->lba;
	command->is_ncq = t->is_ncq;
	command->priority = t->priority;
	command->icc = t->icc;
	command->is_media = true;
	command->is_partial =
		t->write && ((t->lba | end) & ((1u << shift) - 1)) != 0;
	drive->outstanding |= UINT32_C(1) << tag;
	if (t->is_ncq)
		send_register(drive, 0, ATA_STATUS_RDY, 0);
	if (!t->write) {
		enqueue(drive, tag);
		return;
	}
	command->waits_data = true;
	command->waiting_bytes = command->bytes;
	drive->asked[drive->asked_tail++ % QUEUE_TAGS] = (uint8_t)tag;
	if (drive->asked_tail - drive->asked_head == 1)
		ask_for_data(drive);
}

/* True when the range is on the drive; refuses the command otherwise. */
static bool
transfer_check(struct drive *drive, const struct transfer *t)
{
	if (t->lba < drive->sectors && t->sectors <= drive->sectors - t->lba)
		return true;
	refuse(drive, ATA_ERROR_IDNF);
	return false;
}

static inline void
queued_command(struct drive *drive, const struct fis_register *r)
{
	uint32_t tag = r->count >> 3 & 31;
	struct transfer t = {
		.lba = r->lba,
		.sectors = r->features ? r->features : 65536,
		.write = r->command == ATA_WRITE_FPDMA_QUEUED,
		.is_ncq = true,
		.priority = (uint8_t)(r->count >> 14),
		.icc = r->icc,
	};

	if (tag >= drive->depth || (drive->outstanding >> tag & 1))
		refuse(drive, ATA_ERROR_ABRT);
	else if (transfer_check(drive, &t))
		command_begin(drive, tag, &t);
}

static void
unqueued_transfer(struct drive *drive, const struct fis_register *r)
{
	struct transfer t = {
		.lba = r->lba,
		.sectors = r->count ? r->count : 65536,
		.write = r->command != ATA_READ_DMA_EXT,
	};

	if (transfer_check(drive, &t))
		command_begin(drive, 0, &t);
}

/* A command that costs the firmware's time alone; the drive is idle. */
static void
unqueued_without_media(struct drive *drive)
{
	drive->command[0].is_ncq = false;
	drive->command[0].is_media = false;
	drive->outstanding = 1;
	drive->active = 0;
	drive->active_since_ns = drive->cal->now_ns;
	calendar_add(drive->cal, &drive->media,
		     drive->cal->now_ns + drive->overhead_ns);
}

static __attribute__((noinline)) void
unqueued_command(struct drive *drive, const uint8_t *fis)
{
	struct fis_register r;

	if (drive->outstanding) {
		refuse(drive, ATA_ERROR_ABRT);
		return;
	}
	fis_h2d_decode(fis, &r);
	switch (r.command) {
	case ATA_READ_DMA_EXT:
	case ATA_WRITE_DMA_EXT:
	case ATA_WRITE_DMA_FUA_EXT:
		unqueued_transfer(drive, &r);
		break;
	case ATA_FLUSH_CACHE_EXT:     /* nothing is cached */
	case ATA_DATA_SET_MANAGEMENT: /* a disk ignores TRIM */
		unqueued_without_media(drive);
		break;
	default:
		refuse(drive, ATA_ERROR_ABRT);
		break;
	}
}

static inline void
command_receive(struct drive *drive, const uint8_t *fis)
{
	struct fis_register r;

	fis_h2d_decode(fis, &r);
	if (!(r.flags & FIS_COMMAND))
		return;
	if (likely(r.command == ATA_READ_FPDMA_QUEUED ||
		   r.command == ATA_WRITE_FPDMA_QUEUED))
		queued_command(drive, &r);
	else
		unqueued_command(drive, fis);
}

/* Data of the oldest write that was asked for; one data phase at a time. */
static void
data_receive(struct drive *drive, uint32_t bytes)
{
	uint32_t tag = drive->asked[drive->asked_head % QUEUE_TAGS];
	struct command *command = &drive->command[tag];

	assert(drive->asked_head != drive->asked_tail);
	assert(bytes <= command->waiting_bytes);
	command->waiting_bytes -= bytes;
	if (command->waiting_bytes == 0 &&
	    ++drive->asked_head != drive->asked_tail)
		ask_for_data(drive);
	/* After the first, data streams in faster than the media takes it. */
	if (command->waits_data) {
		command->waits_data = false;
		enqueue(drive, tag);
	}
}

static void
drive_receive(void *ctx, const struct link_frames *frames, nsec_t now_ns)
{
	struct drive *drive = ctx;

	(void)now_ns;
	if (frames->fis[0] == FIS_DATA) {
		data_receive(drive, frames->size.data_bytes);
		return;
	}
	assert(frames->fis[0] == FIS_REGISTER_H2D);
	command_receive(drive, frames->fis);
}

/* ---- life ---- */

static void
drive_set_sizes(struct drive *drive, const struct drive_config *config)
{
	int64_t physical = config->mechanism.physical_sector_bytes;
	int64_t logical = config->mechanism.logical_sector_bytes;
	uint64_t sectors;

	drive->sector_bytes = (uint32_t)logical;
	while (logical << drive->sector_shift < physical)
		drive->sector_shift++;
	sectors = geometry_capacity(drive->geo) << drive->sector_shift;
	if (config->identity.capacity_sectors)
		sectors = (uint64_t)config->identity.capacity_sectors /
			  ((uint64_t)logical / SECTOR_BYTES);
	drive->sectors = sectors;
}

static int
drive_build(struct drive *drive, const struct drive_config *config,
	    struct err *e)
{
	int rc = drive_config_geometry(config, &drive->geo, e);

	if (rc < 0)
		return rc;
	rc = drive_config_seek(config, geometry_cylinders(drive->geo),
			       &drive->seek, e);
	if (rc < 0)
		return rc;
	rc = mech_init(&drive->mech, config->mechanism.rpm, drive->geo,
		       drive->seek, e);
	if (rc < 0)
		return rc;
	drive->mech.zero_latency = config->mechanism.zero_latency;
	drive->overhead_ns = config->interface.command_ns;
	drive->depth = (uint32_t)config->interface.queue_depth;
	drive_set_sizes(drive, config);
	rules_init(&drive->rules, &config->firmware, drive->firmware);
	drive->is_restricted = rules_restrict_always(&drive->rules);
	drive->is_imprecise = (drive->rules.seek_error_ns |
			       drive->rules.rotate_error_ns) != 0;
	drive->guard_ticks = (uint64_t)drive->rules.guard_ns *
			     drive->mech.spindle.ticks_per_ns;
	seek_bounds_init(&drive->bounds, &drive->mech, drive->overhead_ns,
			 drive->rules.guard_ns);
	drive->bounds.has_avx2 &= config->firmware.vector;
	return calendar_reserve(drive->cal, 1, e);
}

struct drive *
drive_create(const struct drive_config *config,
	     const struct firmware_ops *firmware, struct calendar *cal,
	     struct link *link, struct err *e)
{
	struct drive *drive = calloc(1, sizeof(*drive));

	if (!drive) {
		err_nomem(e);
		return NULL;
	}
	drive->cal = cal;
	drive->link = link;
	drive->firmware = firmware;
	drive->active = QUEUE_TAGS;
	event_init(&drive->media, PRIO_DRIVE, media_done);
	drive_seed(drive, 0);
	if (drive_build(drive, config, e) < 0) {
		drive_destroy(drive);
		return NULL;
	}
	link_attach(link, LINK_DRIVE, drive_receive, drive);
	return drive;
}

void
drive_destroy(struct drive *drive)
{
	if (!drive)
		return;
	mech_free(&drive->mech);
	seek_free(drive->seek);
	geometry_free(drive->geo);
	free(drive);
}

void
drive_seed(struct drive *drive, uint64_t seed)
{
	rng_init(&drive->errors, seed, "firmware estimates");
}

void
drive_observe(struct drive *drive, const struct drive_observer *observer)
{
	drive->observer = *observer;
}

const struct probe_access *
drive_access(const struct drive *drive, uint32_t tag)
{
	return &drive->access[tag];
}

nsec_t
drive_busy_ns(const struct drive *drive, nsec_t now_ns)
{
	if (drive->active == QUEUE_TAGS)
		return drive->busy_ns;
	return drive->busy_ns + now_ns - drive->active_since_ns;
}

uint64_t
drive_sectors(const struct drive *drive)
{
	return drive->sectors;
}

uint32_t
drive_sector_bytes(const struct drive *drive)
{
	return drive->sector_bytes;
}

const struct geometry *
drive_geometry(const struct drive *drive)
{
	return drive->geo;
}

const struct seek_curve *
drive_seek(const struct drive *drive)
{
	return drive->seek;
}
