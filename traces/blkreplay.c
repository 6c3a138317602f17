/* SPDX-License-Identifier: MIT */
/*
 * blkreplay loads: seconds, first sector, sectors, R or W, delay and duration
 * of an earlier replay in seconds, after a text and a line of names.
 *
 * 	0.449518165 ;     37766917 ;   14 ; W ; 0.0 ; 0.0
 *
 * The direction may have the kernel's flags.  A duration other than 0 was
 * measured and makes a C.
 */
#include "traces/line.h"

static enum line_kind
parse_blkreplay(struct cursor *c, struct line_state *s, struct line_record *rec)
{
	nsec_t delay_ns, duration_ns;
	uint64_t sector, sectors;

	line_skip_white(c);
	/* The text before the first I/O; some files have it twice. */
	if (!s->column[0] && !is_digit(*c->p))
		return LINE_OTHER;
	if (c->p == c->end)
		return LINE_OTHER;
	if (!line_time(c, s->unit_ns, &rec->ev.time_ns) ||
	    !line_separator(c, ';') ||
	    !want_number(c, UINT64_MAX, &sector, "a sector") ||
	    !line_separator(c, ';') ||
	    !want_number(c, UINT64_MAX, &sectors, "a number of sectors") ||
	    !line_separator(c, ';') || !line_rwbs(c, ';', &rec->ev.category) ||
	    !line_separator(c, ';') || !line_time(c, s->unit_ns, &delay_ns) ||
	    !line_separator(c, ';') ||
	    !line_time(c, s->unit_ns, &duration_ns) ||
	    !line_set_sectors(c, rec, sector, sectors) || !line_finish(c))
		return LINE_BAD;
	s->column[0] = 1;
	if (duration_ns > 0)
		rec->complete_ns = delay_ns + duration_ns;
	return LINE_EVENT;
}

static const struct line_format blkreplay_lines = {
	.what = "a blkreplay line",
	.unit_ns = NSEC_PER_SEC,
	.loose = true,
	.parse = parse_blkreplay,
};

static int
blkreplay_sniff(const struct trace_sniff *s)
{
	return lines_sniff(s, &blkreplay_lines, 70);
}

static int
blkreplay_open(struct trace_reader *reader, struct err *e)
{
	return lines_open(reader, &blkreplay_lines, e);
}

const struct trace_format trace_blkreplay = {
	.name = "blkreplay",
	.help = "blkreplay: seconds ; sector ; sectors ; R|W ; delay ; "
		"duration",
	.sniff = blkreplay_sniff,
	.open = blkreplay_open,
	.next = lines_next,
	.close = lines_close,
};
