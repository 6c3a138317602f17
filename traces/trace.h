/* SPDX-License-Identifier: MIT */
/*
 * Reading a recorded trace: one stream of events, whatever the format.
 *
 *	trace_open -> trace_next, trace_next ... 0 -> trace_close
 *
 * A reader of one format is one file of this folder with an operations table
 * (reader.h), listed in table.c.  The format is recognised by the first
 * bytes, or forced by name.
 *
 * Strict by default: the first damage ends the trace with ERR_INPUT and a
 * message naming file, byte offset (or line), what is wrong and how many
 * records were read before it.  Lenient: what is whole is kept, what is not
 * is counted and summed up in trace_stats.
 */
#ifndef NCQSIM_TRACES_TRACE_H
#define NCQSIM_TRACES_TRACE_H

#include "sim/core/err.h"
#include "sim/core/types.h"

/* What happened; the values below 20 are the kernel's own numbers. */
enum trace_action {
	TRACE_QUEUE = 1,         /* Q: a bio was queued at the device */
	TRACE_BACK_MERGE = 2,    /* M: appended to a request */
	TRACE_FRONT_MERGE = 3,   /* F: put before a request */
	TRACE_GET_RQ = 4,        /* G: a request was allocated for a bio */
	TRACE_SLEEP_RQ = 5,      /* S: waited for a request */
	TRACE_REQUEUE = 6,       /* R: the driver gave the request back */
	TRACE_ISSUE = 7,         /* D: issued to the driver */
	TRACE_COMPLETE = 8,      /* C: @bytes of a request are done */
	TRACE_PLUG = 9,          /* P */
	TRACE_UNPLUG = 10,       /* U: arg = requests flushed */
	TRACE_UNPLUG_TIMER = 11, /* UT: arg = requests flushed */
	TRACE_INSERT = 12,       /* I: inserted in the scheduler */
	TRACE_SPLIT = 13,        /* X: arg = first sector of the second part */
	TRACE_BOUNCE = 14,       /* B */
	TRACE_REMAP = 15, /* A: arg = sector before, arg_device = device */
	TRACE_ABORT = 16,
	TRACE_DRV_DATA = 17,
	TRACE_ZONE_PLUG = 18,
	TRACE_ZONE_UNPLUG = 19,
	TRACE_PROCESS = 20,   /* note: payload = the name of process @pid */
	TRACE_TIMESTAMP = 21, /* note: arg = wall clock, ns since 1970 */
	TRACE_MESSAGE = 22,   /* m: payload = a line of text */
	TRACE_ACTIONS = 23,
};

/* Bits of trace_event.category, the kernel's, shifted down by 16. */
enum trace_category {
	TRACE_READ = 1 << 0,
	TRACE_WRITE = 1 << 1, /* also set on a discard */
	TRACE_FLUSH = 1 << 2, /* flush before the write, or a flush alone */
	TRACE_SYNC = 1 << 3,
	TRACE_FS = 1 << 8,
	TRACE_PC = 1 << 9, /* passthrough: the sector means nothing */
	TRACE_NOTIFY = 1 << 10,
	TRACE_AHEAD = 1 << 11,
	TRACE_META = 1 << 12,
	TRACE_DISCARD = 1 << 13,
	TRACE_FUA = 1 << 15,
	TRACE_ZONE_MASK = 0x3f << 16, /* version 8: append, reset ... close */
	TRACE_WRITE_ZEROES = 1 << 22, /* version 8 */
};

/*
 * One event; 64 bytes.  The payload belongs to the reader and is valid until
 * the next trace_next().
 */
struct trace_event {
	nsec_t time_ns;      /* since the first event of the trace */
	sector_t sector;     /* 512-byte units */
	uint64_t arg;        /* see enum trace_action */
	const char *payload; /* name, message or command block */
	uint32_t bytes; /* 0 is possible; a multiple of 512 unless TRACE_PC */
	uint32_t category; /* enum trace_category */
	uint32_t pid;
	uint32_t device;     /* major << 20 | minor */
	uint32_t arg_device; /* remap: the device before */
	uint32_t sequence;   /* per CPU; 0 where the source has none */
	uint16_t payload_bytes;
	uint16_t cpu;
	int16_t error;  /* 0 or -errno of a completion */
	uint8_t action; /* enum trace_action */
	uint8_t reserved;
};

/* How a trace is opened; all zero is the default. */
struct trace_options {
	const char *format; /* NULL: recognise by content */
	bool lenient;       /* keep what is whole */
	uint32_t window; /* records sorted in an unsorted stream; 0: 256 Ki */
	/*
	 * Which column of a table is what, "time=3:ms,lba=1,size=2:bytes,op=4",
	 * or, with a '%' in it, the format that blkparse -f was given.
	 */
	const char *columns;
	/* Told of each fault that a lenient reader passes.  NULL: nobody is. */
	void (*on_fault)(void *ctx, const char *text);
	void *fault_ctx;
	nsec_t time_unit_ns; /* of DiskSim-like times, to 1 s; 0: the format's
			      */
};

/* Kinds of damage that a lenient reader counts. */
enum trace_damage_kind {
	DAMAGE_TRUNCATED, /* the file ends inside a record */
	DAMAGE_MAGIC,     /* no record where one should start */
	DAMAGE_ZEROES,    /* a run of zero bytes */
	DAMAGE_ORDER,     /* the time goes back */
	DAMAGE_GAP,       /* the time leaps ahead by more than a week */
	DAMAGE_CPU,       /* a record of one CPU in the file of another */
	DAMAGE_VALUE,     /* a field that cannot be: sector, bytes, action */
	DAMAGE_LINE,      /* a text line that is not of the format */
	DAMAGE_KINDS,
};

struct trace_damage {
	uint64_t count;
	uint64_t lost_bytes; /* bytes skipped over */
	char *first;         /* the message of the first one, with its place */
};

struct trace_file_stats {
	const char *path;
	uint64_t records;
	uint64_t damaged;          /* places with damage */
	uint64_t first_bad_offset; /* valid when damaged > 0 */
};

struct trace_device_stats {
	uint32_t device; /* major << 20 | minor */
	uint64_t counts[TRACE_ACTIONS];
	uint64_t flush_queued; /* Q and D with TRACE_FLUSH or TRACE_FUA */
	uint64_t flush_issued;
	sector_t end_sector; /* one past the highest sector seen */
};

/* What has been seen so far; owned by the reader. */
struct trace_stats {
	const char *format;
	uint64_t records; /* every record, notes included */
	uint64_t counts[TRACE_ACTIONS];
	uint64_t base_ns; /* time of the first event in the source's clock */
	int64_t wall_ns;  /* its wall clock since 1970; 0 when unknown */
	nsec_t last_ns;   /* time of the latest event, from the first */
	uint32_t file_count;
	struct trace_file_stats *files;
	uint32_t device_count;
	struct trace_device_stats *devices;
	struct trace_damage damage[DAMAGE_KINDS];
	uint32_t warning_count;
	char **warnings; /* one line each, for the front end to print */
};

struct trace_reader;

/*
 * Open the trace that the @count @paths name: files, directories or blktrace
 * prefixes; "-" is standard input.  Returns 0 and the reader, or a negative
 * code.  @opt may be NULL.
 */
int trace_open(const char *const *paths, uint32_t count,
	       const struct trace_options *opt, struct trace_reader **reader,
	       struct err *e);

/*
 * The next event in time order.  Returns 1 with @ev filled, 0 at the end, or
 * a negative code; after 0 or an error it is not called again.
 */
int
trace_next(struct trace_reader *reader, struct trace_event *ev, struct err *e);

/*
 * How much of the input is consumed, in millionths; 0 when that cannot be
 * known, as of a pipe.
 */
uint32_t trace_progress_ppm(const struct trace_reader *reader);

/* Whether one process waits for each request before the next, by format. */
bool trace_is_waiting(const struct trace_reader *reader);

/* Free the reader and all it owns.  NULL is allowed. */
void trace_close(struct trace_reader *reader);

const struct trace_stats *trace_get_stats(const struct trace_reader *reader);

/*
 * The name of a process, or NULL when the trace has not named it so far.  The
 * first name given to a pid stays.  Valid until trace_close().
 */
const char *trace_process_name(const struct trace_reader *reader, uint32_t pid);

/* The format of index @i with its one-line help, or NULL past the last. */
const char *trace_format_name(uint32_t i);
const char *trace_format_help(uint32_t i);

/* "s", "ms", "us" or "ns" in ns; NULL is 0.  ERR_CONFIG for anything else. */
int trace_parse_unit(const char *text, nsec_t *unit_ns, struct err *e);

/* blkparse's letters: "Q", "UT", "m"; "" for what it does not print. */
const char *trace_action_name(uint8_t action);

#define TRACE_RWBS_MAX 10

/* blkparse's direction and flags, as "FWFSM", into @buf; returns @buf. */
char *trace_rwbs(const struct trace_event *ev, char buf[TRACE_RWBS_MAX]);

#endif
