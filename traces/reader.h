/* SPDX-License-Identifier: MIT */
/*
 * What a reader of one format implements, and what it may use.
 *
 * To add a format: copy blkparse.c, write the operations, add the table to
 * table.c.  The readers are tried in the order of the table; the highest
 * score wins, the earlier one of equals.
 */
#ifndef NCQSIM_TRACES_READER_H
#define NCQSIM_TRACES_READER_H

#include "traces/input.h"
#include "traces/comm.h"
#include "traces/trace.h"

/* The first bytes of the first file that has any. */
struct trace_sniff {
	const uint8_t *bytes;
	size_t length;
	bool is_member; /* the name says NAME.blktrace.CPU */
};

/* A place in the input. */
struct trace_place {
	uint32_t file;
	uint32_t column; /* from 1; 0 in a binary format */
	uint64_t offset; /* bytes */
	uint64_t line;   /* from 1; 0 in a binary format */
};

struct trace_format {
	const char *name;
	const char *help; /* one line */
	bool many_files;  /* several inputs make one trace */
	bool is_waiting;  /* one process, which waits for each request */

	/* Required.  0: surely not; 100: surely so. */
	int (*sniff)(const struct trace_sniff *s);

	/* Required.  Allocate reader->state; close is called in any case. */
	int (*open)(struct trace_reader *reader, struct err *e);

	/*
	 * Required.  As trace_next, but time_ns is the source's own clock,
	 * and reader->at tells where the event stood, for locate() to refine.
	 */
	int (*next)(struct trace_reader *reader, struct trace_event *ev,
		    struct err *e);

	/* Optional.  Complete @place, a copy of reader->at. */
	void (*locate)(const struct trace_reader *reader,
		       struct trace_place *place);

	/* Required.  Free reader->state, which may be NULL. */
	void (*close)(struct trace_reader *reader);
};

struct trace_reader {
	const struct trace_format *format;
	struct trace_options opt;
	struct trace_stats stats;
	struct comm_map names;
	struct trace_input *inputs;
	uint32_t input_count;
	uint32_t device_capacity;
	uint32_t last_device; /* index in stats.devices */
	bool have_base;
	bool have_wall;
	uint64_t wall_offset_ns; /* wall clock minus source clock, wraps */
	struct trace_place at;
	void *state;
};

/* The formats, NULL at the end. */
extern const struct trace_format *const trace_formats[];
extern const struct trace_format trace_blktrace;
extern const struct trace_format trace_blkparse;
extern const struct trace_format trace_disksim_validate;
extern const struct trace_format trace_ftrace;
extern const struct trace_format trace_blkparse_f;
extern const struct trace_format trace_iolog;
extern const struct trace_format trace_disksim;
extern const struct trace_format trace_mqsim;
extern const struct trace_format trace_spc;
extern const struct trace_format trace_msr;
extern const struct trace_format trace_systor;
extern const struct trace_format trace_alibaba;
extern const struct trace_format trace_tencent;
extern const struct trace_format trace_fiu;
extern const struct trace_format trace_cloudphysics;
extern const struct trace_format trace_vscsi;
extern const struct trace_format trace_btrecord;
extern const struct trace_format trace_srt;
extern const struct trace_format trace_biosnoop;
extern const struct trace_format trace_iosnoop;
extern const struct trace_format trace_blkreplay;
extern const struct trace_format trace_etw;
extern const struct trace_format trace_columns;

/* Damage of @kind at @place. */
struct trace_fault {
	struct trace_place place;
	enum trace_damage_kind kind;
	uint64_t lost_bytes;
};

/*
 * Report damage.  Strict: fill @e and return ERR_INPUT.  Lenient: count it and
 * return 0.  The text says what is wrong; place and records are added.
 */
int reader_fault(struct trace_reader *reader, const struct trace_fault *fault,
		 struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* As reader_fault, for what even a lenient reader cannot pass. */
int reader_fail(struct trace_reader *reader, const struct trace_place *place,
		struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Keep a line for the front end to print. */
int reader_warn(struct trace_reader *reader, struct err *e, const char *fmt,
		...) __attribute__((format(printf, 3, 4)));

/*
 * Open the files that @paths name into reader->inputs: blktrace prefixes and
 * directories are expanded, a single NAME.blktrace.CPU to its whole set.
 */
int trace_find_inputs(struct trace_reader *reader, const char *const *paths,
		      uint32_t count, struct err *e);

/* The CPU of a file called NAME.blktrace.CPU, or -1. */
int trace_member_cpu(const char *path);

#endif
