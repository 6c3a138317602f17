/* SPDX-License-Identifier: MIT */
#include "traces/encode.h"

#include "traces/blktrace_record.h"
#include "traces/comm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A dump's times begin at zero; a raw trace's clock never does. */
#define CLOCK_START_NS UINT64_C(1000000000)

#define COMM_BYTES  16u
#define LINE_MAX    1024
#define DEVICES_MAX 256

struct trace_encoder {
	const struct encoder_format *format;
	const struct trace_reader *reader;
	uint8_t action; /* what an I/O a line is made of */
	bool started;
	uint64_t count;
	struct comm_map names;         /* already written */
	uint32_t devices[DEVICES_MAX]; /* in order of appearance */
	uint32_t device_count;
	char *data;
	size_t size, capacity;
};

struct encoder_format {
	const char *name;
	int (*encode)(struct trace_encoder *enc, const struct trace_event *ev,
		      struct err *e);
	uint8_t version; /* of binary records */
};

/* Append @size bytes, of @data unless it is NULL; their place, or NULL. */
static char *
put_bytes(struct trace_encoder *enc, const void *data, size_t size)
{
	char *to;

	if (enc->size + size > enc->capacity) {
		size_t capacity = 2 * (enc->size + size) + LINE_MAX;
		char *bigger = realloc(enc->data, capacity);

		if (!bigger)
			return NULL;
		enc->data = bigger;
		enc->capacity = capacity;
	}
	to = enc->data + enc->size;
	if (data)
		memcpy(to, data, size);
	enc->size += size;
	return to;
}

static int put_text(struct trace_encoder *enc, struct err *e, const char *fmt,
		    ...) __attribute__((format(printf, 3, 4)));

static int
put_text(struct trace_encoder *enc, struct err *e, const char *fmt, ...)
{
	char line[LINE_MAX];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof(line))
		n = sizeof(line) - 1;
	return put_bytes(enc, line, (size_t)n) ? 0 : err_nomem(e);
}

static const char *
name_of(const struct trace_encoder *enc, uint32_t pid)
{
	const char *name = trace_process_name(enc->reader, pid);

	return name ? name : "(null)";
}

/* The number of a device in the order of appearance. */
static uint32_t
device_index(struct trace_encoder *enc, uint32_t device, bool *is_new)
{
	uint32_t i;

	for (i = 0; i < enc->device_count; i++)
		if (enc->devices[i] == device)
			break;
	*is_new = i == enc->device_count;
	if (*is_new && enc->device_count < DEVICES_MAX)
		enc->devices[enc->device_count++] = device;
	return i;
}

static inline bool
is_note(const struct trace_event *ev)
{
	return ev->action == TRACE_PROCESS || ev->action == TRACE_TIMESTAMP;
}

/* --- Binary ----------------------------------------------------------- */

struct raw {
	uint64_t time_ns, sector, action;
	uint32_t sequence, bytes, pid, device, cpu;
	uint16_t error, payload_bytes;
	const void *payload;
};

static int
put_record(struct trace_encoder *enc, const struct raw *raw, struct err *e)
{
	bool v8 = enc->format->version == 8;
	uint32_t magic = BLK_MAGIC | enc->format->version;
	uint32_t action32 = (uint32_t)raw->action;
	size_t header = v8 ? BLK_V8_BYTES : BLK_V7_BYTES;
	char *p = put_bytes(enc, NULL, header);

	if (!p)
		return err_nomem(e);
	memset(p, 0, header);
	memcpy(p, &magic, 4);
	memcpy(p + 4, &raw->sequence, 4);
	memcpy(p + 8, &raw->time_ns, 8);
	memcpy(p + 16, &raw->sector, 8);
	memcpy(p + 24, &raw->bytes, 4);
	if (v8) {
		memcpy(p + 28, &raw->pid, 4);
		memcpy(p + 32, &raw->action, 8);
	} else {
		memcpy(p + 28, &action32, 4);
		memcpy(p + 32, &raw->pid, 4);
	}
	memcpy(p + (v8 ? 40 : 36), &raw->device, 4);
	memcpy(p + (v8 ? 44 : 40), &raw->cpu, 4);
	memcpy(p + (v8 ? 48 : 44), &raw->error, 2);
	memcpy(p + (v8 ? 50 : 46), &raw->payload_bytes, 2);
	enc->count++;
	if (raw->payload_bytes &&
	    !put_bytes(enc, raw->payload, raw->payload_bytes))
		return err_nomem(e);
	return 0;
}

static int
put_clock(struct trace_encoder *enc, const struct trace_event *ev,
	  struct err *e)
{
	int64_t wall_ns = trace_get_stats(enc->reader)->wall_ns;
	uint32_t words[2] = { (uint32_t)(wall_ns / NSEC_PER_SEC),
			      (uint32_t)(wall_ns % NSEC_PER_SEC) };
	struct raw raw = { .time_ns = CLOCK_START_NS,
			   .action = TRACE_NOTIFY << 16 | BLK_NOTE_TIME,
			   .cpu = ev->cpu,
			   .payload = words,
			   .payload_bytes = sizeof(words) };

	return wall_ns > 0 ? put_record(enc, &raw, e) : 0;
}

/* The name of the event's process, once. */
static int
put_name(struct trace_encoder *enc, const struct trace_event *ev, struct err *e)
{
	const char *name = trace_process_name(enc->reader, ev->pid);
	char comm[COMM_BYTES] = "";
	struct raw raw = {
		.time_ns = CLOCK_START_NS + (uint64_t)ev->time_ns,
		.action = TRACE_NOTIFY << 16 | BLK_NOTE_PROCESS,
		.pid = ev->pid,
		.cpu = ev->cpu,
		.payload = comm,
		.payload_bytes = sizeof(comm),
	};
	size_t n = name ? strlen(name) : 0;

	if (n == 0 || comm_find(&enc->names, ev->pid))
		return 0;
	memcpy(comm, name, n < COMM_BYTES ? n : COMM_BYTES - 1);
	if (comm_add(&enc->names, ev->pid, name, n, e))
		return ERR_INTERNAL;
	return put_record(enc, &raw, e);
}

static void
put_be(uint8_t *p, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		p[i] = (uint8_t)(v >> (8 * (bytes - 1 - i)));
}

/* The device that a remap goes to: the payload knows better. */
static uint32_t
remap_target(const struct trace_event *ev)
{
	if (ev->payload_bytes < 16)
		return ev->device;
	return blk_get_be32((const uint8_t *)ev->payload + 4);
}

/* The numbers that are in the payload, big-endian on every machine. */
static void
set_payload(struct raw *raw, const struct trace_event *ev, uint8_t buf[16])
{
	raw->payload = buf;
	switch (ev->action) {
	case TRACE_REMAP:
		put_be(buf, ev->arg_device, 4);
		put_be(buf + 4, remap_target(ev), 4);
		put_be(buf + 8, ev->arg, 8);
		raw->payload_bytes = 16;
		return;
	case TRACE_SPLIT:
	case TRACE_UNPLUG:
	case TRACE_UNPLUG_TIMER:
		put_be(buf, ev->arg, 8);
		raw->payload_bytes = 8;
		return;
	default:
		raw->payload = ev->payload;
		raw->payload_bytes = ev->payload_bytes;
	}
}

static int
encode_blktrace(struct trace_encoder *enc, const struct trace_event *ev,
		struct err *e)
{
	struct raw raw = {
		.time_ns = CLOCK_START_NS + (uint64_t)ev->time_ns,
		.sector = ev->sector,
		.action = (uint64_t)ev->category << 16 | ev->action,
		.sequence = ev->sequence,
		.bytes = ev->bytes,
		.pid = ev->pid,
		.device = ev->device,
		.cpu = ev->cpu,
		.error = (uint16_t)ev->error,
	};
	uint8_t buf[16];
	int r = 0;

	if (is_note(ev))
		return 0;
	if (!enc->started)
		r = put_clock(enc, ev, e);
	enc->started = true;
	if (!r)
		r = put_name(enc, ev, e);
	if (r)
		return r;
	if (ev->action == TRACE_MESSAGE)
		raw.action = TRACE_NOTIFY << 16 | BLK_NOTE_MESSAGE;
	set_payload(&raw, ev, buf);
	return put_record(enc, &raw, e);
}

/* --- blkparse's text --------------------------------------------------- */

/* " (12 00 ..)" of a passthrough command; trailing zeroes are dots. */
static int
put_command(struct trace_encoder *enc, const struct trace_event *ev,
	    struct err *e)
{
	size_t n = ev->payload_bytes, last = n;
	int r;

	if (n == 0)
		return 0;
	while (last > 0 && ev->payload[last - 1] == 0)
		last--;
	r = put_text(enc, e, "(");
	for (size_t i = 0; !r && i < n; i++) {
		r = put_text(enc, e, "%s%02x", i ? " " : "",
			     (uint8_t)ev->payload[i]);
		/* One zero of those at the end stands for all. */
		if (!r && i >= last && i + 1 < n) {
			r = put_text(enc, e, " ..");
			break;
		}
	}
	return r ? r : put_text(enc, e, ") ");
}

static int
put_completion(struct trace_encoder *enc, const struct trace_event *ev,
	       struct err *e)
{
	unsigned error = (uint16_t)ev->error;
	int r;

	if (ev->category & TRACE_PC) {
		r = put_command(enc, ev, e);
		return r ? r : put_text(enc, e, "[%u]\n", error);
	}
	if (ev->bytes >> 9)
		return put_text(enc, e, "%llu + %u [%u]\n",
				(unsigned long long)ev->sector, ev->bytes >> 9,
				error);
	return put_text(enc, e, "%llu [%u]\n", (unsigned long long)ev->sector,
			error);
}

static int
put_plain(struct trace_encoder *enc, const struct trace_event *ev,
	  struct err *e)
{
	const char *name = name_of(enc, ev->pid);
	int r;

	if (ev->category & TRACE_PC) {
		r = put_text(enc, e, "%u ", ev->bytes);
		if (!r)
			r = put_command(enc, ev, e);
		return r ? r : put_text(enc, e, "[%s]\n", name);
	}
	if (ev->bytes >> 9)
		return put_text(enc, e, "%llu + %u [%s]\n",
				(unsigned long long)ev->sector, ev->bytes >> 9,
				name);
	return put_text(enc, e, "[%s]\n", name);
}

static int
put_tail(struct trace_encoder *enc, const struct trace_event *ev, struct err *e)
{
	const char *name = name_of(enc, ev->pid);
	unsigned long long sector = ev->sector, arg = ev->arg;

	switch (ev->action) {
	case TRACE_COMPLETE:
	case TRACE_REQUEUE:
		return put_completion(enc, ev, e);
	case TRACE_REMAP:
		return put_text(enc, e, "%llu + %u <- (%u,%u) %llu\n", sector,
				ev->bytes >> 9, ev->arg_device >> 20,
				ev->arg_device & 0xfffff, arg);
	case TRACE_SPLIT:
		return put_text(enc, e, "%llu / %llu [%s]\n", sector, arg,
				name);
	case TRACE_PLUG:
		return put_text(enc, e, "[%s]\n", name);
	case TRACE_UNPLUG:
	case TRACE_UNPLUG_TIMER:
		return put_text(enc, e, "[%s] %llu\n", name, arg);
	case TRACE_MESSAGE:
		return put_text(enc, e, "%.*s\n", ev->payload_bytes,
				ev->payload ? ev->payload : "");
	default:
		return put_plain(enc, ev, e);
	}
}

static int
encode_blkparse(struct trace_encoder *enc, const struct trace_event *ev,
		struct err *e)
{
	const char *action = trace_action_name(ev->action);
	uint32_t device = ev->device;
	char rwbs[TRACE_RWBS_MAX];
	int r;

	if (is_note(ev) || !*action)
		return 0;
	if (ev->action == TRACE_REMAP)
		device = remap_target(ev);
	enc->count++;
	r = put_text(enc, e, "%3u,%-3u %2u %8u %5lld.%09lld %5u %2s %3s ",
		     device >> 20, device & 0xfffff, ev->cpu, ev->sequence,
		     (long long)(ev->time_ns / NSEC_PER_SEC),
		     (long long)(ev->time_ns % NSEC_PER_SEC), ev->pid, action,
		     trace_rwbs(ev, rwbs));
	return r ? r : put_tail(enc, ev, e);
}

/* --- One I/O a line ---------------------------------------------------- */

/* An I/O that these formats can tell. */
static bool
is_io(const struct trace_encoder *enc, const struct trace_event *ev)
{
	if (ev->action != enc->action ||
	    ev->category & (TRACE_PC | TRACE_ZONE_MASK))
		return false;
	return ev->bytes >> 9 || ev->category & TRACE_FLUSH;
}

static int
encode_iolog(struct trace_encoder *enc, const struct trace_event *ev,
	     struct err *e)
{
	unsigned long long us = (unsigned long long)ev->time_ns / 1000;
	uint32_t major = ev->device >> 20, minor = ev->device & 0xfffff;
	const char *op = "read";
	bool is_new;
	int r = 0;

	if (!is_io(enc, ev))
		return 0;
	if (!enc->started)
		r = put_text(enc, e, "fio version 3 iolog\n");
	enc->started = true;
	device_index(enc, ev->device, &is_new);
	if (!r && is_new)
		r = put_text(enc, e,
			     "%llu /dev/block/%u:%u add\n"
			     "%llu /dev/block/%u:%u open\n",
			     us, major, minor, us, major, minor);
	if (ev->category & TRACE_DISCARD)
		op = "trim";
	else if (!(ev->bytes >> 9))
		op = "sync";
	else if (ev->category & TRACE_WRITE)
		op = "write";
	enc->count++;
	return r ? r
		 : put_text(enc, e, "%llu /dev/block/%u:%u %s %llu %u\n", us,
			    major, minor, op,
			    ev->bytes >> 9 ? (unsigned long long)ev->sector << 9
					   : 0,
			    ev->bytes);
}

static int
encode_disksim(struct trace_encoder *enc, const struct trace_event *ev,
	       struct err *e)
{
	bool is_new;
	uint32_t device;

	if (!is_io(enc, ev) || !(ev->bytes >> 9) ||
	    ev->category & TRACE_DISCARD)
		return 0;
	device = device_index(enc, ev->device, &is_new);
	enc->count++;
	return put_text(enc, e, "%lld.%06lld %u %llu %u %x\n",
			(long long)(ev->time_ns / NSEC_PER_MSEC),
			(long long)(ev->time_ns % NSEC_PER_MSEC), device,
			(unsigned long long)ev->sector, ev->bytes >> 9,
			ev->category & TRACE_WRITE ? 0u : 1u);
}

static int
encode_csv(struct trace_encoder *enc, const struct trace_event *ev,
	   struct err *e)
{
	const char *name = trace_process_name(enc->reader, ev->pid);
	const char *action = trace_action_name(ev->action);
	char rwbs[TRACE_RWBS_MAX];
	char plain[COMM_NAME_MAX];
	int r = 0;

	if (is_note(ev) || ev->action == TRACE_MESSAGE || !*action)
		return 0;
	if (!enc->started)
		r = put_text(enc, e,
			     "time_s,action,rwbs,major,minor,sector,bytes,pid,"
			     "cpu,error,process\n");
	enc->started = true;
	snprintf(plain, sizeof(plain), "%s", name ? name : "");
	for (char *p = plain; *p; p++)
		if (*p == ',' || *p == '"' || (unsigned char)*p < ' ')
			*p = '_';
	enc->count++;
	return r ? r
		 : put_text(enc, e,
			    "%lld.%09lld,%s,%s,%u,%u,%llu,%u,%u,%u,%d,%s\n",
			    (long long)(ev->time_ns / NSEC_PER_SEC),
			    (long long)(ev->time_ns % NSEC_PER_SEC), action,
			    trace_rwbs(ev, rwbs), ev->device >> 20,
			    ev->device & 0xfffff,
			    (unsigned long long)ev->sector, ev->bytes, ev->pid,
			    ev->cpu, (uint16_t)ev->error, plain);
}

static const struct encoder_format formats[] = {
	{ "blktrace", encode_blktrace, 7 }, { "blktrace8", encode_blktrace, 8 },
	{ "blkparse", encode_blkparse, 0 }, { "fio-iolog", encode_iolog, 0 },
	{ "disksim", encode_disksim, 0 },   { "csv", encode_csv, 0 },
};

int
trace_encoder_open(const char *format, const struct trace_reader *reader,
		   struct trace_encoder **encoder, struct err *e)
{
	struct trace_encoder *enc;
	uint32_t i;

	for (i = 0; i < ARRAY_LEN(formats); i++)
		if (strcmp(formats[i].name, format) == 0)
			break;
	if (i == ARRAY_LEN(formats))
		return err_set(e, ERR_CONFIG,
			       "no format to write '%s': blktrace blktrace8 "
			       "blkparse fio-iolog disksim csv",
			       format);
	enc = calloc(1, sizeof(*enc));
	if (!enc)
		return err_nomem(e);
	enc->format = &formats[i];
	enc->reader = reader;
	enc->action = TRACE_QUEUE;
	*encoder = enc;
	return 0;
}

void
trace_encoder_issued(struct trace_encoder *encoder)
{
	encoder->action = TRACE_ISSUE;
}

int
trace_encode(struct trace_encoder *encoder, const struct trace_event *ev,
	     struct encode_bytes *bytes, struct err *e)
{
	int r;

	encoder->size = 0;
	r = encoder->format->encode(encoder, ev, e);
	bytes->data = encoder->data;
	bytes->size = encoder->size;
	return r;
}

uint64_t
trace_encoder_count(const struct trace_encoder *encoder)
{
	return encoder->count;
}

void
trace_encoder_close(struct trace_encoder *encoder)
{
	if (!encoder)
		return;
	comm_free(&encoder->names);
	free(encoder->data);
	free(encoder);
}

const char *
trace_encoder_name(uint32_t i)
{
	return i < ARRAY_LEN(formats) ? formats[i].name : NULL;
}
