/* SPDX-License-Identifier: MIT */
/*
 * DiskSim's ASCII trace, and the same five columns as MQSim has them:
 * arrival, device, first block of 512 bytes, blocks, flags.
 *
 *	13.191135 30 0 5 1
 *
 * DiskSim counts ms with decimals and writes the flags in hexadecimal, bit 0
 * set for a read; MQSim counts ns, with 0 for a write and 1 for a read.  What
 * tells them apart is only the decimals, so whole numbers are not recognised:
 * --format or --time-unit has to say.  Device N is device 0,N.
 */
#include "traces/line.h"

#include <string.h>

static enum line_kind
parse_disksim(struct cursor *c, struct line_state *s, struct line_record *rec)
{
	uint64_t device, block, blocks, flags;

	line_skip_white(c);
	if (c->p == c->end || *c->p == '#')
		return LINE_OTHER;
	if (!line_time(c, s->unit_ns, &rec->ev.time_ns) ||
	    !line_separator(c, ' ') ||
	    !want_number(c, 0xfffff, &device, "a device number") ||
	    !line_separator(c, ' ') ||
	    !want_number(c, UINT64_MAX, &block, "a block") ||
	    !line_separator(c, ' ') ||
	    !want_number(c, UINT64_MAX, &blocks, "a number of blocks") ||
	    !line_separator(c, ' ') || !line_hex(c, UINT32_MAX, &flags) ||
	    !line_set_unit(c, rec, device) ||
	    !line_set_sectors(c, rec, block, blocks))
		return LINE_BAD;
	rec->ev.category = flags & 1 ? TRACE_READ : TRACE_WRITE;
	line_skip_white(c);
	if (c->p < c->end && !line_hex(c, UINT64_MAX, &flags)) /* a batch */
		return LINE_BAD;
	return line_finish(c) ? LINE_EVENT : LINE_BAD;
}

static const struct line_format disksim_lines = {
	.what = "a DiskSim line",
	.unit_ns = NSEC_PER_MSEC,
	.ambiguous = true,
	.parse = parse_disksim,
};

static const struct line_format mqsim_lines = {
	.what = "an MQSim line",
	.unit_ns = 1,
	.ambiguous = true,
	.parse = parse_disksim,
};

static int
disksim_sniff(const struct trace_sniff *s)
{
	return lines_sniff(s, &disksim_lines, 50);
}

/* Five columns whose first has no decimals could be either. */
static int
disksim_open(struct trace_reader *reader, struct err *e)
{
	const struct trace_input *in = &reader->inputs[0];
	size_t n = input_ready(in) < 4096 ? input_ready(in) : 4096;

	if (!reader->opt.format && !reader->opt.time_unit_ns &&
	    !memchr(in->buf + in->pos, '.', n))
		return err_set(
			e, ERR_CONFIG,
			"%s: times are whole numbers: of DiskSim (ms) or "
			"of MQSim (ns)? --time-unit ms or ns, or --format "
			"disksim or mqsim",
			in->path);
	return lines_open(reader, &disksim_lines, e);
}

static int
mqsim_sniff(const struct trace_sniff *s)
{
	(void)s;
	return 0;
}

static int
mqsim_open(struct trace_reader *reader, struct err *e)
{
	return lines_open(reader, &mqsim_lines, e);
}

const struct trace_format trace_disksim = {
	.name = "disksim",
	.help = "DiskSim ASCII: ms device block blocks flags",
	.sniff = disksim_sniff,
	.open = disksim_open,
	.next = lines_next,
	.close = lines_close,
};

const struct trace_format trace_mqsim = {
	.name = "mqsim",
	.help = "DiskSim's columns with ns, as MQSim reads them",
	.sniff = mqsim_sniff,
	.open = mqsim_open,
	.next = lines_next,
	.close = lines_close,
};
