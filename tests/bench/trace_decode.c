/* SPDX-License-Identifier: MIT */
/*
 * How fast traces are read: eight blktrace files merged, and blkparse text.
 * The files are written to a temporary directory first.  Not a timed test.
 *
 *	trace_decode [millions of records]
 */
#include "traces/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define CPUS   8
#define ROUNDS 5

/* xorshift64*, for record contents only. */
static uint64_t
next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

static void
put_record(FILE *f, uint64_t time_ns, uint32_t cpu, uint64_t random)
{
	static const uint32_t actions[] = { 0x00110001, 0x00110004, 0x0111000c,
					    0x01410007, 0x01810008 };
	uint8_t rec[48] = { 0 };
	uint32_t words[] = { 0x65617407, 1 };
	uint64_t sector = (random >> 20) & ((UINT64_C(1) << 30) - 1) & ~7ull;
	uint32_t tail[] = { 4096, actions[random % 5], 100 + cpu, 8 << 20,
			    cpu };

	memcpy(rec, words, 8);
	memcpy(rec + 8, &time_ns, 8);
	memcpy(rec + 16, &sector, 8);
	memcpy(rec + 24, tail, sizeof(tail));
	fwrite(rec, sizeof(rec), 1, f);
}

static void
write_binary(const char *dir, uint64_t records)
{
	FILE *files[CPUS];
	uint64_t seed = 42;
	char path[300];

	for (uint32_t i = 0; i < CPUS; i++) {
		snprintf(path, sizeof(path), "%s/bench.blktrace.%u", dir, i);
		files[i] = fopen(path, "wb");
		if (!files[i])
			exit(4);
	}
	for (uint64_t n = 0; n < records; n++) {
		uint64_t random = next_random(&seed);
		uint32_t cpu = (uint32_t)(random >> 58) % CPUS;

		put_record(files[cpu], 1000000 + n * 250, cpu, random);
	}
	for (uint32_t i = 0; i < CPUS; i++)
		fclose(files[i]);
}

static void
write_text(const char *dir, uint64_t lines)
{
	uint64_t seed = 42;
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/bench.txt", dir);
	f = fopen(path, "w");
	if (!f)
		exit(4);
	for (uint64_t n = 0; n < lines; n++) {
		uint64_t random = next_random(&seed);

		fprintf(f, "  8,0  %3u %8u %5u.%09u %5u  %c   R %u + 8 [%s]\n",
			(unsigned)(random >> 58) % CPUS, (unsigned)n + 1,
			(unsigned)(n / 4000000), (unsigned)(n % 4000000) * 250,
			200, "QGIDC"[random % 5],
			(unsigned)(random >> 20 & 0xffffff8),
			random % 5 == 4 ? "0" : "fio");
	}
	fclose(f);
}

static double
now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void
bench(const char *name, const char *path, double bytes)
{
	double best = 1e9;
	uint64_t records = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct trace_reader *reader = NULL;
		struct trace_event ev;
		struct err e;
		double start = now_s();
		uint64_t sum = 0;
		int r = trace_open(&path, 1, NULL, &reader, &e);

		while (r >= 0 && (r = trace_next(reader, &ev, &e)) > 0)
			sum += ev.sector;
		if (r < 0 || sum == 0) {
			fprintf(stderr, "%s\n", e.text);
			exit(3);
		}
		records = trace_get_stats(reader)->records;
		trace_close(reader);
		if (now_s() - start < best)
			best = now_s() - start;
	}
	printf("%-24s %6.1f M records/s %6.1f ns/record %6.2f GB/s\n", name,
	       (double)records / best / 1e6, best / (double)records * 1e9,
	       bytes / best / 1e9);
}

int
main(int argc, char **argv)
{
	uint64_t records =
		1000000ull * (argc > 1 ? strtoull(argv[1], 0, 0) : 8);
	char dir[] = "/tmp/ncqsim-bench-XXXXXX";
	struct rusage usage;
	char path[300];

	if (!mkdtemp(dir))
		return 4;
	write_binary(dir, records);
	snprintf(path, sizeof(path), "%s/bench", dir);
	bench("blktrace, 8 files", path, (double)records * 48);
	for (uint32_t i = 0; i < CPUS; i++) {
		snprintf(path, sizeof(path), "%s/bench.blktrace.%u", dir, i);
		unlink(path);
	}
	write_text(dir, records / 2);
	snprintf(path, sizeof(path), "%s/bench.txt", dir);
	bench("blkparse text", path, (double)records / 2 * 72);
	unlink(path);
	rmdir(dir);
	getrusage(RUSAGE_SELF, &usage);
	printf("%-24s %6.1f MiB\n", "peak memory",
	       (double)usage.ru_maxrss / 1024);
	return 0;
}
