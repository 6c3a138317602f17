/* SPDX-License-Identifier: MIT */
/*
 * What is written in a format and read again is what it was, as far as the
 * format holds it: every sample through every format.
 */
#include "traces/encode.h"

#include "tests/trace_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const samples[] = {
	"traces/samples/ext4-untar",
	"traces/samples/ext4-untar-fsync",
	"traces/samples/randread-qd128",
};

/* Write @from in @format to a new file; how many records it holds. */
static uint64_t
convert(const char *from, const char *format, char path[TRACE_PATH_MAX])
{
	struct trace_reader *reader = NULL;
	struct trace_encoder *encoder = NULL;
	struct encode_bytes bytes;
	struct trace_event ev;
	uint64_t count;
	struct err e;
	FILE *out;
	int r;

	trace_file_write(path, ".out", "", 0);
	out = fopen(path, "wb");
	assert_non_null(out);
	assert_int_equal(trace_open(&from, 1, NULL, &reader, &e), 0);
	assert_int_equal(trace_encoder_open(format, reader, &encoder, &e), 0);
	while ((r = trace_next(reader, &ev, &e)) > 0) {
		assert_int_equal(trace_encode(encoder, &ev, &bytes, &e), 0);
		if (bytes.size)
			assert_int_equal(fwrite(bytes.data, 1, bytes.size, out),
					 bytes.size);
	}
	assert_int_equal(r, 0);
	assert_int_equal(fclose(out), 0);
	count = trace_encoder_count(encoder);
	trace_encoder_close(encoder);
	trace_close(reader);
	return count;
}

/* The next event that @format holds. */
static int
next_held(struct trace_reader *reader, const char *format,
	  struct trace_event *ev)
{
	bool ios = strcmp(format, "fio-iolog") == 0 ||
		   strcmp(format, "disksim") == 0;
	bool disksim = strcmp(format, "disksim") == 0;
	struct err e = { 0 };
	int r;

	while ((r = trace_next(reader, ev, &e)) > 0) {
		bool flush = !(ev->bytes >> 9);

		if (ev->action == TRACE_PROCESS ||
		    ev->action == TRACE_TIMESTAMP)
			continue;
		if (!ios ||
		    (ev->action == TRACE_QUEUE &&
		     (flush ? ev->category & TRACE_FLUSH && !disksim
			    : !disksim || !(ev->category & TRACE_DISCARD))))
			break;
	}
	if (r < 0)
		fail_msg("%s: %s", format, e.text);
	return r;
}

static void
compare_all_fields(const struct trace_event *a, const struct trace_event *b)
{
	assert_int_equal(a->arg, b->arg);
	assert_int_equal(a->sequence, b->sequence);
	assert_int_equal(a->arg_device, b->arg_device);
	assert_int_equal(a->payload_bytes, b->payload_bytes);
	if (a->payload_bytes)
		assert_memory_equal(a->payload, b->payload, a->payload_bytes);
	assert_int_equal(a->category, b->category);
}

static void
compare_events(const char *format, const struct trace_event *a,
	       const struct trace_event *b, nsec_t first_ns)
{
	bool iolog = strcmp(format, "fio-iolog") == 0;
	bool ios = iolog || strcmp(format, "disksim") == 0;
	nsec_t time_ns = a->time_ns;
	const uint32_t kinds = TRACE_READ | TRACE_WRITE | TRACE_DISCARD;

	if (iolog)
		time_ns = time_ns / 1000 * 1000 - first_ns / 1000 * 1000;
	else
		time_ns -= first_ns;
	assert_int_equal(b->time_ns, time_ns);
	if (a->action != TRACE_SPLIT || strncmp(format, "blktrace", 8) == 0)
		assert_int_equal(a->bytes >> 9, b->bytes >> 9);
	if (a->bytes >> 9) {
		assert_int_equal(a->sector, b->sector);
		if (a->action != TRACE_SPLIT && a->action != TRACE_REMAP)
			assert_int_equal(a->category & kinds,
					 b->category & kinds);
	}
	assert_int_equal(a->action, b->action);
	if (ios)
		return;
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->cpu, b->cpu);
	assert_int_equal(a->error, b->error);
	if (strncmp(format, "blktrace", 8) == 0)
		compare_all_fields(a, b);
}

static void
check_round_trip(const char *sample, const char *format)
{
	struct trace_reader *a = NULL, *b = NULL;
	struct trace_event x, y;
	char path[TRACE_PATH_MAX];
	uint64_t records = convert(sample, format, path), n = 0;
	const char *p = path;
	nsec_t first_ns = -1;
	struct err e = { 0 };
	int r;

	assert_int_equal(trace_open(&sample, 1, NULL, &a, &e), 0);
	if (trace_open(&p, 1, NULL, &b, &e))
		fail_msg("%s: %s", format, e.text);
	for (;; n++) {
		r = next_held(a, format, &x);
		assert_int_equal(next_held(b, format, &y), r);
		if (r == 0)
			break;
		if (first_ns < 0)
			first_ns = x.time_ns;
		compare_events(format, &x, &y, first_ns);
	}
	assert_true(n > 0 && n <= records);
	trace_close(a);
	trace_close(b);
	unlink(path);
}

static void
test_round_trips(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(samples); i++)
		for (uint32_t k = 0; trace_encoder_name(k); k++)
			check_round_trip(samples[i], trace_encoder_name(k));
}

/* Binary and back is the same text, names and all. */
static void
test_same_text(void **state)
{
	char binary[TRACE_PATH_MAX], direct[TRACE_PATH_MAX],
		again[TRACE_PATH_MAX], command[3 * TRACE_PATH_MAX];

	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(samples); i++) {
		convert(samples[i], "blkparse", direct);
		convert(samples[i], i ? "blktrace" : "blktrace8", binary);
		convert(binary, "blkparse", again);
		snprintf(command, sizeof(command), "cmp %s %s", direct, again);
		assert_int_equal(system(command), 0);
		unlink(binary);
		unlink(direct);
		unlink(again);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_same_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
