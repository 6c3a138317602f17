/* SPDX-License-Identifier: MIT */
/*
 * MSR Cambridge: Windows file time (100 ns since 1601), host, disk number, Read
 * or Write, offset and size in bytes, response time in 100 ns.
 *
 * 	128166391024154329,prxy,0,Write,1105182720,1024,1514
 *
 * Disk N is device 0,N.  The response time is the host's, so a C is made of it.
 * A line of names may come first.  Lines are in the order of arrival but for a
 * few.  The layout: the README of the collection, SNIA IOTTA 388.
 */
#include "traces/line.h"

/* Days from 1601 to 1970, in 100 ns. */
#define EPOCH_TICKS UINT64_C(116444736000000000)
#define TICKS_MAX   UINT64_C(150000000000000000) /* the year 2076 */

static enum line_kind
parse_msr(struct cursor *c, struct line_state *s, struct line_record *rec)
{
	uint64_t ticks, disk, offset, bytes, response;
	const char *host;
	size_t host_bytes;

	(void)s;
	if (c->p == c->end || line_begins(c, "Timestamp,Hostname"))
		return LINE_OTHER;
	if (!want_number(c, TICKS_MAX, &ticks, "a file time") ||
	    !line_separator(c, ',') || !line_word(c, ',', &host, &host_bytes) ||
	    !line_separator(c, ',') ||
	    !want_number(c, 0xfffff, &disk, "a disk number") ||
	    !line_separator(c, ',') || !line_op(c, &rec->ev.category) ||
	    !line_separator(c, ',') ||
	    !want_number(c, UINT64_MAX, &offset, "an offset in bytes") ||
	    !line_separator(c, ',') ||
	    !want_number(c, UINT64_MAX, &bytes, "a size in bytes") ||
	    !line_separator(c, ',') ||
	    !want_number(c, UINT64_C(1) << 40, &response, "a response time") ||
	    !line_set_unit(c, rec, disk) ||
	    !line_set_bytes(c, rec, offset, bytes) || !line_finish(c))
		return LINE_BAD;
	if (ticks < EPOCH_TICKS) {
		c->p = c->start;
		c->wanted = "a file time after 1970";
		return LINE_BAD;
	}
	rec->ev.time_ns = (nsec_t)(ticks - EPOCH_TICKS) * 100;
	rec->complete_ns = (nsec_t)response * 100;
	return LINE_EVENT;
}

static const struct line_format msr_lines = {
	.what = "an MSR Cambridge line",
	.unit_ns = 100,
	.loose = true,
	.wall = true,
	.parse = parse_msr,
};

static int
msr_sniff(const struct trace_sniff *s)
{
	return lines_sniff(s, &msr_lines, 70);
}

static int
msr_open(struct trace_reader *reader, struct err *e)
{
	return lines_open(reader, &msr_lines, e);
}

const struct trace_format trace_msr = {
	.name = "msr",
	.help = "MSR Cambridge: filetime,host,disk,Read,offset,size,time",
	.sniff = msr_sniff,
	.open = msr_open,
	.next = lines_next,
	.close = lines_close,
};
