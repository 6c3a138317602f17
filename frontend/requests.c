/* SPDX-License-Identifier: MIT */
#include "frontend/requests.h"

#include <inttypes.h>
#include <string.h>

#define COLUMNS 26

/* One request's figures, in the order of the names. */
struct line {
	int64_t value[COLUMNS];
};

static const char *const names[COLUMNS] = {
	"number",      "pid",         "lba",          "sectors",
	"bios",        "tag",         "status",       "queued_ns",
	"inserted_ns", "issued_ns",   "completed_ns", "q2d_ns",
	"d2c_ns",      "q2c_ns",      "arrived_ns",   "started_ns",
	"done_ns",     "overhead_ns", "seek_ns",      "switch_ns",
	"rotate_ns",   "transfer_ns", "seek_cyl",     "depth",
	"passed",      "flags",
};

static const char *const ops[] = { "read", "write", "discard", "flush" };

static struct line
line_of(const struct probe_request *r)
{
	const struct probe_access *a = r->access;

	return (struct line){ {
		r->number,
		r->pid,
		(int64_t)r->lba,
		r->sectors,
		r->bios,
		r->tag,
		r->status,
		r->queued_ns,
		r->inserted_ns,
		r->issued_ns,
		r->completed_ns,
		r->issued_ns - r->queued_ns,
		r->completed_ns - r->issued_ns,
		r->completed_ns - r->queued_ns,
		a->arrived_ns,
		a->started_ns,
		a->done_ns,
		a->overhead_ns,
		a->seek_ns,
		a->switch_ns,
		a->rotate_ns,
		a->transfer_ns,
		a->seek_cyl,
		a->depth,
		a->passed,
		r->flags,
	} };
}

static void
write_csv(struct probe *probe, const struct probe_request *ev)
{
	struct requests_file *file =
		container_of(probe, struct requests_file, probe);
	struct line line = line_of(ev);

	fputs(ops[ev->op], file->out.file);
	for (size_t i = 0; i < COLUMNS; i++)
		fprintf(file->out.file, ",%" PRId64, line.value[i]);
	putc('\n', file->out.file);
}

static void
write_json(struct probe *probe, const struct probe_request *ev)
{
	struct requests_file *file =
		container_of(probe, struct requests_file, probe);
	struct line line = line_of(ev);

	fprintf(file->out.file, "{\"op\":\"%s\"", ops[ev->op]);
	for (size_t i = 0; i < COLUMNS; i++)
		fprintf(file->out.file, ",\"%s\":%" PRId64, names[i],
			line.value[i]);
	fputs("}\n", file->out.file);
}

static bool
ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && strcmp(text + n - m, end) == 0;
}

int
requests_open(struct requests_file *file, const char *path, struct err *e)
{
	int err;

	memset(file, 0, sizeof(*file));
	file->is_json = ends_with(path, ".jsonl");
	if (!file->is_json && !ends_with(path, ".csv"))
		return err_set(e, ERR_CONFIG,
			       "--requests %s: the name must end in .csv or "
			       ".jsonl",
			       path);
	err = output_open(&file->out, path, e);
	if (err)
		return err;
	file->probe.request = file->is_json ? write_json : write_csv;
	if (file->is_json)
		return 0;
	fputs("op", file->out.file);
	for (size_t i = 0; i < COLUMNS; i++)
		fprintf(file->out.file, ",%s", names[i]);
	putc('\n', file->out.file);
	return 0;
}
