/* SPDX-License-Identifier: MIT */
/*
 * Small traces as blkparse text in temporary files, for tests.
 */
#ifndef NCQSIM_TESTS_TRACE_TEXT_H
#define NCQSIM_TESTS_TRACE_TEXT_H

#include <stddef.h>

#define TRACE_PATH_MAX 64

/*
 * Write @size bytes to a new temporary file named into @path, which ends in
 * @suffix.  The caller unlinks it.
 */
void trace_file_write(char path[TRACE_PATH_MAX], const char *suffix,
		      const void *bytes, size_t size);

/*
 * Write lines "TIME_NS PID ACTION RWBS ...;" of a short form as blkparse
 * lines of device 8,0 and CPU 0; a line that begins with "M,N " names its
 * device.
 */
void trace_text_write(char path[TRACE_PATH_MAX], const char *lines);

#endif
