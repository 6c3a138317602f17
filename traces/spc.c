/* SPDX-License-Identifier: MIT */
/*
 * SPC, as the UMass repository has it: application unit, first block of 512
 * bytes, size in bytes, r or w, seconds, and optional fields.
 *
 *	0,20941264,8192,W,0.551706
 *
 * Each unit counts its blocks from zero: unit N is device 0,N.  Times go
 * back in published traces.  The layout: Storage Performance Council, "SPC
 * Trace File Format Specification".
 */
#include "traces/line.h"

static enum line_kind
parse_spc(struct cursor *c, struct line_state *s, struct line_record *rec)
{
	uint64_t unit, block, bytes;

	if (c->p == c->end || *c->p == '#')
		return LINE_OTHER;
	if (!want_number(c, 0xfffff, &unit, "a unit") ||
	    !line_separator(c, ',') ||
	    !want_number(c, UINT64_MAX, &block, "a block") ||
	    !line_separator(c, ',') ||
	    !want_number(c, UINT64_MAX, &bytes, "a size in bytes") ||
	    !line_separator(c, ',') || !line_op(c, &rec->ev.category) ||
	    !line_separator(c, ',') ||
	    !line_time(c, s->unit_ns, &rec->ev.time_ns) ||
	    !line_set_unit(c, rec, unit) ||
	    !line_set_sectors(c, rec, block, (bytes + 511) / 512))
		return LINE_BAD;
	line_skip_white(c);
	return *c->p == ',' || line_finish(c) ? LINE_EVENT : LINE_BAD;
}

static const struct line_format spc_lines = {
	.what = "an SPC line",
	.unit_ns = NSEC_PER_SEC,
	.loose = true,
	.parse = parse_spc,
};

static int
spc_sniff(const struct trace_sniff *s)
{
	return lines_sniff(s, &spc_lines, 60);
}

static int
spc_open(struct trace_reader *reader, struct err *e)
{
	return lines_open(reader, &spc_lines, e);
}

const struct trace_format trace_spc = {
	.name = "spc",
	.help = "SPC and UMass: unit,block,bytes,r|w,seconds",
	.sniff = spc_sniff,
	.open = spc_open,
	.next = lines_next,
	.close = lines_close,
};
