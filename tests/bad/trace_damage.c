/* SPDX-License-Identifier: MIT */
/*
 * Every damaged trace of tests/bad/traces: the one message that a strict
 * reader gives, and what a lenient reader keeps.
 */
#include "traces/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define DIR      "tests/bad/traces/"
#define NO_KIND  DAMAGE_KINDS
#define NOT_OPEN UINT64_MAX

struct damaged {
	const char *path;    /* below DIR */
	const char *message; /* strict; NULL: the trace is fine */
	uint64_t records; /* what a lenient reader keeps; NOT_OPEN: nothing */
	enum trace_damage_kind kind;
	uint64_t count;
	uint64_t lost_bytes;
};

static const struct damaged cases[] = {
	{ "ok", NULL, 420, NO_KIND, 0, 0 },
	{ "C-only", NULL, 85, NO_KIND, 0, 0 },
	{ "no-C-events", NULL, 335, NO_KIND, 0, 0 },
	{ "empty-cpu1", NULL, 300, NO_KIND, 0, 0 },
	{ "time-zero", NULL, 300, NO_KIND, 0, 0 },
	{ "ftrace-bin-context-header",
	  "t.blktrace.1: byte 6392: the file ends inside a record header: 8 "
	  "of 64 bytes (98 records read)",
	  98, DAMAGE_TRUNCATED, 1, 8 },
	{ "v7-magic-v8-layout-k7.2-ftrace", NULL, 320, NO_KIND, 0, 0 },
	{ "bad-magic-first",
	  "t.blktrace.0: byte 0: the first record begins with 0x78617407, "
	  "not with the blktrace magic 0x65617407 (0 records read)",
	  299, DAMAGE_MAGIC, 1, 64 },
	{ "bad-magic-middle",
	  "t.blktrace.0: byte 4832: 0xefbeadde where a record with magic "
	  "0x65617407 should begin (100 records read)",
	  299, DAMAGE_MAGIC, 1, 48 },
	{ "bytes-513",
	  "t.blktrace.0: byte 992: 513 bytes are not a whole number of "
	  "512-byte sectors (20 records read)",
	  280, DAMAGE_VALUE, 20, 960 },
	{ "sector-past-u48",
	  "t.blktrace.0: byte 992: sector 9223372036854775800 is beyond 2^48 "
	  "(20 records read)",
	  280, DAMAGE_VALUE, 20, 960 },
	{ "unknown-action-99",
	  "t.blktrace.0: byte 272: unknown action 99 (category 0x141) (5 "
	  "records read)",
	  270, DAMAGE_VALUE, 30, 1440 },
	{ "short-payload",
	  "t.blktrace.0: byte 48: a payload of 8 bytes is too short for "
	  "action 15 (1 records read)",
	  1, DAMAGE_VALUE, 1, 56 },
	{ "duplicate-file",
	  "t.blktrace.1: byte 0: begins with the same record as " DIR
	  "duplicate-file/t.blktrace.0; is it a copy? (0 records read)",
	  300, DAMAGE_CPU, 1, 0 },
	{ "swapped-cpu-files",
	  "t.blktrace.0: byte 0: a record of CPU 1 in the file of CPU 0; was "
	  "the file renamed? (0 records read)",
	  420, DAMAGE_CPU, 420, 0 },
	{ "mixed-endian",
	  "t.blktrace.0: byte 2432: a record in the other byte order; are "
	  "these two traces in one file? (50 records read)",
	  50, DAMAGE_MAGIC, 1, 960 },
	{ "mixed-versions",
	  "t.blktrace.0: byte 48: a version 8 record among version 7 (1 "
	  "records read)",
	  2, DAMAGE_MAGIC, 1, 64 },
	{ "time-huge-gap",
	  "t.blktrace.0: byte 7248: the time leaps ahead by 31536000 s (150 "
	  "records read)",
	  300, DAMAGE_GAP, 1, 0 },
	{ "time-reversed",
	  "t.blktrace.0: byte 160: the time goes back by 36830 ns (3 records "
	  "read)",
	  300, DAMAGE_ORDER, 292, 0 },
	{ "trunc-header",
	  "t.blktrace.0: byte 14496: the file ends inside a record header: 17 "
	  "of 48 bytes (300 records read)",
	  300, DAMAGE_TRUNCATED, 1, 17 },
	{ "trunc-payload",
	  "t.blktrace.0: byte 48: the file ends inside a record's payload: 59 "
	  "of 64 bytes (1 records read)",
	  1, DAMAGE_TRUNCATED, 1, 59 },
	{ "version-8-truncated",
	  "t.blktrace.0: byte 3224: the file ends inside a record header: 6 "
	  "of 64 bytes (49 records read)",
	  49, DAMAGE_TRUNCATED, 1, 6 },
	{ "zero-tail",
	  "t.blktrace.0: byte 14496: zero bytes where a record should begin; "
	  "was it copied while blktrace was still writing? (300 records read)",
	  300, DAMAGE_ZEROES, 1, 4096 },
	{ "zero-page",
	  "t.blktrace.0: byte 960: zero bytes where a record should begin; "
	  "was it copied while blktrace was still writing? (20 records read)",
	  40, DAMAGE_ZEROES, 1, 4096 },
	{ "empty", "t.blktrace.0: empty (0 records read)", NOT_OPEN, NO_KIND, 0,
	  0 },
	{ "notify-only",
	  "t.blktrace.0: byte 384: the trace has notes only, no event (6 "
	  "records read)",
	  NOT_OPEN, NO_KIND, 0, 0 },
	{ "text-in-bin",
	  "t.blktrace.0: byte 0: this is text, not a blktrace file (0 records "
	  "read)",
	  NOT_OPEN, NO_KIND, 0, 0 },
	{ "garbage",
	  "t.blktrace.0: byte 0: this is not a blktrace file (0 records read)",
	  NOT_OPEN, NO_KIND, 0, 0 },
	{ "version-6",
	  "t.blktrace.0: byte 0: blktrace version 6; 7 and 8 are supported (0 "
	  "records read)",
	  NOT_OPEN, NO_KIND, 0, 0 },
#ifdef HAVE_LIBARCHIVE
	{ "gzip/t.gz", ": byte 0 unpacked: gzip decompression failed", NOT_OPEN,
	  NO_KIND, 0, 0 },
#else
	{ "gzip/t.gz",
	  ": packed by gzip, and this ncqsim was built without libarchive: "
	  "unpack it first",
	  NOT_OPEN, NO_KIND, 0, 0 },
#endif
	{ "no-trace", ": a directory without NAME.blktrace.CPU files", NOT_OPEN,
	  NO_KIND, 0, 0 },
	{ "missing", ": no such file, and no " DIR "missing.blktrace.N",
	  NOT_OPEN, NO_KIND, 0, 0 },
	{ "ok/t.blktrace.7", ": No such file or directory", NOT_OPEN, NO_KIND,
	  0, 0 },
	{ "text-order/t.txt",
	  ":3:1: the time goes back by 1000 ns (2 records read)", 3,
	  DAMAGE_ORDER, 1, 0 },
	{ "text-line/t.txt",
	  ":3:54: not a blkparse line: a number of sectors expected (1 "
	  "records read)",
	  2, DAMAGE_LINE, 1, 59 },
	{ "text-sector/t.txt",
	  ":2:50: not a blkparse line: a sector below 2^48 expected (1 "
	  "records read)",
	  1, DAMAGE_LINE, 1, 72 },
	{ "text-cut/t.txt",
	  ":2:51: the last line is cut: a name in brackets expected (1 "
	  "records read)",
	  1, DAMAGE_TRUNCATED, 1, 50 },
	{ "text-nul/t.txt",
	  ":2:21: not a blkparse line: a time with nine decimals expected (1 "
	  "records read)",
	  1, DAMAGE_LINE, 1, 58 },
};

struct outcome {
	struct err e;
	int status;
	uint64_t records;
	uint64_t count;
	uint64_t lost_bytes;
	bool same_first;
};

static struct outcome
read_all(const struct damaged *c, bool lenient)
{
	struct trace_options opt = { .lenient = lenient };
	struct trace_reader *reader = NULL;
	struct outcome o = { .same_first = true };
	const struct trace_stats *st;
	struct trace_event ev;
	char path[200];
	const char *p = path;

	snprintf(path, sizeof(path), DIR "%s", c->path);
	o.status = trace_open(&p, 1, &opt, &reader, &o.e);
	if (o.status)
		return o;
	while ((o.status = trace_next(reader, &ev, &o.e)) > 0)
		assert_in_range(ev.action, 1, TRACE_ACTIONS - 1);
	st = trace_get_stats(reader);
	o.records = st->records;
	for (uint32_t i = 0; i < DAMAGE_KINDS; i++) {
		o.count += st->damage[i].count;
		o.lost_bytes += st->damage[i].lost_bytes;
		if (st->damage[i].first && c->message)
			o.same_first = i == c->kind &&
				       strstr(st->damage[i].first, c->message);
	}
	trace_close(reader);
	return o;
}

static void
test_strict(void **state)
{
	const struct damaged *c = *state;
	struct outcome o = read_all(c, false);
	size_t have = strlen(o.e.text);

	if (!c->message) {
		assert_int_equal(o.status, 0);
		assert_int_equal(o.records, c->records);
		return;
	}
	assert_int_equal(o.status, ERR_INPUT);
	assert_true(have >= strlen(c->message));
	assert_string_equal(o.e.text + have - strlen(c->message), c->message);
	assert_memory_equal(o.e.text, DIR, strlen(DIR));
	assert_null(strchr(o.e.text, '\n'));
}

static void
test_lenient(void **state)
{
	const struct damaged *c = *state;
	struct outcome o = read_all(c, true);

	if (c->records == NOT_OPEN) {
		assert_int_equal(o.status, ERR_INPUT);
		return;
	}
	assert_int_equal(o.status, 0);
	assert_int_equal(o.records, c->records);
	assert_int_equal(o.count, c->count);
	assert_int_equal(o.lost_bytes, c->lost_bytes);
	assert_true(o.same_first);
}

int
main(void)
{
	struct CMUnitTest tests[2 * ARRAY_LEN(cases)];
	char names[2 * ARRAY_LEN(cases)][60];

	memset(tests, 0, sizeof(tests));
	for (uint32_t i = 0; i < ARRAY_LEN(tests); i++) {
		const struct damaged *c = &cases[i / 2];

		snprintf(names[i], sizeof(names[i]), "%s %s", c->path,
			 i % 2 ? "lenient" : "strict");
		tests[i].name = names[i];
		tests[i].test_func = i % 2 ? test_lenient : test_strict;
		tests[i].initial_state = (void *)(uintptr_t)c;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
