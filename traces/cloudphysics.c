/* SPDX-License-Identifier: MIT */
/*
 * CloudPhysics as comma-separated values: version, seconds, SCSI operation code
 * in hexadecimal, length in bytes, first block of 512 bytes.
 *
 * 	1,5633898,2a,512,42932745
 *
 * Other operation codes than reads and writes are passed over.
 */
#include "traces/line.h"

/* SCSI Block Commands: READ and WRITE of 6, 10, 12 and 16 bytes. */
static uint32_t
category_of(uint64_t opcode)
{
	switch (opcode) {
	case 0x08:
	case 0x28:
	case 0xa8:
	case 0x88:
		return TRACE_READ;
	case 0x0a:
	case 0x2a:
	case 0xaa:
	case 0x8a:
		return TRACE_WRITE;
	default:
		return 0;
	}
}

static enum line_kind
parse_cloudphysics(struct cursor *c, struct line_state *s,
		   struct line_record *rec)
{
	uint64_t version, opcode, bytes, block;

	if (c->p == c->end || line_begins(c, "version"))
		return LINE_OTHER;
	if (!want_number(c, 2, &version, "version 1 or 2") ||
	    !line_separator(c, ',') ||
	    !line_time(c, s->unit_ns, &rec->ev.time_ns) ||
	    !line_separator(c, ',') || !line_hex(c, 0xff, &opcode) ||
	    !line_separator(c, ',') ||
	    !want_number(c, UINT64_MAX, &bytes, "a length in bytes") ||
	    !line_separator(c, ',') ||
	    !want_number(c, UINT64_MAX, &block, "a block") ||
	    !line_set_sectors(c, rec, block, (bytes + 511) / 512) ||
	    !line_finish(c))
		return LINE_BAD;
	rec->ev.category = category_of(opcode);
	return rec->ev.category ? LINE_EVENT : LINE_OTHER;
}

static const struct line_format cloudphysics_lines = {
	.what = "a CloudPhysics line",
	.unit_ns = NSEC_PER_SEC,
	.parse = parse_cloudphysics,
};

static int
cloudphysics_sniff(const struct trace_sniff *s)
{
	return lines_sniff(s, &cloudphysics_lines, 50);
}

static int
cloudphysics_open(struct trace_reader *reader, struct err *e)
{
	return lines_open(reader, &cloudphysics_lines, e);
}

const struct trace_format trace_cloudphysics = {
	.name = "cloudphysics",
	.help = "CloudPhysics CSV: version,seconds,opcode,bytes,lba",
	.sniff = cloudphysics_sniff,
	.open = cloudphysics_open,
	.next = lines_next,
	.close = lines_close,
};
