/* SPDX-License-Identifier: MIT */
/*
 * A trace as a load; see load.h, which is what commands use.
 */
#ifndef NCQSIM_FRONTEND_LOAD_TRACE_H
#define NCQSIM_FRONTEND_LOAD_TRACE_H

#include "frontend/run.h"
#include "sim/core/hist.h"
#include "sim/core/io.h"

struct load_trace;

/* Open what @line names; the source belongs to the trace. */
int load_trace_open(const struct cli_line *line, struct load_trace **trace,
		    struct io_source **source, struct err *e);
void load_trace_close(struct load_trace *trace);

bool load_trace_reads(const struct load_trace *trace, const char *path);

/* UINT32_MAX while it is not known. */
uint32_t load_trace_device(const struct load_trace *trace);
uint32_t load_trace_ppm(const struct load_trace *trace);
const char *
load_trace_process_name(const struct load_trace *trace, uint32_t pid);
uint64_t load_trace_damaged(const struct load_trace *trace);
void load_trace_print_warnings(const struct load_trace *trace);
/* As load_span(): sectors of the device, as far as is known. */
uint64_t load_trace_span(const struct load_trace *trace);
const struct hist *load_trace_q2c(const struct load_trace *trace);
const struct hist *load_trace_d2c(const struct load_trace *trace);

#endif
