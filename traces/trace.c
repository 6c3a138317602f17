/* SPDX-License-Identifier: MIT */
#include "traces/reader.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An idle week inside a trace is a broken clock. */
#define GAP_MAX_NS (INT64_C(7) * 86400 * NSEC_PER_SEC)

#define SNIFF_BYTES 4096

/* "PATH: byte N: TEXT (M records read)" as an allocated string, or NULL. */
static char *
fault_text(const struct trace_reader *reader, const struct trace_place *place,
	   const char *fmt, va_list ap)
{
	const char *path = reader->inputs[place->file].path;
	char what[600];
	char *text = NULL;
	int n;

	assert(place->file < reader->input_count);
	vsnprintf(what, sizeof(what), fmt, ap);
	if (place->line)
		n = asprintf(&text, "%s:%llu:%u: %s (%llu records read)", path,
			     (unsigned long long)place->line, place->column,
			     what, (unsigned long long)reader->stats.records);
	else
		n = asprintf(&text, "%s: byte %llu: %s (%llu records read)",
			     path, (unsigned long long)place->offset, what,
			     (unsigned long long)reader->stats.records);
	return n < 0 ? NULL : text;
}

int
reader_fault(struct trace_reader *reader, const struct trace_fault *fault,
	     struct err *e, const char *fmt, ...)
{
	struct trace_damage *damage = &reader->stats.damage[fault->kind];
	struct trace_file_stats *file = &reader->stats.files[fault->place.file];
	char *text = NULL;
	va_list ap;

	if (!reader->opt.lenient || !damage->first || reader->opt.on_fault) {
		va_start(ap, fmt);
		text = fault_text(reader, &fault->place, fmt, ap);
		va_end(ap);
		if (!text)
			return err_nomem(e);
	}
	if (file->damaged++ == 0)
		file->first_bad_offset = fault->place.offset;
	damage->count++;
	damage->lost_bytes += fault->lost_bytes;
	if (!reader->opt.lenient)
		err_set(e, ERR_INPUT, "%s", text);
	if (reader->opt.lenient && reader->opt.on_fault)
		reader->opt.on_fault(reader->opt.fault_ctx, text);
	if (!damage->first)
		damage->first = text;
	else
		free(text);
	return reader->opt.lenient ? 0 : ERR_INPUT;
}

int
reader_fail(struct trace_reader *reader, const struct trace_place *place,
	    struct err *e, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = fault_text(reader, place, fmt, ap);
	va_end(ap);
	if (!text)
		return err_nomem(e);
	err_set(e, ERR_INPUT, "%s", text);
	free(text);
	return ERR_INPUT;
}

int
reader_warn(struct trace_reader *reader, struct err *e, const char *fmt, ...)
{
	struct trace_stats *st = &reader->stats;
	char **warnings;
	va_list ap;
	int n;

	warnings = realloc(st->warnings,
			   (st->warning_count + 1) * sizeof(*warnings));
	if (!warnings)
		return err_nomem(e);
	st->warnings = warnings;
	va_start(ap, fmt);
	n = vasprintf(&warnings[st->warning_count], fmt, ap);
	va_end(ap);
	if (n < 0)
		return err_nomem(e);
	st->warning_count++;
	return 0;
}

static const struct trace_format *
format_by_name(const char *name)
{
	for (uint32_t i = 0; trace_formats[i]; i++)
		if (strcmp(trace_formats[i]->name, name) == 0)
			return trace_formats[i];
	return NULL;
}

static const struct trace_format *
format_by_content(const struct trace_sniff *sniff)
{
	const struct trace_format *best = NULL;
	int best_score = 0;

	for (uint32_t i = 0; trace_formats[i]; i++) {
		int score = trace_formats[i]->sniff(sniff);

		if (score > best_score) {
			best = trace_formats[i];
			best_score = score;
		}
	}
	return best;
}

/* Recognise the format by the first input that is not empty. */
static int
choose_format(struct trace_reader *reader, struct err *e)
{
	struct trace_sniff sniff = { NULL, 0, false };
	struct trace_place place = { 0, 0, 0, 0 };
	uint32_t i;

	for (i = 0; i < reader->input_count && sniff.length == 0; i++) {
		struct trace_input *in = &reader->inputs[i];
		int r = input_fill(in, SNIFF_BYTES, e);

		if (r)
			return r;
		sniff.bytes = in->buf;
		sniff.length = input_ready(in);
		sniff.is_member = trace_member_cpu(in->path) >= 0;
		place.file = i;
	}
	if (sniff.length == 0)
		return err_set(e, ERR_INPUT, "%s: empty (0 records read)",
			       reader->inputs[0].path);
	if (reader->format)
		return 0;
	reader->format = format_by_content(&sniff);
	if (!reader->format)
		return reader_fail(reader, &place, e,
				   "not a trace format that is known");
	return 0;
}

static int
unknown_format(const char *name, struct err *e)
{
	char names[256] = "";
	size_t n = 0;

	for (size_t i = 0; trace_formats[i] && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s",
				      i ? ", " : "", trace_formats[i]->name);
	return err_set(e, ERR_CONFIG, "no trace format '%s'; there are %s",
		       name, names);
}

static int
reader_start(struct trace_reader *reader, const char *const *paths,
	     uint32_t count, struct err *e)
{
	struct trace_stats *st = &reader->stats;
	const char *name = reader->opt.format;
	int r;

	if (!name && reader->opt.columns)
		name = strchr(reader->opt.columns, '%') ? "blkparse-f"
							: "columns";
	if (name && !(reader->format = format_by_name(name)))
		return unknown_format(name, e);
	r = trace_find_inputs(reader, paths, count, e);
	if (r)
		return r;
	st->files = calloc(reader->input_count, sizeof(*st->files));
	if (!st->files)
		return err_nomem(e);
	st->file_count = reader->input_count;
	for (uint32_t i = 0; i < st->file_count; i++)
		st->files[i].path = reader->inputs[i].path;
	r = choose_format(reader, e);
	if (r)
		return r;
	st->format = reader->format->name;
	if (reader->input_count > 1 && !reader->format->many_files)
		return err_set(e, ERR_CONFIG,
			       "%s: a %s trace is one file; %u were given",
			       st->files[1].path, st->format, st->file_count);
	return reader->format->open(reader, e);
}

int
trace_open(const char *const *paths, uint32_t count,
	   const struct trace_options *opt, struct trace_reader **reader,
	   struct err *e)
{
	struct trace_reader *rd;
	int r;

	if (count == 0)
		return err_set(e, ERR_CONFIG, "no trace given");
	rd = calloc(1, sizeof(*rd));
	if (!rd)
		return err_nomem(e);
	if (opt)
		rd->opt = *opt;
	r = reader_start(rd, paths, count, e);
	if (r) {
		trace_close(rd);
		return r;
	}
	*reader = rd;
	return 0;
}

bool
trace_is_waiting(const struct trace_reader *reader)
{
	return reader->format->is_waiting;
}

void
trace_close(struct trace_reader *reader)
{
	struct trace_stats *st;

	if (!reader)
		return;
	st = &reader->stats;
	if (reader->format)
		reader->format->close(reader);
	for (uint32_t i = 0; i < reader->input_count; i++)
		input_close(&reader->inputs[i]);
	for (uint32_t i = 0; i < st->warning_count; i++)
		free(st->warnings[i]);
	for (uint32_t i = 0; i < DAMAGE_KINDS; i++)
		free(st->damage[i].first);
	comm_free(&reader->names);
	free(reader->inputs);
	free(st->warnings);
	free(st->files);
	free(st->devices);
	free(reader);
}

/* The statistics of a device that is not the latest one. */
static struct trace_device_stats *
find_device(struct trace_reader *reader, uint32_t device)
{
	struct trace_stats *st = &reader->stats;
	struct trace_device_stats *devices;
	uint32_t i;

	for (i = 0; i < st->device_count; i++)
		if (st->devices[i].device == device)
			break;
	if (i == reader->device_capacity) {
		uint32_t capacity = i ? i * 2 : 4;

		devices = realloc(st->devices, capacity * sizeof(*devices));
		if (!devices)
			return NULL;
		st->devices = devices;
		reader->device_capacity = capacity;
	}
	if (i == st->device_count) {
		memset(&st->devices[i], 0, sizeof(st->devices[i]));
		st->devices[i].device = device;
		st->device_count++;
	}
	reader->last_device = i;
	return &st->devices[i];
}

static inline bool
is_note(uint8_t action)
{
	return action == TRACE_PROCESS || action == TRACE_TIMESTAMP;
}

/* Notes have no place in the time order, and no device. */
static int
take_note(struct trace_reader *reader, struct trace_event *ev, struct err *e)
{
	struct trace_stats *st = &reader->stats;
	uint64_t raw_ns = (uint64_t)ev->time_ns;

	ev->time_ns = 0;
	if (reader->have_base && raw_ns > st->base_ns &&
	    raw_ns - st->base_ns <= INT64_MAX)
		ev->time_ns = (nsec_t)(raw_ns - st->base_ns);
	if (ev->action == TRACE_PROCESS)
		return comm_add(&reader->names, ev->pid, ev->payload,
				ev->payload_bytes, e);
	if (reader->have_wall)
		return 0;
	reader->have_wall = true;
	reader->wall_offset_ns = ev->arg - raw_ns;
	if (reader->have_base)
		st->wall_ns = (int64_t)(reader->wall_offset_ns + st->base_ns);
	return 0;
}

/* Times count from the first event that is not a note. */
static void
set_base(struct trace_reader *reader, const struct trace_event *ev)
{
	struct trace_stats *st = &reader->stats;

	reader->have_base = true;
	st->base_ns = (uint64_t)ev->time_ns;
	if (reader->have_wall)
		st->wall_ns = (int64_t)(reader->wall_offset_ns + st->base_ns);
}

static int
check_gap(struct trace_reader *reader, const struct trace_event *ev,
	  struct err *e)
{
	struct trace_fault fault = { reader->at, DAMAGE_GAP, 0 };
	nsec_t gap_ns = ev->time_ns - reader->stats.last_ns;

	if (reader->format->locate)
		reader->format->locate(reader, &fault.place);
	return reader_fault(reader, &fault, e, "the time leaps ahead by %lld s",
			    (long long)(gap_ns / NSEC_PER_SEC));
}

static inline int
count_device(struct trace_reader *reader, const struct trace_event *ev,
	     struct err *e)
{
	struct trace_stats *st = &reader->stats;
	struct trace_device_stats *dev;
	sector_t end = ev->sector + (ev->bytes >> 9);

	dev = likely(st->devices) ? &st->devices[reader->last_device] : NULL;
	if (unlikely(!dev || dev->device != ev->device)) {
		dev = find_device(reader, ev->device);
		if (!dev)
			return err_nomem(e);
	}
	dev->counts[ev->action]++;
	if (unlikely(ev->category & (TRACE_FLUSH | TRACE_FUA))) {
		dev->flush_queued += ev->action == TRACE_QUEUE;
		dev->flush_issued += ev->action == TRACE_ISSUE;
	}
	if (unlikely(end > dev->end_sector && !(ev->category & TRACE_PC)))
		dev->end_sector = end;
	return 0;
}

/* Place an event that is not a note in the time of the trace, and count it. */
static inline int
take_event(struct trace_reader *reader, struct trace_event *ev, struct err *e)
{
	struct trace_stats *st = &reader->stats;
	int r;

	if (unlikely(!reader->have_base))
		set_base(reader, ev);
	ev->time_ns = (nsec_t)((uint64_t)ev->time_ns - st->base_ns);
	if (unlikely(ev->time_ns - st->last_ns > GAP_MAX_NS)) {
		r = check_gap(reader, ev, e);
		if (r)
			return r;
	}
	st->last_ns = ev->time_ns;
	return count_device(reader, ev, e);
}

/* What a lenient input ended at is a file cut short. */
static int
check_inputs(struct trace_reader *reader, struct err *e)
{
	for (uint32_t i = 0; i < reader->input_count; i++) {
		struct trace_input *in = &reader->inputs[i];
		struct trace_fault fault = { { .file = i,
					       .offset = input_tell(in) },
					     DAMAGE_TRUNCATED,
					     0 };
		int r = in->damage ? reader_fault(reader, &fault, e, "%s",
						  in->damage)
				   : 0;

		if (r)
			return r;
	}
	return 0;
}

/* A trace without an event is an error: nothing to replay, never a silent 0. */
static int
check_end(struct trace_reader *reader, struct err *e)
{
	struct trace_place place = { .file = reader->input_count - 1 };
	int r = check_inputs(reader, e);

	if (r)
		return r;
	if (reader->have_base)
		return 0;
	place.offset = input_tell(&reader->inputs[place.file]);
	if (reader->stats.records)
		return reader_fail(reader, &place, e,
				   "the trace has notes only, no event");
	return reader_fail(reader, &place, e, "the trace has no event");
}

int
trace_next(struct trace_reader *reader, struct trace_event *ev, struct err *e)
{
	struct trace_stats *st = &reader->stats;
	int r = reader->format->next(reader, ev, e);

	if (unlikely(r <= 0))
		return r ? r : check_end(reader, e);
	assert(ev->action < TRACE_ACTIONS);
	if (unlikely(is_note(ev->action)))
		r = take_note(reader, ev, e);
	else
		r = take_event(reader, ev, e);
	if (unlikely(r))
		return r;
	st->counts[ev->action]++;
	st->records++;
	st->files[reader->at.file].records++;
	return 1;
}

uint32_t
trace_progress_ppm(const struct trace_reader *reader)
{
	uint64_t done = 0;
	uint64_t size = 0;

	for (uint32_t i = 0; i < reader->input_count; i++) {
		const struct trace_input *in = &reader->inputs[i];
		uint64_t consumed = input_consumed(in);

		if (in->size == 0 && !in->eof)
			return 0;
		size += in->size;
		done += consumed < in->size ? consumed : in->size;
	}
	/* In parts of 2^20 bytes first, so that nothing overflows. */
	if (size >> 40)
		return (uint32_t)((done >> 20) * 1000000 / (size >> 20));
	return size ? (uint32_t)(done * 1000000 / size) : 0;
}

const struct trace_stats *
trace_get_stats(const struct trace_reader *reader)
{
	return &reader->stats;
}

const char *
trace_process_name(const struct trace_reader *reader, uint32_t pid)
{
	return comm_find(&reader->names, pid);
}

const char *
trace_action_name(uint8_t action)
{
	static const char names[TRACE_ACTIONS][3] = {
		"",  "Q", "M", "F", "G", "S", "R", "D", "C", "P", "U", "UT",
		"I", "X", "B", "A", "",  "",  "",  "",  "",  "",  "m",
	};

	return action < TRACE_ACTIONS ? names[action] : "";
}

char *
trace_rwbs(const struct trace_event *ev, char buf[TRACE_RWBS_MAX])
{
	uint32_t cat = ev->category;
	char *p = buf;

	if (cat & TRACE_FLUSH)
		*p++ = 'F';
	if (cat & TRACE_DISCARD)
		*p++ = 'D';
	else if (cat & TRACE_WRITE)
		*p++ = 'W';
	else
		*p++ = ev->bytes ? 'R' : 'N';
	if (cat & TRACE_FUA)
		*p++ = 'F';
	if (cat & TRACE_AHEAD)
		*p++ = 'A';
	if (cat & TRACE_SYNC)
		*p++ = 'S';
	if (cat & TRACE_META)
		*p++ = 'M';
	*p = '\0';
	return buf;
}
