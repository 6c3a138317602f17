/* SPDX-License-Identifier: MIT */
/*
 * Alibaba block traces of 2020: device, R or W, offset and length in bytes,
 * microseconds since 1970.
 *
 * 	0,R,126703644672,4096,1577808000000626
 *
 * Device N is 0,N.  The layout: the README of alibaba/block-traces.
 */
#include "traces/line.h"

static enum line_kind
parse_alibaba(struct cursor *c, struct line_state *s, struct line_record *rec)
{
	uint64_t device, offset, bytes;

	if (c->p == c->end || line_begins(c, "device_id,"))
		return LINE_OTHER;
	if (!want_number(c, 0xfffff, &device, "a device") ||
	    !line_separator(c, ',') || !line_op(c, &rec->ev.category) ||
	    !line_separator(c, ',') ||
	    !want_number(c, UINT64_MAX, &offset, "an offset in bytes") ||
	    !line_separator(c, ',') ||
	    !want_number(c, UINT64_MAX, &bytes, "a size in bytes") ||
	    !line_separator(c, ',') ||
	    !line_time(c, s->unit_ns, &rec->ev.time_ns) ||
	    !line_set_unit(c, rec, device) ||
	    !line_set_bytes(c, rec, offset, bytes) || !line_finish(c))
		return LINE_BAD;
	return LINE_EVENT;
}

static const struct line_format alibaba_lines = {
	.what = "an Alibaba line",
	.unit_ns = NSEC_PER_USEC,
	.loose = true,
	.wall = true,
	.parse = parse_alibaba,
};

static int
alibaba_sniff(const struct trace_sniff *s)
{
	return lines_sniff(s, &alibaba_lines, 60);
}

static int
alibaba_open(struct trace_reader *reader, struct err *e)
{
	return lines_open(reader, &alibaba_lines, e);
}

const struct trace_format trace_alibaba = {
	.name = "alibaba",
	.help = "Alibaba block traces: device,R|W,offset,length,microseconds",
	.sniff = alibaba_sniff,
	.open = alibaba_open,
	.next = lines_next,
	.close = lines_close,
};
