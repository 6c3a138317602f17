/* SPDX-License-Identifier: MIT */
/*
 * blktrace files built byte by byte: versions, byte orders, notes, payloads,
 * ties, what names a trace, dumps and unsorted streams.
 */
#include "traces/trace.h"

#include "tests/trace_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define Q_READ     0x00010001u
#define C_READ     0x00810008u
#define A_READ     0x0001000fu
#define X_READ     0x0001000du
#define U_NONE     0x0001000au
#define NOTE_NAME  0x04000000u
#define NOTE_TIME  0x04000001u
#define NOTE_TEXT  0x04000002u
#define CGROUP     0x100u
#define DEVICE     (8u << 20 | 16)
#define EVENTS_MAX 64

/* Bytes of a file under construction. */
struct bytes {
	uint8_t at[8192];
	size_t size;
	int version;
	bool big;
};

static void
put_number(struct bytes *b, uint64_t v, int width)
{
	for (int i = 0; i < width; i++)
		b->at[b->size++] =
			(uint8_t)(v >> 8 * (b->big ? width - 1 - i : i));
}

static void
put_payload(struct bytes *b, uint64_t time_ns, uint32_t action, uint32_t cpu,
	    const void *payload, uint32_t payload_bytes)
{
	put_number(b, 0x65617400u | (uint32_t)b->version, 4);
	put_number(b, 9, 4);
	put_number(b, time_ns, 8);
	put_number(b, 1000 + time_ns, 8);
	put_number(b, 4096, 4);
	if (b->version == 7)
		put_number(b, action, 4);
	put_number(b, 33, 4);
	if (b->version == 8)
		put_number(b, action, 8);
	put_number(b, DEVICE, 4);
	put_number(b, cpu, 4);
	put_number(b, action == C_READ ? 65531 : 0, 2);
	put_number(b, payload_bytes, 2);
	if (b->version == 8)
		b->size += 12;
	memcpy(b->at + b->size, payload, payload_bytes);
	b->size += payload_bytes;
}

static void
put_event(struct bytes *b, uint64_t time_ns, uint32_t action, uint32_t cpu)
{
	put_payload(b, time_ns, action, cpu, "", 0);
}

/* A whole trace as read, with copies of the payloads. */
struct trace {
	int status;
	struct err e;
	uint32_t count;
	struct trace_event ev[EVENTS_MAX];
	char text[EVENTS_MAX][40];
	struct trace_stats stats;
	char warning[200];
	char name[40];
};

static struct trace
read_paths(const char *const *paths, uint32_t count, uint32_t window)
{
	struct trace_options opt = { .window = window };
	struct trace_reader *reader;
	struct trace t = { .status = 0 };
	struct trace_event ev;

	t.status = trace_open(paths, count, &opt, &reader, &t.e);
	if (t.status)
		return t;
	while ((t.status = trace_next(reader, &ev, &t.e)) > 0) {
		assert_true(t.count < EVENTS_MAX);
		memcpy(t.text[t.count], ev.payload ? ev.payload : "",
		       ev.payload_bytes);
		t.ev[t.count++] = ev;
	}
	t.stats = *trace_get_stats(reader);
	if (t.stats.warning_count)
		strncpy(t.warning, t.stats.warnings[0], sizeof(t.warning) - 1);
	if (trace_process_name(reader, 33))
		strcpy(t.name, trace_process_name(reader, 33));
	trace_close(reader);
	return t;
}

static struct trace
read_bytes(const struct bytes *b, uint32_t window)
{
	char path[TRACE_PATH_MAX];
	const char *p = path;
	struct trace t;

	trace_file_write(path, ".bin", b->at, b->size);
	t = read_paths(&p, 1, window);
	unlink(path);
	return t;
}

static const uint8_t remap[16] = { 0, 0x80, 0, 0x11, 0, 0x80, 0, 0x10,
				   0, 0,    0, 1,    0, 0,    0, 2 };
static const char start_high[8] = { 0, 0, 0, 1, 0, 0, 0, 2 };

/* Every version and order gives the same events. */
static void
test_layouts(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct bytes b = { .version = i / 2 ? 8 : 7, .big = i % 2 };
		struct trace t;

		put_payload(&b, 50, NOTE_NAME, 3, "dd\0garbage.....", 16);
		put_event(&b, 100, Q_READ, 3);
		put_payload(&b, 110, A_READ, 3, remap, 16);
		put_payload(&b, 120, X_READ, 3, start_high, 8);
		put_payload(&b, 130, U_NONE, 3, start_high, 8);
		put_payload(&b, 140, NOTE_TEXT, 3, "hello", 5);
		put_payload(&b, 150, NOTE_TEXT | CGROUP, 3, "inodgen_bfq", 11);
		put_event(&b, 160, C_READ, 3);
		t = read_bytes(&b, 0);
		assert_int_equal(t.status, 0);
		assert_int_equal(t.count, 8);
		assert_int_equal(t.stats.base_ns, 100);
		assert_string_equal(t.name, "dd");
		assert_int_equal(t.ev[1].time_ns, 0);
		assert_int_equal(t.ev[1].action, TRACE_QUEUE);
		assert_int_equal(t.ev[1].category, TRACE_READ);
		assert_int_equal(t.ev[1].sector, 1100);
		assert_int_equal(t.ev[1].bytes, 4096);
		assert_int_equal(t.ev[1].pid, 33);
		assert_int_equal(t.ev[1].device, DEVICE);
		assert_int_equal(t.ev[1].cpu, 3);
		assert_int_equal(t.ev[1].sequence, 9);
		assert_int_equal(t.ev[2].action, TRACE_REMAP);
		assert_int_equal(t.ev[2].arg_device, 8 << 20 | 17);
		assert_int_equal(t.ev[2].arg, INT64_C(0x100000002));
		assert_int_equal(t.ev[3].arg, INT64_C(0x100000002));
		assert_int_equal(t.ev[4].action, TRACE_UNPLUG);
		assert_int_equal(t.ev[4].arg, INT64_C(0x100000002));
		assert_string_equal(t.text[5], "hello");
		assert_int_equal(t.ev[5].sector, 0);
		assert_string_equal(t.text[6], "bfq");
		assert_int_equal(t.ev[7].time_ns, 60);
		assert_int_equal(t.ev[7].error, -5);
	}
}

struct set {
	char dir[40];
	char path[4][80];
};

static void
write_member(struct set *s, int i, const char *name, const struct bytes *b)
{
	FILE *f;

	char dir[40];

	memcpy(dir, s->dir, sizeof(dir));
	snprintf(s->path[i], sizeof(s->path[i]), "%s/%s", dir, name);
	f = fopen(s->path[i], "wb");
	assert_non_null(f);
	fwrite(b->at, 1, b->size, f);
	fclose(f);
}

/* CPU 0, 2 (empty) and 10 of a trace: 1 and 3 to 9 are missing. */
static void
make_set(struct set *s)
{
	struct bytes b[3] = { { .version = 7 },
			      { .version = 7 },
			      { .version = 7 } };

	strcpy(s->dir, "/tmp/ncqsim-test-XXXXXX");
	assert_non_null(mkdtemp(s->dir));
	put_event(&b[0], 100, Q_READ, 0);
	put_event(&b[0], 300, Q_READ, 0);
	put_event(&b[0], 300, C_READ, 0);
	put_event(&b[2], 200, Q_READ, 10);
	put_event(&b[2], 300, Q_READ, 10);
	write_member(s, 0, "sda.blktrace.0", &b[0]);
	write_member(s, 1, "sda.blktrace.2", &b[1]);
	write_member(s, 2, "sda.blktrace.10", &b[2]);
}

static void
remove_set(struct set *s)
{
	for (int i = 0; i < 4; i++)
		if (s->path[i][0])
			unlink(s->path[i]);
	rmdir(s->dir);
}

static void
assert_set(const struct trace *t)
{
	static const uint16_t cpus[] = { 0, 10, 0, 0, 10 };
	static const nsec_t times[] = { 0, 100, 200, 200, 200 };

	assert_int_equal(t->status, 0);
	assert_int_equal(t->count, 5);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(t->ev[i].cpu, cpus[i]);
		assert_int_equal(t->ev[i].time_ns, times[i]);
	}
	assert_int_equal(t->ev[2].action, TRACE_QUEUE);
	assert_int_equal(t->ev[3].action, TRACE_COMPLETE);
}

/* A prefix, a directory, a member or a list; files of equal time in order. */
static void
test_names(void **state)
{
	struct set s = { .dir = "" };
	char prefix[60];
	const char *one[] = { prefix };
	struct trace t;

	(void)state;
	make_set(&s);
	for (int i = 0; i < 3; i++) {
		snprintf(prefix, sizeof(prefix), "%s%s", s.dir,
			 i == 0   ? "/sda"
			 : i == 1 ? "/"
				  : "/sda.blktrace.10");
		t = read_paths(one, 1, 0);
		assert_set(&t);
		assert_non_null(
			strstr(t.warning, "no file of CPU 1 3 4 5 6 7 8 9;"));
	}
	t = read_paths((const char *const[]){ s.path[0], s.path[2] }, 2, 0);
	assert_set(&t);
	t = read_paths((const char *const[]){ s.path[2] }, 1, 0);
	assert_int_equal(t.stats.file_count, 3);
	remove_set(&s);
}

static void
test_two_names(void **state)
{
	struct set s = { .dir = "" };
	struct bytes b = { .version = 7 };
	const char *dir = s.dir;
	struct trace t;

	(void)state;
	make_set(&s);
	put_event(&b, 150, Q_READ, 0);
	write_member(&s, 3, "sdb.blktrace.0", &b);
	t = read_paths(&dir, 1, 0);
	assert_int_equal(t.status, ERR_INPUT);
	assert_non_null(strstr(t.e.text, "several traces (sd"));
	remove_set(&s);
}

/* A file alone under the name of another CPU is read all the same. */
static void
test_renamed(void **state)
{
	struct bytes b = { .version = 7 };
	char path[TRACE_PATH_MAX];
	const char *p = path;
	struct trace t;

	(void)state;
	put_event(&b, 1000, Q_READ, 5);
	put_event(&b, 2000, C_READ, 5);
	trace_file_write(path, ".blktrace.0", b.at, b.size);
	t = read_paths(&p, 1, 0);
	unlink(path);
	assert_int_equal(t.status, 0);
	assert_int_equal(t.count, 2);
	assert_int_equal(t.stats.warning_count, 1);
}

/* blkparse -d: events count from 0, notes and some messages do not. */
static void
test_dump(void **state)
{
	struct bytes b = { .version = 7 };
	struct trace t;

	(void)state;
	put_payload(&b, 7000000000, NOTE_TIME, 0, "\x10\0\0\0\x05\0\0\0", 8);
	put_payload(&b, 7000000000, NOTE_TEXT | CGROUP, 0, "inodgen_m", 9);
	put_event(&b, 0, Q_READ, 0);
	put_payload(&b, 7000000900, NOTE_NAME, 1, "dd\0.............", 16);
	put_event(&b, 500, Q_READ, 1);
	put_payload(&b, 7000000950, NOTE_TEXT | CGROUP, 1, "inodgen_m", 9);
	put_event(&b, 600, C_READ, 0);
	t = read_bytes(&b, 0);
	assert_int_equal(t.status, 0);
	assert_int_equal(t.count, 7);
	assert_int_equal(t.ev[4].time_ns, 500);
	assert_int_equal(t.ev[5].time_ns, 500);
	assert_int_equal(t.ev[6].time_ns, 600);
	assert_int_equal(t.stats.wall_ns, INT64_C(16000000005));
}

/* The wall clock is that of the note, moved to the first event. */
static void
test_wall(void **state)
{
	struct bytes b = { .version = 8, .big = true };
	struct trace t;

	(void)state;
	put_payload(&b, 900, NOTE_TIME, 0, "\0\0\0\x10\0\0\0\x05", 8);
	put_event(&b, 1000, Q_READ, 0);
	t = read_bytes(&b, 0);
	assert_int_equal(t.stats.wall_ns, INT64_C(16000000105));
}

/* Buffers of two CPUs behind each other. */
static void
test_stream(void **state)
{
	struct bytes b = { .version = 7 };
	struct trace t;

	(void)state;
	for (uint32_t i = 0; i < 24; i++)
		put_event(&b, 1000 + 10 * (i % 4) + 40 * (i / 8) + i / 4 % 2,
			  Q_READ, i / 4 % 2);
	t = read_bytes(&b, 5);
	assert_int_equal(t.status, 0);
	assert_int_equal(t.count, 24);
	for (uint32_t i = 0; i < 24; i++)
		assert_int_equal(t.ev[i].time_ns, 10 * (i / 2) + i % 2);
	t = read_bytes(&b, 2);
	assert_int_equal(t.status, ERR_INPUT);
	/* 30 is out, too, before the fifth record, of 1, is reported. */
	assert_non_null(strstr(t.e.text, "byte 192: a record 29 ns out of "
					 "order, beyond the sort window of 2 "
					 "records"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_two_names),
		cmocka_unit_test(test_renamed),
		cmocka_unit_test(test_dump),
		cmocka_unit_test(test_wall),
		cmocka_unit_test(test_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
