/* SPDX-License-Identifier: MIT */
#include "traces/blktrace_write.h"

#include "traces/blktrace_record.h"
#include "traces/comm.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Time 0 in the files' clock.  Not zero, as blktrace's clock never is: that
 * is how a reader knows a dump with relative times.
 */
#define CLOCK_START_NS UINT64_C(1000000000)

#define COMM_BYTES 16u

struct writer_file {
	FILE *out;
	char *path; /* the final name */
	char *temporary;
	uint32_t sequence;
	nsec_t last_ns;
};

struct blktrace_writer {
	struct writer_file *files;
	uint32_t cpus;
	bool failed;
	struct comm_map names; /* already written */
};

static int
output_error(struct blktrace_writer *w, const char *path, struct err *e)
{
	int code = errno;

	w->failed = true;
	return err_set(e, ERR_OUTPUT, "%s: cannot write: %s", path,
		       strerror(code));
}

static void
put_be32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void
put_be64(uint8_t *p, uint64_t v)
{
	put_be32(p, (uint32_t)(v >> 32));
	put_be32(p + 4, (uint32_t)v);
}

/* One record, with @action as the kernel has it and the payload at hand. */
struct raw_record {
	uint64_t time_ns;
	uint64_t sector;
	uint32_t sequence, bytes, action, pid, device, cpu;
	uint16_t error;
	uint16_t payload_bytes;
	const void *payload;
};

static int
put_record(struct blktrace_writer *w, const struct raw_record *rec,
	   struct err *e)
{
	struct writer_file *f = &w->files[rec->cpu];
	uint32_t magic = BLK_MAGIC | 7;
	uint8_t p[BLK_V7_BYTES];

	memcpy(p, &magic, 4);
	memcpy(p + 4, &rec->sequence, 4);
	memcpy(p + 8, &rec->time_ns, 8);
	memcpy(p + 16, &rec->sector, 8);
	memcpy(p + 24, &rec->bytes, 4);
	memcpy(p + 28, &rec->action, 4);
	memcpy(p + 32, &rec->pid, 4);
	memcpy(p + 36, &rec->device, 4);
	memcpy(p + 40, &rec->cpu, 4);
	memcpy(p + 44, &rec->error, 2);
	memcpy(p + 46, &rec->payload_bytes, 2);
	if (fwrite(p, sizeof(p), 1, f->out) != 1 ||
	    (rec->payload_bytes &&
	     fwrite(rec->payload, rec->payload_bytes, 1, f->out) != 1))
		return output_error(w, f->temporary, e);
	return 0;
}

/* The wall clock at time 0, as the first record. */
static int
put_clock(struct blktrace_writer *w, int64_t wall_ns, struct err *e)
{
	uint32_t words[2] = { (uint32_t)(wall_ns / NSEC_PER_SEC),
			      (uint32_t)(wall_ns % NSEC_PER_SEC) };
	struct raw_record rec = {
		.time_ns = CLOCK_START_NS,
		.action = TRACE_NOTIFY << 16 | BLK_NOTE_TIME,
		.payload = words,
		.payload_bytes = sizeof(words),
	};

	return put_record(w, &rec, e);
}

static int
put_name(struct blktrace_writer *w, const struct trace_event *ev,
	 const char *name, size_t bytes, struct err *e)
{
	char comm[COMM_BYTES] = "";
	struct raw_record rec = {
		.time_ns = CLOCK_START_NS + (uint64_t)ev->time_ns,
		.action = TRACE_NOTIFY << 16 | BLK_NOTE_PROCESS,
		.pid = ev->pid,
		.cpu = ev->cpu,
		.payload = comm,
		.payload_bytes = sizeof(comm),
	};

	if (bytes == 0 || comm_find(&w->names, ev->pid))
		return 0;
	memcpy(comm, name, bytes < COMM_BYTES ? bytes : COMM_BYTES - 1);
	if (comm_add(&w->names, ev->pid, name, bytes, e)) {
		w->failed = true;
		return ERR_INTERNAL;
	}
	return put_record(w, &rec, e);
}

static int
open_file(struct blktrace_writer *w, const char *prefix, uint32_t cpu,
	  struct err *e)
{
	struct writer_file *f = &w->files[cpu];

	if (asprintf(&f->path, "%s.blktrace.%u", prefix, cpu) < 0)
		f->path = NULL;
	if (!f->path || asprintf(&f->temporary, "%s.tmp", f->path) < 0)
		f->temporary = NULL;
	if (!f->temporary)
		return err_nomem(e);
	f->out = fopen(f->temporary, "wb");
	if (!f->out)
		return output_error(w, f->temporary, e);
	return 0;
}

/* A file of a CPU that we do not write would be read as part of the trace. */
static int
check_older(const char *prefix, uint32_t cpus, struct err *e)
{
	char *path;
	bool exists;

	if (asprintf(&path, "%s.blktrace.%u", prefix, cpus) < 0)
		return err_nomem(e);
	exists = access(path, F_OK) == 0;
	free(path);
	if (exists)
		return err_set(e, ERR_OUTPUT,
			       "%s.blktrace.%u is of an older trace with more "
			       "CPUs: remove it first",
			       prefix, cpus);
	return 0;
}

int
blktrace_writer_open(const char *prefix, uint32_t cpus, int64_t wall_ns,
		     struct blktrace_writer **writer, struct err *e)
{
	struct blktrace_writer *w;
	int r = check_older(prefix, cpus, e);

	assert(cpus > 0 && cpus <= BLKTRACE_CPUS_MAX && wall_ns >= 0);
	if (r)
		return r;
	w = calloc(1, sizeof(*w));
	if (!w)
		return err_nomem(e);
	w->files = calloc(cpus, sizeof(*w->files));
	w->cpus = w->files ? cpus : 0;
	if (!w->files)
		r = err_nomem(e);
	for (uint32_t i = 0; !r && i < cpus; i++)
		r = open_file(w, prefix, i, e);
	if (!r)
		r = put_clock(w, wall_ns, e);
	if (r) {
		blktrace_writer_close(w, false, NULL);
		return r;
	}
	*writer = w;
	return 0;
}

/* The payload that goes with the numbers of an event. */
static uint16_t
encode_payload(const struct trace_event *ev, uint8_t buf[16],
	       const void **payload)
{
	*payload = buf;
	switch (ev->action) {
	case TRACE_REMAP:
		put_be32(buf, ev->arg_device);
		put_be32(buf + 4, ev->device);
		put_be64(buf + 8, ev->arg);
		return 16;
	case TRACE_SPLIT:
	case TRACE_UNPLUG:
	case TRACE_UNPLUG_TIMER:
		put_be64(buf, ev->arg);
		return 8;
	default:
		*payload = ev->payload;
		return ev->payload_bytes;
	}
}

int
blktrace_writer_event(struct blktrace_writer *writer,
		      const struct trace_event *ev, struct err *e)
{
	struct raw_record rec = {
		.time_ns = CLOCK_START_NS + (uint64_t)ev->time_ns,
		.sector = ev->sector,
		.bytes = ev->bytes,
		.action = ev->category << 16 | ev->action,
		.pid = ev->pid,
		.device = ev->device,
		.cpu = ev->cpu,
		.error = (uint16_t)ev->error,
	};
	struct writer_file *f = &writer->files[ev->cpu];
	uint8_t buf[16];

	assert(ev->cpu < writer->cpus && !writer->failed);
	if (ev->action == TRACE_TIMESTAMP)
		return 0;
	if (ev->action == TRACE_PROCESS)
		return put_name(writer, ev, ev->payload, ev->payload_bytes, e);
	assert(ev->time_ns >= f->last_ns);
	f->last_ns = ev->time_ns;
	if (ev->action == TRACE_MESSAGE)
		rec.action = TRACE_NOTIFY << 16 | BLK_NOTE_MESSAGE;
	else
		rec.sequence = ++f->sequence;
	rec.payload_bytes = encode_payload(ev, buf, &rec.payload);
	return put_record(writer, &rec, e);
}

int
blktrace_writer_process(struct blktrace_writer *writer, uint32_t pid,
			const char *name, struct err *e)
{
	struct trace_event ev = { .pid = pid };

	return put_name(writer, &ev, name, strlen(name), e);
}

/* Finish a file under its temporary name. */
static int
finish_file(struct blktrace_writer *w, struct writer_file *f, struct err *e)
{
	FILE *out = f->out;

	f->out = NULL;
	if (fclose(out) != 0)
		return output_error(w, f->temporary, e);
	return 0;
}

int
blktrace_writer_close(struct blktrace_writer *writer, bool keep, struct err *e)
{
	struct blktrace_writer *w = writer;
	int r = 0;

	keep = keep && !w->failed;
	for (uint32_t i = 0; keep && !r && i < w->cpus; i++)
		r = finish_file(w, &w->files[i], e);
	for (uint32_t i = 0; i < w->cpus; i++) {
		struct writer_file *f = &w->files[i];

		if (f->out)
			fclose(f->out);
		if (keep && !r) {
			if (rename(f->temporary, f->path) != 0)
				r = output_error(w, f->path, e);
		} else if (f->temporary) {
			unlink(f->temporary);
		}
		free(f->temporary);
		free(f->path);
	}
	comm_free(&w->names);
	free(w->files);
	free(w);
	return r;
}
