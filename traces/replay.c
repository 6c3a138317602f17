/* SPDX-License-Identifier: MIT */
#include "traces/replay.h"

#include "sim/core/wide.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NO_DEVICE    UINT32_MAX
#define WARNINGS_MAX 4

struct trace_replay {
	struct io_source source;
	struct replay_options opt;
	struct trace_reader *reader;
	struct trace_match *match;
	struct replay_stats stats;
	uint32_t device;
	sector_t sectors; /* by the first reading; 0: there was none */
	uint32_t issuer;  /* pid of the first bio of the D being taken */
	bool has_issuer;
	bool is_idle;       /* nothing was taken since the last completion, */
	nsec_t idle_ns;     /* which was then, as replayed */
	bool has_no_issues; /* the trace does not tell when it was plugged */
	bool has_held;      /* a record that may yet turn out to be the */
	struct io_record held; /* last before its queue was run */
	int end;               /* what trace_next() gave at last, and why: */
	struct err end_err;
	bool has_ended;
	uint32_t warning_count;
	char *warnings[WARNINGS_MAX];
};

static uint8_t
wanted_action(const struct trace_replay *rp)
{
	return rp->opt.from == REPLAY_ISSUED ? TRACE_ISSUE : TRACE_QUEUE;
}

static int
add_warning(struct trace_replay *rp, struct err *e, const char *fmt, ...)
{
	va_list ap;
	int n;

	assert(rp->warning_count < WARNINGS_MAX);
	va_start(ap, fmt);
	n = vasprintf(&rp->warnings[rp->warning_count], fmt, ap);
	va_end(ap);
	if (n < 0)
		return err_nomem(e);
	rp->warning_count++;
	return 0;
}

/* Whether every path can be read a second time. */
static bool
is_repeatable(const char *const *paths, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct stat st;

		if (strcmp(paths[i], "-") == 0)
			return false;
		if (stat(paths[i], &st) == 0 && !S_ISREG(st.st_mode) &&
		    !S_ISDIR(st.st_mode))
			return false;
	}
	return true;
}

/* The device with most of the wanted events; of equals, with most issued. */
static const struct trace_device_stats *
busiest_device(const struct trace_stats *st, uint8_t action)
{
	const struct trace_device_stats *best = NULL;

	for (uint32_t i = 0; i < st->device_count; i++) {
		const struct trace_device_stats *d = &st->devices[i];

		if (!best || d->counts[action] > best->counts[action] ||
		    (d->counts[action] == best->counts[action] &&
		     d->counts[TRACE_ISSUE] > best->counts[TRACE_ISSUE]))
			best = d;
	}
	return best;
}

static const struct trace_device_stats *
named_device(const struct trace_stats *st, uint32_t device)
{
	for (uint32_t i = 0; i < st->device_count; i++)
		if (st->devices[i].device == device)
			return &st->devices[i];
	return NULL;
}

/* "8,0 8,16 ...", as many as fit. */
static void
list_devices(const struct trace_stats *st, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < st->device_count && n + 24 < size; i++)
		n += (size_t)sprintf(text + n, "%s%u,%u", i ? " " : "",
				     st->devices[i].device >> 20,
				     st->devices[i].device & 0xfffff);
}

/* There is nothing to replay: say what there is. */
static int
nothing_to_replay(const struct trace_replay *rp, const struct trace_stats *st,
		  const struct trace_device_stats *d, struct err *e)
{
	bool issued = rp->opt.from == REPLAY_ISSUED;
	uint64_t other = d->counts[issued ? TRACE_QUEUE : TRACE_ISSUE];

	if (other)
		return err_set(e, ERR_INPUT,
			       "%s: no %s events on device %u,%u, but %llu %s "
			       "events: use --from %s (%llu records read)",
			       st->files[0].path, issued ? "D" : "Q",
			       d->device >> 20, d->device & 0xfffff,
			       (unsigned long long)other, issued ? "Q" : "D",
			       issued ? "Q" : "D",
			       (unsigned long long)st->records);
	return err_set(e, ERR_INPUT,
		       "%s: neither Q nor D events on device %u,%u: nothing "
		       "to replay (%llu records read)",
		       st->files[0].path, d->device >> 20, d->device & 0xfffff,
		       (unsigned long long)st->records);
}

static int
warn_about(struct trace_replay *rp, const struct trace_stats *st,
	   const struct trace_device_stats *d, struct err *e)
{
	uint8_t action = wanted_action(rp);
	int r = 0;

	rp->has_no_issues = d->counts[TRACE_ISSUE] == 0;
	if (!rp->opt.has_device && d->counts[action] != st->counts[action])
		r = add_warning(rp, e,
				"several devices; replaying %u,%u with %llu "
				"of %llu %s events (--device chooses)",
				d->device >> 20, d->device & 0xfffff,
				(unsigned long long)d->counts[action],
				(unsigned long long)st->counts[action],
				trace_action_name(action));
	if (!r && action == TRACE_QUEUE && d->flush_issued && !d->flush_queued)
		r = add_warning(rp, e,
				"flushes were issued but none was queued: "
				"Linux 6.19 and later lose events with FUA in "
				"version 7 traces; --from D has them");
	if (!r && st->last_ns == 0 && st->records > 1)
		r = add_warning(rp, e, "all events have the same time");
	return r;
}

static int
choose_device(struct trace_replay *rp, const struct trace_stats *st,
	      struct err *e)
{
	uint8_t action = wanted_action(rp);
	const struct trace_device_stats *d;
	char devices[200];

	d = rp->opt.has_device ? named_device(st, rp->opt.device)
			       : busiest_device(st, action);
	if (!d) {
		list_devices(st, devices, sizeof(devices));
		return err_set(e, ERR_CONFIG,
			       "%s: no device %u,%u in this trace; it has %s",
			       st->files[0].path, rp->opt.device >> 20,
			       rp->opt.device & 0xfffff, devices);
	}
	if (d->counts[action] == 0)
		return nothing_to_replay(rp, st, d, e);
	rp->device = d->device;
	rp->sectors = d->end_sector;
	return warn_about(rp, st, d, e);
}

/* Read the whole trace once. */
static int
scan(struct trace_replay *rp, const char *const *paths, uint32_t count,
     bool *has_splits, struct err *e)
{
	struct trace_reader *reader = NULL;
	const struct trace_stats *st;
	struct trace_event ev;
	int r = trace_open(paths, count, &rp->opt.trace, &reader, e);

	if (r)
		return r;
	while ((r = trace_next(reader, &ev, e)) > 0)
		;
	st = trace_get_stats(reader);
	*has_splits = st->counts[TRACE_SPLIT] > 0;
	if (r == 0)
		r = choose_device(rp, st, e);
	trace_close(reader);
	return r;
}

/* Requests of the chosen device only reach the caller's observer. */
static void
on_issued(void *ctx, const struct trace_bio *bio)
{
	struct trace_replay *rp = ctx;
	const struct match_observer *o = rp->opt.observer;

	if (bio->device != rp->device)
		return;
	if (!rp->has_issuer)
		rp->issuer = bio->pid;
	rp->has_issuer = true;
	if (o && o->issued)
		o->issued(o->ctx, bio);
}

static void
on_completed(void *ctx, const struct trace_bio *bio)
{
	const struct trace_replay *rp = ctx;
	const struct match_observer *o = rp->opt.observer;

	if (bio->device == rp->device && o && o->completed)
		o->completed(o->ctx, bio);
}

static void
on_request(void *ctx, const struct trace_request *request)
{
	const struct trace_replay *rp = ctx;
	const struct match_observer *o = rp->opt.observer;

	if (request->device == rp->device && o && o->request)
		o->request(o->ctx, request);
}

static uint8_t
record_flags(uint32_t category, uint8_t op)
{
	uint8_t flags = 0;

	if (category & TRACE_SYNC || op == IO_READ || op == IO_FLUSH)
		flags |= IO_SYNC;
	if (category & TRACE_META)
		flags |= IO_META;
	if (category & TRACE_AHEAD)
		flags |= IO_AHEAD;
	if (category & TRACE_FUA)
		flags |= IO_FUA;
	if (category & TRACE_FLUSH && op != IO_FLUSH)
		flags |= IO_PREFLUSH;
	return flags;
}

/* The operation of a Q or D, or false when it is none for a drive. */
static bool
event_op(struct replay_stats *st, const struct trace_event *ev, uint8_t *op)
{
	if (ev->category & TRACE_PC) {
		st->passthrough++;
		return false;
	}
	if (ev->category & TRACE_ZONE_MASK) {
		st->zone_commands++;
		return false;
	}
	if (ev->bytes < SECTOR_BYTES && !(ev->category & TRACE_FLUSH)) {
		st->empty++;
		return false;
	}
	if (ev->bytes < SECTOR_BYTES)
		*op = IO_FLUSH;
	else if (ev->category & TRACE_DISCARD)
		*op = IO_DISCARD;
	else
		*op = ev->category & TRACE_WRITE ? IO_WRITE : IO_READ;
	return true;
}

static nsec_t
scale_time(const struct replay_options *opt, nsec_t time_ns)
{
	if (opt->speed == 0)
		return time_ns;
	return (nsec_t)((uint128_t)time_ns * opt->speed_unit / opt->speed);
}

/* Whether the event is one to replay; then it fills @rec. */
static bool
take_event(struct trace_replay *rp, const struct trace_event *ev, bool is_rest,
	   struct io_record *rec)
{
	nsec_t time_ns = scale_time(&rp->opt, ev->time_ns);
	uint8_t op;

	if (ev->action == TRACE_COMPLETE && ev->device == rp->device) {
		rp->is_idle = true;
		rp->idle_ns = time_ns;
	}
	if (ev->action != wanted_action(rp))
		return false;
	if (rp->device == NO_DEVICE)
		rp->device = ev->device;
	if (ev->device != rp->device) {
		rp->stats.other_device++;
		return false;
	}
	if (is_rest) {
		rp->stats.queued_again++;
		return false;
	}
	if (!event_op(&rp->stats, ev, &op))
		return false;
	*rec = (struct io_record){
		.time_ns = time_ns,
		.think_ns = rp->is_idle ? time_ns - rp->idle_ns : -1,
		.lba = op == IO_FLUSH ? 0 : ev->sector,
		.sectors = ev->bytes >> 9,
		.pid = rp->has_issuer ? rp->issuer : ev->pid,
		.op = op,
		.flags = record_flags(ev->category, op),
		.io_class = IO_CLASS_NONE,
		.io_level = 4,
		.number = (uint32_t)rp->stats.records++,
	};
	if (trace_is_waiting(rp->reader) || rp->opt.from == REPLAY_ISSUED ||
	    (rp->has_no_issues && (rec->flags & IO_SYNC)))
		rec->flags |= IO_UNPLUG;
	rp->is_idle = false;
	return true;
}

static int
no_records(const struct trace_replay *rp, struct err *e)
{
	const struct trace_stats *st = trace_get_stats(rp->reader);

	return err_set(e, ERR_INPUT,
		       "%s: no %s events that a drive can do: nothing to "
		       "replay (%llu records read)",
		       st->files[0].path, trace_action_name(wanted_action(rp)),
		       (unsigned long long)st->records);
}

/*
 * Did the queue run for the record held?  It did when its process unplugged,
 * or when it was issued before anything else was queued.
 */
static void
note_run(struct trace_replay *rp, const struct trace_event *ev)
{
	struct io_record *held = &rp->held;
	bool unplugs =
		ev->action == TRACE_UNPLUG || ev->action == TRACE_UNPLUG_TIMER;
	bool covers = ev->action == TRACE_ISSUE && ev->device == rp->device &&
		      held->lba >= ev->sector &&
		      held->lba <= ev->sector + (ev->bytes >> 9);

	if (rp->has_held && ((unplugs && ev->pid == held->pid) || covers))
		held->flags |= IO_UNPLUG;
}

/* The next record in @rec; 1, 0 at the end, or a negative code. */
static int
read_record(struct trace_replay *rp, struct io_record *rec, struct err *e)
{
	struct trace_event ev;
	bool is_rest = false;
	int r;

	for (;;) {
		r = trace_next(rp->reader, &ev, e);
		if (r == 0 && rp->stats.records == 0)
			return no_records(rp, e);
		if (r <= 0)
			return r;
		rp->has_issuer = false;
		if (rp->match) {
			is_rest = ev.action == TRACE_QUEUE &&
				  trace_match_is_rest(rp->match, &ev);
			r = trace_match_feed(rp->match, &ev, e);
			if (r)
				return r;
		}
		note_run(rp, &ev);
		if (take_event(rp, &ev, is_rest, rec))
			return 1;
	}
}

/* One record is held back, until it is known whether the queue ran for it. */
static int
replay_next(struct io_source *source, struct io_record *rec, struct err *e)
{
	struct trace_replay *rp =
		container_of(source, struct trace_replay, source);
	struct io_record fresh;

	while (!rp->has_ended) {
		rp->end = read_record(rp, &fresh, &rp->end_err);
		rp->has_ended = rp->end <= 0;
		if (rp->has_ended)
			break;
		if (rp->has_held) {
			*rec = rp->held;
			rp->held = fresh;
			return 1;
		}
		if (fresh.flags & IO_UNPLUG) { /* it is known already */
			*rec = fresh;
			return 1;
		}
		rp->held = fresh;
		rp->has_held = true;
	}
	if (rp->has_held) {
		rp->has_held = false;
		*rec = rp->held;
		return 1;
	}
	if (rp->end < 0 && e)
		*e = rp->end_err;
	return rp->end;
}

static void
replay_close_source(struct io_source *source)
{
	(void)source;
}

static int
start(struct trace_replay *rp, const char *const *paths, uint32_t count,
      struct err *e)
{
	const struct match_observer observer = { rp, on_issued, on_completed,
						 on_request };
	bool has_splits = true;
	int r = 0;

	assert(rp->opt.speed == 0 || rp->opt.speed_unit > 0);
	rp->device = rp->opt.has_device ? rp->opt.device : NO_DEVICE;
	if (is_repeatable(paths, count))
		r = scan(rp, paths, count, &has_splits, e);
	if (!r)
		r = trace_open(paths, count, &rp->opt.trace, &rp->reader, e);
	if (!r &&
	    (has_splits || rp->opt.from == REPLAY_ISSUED || rp->opt.observer))
		r = trace_match_open(&observer, &rp->match, e);
	return r;
}

int
trace_replay_open(const char *const *paths, uint32_t count,
		  const struct replay_options *opt,
		  struct trace_replay **replay, struct err *e)
{
	struct trace_replay *rp = calloc(1, sizeof(*rp));
	int r;

	if (!rp)
		return err_nomem(e);
	rp->opt = *opt;
	rp->source.next = replay_next;
	rp->source.close = replay_close_source;
	r = start(rp, paths, count, e);
	if (r) {
		trace_replay_close(rp);
		return r;
	}
	*replay = rp;
	return 0;
}

void
trace_replay_close(struct trace_replay *replay)
{
	if (!replay)
		return;
	trace_match_close(replay->match);
	trace_close(replay->reader);
	for (uint32_t i = 0; i < replay->warning_count; i++)
		free(replay->warnings[i]);
	free(replay);
}

struct io_source *
trace_replay_source(struct trace_replay *replay)
{
	return &replay->source;
}

uint32_t
trace_replay_device(const struct trace_replay *replay)
{
	return replay->device;
}

sector_t
trace_replay_sectors(const struct trace_replay *replay)
{
	const struct trace_device_stats *d;

	if (replay->sectors)
		return replay->sectors;
	d = named_device(trace_get_stats(replay->reader), replay->device);
	return d ? d->end_sector : 0;
}

const struct replay_stats *
trace_replay_stats(const struct trace_replay *replay)
{
	return &replay->stats;
}

const struct trace_reader *
trace_replay_reader(const struct trace_replay *replay)
{
	return replay->reader;
}

uint32_t
trace_replay_warnings(const struct trace_replay *replay,
		      const char *const **lines)
{
	*lines = (const char *const *)replay->warnings;
	return replay->warning_count;
}

int
trace_parse_device(const char *text, uint32_t *device, struct err *e)
{
	unsigned major, minor;
	int used = 0;

	if (strlen(text) > 20 ||
	    sscanf(text, "%u,%u%n", &major, &minor, &used) != 2 ||
	    text[used] != '\0' || major > 0xfff || minor > 0xfffff)
		return err_set(e, ERR_CONFIG,
			       "device '%s': wanted MAJOR,MINOR as in 8,0",
			       text);
	*device = major << 20 | minor;
	return 0;
}
