/* SPDX-License-Identifier: MIT */
/*
 * biosnoop of bcc and libbpf-tools, columns by the names in its first line:
 *
 * 	TIME(s)     COMM  PID    DISK  T  SECTOR    BYTES  LAT(ms)
 * 	0.000000000 dd    24852  sda   W  26236512  8192   3.00
 *
 * The time is that of the completion; LAT counts from the issue and QUE(ms), of
 * newer versions, is the time before.  libbpf's clock is hh:mm:ss.mmm.
 */
#include "traces/line.h"

#include <stdlib.h>
#include <string.h>

enum { COMM, PID, DISK, KIND, SECTOR, BYTES, QUE, LAT, OTHER, TIME, KINDS };

#define COLUMNS_MAX 14

struct header {
	uint8_t kinds[COLUMNS_MAX];
	uint32_t count;
	bool seen;
};

/* An I/O that began before the trace does not come before its time zero. */
#define TIME_START_NS (3600 * NSEC_PER_SEC)

static enum line_kind
parse_header(struct cursor *c, struct header *h)
{
	static const struct {
		const char *name;
		uint8_t kind;
	} names[] = {
		{ "TIME", TIME },      { "COMM", COMM },
		{ "PID", PID },        { "DISK", DISK },
		{ "T", KIND },         { "SECTOR", SECTOR },
		{ "BYTES", BYTES },    { "QUE(ms)", QUE },
		{ "LAT(ms)", LAT },    { "TIME(s)", TIME },
		{ "TIMESTAMP", TIME },
	};
	const char *word;
	size_t n;

	memset(h, 0, sizeof(*h));
	for (line_skip_white(c); c->p < c->end; line_skip_white(c)) {
		if (h->count == COLUMNS_MAX || !line_word(c, ' ', &word, &n))
			break;
		h->kinds[h->count] = OTHER;
		for (uint32_t i = 0; i < ARRAY_LEN(names); i++)
			if (strlen(names[i].name) == n &&
			    memcmp(names[i].name, word, n) == 0)
				h->kinds[h->count] = names[i].kind;
		h->count++;
	}
	h->seen = memchr(h->kinds, SECTOR, h->count) &&
		  memchr(h->kinds, LAT, h->count);
	c->wanted = "a header with SECTOR and LAT(ms)";
	return h->seen ? LINE_OTHER : LINE_BAD;
}

/* Seconds with decimals, or hours:minutes:seconds. */
static bool
parse_clock(struct cursor *c, nsec_t *time_ns)
{
	nsec_t part_ns;

	if (!line_time(c, NSEC_PER_SEC, time_ns))
		return false;
	while (*c->p == ':') {
		c->p++;
		if (*time_ns > INT64_C(1000000) * NSEC_PER_SEC ||
		    !line_time(c, NSEC_PER_SEC, &part_ns))
			return false;
		*time_ns = *time_ns * 60 + part_ns;
	}
	return true;
}

struct fields {
	uint64_t pid, sector, bytes;
	nsec_t time_ns, que_ns, lat_ns;
};

static bool
parse_field(struct cursor *c, struct line_state *s, uint8_t kind,
	    struct line_record *rec, struct fields *f)
{
	const char *word;
	size_t n;

	line_skip_white(c);
	switch (kind) {
	case TIME:
		return parse_clock(c, &f->time_ns);
	case COMM:
		return line_word(c, ' ', &rec->name, &rec->name_bytes);
	case PID:
		return want_number(c, UINT32_MAX, &f->pid, "a process number");
	case DISK:
		c->wanted = "a disk name";
		return line_word(c, ' ', &word, &n) &&
		       line_disk(s, word, n, &rec->ev.device);
	case KIND:
		return line_rwbs(c, ' ', &rec->ev.category);
	case SECTOR:
		return want_number(c, UINT64_MAX, &f->sector, "a sector");
	case BYTES:
		return want_number(c, UINT32_MAX, &f->bytes, "a size");
	case QUE:
		return line_time(c, NSEC_PER_MSEC, &f->que_ns);
	case LAT:
		return line_time(c, NSEC_PER_MSEC, &f->lat_ns);
	default:
		return line_word(c, ' ', &word, &n);
	}
}

static enum line_kind
parse_biosnoop(struct cursor *c, struct line_state *s, struct line_record *rec)
{
	struct fields f = { .que_ns = 0 };
	struct header *h;

	if (!s->own && !(s->own = calloc(1, sizeof(*h))))
		return LINE_BAD;
	h = s->own;
	line_skip_white(c);
	if (c->p == c->end)
		return LINE_OTHER;
	if (!h->seen || line_begins(c, "TIME"))
		return parse_header(c, h);
	for (uint32_t i = 0; i < h->count; i++)
		if (!parse_field(c, s, h->kinds[i], rec, &f))
			return LINE_BAD;
	if (!line_set_sectors(c, rec, f.sector, (f.bytes + 511) / 512) ||
	    !line_finish(c))
		return LINE_BAD;
	if (f.que_ns + f.lat_ns > TIME_START_NS) {
		c->wanted = "a latency below an hour";
		return LINE_BAD;
	}
	if (rec->name_bytes == 1 && *rec->name == '?')
		rec->name_bytes = 0;
	rec->ev.pid = (uint32_t)f.pid;
	rec->ev.time_ns = f.time_ns + TIME_START_NS - f.lat_ns - f.que_ns;
	rec->issue_ns = f.que_ns;
	rec->complete_ns = f.que_ns + f.lat_ns;
	return LINE_EVENT;
}

static const struct line_format biosnoop_lines = {
	.what = "a biosnoop line",
	.unit_ns = NSEC_PER_SEC,
	.loose = true,
	.parse = parse_biosnoop,
};

static int
biosnoop_sniff(const struct trace_sniff *s)
{
	return lines_sniff(s, &biosnoop_lines, 80);
}

static int
biosnoop_open(struct trace_reader *reader, struct err *e)
{
	return lines_open(reader, &biosnoop_lines, e);
}

const struct trace_format trace_biosnoop = {
	.name = "biosnoop",
	.help = "biosnoop of bcc: TIME COMM PID DISK T SECTOR BYTES LAT",
	.sniff = biosnoop_sniff,
	.open = biosnoop_open,
	.next = lines_next,
	.close = lines_close,
};
