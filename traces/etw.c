/* SPDX-License-Identifier: MIT */
/*
 * Windows event tracing as xperf dumps it: comma-separated lines between
 * "BeginHeader" and "EndHeader" name the columns of each kind of event, by
 * which the DiskRead and DiskWrite lines that follow are read.
 *
 *	DiskRead, TimeStamp, Process Name ( PID), ThreadID, IrpPtr,
 *	    ByteOffset, IOSize, ElapsedTime, DiskNum, IrpFlags, DiskSvcTime
 *
 * TimeStamp is that of the completion, in us; ElapsedTime counts back to the
 * arrival, DiskSvcTime to the issue.  Offset and size are hexadecimal bytes.
 * The layout: SNIA IOTTA 158, and the xperf documentation.
 */
#include "traces/line.h"

#include <stdlib.h>
#include <string.h>

enum { STAMP, OFFSET, SIZE, ELAPSED, DISK, SERVICE, KINDS };

#define COLUMNS_MAX   30
#define TIME_START_NS (3600 * NSEC_PER_SEC)

struct header {
	uint8_t kinds[COLUMNS_MAX]; /* 1 + enum; 0: not wanted */
	bool seen;
};

static void
parse_header(struct cursor *c, struct header *h)
{
	static const char *const names[KINDS] = {
		"TimeStamp",   "ByteOffset", "IOSize",
		"ElapsedTime", "DiskNum",    "DiskSvcTime",
	};
	const char *word;
	uint32_t found = 0;
	size_t n;

	memset(h, 0, sizeof(*h));
	for (uint32_t i = 0; i < COLUMNS_MAX && c->p < c->end; i++) {
		line_word(c, ',', &word, &n);
		while (n && word[n - 1] == ' ')
			n--;
		for (uint8_t k = 0; k < KINDS; k++) {
			if (strlen(names[k]) != n ||
			    memcmp(names[k], word, n) != 0)
				continue;
			h->kinds[i] = (uint8_t)(k + 1);
			found |= 1u << k;
		}
		if (!line_separator(c, ','))
			break;
	}
	h->seen = (found & 0x17) == 0x17; /* all but the service time */
}

struct fields {
	nsec_t stamp_ns, elapsed_ns, service_ns;
	uint64_t offset, size, disk;
};

static bool
parse_field(struct cursor *c, uint8_t kind, struct fields *f)
{
	const char *word;
	size_t n;

	switch (kind - 1) {
	case STAMP:
		return line_time(c, NSEC_PER_USEC, &f->stamp_ns);
	case OFFSET:
		return line_hex(c, UINT64_MAX, &f->offset);
	case SIZE:
		return line_hex(c, UINT32_MAX, &f->size);
	case ELAPSED:
		return line_time(c, NSEC_PER_USEC, &f->elapsed_ns);
	case SERVICE:
		return line_time(c, NSEC_PER_USEC, &f->service_ns);
	case DISK:
		return want_number(c, 0xfffff, &f->disk, "a disk number");
	default:
		return line_word(c, ',', &word, &n);
	}
}

static enum line_kind
parse_event(struct cursor *c, const struct header *h, struct line_record *rec)
{
	struct fields f = { .service_ns = -1 };

	for (uint32_t i = 0; i < COLUMNS_MAX; i++) {
		if (!parse_field(c, h->kinds[i], &f))
			return LINE_BAD;
		line_skip_white(c);
		if (c->p == c->end)
			break;
		if (!line_separator(c, ','))
			return LINE_BAD;
	}
	if (f.elapsed_ns > TIME_START_NS || f.service_ns > f.elapsed_ns) {
		c->wanted = "a service time in an elapsed time below an hour";
		return LINE_BAD;
	}
	rec->ev.time_ns = f.stamp_ns + TIME_START_NS - f.elapsed_ns;
	rec->complete_ns = f.elapsed_ns;
	if (f.service_ns >= 0)
		rec->issue_ns = f.elapsed_ns - f.service_ns;
	return line_set_unit(c, rec, f.disk) &&
			       line_set_bytes(c, rec, f.offset, f.size)
		       ? LINE_EVENT
		       : LINE_BAD;
}

static enum line_kind
parse_etw(struct cursor *c, struct line_state *s, struct line_record *rec)
{
	struct header *h;
	const char *word;
	size_t n;

	if (!s->own && !(s->own = calloc(2, sizeof(*h))))
		return LINE_BAD;
	h = s->own;
	if (!s->column[0]) {
		s->column[0] = line_begins(c, "BeginHeader");
		c->wanted = "BeginHeader";
		return s->column[0] ? LINE_OTHER : LINE_BAD;
	}
	line_word(c, ',', &word, &n);
	while (n && word[n - 1] == ' ')
		n--;
	if (n == 9 && memcmp(word, "EndHeader", 9) == 0)
		s->column[1] = 1;
	rec->ev.category = TRACE_READ;
	if (n == 9 && memcmp(word, "DiskWrite", 9) == 0) {
		rec->ev.category = TRACE_WRITE;
		h++;
	} else if (n != 8 || memcmp(word, "DiskRead", 8) != 0) {
		return LINE_OTHER;
	}
	c->p = word;
	if (!s->column[1]) {
		parse_header(c, h);
		return LINE_OTHER;
	}
	if (h->seen)
		return parse_event(c, h, rec);
	c->wanted = "a header that names its columns";
	return LINE_BAD;
}

static const struct line_format etw_lines = {
	.what = "a line of an xperf dump",
	.unit_ns = NSEC_PER_USEC,
	.loose = true,
	.parse = parse_etw,
};

static int
etw_sniff(const struct trace_sniff *s)
{
	static const char magic[] = "BeginHeader";
	size_t n = sizeof(magic) - 1;

	return s->length >= n && memcmp(s->bytes, magic, n) == 0 ? 95 : 0;
}

static int
etw_open(struct trace_reader *reader, struct err *e)
{
	return lines_open(reader, &etw_lines, e);
}

const struct trace_format trace_etw = {
	.name = "etw",
	.help = "xperf dumps of Windows event tracing: DiskRead, DiskWrite",
	.sniff = etw_sniff,
	.open = etw_open,
	.next = lines_next,
	.close = lines_close,
};
