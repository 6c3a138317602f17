/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a trace of the format that the first byte
 * chooses, strict and lenient.  Formats that need a description of columns
 * have one.
 */
#include "tests/fuzz/trace_fuzz.h"

static const char *
choose(uint8_t byte, const char **columns)
{
	static const char *const names[] = {
		"ftrace",    "blkparse-f",   "fio-iolog", "disksim",  "mqsim",
		"spc",       "msr",          "systor17",  "alibaba",  "tencent",
		"fiu",       "cloudphysics", "vscsi",     "biosnoop", "iosnoop",
		"blkreplay", "etw",          "columns",   "btrecord", "srt",
	};
	uint32_t i = (uint32_t)(byte - 'a') % (sizeof(names) / sizeof(*names));

	*columns = NULL;
	if (strcmp(names[i], "columns") == 0)
		*columns = "time=3:ms,lba=1,size=2:bytes,op=4,device=5";
	if (strcmp(names[i], "blkparse-f") == 0)
		*columns = "%D %c %s %T.%t %p %a %d %S + %n [%C]";
	return names[i];
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_options opt = { .window = 64 };
	char path[40];
	int fd;

	if (size == 0)
		return 0;
	opt.format = choose(data[0], &opt.columns);
	fd = fuzz_file(data + 1, size - 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (int lenient = 0; lenient < 2; lenient++) {
		opt.lenient = lenient;
		fuzz_read(path, &opt);
	}
	close(fd);
	return 0;
}
