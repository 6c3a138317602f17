/* SPDX-License-Identifier: MIT */
/*
 * iosnoop -ts of perf-tools: start and end in seconds, name and number of the
 * process, direction, device, block of 512 bytes, bytes, latency in ms.
 *
 * 	STARTs      ENDs        COMM PID TYPE DEV  BLOCK   BYTES LATms
 * 	5982800.302 5982800.303 dd   2   W    202,1 8388616 4096 0.91
 *
 * Start and end are those of the request, issued at once.  A BLOCK of "+" is
 * what the tool prints when it misreads a newer kernel: such a line has no
 * place.
 */
#include "traces/line.h"

static enum line_kind
parse_iosnoop(struct cursor *c, struct line_state *s, struct line_record *rec)
{
	uint64_t pid, major, minor, block, bytes;
	nsec_t end_ns, latency_ns;

	line_skip_white(c);
	if (c->p == c->end || line_begins(c, "Tracing ") ||
	    line_begins(c, "STARTs") || line_begins(c, "Ending "))
		return LINE_OTHER;
	if (!line_time(c, s->unit_ns, &rec->ev.time_ns) ||
	    !line_time(c, s->unit_ns, &end_ns) ||
	    !line_word(c, ' ', &rec->name, &rec->name_bytes) ||
	    !want_number(c, UINT32_MAX, &pid, "a process number") ||
	    !line_rwbs(c, ' ', &rec->ev.category) ||
	    !want_number(c, 0xfff, &major, "a device as major,minor") ||
	    !want_char(c, ',', "a device as major,minor") ||
	    !want_number(c, 0xfffff, &minor, "a device as major,minor") ||
	    !want_number(c, UINT64_MAX, &block,
			 "a block (iosnoop misreads this kernel's lines)") ||
	    !want_number(c, UINT32_MAX, &bytes, "a size in bytes") ||
	    !line_time(c, NSEC_PER_MSEC, &latency_ns) ||
	    !line_set_sectors(c, rec, block, (bytes + 511) / 512) ||
	    !line_finish(c))
		return LINE_BAD;
	if (end_ns < rec->ev.time_ns) {
		c->p = c->start;
		c->wanted = "an end after the start";
		return LINE_BAD;
	}
	rec->ev.pid = (uint32_t)pid;
	rec->ev.device = (uint32_t)(major << 20 | minor);
	rec->issue_ns = 0;
	rec->complete_ns = end_ns - rec->ev.time_ns;
	return LINE_EVENT;
}

static const struct line_format iosnoop_lines = {
	.what = "an iosnoop -ts line",
	.unit_ns = NSEC_PER_SEC,
	.loose = true,
	.parse = parse_iosnoop,
};

static int
iosnoop_sniff(const struct trace_sniff *s)
{
	return lines_sniff(s, &iosnoop_lines, 60);
}

static int
iosnoop_open(struct trace_reader *reader, struct err *e)
{
	return lines_open(reader, &iosnoop_lines, e);
}

const struct trace_format trace_iosnoop = {
	.name = "iosnoop",
	.help = "iosnoop -ts: STARTs ENDs COMM PID TYPE DEV BLOCK BYTES LATms",
	.sniff = iosnoop_sniff,
	.open = iosnoop_open,
	.next = lines_next,
	.close = lines_close,
};
