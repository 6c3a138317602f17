/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as blktrace files, strict and lenient.  As one file
 * they are a dump or a stream, sorted in a small window; cut in two halves
 * they are the files of CPU 0 and 1.
 */
#include "tests/fuzz/trace_fuzz.h"

static void
read_whole(const uint8_t *data, size_t size)
{
	int fd = fuzz_file(data, size);
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (int lenient = 0; lenient < 2; lenient++) {
		struct trace_options opt = { .format = "blktrace",
					     .lenient = lenient,
					     .window = 4 };

		fuzz_read(path, &opt);
	}
	close(fd);
}

static void
read_members(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/ncqsim-fuzz-XXXXXX";
	size_t cut[] = { 0, size / 96 * 48, size };
	char link[2][60];
	int fd[2];

	if (!mkdtemp(dir))
		abort();
	for (int i = 0; i < 2; i++) {
		char target[40];

		fd[i] = fuzz_file(data + cut[i], cut[i + 1] - cut[i]);
		snprintf(target, sizeof(target), "/proc/self/fd/%d", fd[i]);
		snprintf(link[i], sizeof(link[i]), "%s/t.blktrace.%d", dir, i);
		if (symlink(target, link[i]))
			abort();
	}
	for (int lenient = 0; lenient < 2; lenient++) {
		struct trace_options opt = { .lenient = lenient };

		fuzz_read(dir, &opt);
	}
	for (int i = 0; i < 2; i++) {
		unlink(link[i]);
		close(fd[i]);
	}
	rmdir(dir);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_whole(data, size);
	read_members(data, size);
	return 0;
}
