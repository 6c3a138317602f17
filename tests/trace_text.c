/* SPDX-License-Identifier: MIT */
#include "tests/trace_text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
trace_file_write(char path[TRACE_PATH_MAX], const char *suffix,
		 const void *bytes, size_t size)
{
	int fd;

	snprintf(path, TRACE_PATH_MAX, "/tmp/ncqsim-test-XXXXXX%s", suffix);
	fd = mkstemps(path, (int)strlen(suffix));
	assert(fd >= 0);
	if (write(fd, bytes, size) != (ssize_t)size)
		abort();
	close(fd);
}

void
trace_text_write(char path[TRACE_PATH_MAX], const char *lines)
{
	char text[8192];
	size_t n = 0;
	unsigned sequence = 0;

	while (*lines) {
		unsigned major = 8, minor = 0, pid;
		long long time_ns;
		int used = 0;

		if (sscanf(lines, " %u,%u %n", &major, &minor, &used) == 2)
			lines += used;
		else
			major = 8;
		if (sscanf(lines, " %lld %u %n", &time_ns, &pid, &used) != 2)
			abort();
		lines += used;
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "%3u,%-3u  0 %8u %5lld.%09lld %5u  ",
				      major, minor, ++sequence,
				      time_ns / 1000000000,
				      time_ns % 1000000000, pid);
		used = (int)strcspn(lines, ";");
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%.*s\n",
				      used, lines);
		assert(n < sizeof(text));
		lines += used + (lines[used] == ';');
		while (*lines == ' ')
			lines++;
	}
	trace_file_write(path, ".txt", text, n);
}
