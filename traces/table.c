/* SPDX-License-Identifier: MIT */
/* The trace formats, in the order in which they are tried. */
#include "traces/reader.h"

const struct trace_format *const trace_formats[] = {
	&trace_blktrace,
	&trace_blkparse,
	&trace_disksim_validate,
	NULL,
};

const char *
trace_format_name(uint32_t i)
{
	return i + 1 < ARRAY_LEN(trace_formats) ? trace_formats[i]->name : NULL;
}

const char *
trace_format_help(uint32_t i)
{
	return i + 1 < ARRAY_LEN(trace_formats) ? trace_formats[i]->help : NULL;
}
