/* SPDX-License-Identifier: MIT */
/*
 * Compressed traces and tarballs of them, made with the usual tools, give
 * what the plain files give.
 */
#include "traces/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define SAMPLES "traces/samples"

static char dir[] = "/tmp/ncqsim-packed-XXXXXX";

static bool
run(const char *command)
{
	char line[600];

	snprintf(line, sizeof(line), "d=%s; s=" SAMPLES "; { %s; } 2>&1", dir,
		 command);
	return system(line) == 0;
}

struct count {
	int status;
	uint64_t records;
	uint64_t damaged;
	uint64_t sum; /* of all sectors and times */
	uint32_t files;
	struct err e;
};

static struct count
read_trace(const char *path, bool lenient)
{
	struct trace_options opt = { .lenient = lenient };
	struct trace_reader *reader = NULL;
	struct count n = { .records = 0 };
	struct trace_event ev;

	n.status = trace_open(&path, 1, &opt, &reader, &n.e);
	if (n.status)
		return n;
	while ((n.status = trace_next(reader, &ev, &n.e)) > 0)
		n.sum = n.sum * 31 + ev.sector + (uint64_t)ev.time_ns;
	n.records = trace_get_stats(reader)->records;
	n.files = trace_get_stats(reader)->file_count;
	for (uint32_t i = 0; i < DAMAGE_KINDS; i++)
		n.damaged += trace_get_stats(reader)->damage[i].count;
	trace_close(reader);
	return n;
}

static void
check_same(const char *command, const char *name, const struct count *plain)
{
	char path[200];
	struct count n;

	if (!run(command)) {
		print_message("cannot run '%s'\n", command);
		return;
	}
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	n = read_trace(path, false);
	if (n.status)
		fail_msg("%s: %s", name, n.e.text);
	assert_int_equal(n.records, plain->records);
	assert_int_equal(n.sum, plain->sum);
	assert_int_equal(n.files, plain->files);
}

static void
test_packed(void **state)
{
	const struct count set = read_trace(SAMPLES "/ext4-untar", false);
	struct count text;
	char path[200];

	(void)state;
	assert_int_equal(set.status, 0);
	assert_true(
		run("printf 'fio version 2 iolog\\n/a add\\n' >$d/log; i=0; "
		    "while [ $i -lt 60000 ]; do echo \"/a read $((i*4096)) "
		    "512\"; i=$((i+1)); done >>$d/log"));
	snprintf(path, sizeof(path), "%s/log", dir);
	text = read_trace(path, false);
	assert_int_equal(text.records, 60000);
	check_same("gzip -c $d/log >$d/a", "a", &text);
	check_same("bzip2 -c $d/log >$d/b", "b", &text);
	check_same("xz -c $d/log >$d/c", "c", &text);
	check_same("zstd -qc $d/log >$d/d", "d", &text);
	check_same("tar -C $d -cf $d/e log", "e", &text);
	check_same("tar -C $s/ext4-untar -czf $d/f .", "f", &set);
	check_same("tar -C $s -cJf $d/g ext4-untar", "g", &set);
	check_same("tar -C $d -cf $d/h log a -C $PWD/$s ext4-untar",
		   "h:ext4-untar/ext4-untar", &set);
	check_same(":", "h:log", &text);
}

static void
test_bad(void **state)
{
	static const struct {
		const char *command, *name, *message;
	} bad[] = {
		{ "tar -C $d -cf $d/i log a", "i", "several traces (log, a)" },
		{ ":", "i:c", "i:c: no such file in the archive" },
		{ ":", "log:a", "log:a: not in an archive" },
		{ "head -c $(($(wc -c <$d/a) * 3 / 4)) $d/a >$d/j", "j",
		  "truncated gzip input" },
	};
	struct count n;
	char path[200];

	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_true(run(bad[i].command));
		snprintf(path, sizeof(path), "%s/%s", dir, bad[i].name);
		n = read_trace(path, false);
		assert_int_equal(n.status, ERR_INPUT);
		if (!strstr(n.e.text, bad[i].message))
			fail_msg("%s: not '%s'", n.e.text, bad[i].message);
	}
	n = read_trace(path, true);
	assert_int_equal(n.status, 0);
	assert_in_range(n.records, 1000, 59999);
	assert_in_range(n.damaged, 1, 2);
}

static int
make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int
remove_dir(void **state)
{
	(void)state;
	return run("rm -r $d") ? 0 : -1;
}

int
main(void)
{
#ifdef HAVE_LIBARCHIVE
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packed),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
#else
	(void)test_packed;
	(void)test_bad;
	(void)make_dir;
	(void)remove_dir;
	return 77;
#endif
}
