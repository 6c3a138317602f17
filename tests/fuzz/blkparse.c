/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as blkparse text, strict and lenient. */
#include "tests/fuzz/trace_fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz_file(data, size);
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (int lenient = 0; lenient < 2; lenient++) {
		struct trace_options opt = { .format = "blkparse",
					     .lenient = lenient };

		fuzz_read(path, &opt);
	}
	close(fd);
	return 0;
}
