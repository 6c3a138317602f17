/* SPDX-License-Identifier: MIT */
/*
 * The machine: a drive on a link on a controller under a driver, a block
 * layer and a feed, on one clock.  Everything between them goes through
 * their own interfaces; here they are only wired, and their events turned
 * into what probes see.
 */
#include "sim/ahci/ahci.h"
#include "sim/config.h"
#include "sim/core/hash.h"
#include "sim/drive/drive.h"
#include "sim/host/ata.h"
#include "sim/host/feed.h"

#include <stdlib.h>

struct ncqsim {
	struct calendar cal;
	struct link link;
	struct drive *drive;
	struct ahci *hba;
	struct ata *ata;
	struct blk_queue *queue;
	struct feed *feed;
	struct probe *probes;
	uint64_t hash;
	uint64_t requests;
	bool is_feeding;
	uint32_t depth;
	char model[OPTION_NAME_MAX];
	uint32_t rpm;
	struct feed_config feed_config;
};

/* ---- probes ---- */

static uint32_t
request_pid(const struct request *rq)
{
	return rq->context ? rq->context->pid : 0;
}

static uint32_t
count_bios(const struct request *rq)
{
	uint32_t bios = 0;

	for (const struct bio *bio = rq->first; bio; bio = bio->next)
		bios++;
	return bios;
}

static void
tell_request(struct ncqsim *sim, const struct request *rq, uint32_t tag,
	     int status)
{
	static const struct probe_access none;
	bool is_media = rq->op == IO_READ || rq->op == IO_WRITE;
	struct probe_request ev = {
		.queued_ns = rq->queued_ns,
		.inserted_ns = rq->inserted_ns,
		.issued_ns = rq->issued_ns,
		.completed_ns = sim->cal.now_ns,
		.lba = rq->lba,
		.sectors = rq->sectors,
		.bios = count_bios(rq),
		.pid = request_pid(rq),
		.number = (uint32_t)sim->requests,
		.tag = (uint8_t)tag,
		.op = rq->op,
		.flags = rq->flags,
		.status = (int16_t)status,
		.access = is_media ? drive_access(sim->drive, tag) : &none,
	};

	for (struct probe *p = sim->probes; p; p = p->next)
		if (p->request)
			p->request(p, &ev);
}

static void
request_done(void *ctx, const struct request *rq, uint32_t tag, int status)
{
	struct ncqsim *sim = ctx;

	sim->hash = hash_add(sim->hash, sim->cal.now_ns, rq->lba, tag);
	if (sim->probes)
		tell_request(sim, rq, tag, status);
	sim->requests++;
}

static void
bio_done(void *ctx, const struct bio *bio, uint32_t number, nsec_t now_ns,
	 int status)
{
	struct ncqsim *sim = ctx;
	struct probe_bio ev;

	if (!sim->probes)
		return;
	ev = (struct probe_bio){
		.queued_ns = bio->queued_ns,
		.completed_ns = now_ns,
		.lba = bio->lba,
		.sectors = bio->sectors,
		.pid = bio->process->pid,
		.number = number,
		.op = bio->op,
		.flags = bio->flags,
		.status = (int16_t)status,
	};
	for (struct probe *p = sim->probes; p; p = p->next)
		if (p->bio)
			p->bio(p, &ev);
}

/* The letter of a block layer action; 0 for what blktrace does not show. */
static enum probe_action
action_letter(enum blk_action action)
{
	static const uint8_t letter[] = {
		[BLK_Q] = PROBE_QUEUE,         [BLK_G] = PROBE_GETRQ,
		[BLK_SLEEP] = PROBE_SLEEPRQ,   [BLK_I] = PROBE_INSERT,
		[BLK_M] = PROBE_BACKMERGE,     [BLK_F] = PROBE_FRONTMERGE,
		[BLK_P] = PROBE_PLUG,          [BLK_U] = PROBE_UNPLUG,
		[BLK_UT] = PROBE_UNPLUG_TIMER, [BLK_D] = PROBE_ISSUE,
		[BLK_R] = PROBE_REQUEUE,       [BLK_C] = PROBE_COMPLETE,
	};

	return action < ARRAY_LEN(letter) ? (enum probe_action)letter[action]
					  : (enum probe_action)0;
}

static void
block_event(void *ctx, enum blk_action action, const struct request *rq,
	    const struct bio *bio)
{
	struct ncqsim *sim = ctx;
	struct probe_block ev = {
		.time_ns = sim->cal.now_ns,
		.action = action_letter(action),
		.count = blk_allocated(sim->queue) - blk_in_flight(sim->queue),
	};

	if (!ev.action)
		return;
	if (bio) {
		ev.lba = bio->lba;
		ev.sectors = bio->sectors;
		ev.pid = bio->process->pid;
		ev.op = bio->op;
		ev.flags = bio->flags;
	} else if (rq) {
		ev.lba = rq->lba;
		ev.sectors = rq->sectors;
		ev.pid = request_pid(rq);
		ev.op = rq->op;
		ev.flags = rq->flags;
	}
	for (struct probe *p = sim->probes; p; p = p->next)
		if (p->block)
			p->block(p, &ev);
}

static void
decision_made(void *ctx, const struct probe_decision *decision)
{
	struct ncqsim *sim = ctx;

	for (struct probe *p = sim->probes; p; p = p->next)
		if (p->decide)
			p->decide(p, decision);
}

void
ncqsim_attach(struct ncqsim *sim, struct probe *probe)
{
	struct probe **end = &sim->probes;

	while (*end)
		end = &(*end)->next;
	probe->next = NULL;
	*end = probe;
	if (probe->block)
		blk_observe(sim->queue,
			    &(struct blk_observer){ block_event, sim });
	if (probe->decide)
		drive_observe(sim->drive,
			      &(struct drive_observer){ decision_made, sim });
}

/* ---- building ---- */

static int
build_drive(struct ncqsim *sim, const struct ncqsim_config *cfg, struct err *e)
{
	const struct interface_config *interface = &cfg->drive.interface;
	const struct firmware_ops *firmware = cfg->firmware;
	int64_t mbps;
	int rc;

	if (!firmware)
		firmware = firmware_find(cfg->drive.firmware.policy);
	if (!firmware)
		return err_set(e, ERR_CONFIG,
			       "firmware.policy = %s: there is no such policy",
			       cfg->drive.firmware.policy);
	/* A parallel bus has no line code; the link counts ten bits a byte. */
	mbps = interface->kind == INTERFACE_PATA ? interface->link_mbps * 10 / 8
						 : interface->link_mbps;
	/* SCSI's bus time is the drive's to tell; the link adds none. */
	if (interface->kind == INTERFACE_SCSI)
		mbps = 100000;
	rc = link_init(&sim->link, &sim->cal, mbps, interface->turnaround_ns,
		       e);
	if (rc < 0)
		return rc;
	sim->drive =
		drive_create(&cfg->drive, firmware, &sim->cal, &sim->link, e);
	if (!sim->drive)
		return ERR_CONFIG;
	drive_seed(sim->drive, (uint64_t)cfg->run.seed);
	return 0;
}

static int
set_tunable(struct blk_queue *queue, const struct elevator_options *from,
	    size_t i, struct err *e)
{
	static const struct option_place place = { .file = "elevator" };
	const struct option *opt = &from->table.options[i];
	char text[64];

	option_format(opt, from->values, text, sizeof(text));
	return blk_set(queue, opt->name, text, &place, e);
}

static int
build_queue(struct ncqsim *sim, const struct ncqsim_config *cfg, struct err *e)
{
	struct blk_driver driver = ata_blk_driver(sim->ata);
	struct blk_config blk;
	int rc = 0;

	blk_config_init(&blk);
	blk.era = (enum host_era)cfg->host.kernel;
	blk.nr_requests = (uint32_t)cfg->host.nr_requests;
	blk.max_sectors = (uint32_t)cfg->host.max_sectors_kb * 2;
	blk.unplug_thresh = (uint32_t)cfg->host.unplug_thresh;
	blk.unplug_delay_ms = (uint32_t)cfg->host.unplug_delay_ms;
	blk.no_merges = cfg->host.nomerges;
	blk.elevator = cfg->elevator.ops;
	sim->queue = blk_create(&blk, &sim->cal, &driver, e);
	if (!sim->queue)
		return ERR_CONFIG;
	for (size_t i = 0; i < cfg->elevator.table.count && rc >= 0; i++)
		rc = set_tunable(sim->queue, &cfg->elevator, i, e);
	return rc;
}

static int
build_host(struct ncqsim *sim, const struct ncqsim_config *cfg, struct err *e)
{
	struct ata_config ata = {
		.queue_depth = (uint32_t)cfg->host.queue_depth,
		.sector_bytes = drive_sector_bytes(sim->drive),
		.ncq_prio = cfg->host.ncq_prio,
		.ncq_deadline_ms = (uint32_t)cfg->host.ncq_deadline_ms,
		.done = request_done,
		.done_ctx = sim,
	};
	struct ahci_host host;

	if (ata.queue_depth > cfg->drive.interface.queue_depth)
		ata.queue_depth = (uint32_t)cfg->drive.interface.queue_depth;
	sim->depth = ata.queue_depth;
	sim->ata = ata_create(&ata, e);
	if (!sim->ata)
		return ERR_INTERNAL;
	host = ata_ahci_host(sim->ata);
	sim->hba = ahci_create(&host, &sim->link, e);
	if (!sim->hba)
		return ERR_INTERNAL;
	return build_queue(sim, cfg, e);
}

static int
build_feed(struct ncqsim *sim, const struct ncqsim_config *cfg, struct err *e)
{
	static const enum feed_mode mode[] = {
		[REPLAY_TIMED] = FEED_TIMED,
		[REPLAY_DEPTH] = FEED_DEPTH,
		[REPLAY_THINK] = FEED_THINK,
	};
	struct feed_config feed = {
		.mode = mode[cfg->run.replay],
		.beyond = (enum feed_beyond)cfg->run.beyond,
		.depth = (uint32_t)cfg->run.depth,
		.backlog_max = (uint32_t)cfg->run.backlog_max,
		.max_sectors = (uint32_t)cfg->host.max_sectors_kb * 2,
		.sector_bytes = drive_sector_bytes(sim->drive),
		.capacity = drive_sectors(sim->drive) *
			    (drive_sector_bytes(sim->drive) / SECTOR_BYTES),
		.span = (uint64_t)cfg->run.span_sectors,
		.done = bio_done,
		.done_ctx = sim,
	};

	sim->feed_config = feed;
	sim->feed = feed_create(&feed, sim->queue, &sim->cal, e);
	return sim->feed ? 0 : ERR_INTERNAL;
}

struct ncqsim *
ncqsim_create(const struct ncqsim_config *cfg, struct err *e)
{
	struct ncqsim *sim;

	if (!cfg->has_drive) {
		err_set(e, ERR_CONFIG, "no drive was chosen");
		return NULL;
	}
	sim = calloc(1, sizeof(*sim));
	if (!sim) {
		err_nomem(e);
		return NULL;
	}
	calendar_init(&sim->cal);
	sim->hash = HASH_INITIAL;
	sim->rpm = (uint32_t)cfg->drive.mechanism.rpm;
	memcpy(sim->model, cfg->drive.identity.model, sizeof(sim->model));
	if (build_drive(sim, cfg, e) < 0 || build_host(sim, cfg, e) < 0 ||
	    build_feed(sim, cfg, e) < 0) {
		ncqsim_destroy(sim);
		return NULL;
	}
	ata_start(sim->ata, sim->hba, sim->queue);
	return sim;
}

void
ncqsim_destroy(struct ncqsim *sim)
{
	if (!sim)
		return;
	feed_destroy(sim->feed);
	if (sim->queue)
		blk_destroy(sim->queue);
	ahci_destroy(sim->hba);
	ata_destroy(sim->ata);
	drive_destroy(sim->drive);
	calendar_free(&sim->cal);
	free(sim);
}

/* ---- running ---- */

void
ncqsim_feed(struct ncqsim *sim, struct io_source *source)
{
	assert(!sim->is_feeding);
	sim->is_feeding = true;
	feed_begin(sim->feed, source);
}

int
ncqsim_run(struct ncqsim *sim, uint64_t events, struct err *e)
{
	int state = feed_state(sim->feed, e);

	if (state <= 0)
		return state;
	events = calendar_run(&sim->cal, events);
	state = feed_state(sim->feed, e);
	if (state > 0 && events > 0)
		return err_set(e, ERR_INTERNAL,
			       "nothing is left to happen at %lld ns, "
			       "but requests are outstanding",
			       (long long)sim->cal.now_ns);
	return state;
}

void
ncqsim_totals(const struct ncqsim *sim, struct ncqsim_totals *totals)
{
	struct feed_totals feed;

	feed_totals(sim->feed, &feed);
	*totals = (struct ncqsim_totals){
		.now_ns = sim->cal.now_ns,
		.last_arrival_ns = feed.last_arrival_ns,
		.last_complete_ns = feed.last_complete_ns,
		.records = feed.records,
		.dropped = feed.dropped,
		.bios = feed.bios,
		.requests = sim->requests,
		.interrupts = ahci_interrupts(sim->hba),
		.backlog_max = feed.backlog_max,
		.backlog_arrival = feed.backlog_arrival,
		.stalls = feed.stalls,
		.hash = hash_final(sim->hash),
		.drive_busy_ns = drive_busy_ns(sim->drive, sim->cal.now_ns),
		.destage_ns = drive_destage_ns(sim->drive),
	};
}

void
ncqsim_drive_info(const struct ncqsim *sim, struct ncqsim_drive_info *info)
{
	const struct geometry *geo = drive_geometry(sim->drive);
	uint32_t cylinders = geometry_cylinders(geo);

	*info = (struct ncqsim_drive_info){
		.model = sim->model,
		.sectors = sim->feed_config.capacity,
		.rpm = sim->rpm,
		.heads = geometry_heads(geo),
		.cylinders = cylinders,
		.queue_depth = sim->depth,
		.revolution_ns = (NSEC_PER_MIN + sim->rpm / 2) / sim->rpm,
		.seek_mean_ns = seek_mean_ns(drive_seek(sim->drive)),
		.outer_spt = geometry_spt(geo, 0, 0),
		.inner_spt = geometry_spt(geo, cylinders - 1, 0),
	};
}
