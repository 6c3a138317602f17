/* SPDX-License-Identifier: MIT */
/*
 * SYSTOR'17: seconds since 1970, response in seconds, R or W, logical unit,
 * offset and size in bytes, with a line of names first.
 *
 * 	1456095145.133076000,0.000806000,R,0,899056122368,131072
 *
 * Unit N is device 0,N.  An empty response was not seen; where the kind is
 * empty too the line is passed over.  The layout: the README of SNIA IOTTA
 * 4964.
 */
#include "traces/line.h"

static enum line_kind
parse_systor(struct cursor *c, struct line_state *s, struct line_record *rec)
{
	uint64_t lun, offset, bytes;

	if (c->p == c->end || line_begins(c, "Timestamp,Response"))
		return LINE_OTHER;
	if (!line_time(c, s->unit_ns, &rec->ev.time_ns) ||
	    !line_separator(c, ','))
		return LINE_BAD;
	if (*c->p != ',' && !line_time(c, s->unit_ns, &rec->complete_ns))
		return LINE_BAD;
	if (!line_separator(c, ','))
		return LINE_BAD;
	if (*c->p == ',')
		return LINE_OTHER;
	if (!line_op(c, &rec->ev.category) || !line_separator(c, ',') ||
	    !want_number(c, 0xfffff, &lun, "a unit") ||
	    !line_separator(c, ',') ||
	    !want_number(c, UINT64_MAX, &offset, "an offset in bytes") ||
	    !line_separator(c, ',') ||
	    !want_number(c, UINT64_MAX, &bytes, "a size in bytes") ||
	    !line_set_unit(c, rec, lun) ||
	    !line_set_bytes(c, rec, offset, bytes) || !line_finish(c))
		return LINE_BAD;
	return LINE_EVENT;
}

static const struct line_format systor_lines = {
	.what = "a SYSTOR'17 line",
	.unit_ns = NSEC_PER_SEC,
	.loose = true,
	.wall = true,
	.parse = parse_systor,
};

static int
systor_sniff(const struct trace_sniff *s)
{
	return lines_sniff(s, &systor_lines, 70);
}

static int
systor_open(struct trace_reader *reader, struct err *e)
{
	return lines_open(reader, &systor_lines, e);
}

const struct trace_format trace_systor = {
	.name = "systor17",
	.help = "SYSTOR'17: Timestamp,Response,IOType,LUN,Offset,Size",
	.sniff = systor_sniff,
	.open = systor_open,
	.next = lines_next,
	.close = lines_close,
};
