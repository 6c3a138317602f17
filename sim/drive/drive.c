/* SPDX-License-Identifier: MIT */
#include "sim/drive/drive_impl.h"

#include "models/firmware/rules.h"

#include <stdlib.h>

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

/*
 * What of a read's data goes out at its end: all when it comes from the
 * buffer, else the last Data FIS, the rest having been sent while the media
 * was read.
 */
static inline uint32_t
last_data_bytes(const struct command *command)
{
	if (command->is_hit)
		return command->bytes;
	return (command->bytes - 1) % FIS_DATA_MAX_BYTES + 1;
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
			      last_data_bytes(command));
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
			      last_data_bytes(command));
	fis_d2h_encode(room->fis + link_add(&size, FIS_REGISTER_BYTES), &done);
	link_send(drive->link, LINK_DRIVE, room, &size);
}

void
drive_answer(struct drive *drive, uint32_t tag)
{
	const struct command *command = &drive->command[tag];

	drive->outstanding &= ~(UINT32_C(1) << tag);
	drive->is_after_write = command->is_media && command->range.write;
	if (likely(command->is_ncq))
		answer_queued(drive, tag, command);
	else
		answer_unqueued(drive, command);
}

/* ---- commands ---- */

/* What a media command asks for, in logical sectors. */
struct transfer {
	uint64_t lba;
	uint32_t sectors;
	bool write;
	bool is_ncq;
	bool is_fua;
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
	command->is_hit = false;
	command->is_fua = t->is_fua;
	command->is_partial =
		t->write && ((t->lba | end) & ((1u << shift) - 1)) != 0;
	drive->outstanding |= UINT32_C(1) << tag;
	if (t->is_ncq)
		send_register(drive, 0, ATA_STATUS_RDY, 0);
	if (!t->write) {
		drive_begin_read(drive, tag);
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
		.is_fua = (r->device & ATA_DEVICE_FUA) != 0,
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
		.is_fua = r->command == ATA_WRITE_DMA_FUA_EXT,
	};

	if (transfer_check(drive, &t))
		command_begin(drive, 0, &t);
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
	case ATA_FLUSH_CACHE_EXT:
	case ATA_DATA_SET_MANAGEMENT: /* a disk ignores TRIM */
		drive_begin_without_media(drive,
					  r.command == ATA_FLUSH_CACHE_EXT);
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
	if (drive->writes_back && !command->is_fua) {
		if (command->waiting_bytes == 0)
			drive_buffer_write(drive, tag);
		return;
	}
	/* After the first, data streams in faster than the media takes it. */
	if (command->waits_data) {
		command->waits_data = false;
		drive_begin_write(drive, tag);
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
	drive_bus_init(drive, &config->interface);
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
	rc = buffer_init(&drive->buffer, &config->cache,
			 (uint32_t)config->mechanism.physical_sector_bytes, e);
	if (rc < 0)
		return rc;
	drive->writes_back = config->cache.write_back;
	drive->bounds.has_avx2 &= config->firmware.vector;
	return drive_media_init(drive, e);
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
	if (drive->active == DRIVE_IDLE)
		return drive->busy_ns;
	return drive->busy_ns + now_ns - drive->active_since_ns;
}

nsec_t
drive_destage_ns(const struct drive *drive)
{
	return drive->destage_ns;
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
