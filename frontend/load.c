/* SPDX-License-Identifier: MIT */
#include "frontend/load.h"

#include "frontend/load_trace.h"

#include "sim/core/hash.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The trace's own name, without folder and ".blktrace.N". */
static void
title_of_trace(char *title, size_t size, const struct cli_list *words)
{
	const char *path = words->text[0];
	const char *slash = strrchr(path, '/');
	char *end;

	if (slash && slash[1])
		path = slash + 1;
	snprintf(title, size, "%s%s",
		 strcmp(path, "-") == 0 ? "standard input" : path,
		 words->count > 1 ? " ..." : "");
	end = strstr(title, ".blktrace.");
	if (end && words->count == 1)
		*end = '\0';
}

/* A positive decimal number as thousandths: 2, 0.5, 1.25. */
static int
parse_speed(const char *text, uint64_t *milli, struct err *e)
{
	uint64_t unit = 1000;
	const char *p = text;

	*milli = 0;
	for (; *p >= '0' && *p <= '9' && *milli < 1000000000; p++)
		*milli = *milli * 10 + (uint64_t)(*p - '0') * 1000;
	if (p != text && *p == '.')
		for (p++; *p >= '0' && *p <= '9' && unit > 1; p++) {
			unit /= 10;
			*milli += (uint64_t)(*p - '0') * unit;
		}
	if (p == text || *p || !*milli || *milli > 1000000000)
		return err_set(e, ERR_CONFIG,
			       "--speed %s: must be 0.001 to 1000000, such as "
			       "2 or 0.5",
			       text);
	return 0;
}

int
load_init(struct load *load, const struct cli_line *line, struct err *e)
{
	const struct run_args *args = line->args;
	int err = 0;

	memset(load, 0, sizeof(*load));
	load->speed_milli = 1000;
	load->hash = HASH_INITIAL;
	if (args->workload && line->words.count)
		return err_set(e, ERR_CONFIG,
			       "%s: a trace and --workload exclude each other",
			       line->words.text[0]);
	if (args->workload && args->compare)
		return err_set(e, ERR_CONFIG,
			       "--compare needs a trace that has completions");
	if (!args->workload && !line->words.count)
		return err_set(e, ERR_CONFIG,
			       "%s needs a trace (or --workload); see ncqsim "
			       "%s --help",
			       line->command, line->command);
	if (args->speed)
		err = parse_speed(args->speed, &load->speed_milli, e);
	if (err)
		return err;
	if (!args->workload) {
		title_of_trace(load->title, sizeof(load->title), &line->words);
		return 0;
	}
	snprintf(load->title, sizeof(load->title), "%s", args->workload);
	return workload_parse(args->workload, &load->workload, e);
}

bool
load_has_times(const struct load *load)
{
	return !load->workload.count || load->workload.rate_iops;
}

uint64_t
load_hash(uint64_t hash, const struct io_record *rec)
{
	return hash_add(hash, rec->time_ns, rec->lba,
			rec->sectors ^ (uint32_t)rec->op << 30 ^
				(uint32_t)rec->flags << 22 ^ rec->pid);
}

static int
load_next(struct io_source *src, struct io_record *rec, struct err *e)
{
	struct load *load = container_of(src, struct load, source);
	int more = load->inner->next(load->inner, rec, e);

	if (more <= 0)
		return more;
	if (load->speed_milli != 1000)
		rec->time_ns = (nsec_t)((int128_t)rec->time_ns * 1000 /
					(int128_t)load->speed_milli);
	if (load->speed_milli != 1000 && rec->think_ns > 0)
		rec->think_ns = (nsec_t)((int128_t)rec->think_ns * 1000 /
					 (int128_t)load->speed_milli);
	load->records++;
	load->hash = load_hash(load->hash, rec);
	return 1;
}

int
load_open(struct load *load, const struct cli_line *line,
	  sector_t drive_sectors, struct err *e)
{
	const struct run_args *args = line->args;

	load->source.next = load_next;
	if (args->workload)
		return workload_open(&load->workload, drive_sectors,
				     &load->inner, e);
	return load_trace_open(line, &load->trace, &load->inner, e);
}

void
load_share(struct load *load, const struct records *records)
{
	load->source.next = load_next;
	records_cursor_init(&load->shared, records);
	load->inner = &load->shared.source;
}

/* Whose names and damage these are. */
static const struct load_trace *
trace_of(const struct load *load)
{
	return load->shared.records ? load->shared.records->trace : load->trace;
}

void
load_close(struct load *load)
{
	if (load->trace)
		load_trace_close(load->trace);
	else if (load->inner)
		load->inner->close(load->inner);
	load->inner = NULL;
	load->trace = NULL;
	load->shared.records = NULL;
}

uint32_t
load_ppm(const struct load *load)
{
	if (load->trace)
		return load_trace_ppm(load->trace);
	if (!load->workload.count)
		return 0;
	return (uint32_t)((uint128_t)load->records * 1000000 /
			  load->workload.count);
}

bool
load_reads(const struct load *load, const char *path)
{
	return load->trace && load_trace_reads(load->trace, path);
}

uint32_t
load_device(const struct load *load)
{
	uint32_t device = UINT32_MAX;

	if (load->trace)
		device = load_trace_device(load->trace);
	return device == UINT32_MAX ? UINT32_C(8) << 20 : device;
}

const char *
load_process_name(void *ctx, uint32_t pid)
{
	const struct load *load = ctx;

	return trace_of(load) ? load_trace_process_name(trace_of(load), pid)
			      : NULL;
}

uint64_t
load_damaged(const struct load *load)
{
	return trace_of(load) ? load_trace_damaged(trace_of(load)) : 0;
}

void
load_print_warnings(const struct load *load)
{
	if (load->trace)
		load_trace_print_warnings(load->trace);
}

const struct hist *
load_recorded_q2c(const struct load *load)
{
	assert(load->trace);
	return load_trace_q2c(load->trace);
}

const struct hist *
load_recorded_d2c(const struct load *load)
{
	assert(load->trace);
	return load_trace_d2c(load->trace);
}
