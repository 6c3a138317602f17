/* SPDX-License-Identifier: MIT */
/*
 * FIU (SRCMap, IODedup): time in ns, process number and name, first block of
 * 512 bytes, blocks, R or W, major, minor, hash of the content.
 *
 * 	0 4892 syslogd 904265560 8 W 6 0 531e779d...
 *
 * The layout: the README of SNIA IOTTA 390 and 391.
 */
#include "traces/line.h"

static enum line_kind
parse_fiu(struct cursor *c, struct line_state *s, struct line_record *rec)
{
	uint64_t pid, block, blocks, major, minor;
	const char *hash;
	size_t hash_bytes;

	if (c->p == c->end)
		return LINE_OTHER;
	if (!line_time(c, s->unit_ns, &rec->ev.time_ns) ||
	    !want_number(c, UINT32_MAX, &pid, "a process number") ||
	    !line_word(c, ' ', &rec->name, &rec->name_bytes) ||
	    !want_number(c, UINT64_MAX, &block, "a block") ||
	    !want_number(c, UINT64_MAX, &blocks, "a number of blocks") ||
	    !line_op(c, &rec->ev.category) ||
	    !want_number(c, 0xfff, &major, "a major number") ||
	    !want_number(c, 0xfffff, &minor, "a minor number") ||
	    !line_word(c, ' ', &hash, &hash_bytes) ||
	    !line_set_sectors(c, rec, block, blocks) || !line_finish(c))
		return LINE_BAD;
	rec->ev.pid = (uint32_t)pid;
	rec->ev.device = (uint32_t)(major << 20 | minor);
	return LINE_EVENT;
}

static const struct line_format fiu_lines = {
	.what = "an FIU line",
	.unit_ns = 1,
	.parse = parse_fiu,
};

static int
fiu_sniff(const struct trace_sniff *s)
{
	return lines_sniff(s, &fiu_lines, 60);
}

static int
fiu_open(struct trace_reader *reader, struct err *e)
{
	return lines_open(reader, &fiu_lines, e);
}

const struct trace_format trace_fiu = {
	.name = "fiu",
	.help = "FIU: ns pid process lba blocks R|W major minor md5",
	.sniff = fiu_sniff,
	.open = fiu_open,
	.next = lines_next,
	.close = lines_close,
};
