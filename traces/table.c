/* SPDX-License-Identifier: MIT */
/* The trace formats, in the order in which they are tried. */
#include "traces/reader.h"

#include <string.h>

const struct trace_format *const trace_formats[] = {
	&trace_blktrace, &trace_blkparse,   &trace_disksim_validate,
	&trace_ftrace,   &trace_blkparse_f, &trace_iolog,
	&trace_disksim,  &trace_mqsim,      &trace_spc,
	&trace_msr,      &trace_systor,     &trace_alibaba,
	&trace_tencent,  &trace_fiu,        &trace_cloudphysics,
	&trace_vscsi,    &trace_btrecord,   &trace_srt,
	&trace_biosnoop, &trace_iosnoop,    &trace_blkreplay,
	&trace_etw,      &trace_columns,    NULL,
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

int
trace_parse_unit(const char *text, nsec_t *unit_ns, struct err *e)
{
	static const char *const names[] = { "s", "ms", "us", "ns" };
	nsec_t ns = NSEC_PER_SEC;

	*unit_ns = 0;
	if (!text)
		return 0;
	for (uint32_t i = 0; i < ARRAY_LEN(names); i++, ns /= 1000) {
		if (strcmp(text, names[i]) != 0)
			continue;
		*unit_ns = ns;
		return 0;
	}
	return err_set(e, ERR_CONFIG, "'%s' is no unit of time: s ms us ns",
		       text);
}
