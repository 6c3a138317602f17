/* SPDX-License-Identifier: MIT */
/*
 * Tencent block traces: whole seconds since 1970, first sector, sectors, 0 for
 * a read and 1 for a write, volume.
 *
 * 	1538323200,12910952,128,0,1063
 *
 * Volume N is device 0,N.  All I/Os of a second have the same time.  The
 * layout: the README of SNIA IOTTA 27917.
 */
#include "traces/line.h"

static enum line_kind
parse_tencent(struct cursor *c, struct line_state *s, struct line_record *rec)
{
	uint64_t sector, sectors, write, volume;

	if (c->p == c->end)
		return LINE_OTHER;
	if (!line_time(c, s->unit_ns, &rec->ev.time_ns) ||
	    !line_separator(c, ',') ||
	    !want_number(c, UINT64_MAX, &sector, "a sector") ||
	    !line_separator(c, ',') ||
	    !want_number(c, UINT64_MAX, &sectors, "a number of sectors") ||
	    !line_separator(c, ',') ||
	    !want_number(c, 1, &write, "0 (read) or 1 (write)") ||
	    !line_separator(c, ',') ||
	    !want_number(c, 0xfffff, &volume, "a volume") ||
	    !line_set_unit(c, rec, volume) ||
	    !line_set_sectors(c, rec, sector, sectors) || !line_finish(c))
		return LINE_BAD;
	rec->ev.category = write ? TRACE_WRITE : TRACE_READ;
	return LINE_EVENT;
}

static const struct line_format tencent_lines = {
	.what = "a Tencent line",
	.unit_ns = NSEC_PER_SEC,
	.ambiguous = true,
	.parse = parse_tencent,
};

static int
tencent_sniff(const struct trace_sniff *s)
{
	return lines_sniff(s, &tencent_lines, 40);
}

static int
tencent_open(struct trace_reader *reader, struct err *e)
{
	return lines_open(reader, &tencent_lines, e);
}

const struct trace_format trace_tencent = {
	.name = "tencent",
	.help = "Tencent block traces: seconds,sector,sectors,0|1,volume",
	.sniff = tencent_sniff,
	.open = tencent_open,
	.next = lines_next,
	.close = lines_close,
};
