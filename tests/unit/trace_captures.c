/* SPDX-License-Identifier: MIT */
/*
 * Real captures: the events of each, by action and RWBS, as they were counted
 * apart, read from the per-CPU files, from the merged dump and from the text.
 * Reads $NCQSIM_REFERENCE/../traces/captured; skipped when that is not set.
 */
#include "traces/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define KEYS_MAX 300

struct count {
	char key[24]; /* "Q WS"; "m" for messages */
	long count;
};

struct counts {
	struct count of[KEYS_MAX];
	uint32_t keys;
};

static const char *const captures[] = {
	"4kn-fua-scsidebug",
	"actmask-issue-complete",
	"be-s390x",
	"bufwrite-merge-mqd",
	"dropped-events",
	"fs-ext4-untar-mqd",
	"host-loop-ext4-untar-fsync-mqd",
	"host-loop-randread4k-qd1-mqd",
	"host-loop-randread4k-qd32-mqd",
	"host-loop-randrw7030-qd16-bfq",
	"host-loop-seqread128k-qd4-mqd",
	"host-loop-trim-mqd",
	"host-loop-twoproc-bfq",
	"k72-fs-flush-trim-wz-v7",
	"k72-fs-flush-trim-wz-v8",
	"k72-twoproc-mqd-v7",
	"mediumerror-EIO",
	"partition-trace",
	"passthrough-pc",
	"randread4k-qd1-mqd",
	"randread4k-qd128-mqd",
	"randread4k-qd32-mqd",
	"randrw-kyber",
	"randrw7030-bfq",
	"seqread128k-mqd",
	"split-readahead-oddsize",
	"trim-writezeroes",
};

static void
add_count(struct counts *c, const char *key, long n)
{
	uint32_t i;

	for (i = 0; i < c->keys; i++)
		if (strcmp(c->of[i].key, key) == 0)
			break;
	if (i == c->keys) {
		assert_true(c->keys < KEYS_MAX);
		snprintf(c->of[i].key, sizeof(c->of[i].key), "%s", key);
		c->of[i].count = 0;
		c->keys++;
	}
	c->of[i].count += n;
}

static void
capture_path(char *path, size_t size, const char *name, const char *suffix)
{
	snprintf(path, size, "%s/../traces/captured/%s/%s%s",
		 getenv("NCQSIM_REFERENCE"), name, name, suffix);
}

/* Lines "Q WS 17", "m 17"; the first line is the span. */
static long long
read_reference(const char *name, struct counts *c)
{
	char path[500], line[200], a[8], b[16];
	long long span_ns = -1;
	FILE *f;
	long n;

	capture_path(path, sizeof(path), name, ".counts.txt");
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char key[32];

		if (sscanf(line, "events %ld span_ns %lld", &n, &span_ns) == 2)
			continue;
		if (sscanf(line, "m %ld", &n) == 1) {
			add_count(c, "m", n);
		} else if (sscanf(line, "%7s %15s %ld", a, b, &n) == 3) {
			snprintf(key, sizeof(key), "%s %s", a, b);
			add_count(c, key, n);
		}
	}
	fclose(f);
	return span_ns;
}

static long long
read_trace(const char *path, struct counts *c)
{
	struct trace_reader *reader = NULL;
	struct trace_event ev;
	struct err e = { 0 };
	nsec_t last_ns = 0;
	int r = trace_open(&path, 1, NULL, &reader, &e);

	while (r >= 0 && (r = trace_next(reader, &ev, &e)) > 0) {
		char rwbs[TRACE_RWBS_MAX], key[32];

		if (ev.action == TRACE_PROCESS || ev.action == TRACE_TIMESTAMP)
			continue;
		assert_true(ev.time_ns >= last_ns);
		last_ns = ev.time_ns;
		snprintf(key, sizeof(key), "%s %s",
			 trace_action_name(ev.action), trace_rwbs(&ev, rwbs));
		add_count(c, ev.action == TRACE_MESSAGE ? "m" : key, 1);
	}
	assert_string_equal(e.text, "");
	last_ns = trace_get_stats(reader)->last_ns;
	trace_close(reader);
	return last_ns;
}

static int
compare_keys(const void *a, const void *b)
{
	return strcmp(((const struct count *)a)->key,
		      ((const struct count *)b)->key);
}

static void
assert_same(struct counts *have, struct counts *want)
{
	qsort(have->of, have->keys, sizeof(have->of[0]), compare_keys);
	qsort(want->of, want->keys, sizeof(want->of[0]), compare_keys);
	for (uint32_t i = 0; i < have->keys && i < want->keys; i++) {
		assert_string_equal(have->of[i].key, want->of[i].key);
		assert_int_equal(have->of[i].count, want->of[i].count);
	}
	assert_int_equal(have->keys, want->keys);
}

static bool
has_bytes(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_size > 0;
}

/* blkparse 1.2 prints neither control-group messages nor version 8. */
static void
forget(struct counts *c, const char *key)
{
	for (uint32_t i = 0; i < c->keys; i++)
		if (strcmp(c->of[i].key, key) == 0)
			c->of[i--] = c->of[--c->keys];
}

static void
test_capture(void **state)
{
	static const char *const suffixes[] = { "", ".blktrace.0", ".bin",
						".blkparse.txt" };
	const char *name = *state;

	if (!getenv("NCQSIM_REFERENCE"))
		skip();
	for (uint32_t i = 0; i < ARRAY_LEN(suffixes); i++) {
		struct counts have = { .keys = 0 }, want = { .keys = 0 };
		long long span_ns = read_reference(name, &want);
		long long have_ns;
		char path[500];

		capture_path(path, sizeof(path), name, suffixes[i]);
		if (i == 2 && !has_bytes(path))
			break;
		have_ns = read_trace(path, &have);
		if (i == 3) {
			forget(&want, "m");
			/* Bytes of a passthrough C and R are not printed. */
			if (strcmp(name, "passthrough-pc") == 0) {
				forget(&want, "C N");
				forget(&want, "C R");
				forget(&have, "C N");
				forget(&want, "R R");
				forget(&have, "R N");
			}
		}
		assert_same(&have, &want);
		if (i < 2)
			assert_int_equal(have_ns, span_ns);
	}
}

int
main(void)
{
	struct CMUnitTest tests[ARRAY_LEN(captures)];

	memset(tests, 0, sizeof(tests));
	for (uint32_t i = 0; i < ARRAY_LEN(tests); i++) {
		tests[i].name = captures[i];
		tests[i].test_func = test_capture;
		tests[i].initial_state = (void *)(uintptr_t)captures[i];
	}
	if (!getenv("NCQSIM_REFERENCE")) {
		printf("NCQSIM_REFERENCE is not set\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
