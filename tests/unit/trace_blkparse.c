/* SPDX-License-Identifier: MIT */
#include "traces/trace.h"

#include "tests/trace_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define EVENTS_MAX 32

struct text {
	int status;
	struct err e;
	uint32_t count;
	struct trace_event ev[EVENTS_MAX];
	char last_payload[80];
	char name44[80];
};

static struct trace_reader *
open_text(const char *text, size_t size, bool lenient)
{
	struct trace_options opt = { .format = "blkparse", .lenient = lenient };
	struct trace_reader *reader = NULL;
	char path[TRACE_PATH_MAX];
	const char *p = path;
	struct err e;

	trace_file_write(path, ".txt", text, size);
	assert_int_equal(trace_open(&p, 1, &opt, &reader, &e), 0);
	unlink(path);
	return reader;
}

static struct text
read_text(const char *text)
{
	struct trace_reader *reader = open_text(text, strlen(text), false);
	struct text t = { .count = 0 };
	const char *name;
	struct trace_event ev;

	while ((t.status = trace_next(reader, &ev, &t.e)) > 0) {
		assert_true(t.count < EVENTS_MAX);
		snprintf(t.last_payload, sizeof(t.last_payload), "%.*s",
			 ev.payload_bytes, ev.payload ? ev.payload : "");
		t.ev[t.count++] = ev;
	}
	name = trace_process_name(reader, 44);
	snprintf(t.name44, sizeof(t.name44), "%s", name ? name : "");
	trace_close(reader);
	return t;
}

static void
test_fields(void **state)
{
	struct text t = read_text("  8,16   3       42     1.000000007    44  "
				  "Q FWFSM 100 + 8 [kworker/0:1H]\n"
				  "259,0   127 123456789 12345.000000009 "
				  "1234567  C   R 18446744 + 16 [65531]\n");

	(void)state;
	assert_int_equal(t.status, 0);
	assert_int_equal(t.count, 2);
	assert_int_equal(t.ev[0].device, 8 << 20 | 16);
	assert_int_equal(t.ev[0].cpu, 3);
	assert_int_equal(t.ev[0].sequence, 42);
	assert_int_equal(t.ev[0].time_ns, 0);
	assert_int_equal(t.ev[0].pid, 44);
	assert_int_equal(t.ev[0].action, TRACE_QUEUE);
	assert_int_equal(t.ev[0].category, TRACE_FLUSH | TRACE_WRITE |
						   TRACE_FUA | TRACE_SYNC |
						   TRACE_META);
	assert_int_equal(t.ev[0].sector, 100);
	assert_int_equal(t.ev[0].bytes, 4096);
	assert_string_equal(t.name44, "kworker/0:1H");
	assert_int_equal(t.ev[1].device, 259 << 20);
	assert_int_equal(t.ev[1].cpu, 127);
	assert_int_equal(t.ev[1].sequence, 123456789);
	assert_int_equal(t.ev[1].time_ns, INT64_C(12344000000002));
	assert_int_equal(t.ev[1].pid, 1234567);
	assert_int_equal(t.ev[1].error, -5);
}

#define LINE(rest) "  8,0    0        1     0.000000000    44 " rest "\n"

/* clang-format off */
static const char tails[] =
	LINE(" A   R 2048 + 8 <- (253,1) 7")
	LINE(" X   R 0 / 256 [dd]")
	LINE(" P   N [dd]")
	LINE(" U   N [a [b] c] 3")
	LINE("UT   N [dd] 12")
	LINE(" D  FN [kworker/0:1H]")
	LINE(" C  WS 96 [0]")
	LINE(" D   R 96 (12 00 00) [sg]")
	LINE(" C   R (12 00 00) [5]")
	LINE(" C   R 8 + 8 (  475600) [0]")
	LINE(" D DS 8 + 8 ( 1413330) [dd]")
	LINE(" m   N cfq18S / insert");
/* clang-format on */

static void
test_tails(void **state)
{
	struct text t = read_text(tails);

	(void)state;
	assert_int_equal(t.status, 0);
	assert_int_equal(t.count, 12);
	assert_int_equal(t.ev[0].action, TRACE_REMAP);
	assert_int_equal(t.ev[0].arg_device, 253 << 20 | 1);
	assert_int_equal(t.ev[0].arg, 7);
	assert_int_equal(t.ev[1].arg, 256);
	assert_int_equal(t.ev[1].bytes, 256 * 512);
	assert_int_equal(t.ev[2].action, TRACE_PLUG);
	assert_int_equal(t.ev[3].action, TRACE_UNPLUG);
	assert_int_equal(t.ev[3].arg, 3);
	assert_int_equal(t.ev[4].action, TRACE_UNPLUG_TIMER);
	assert_int_equal(t.ev[4].arg, 12);
	assert_int_equal(t.ev[5].category, TRACE_FLUSH);
	assert_int_equal(t.ev[5].bytes, 0);
	assert_int_equal(t.ev[6].sector, 96);
	assert_int_equal(t.ev[6].bytes, 0);
	assert_true(t.ev[7].category & TRACE_PC);
	assert_int_equal(t.ev[7].bytes, 96);
	assert_true(t.ev[8].category & TRACE_PC);
	assert_int_equal(t.ev[8].error, 5);
	assert_int_equal(t.ev[9].bytes, 4096);
	assert_int_equal(t.ev[10].category,
			 TRACE_DISCARD | TRACE_WRITE | TRACE_SYNC);
	assert_int_equal(t.ev[11].action, TRACE_MESSAGE);
	assert_string_equal(t.last_payload, "cfq18S / insert");
}

/* Comments, blank lines, CR LF, the summary: no events, no damage. */
static void
test_decoration(void **state)
{
	struct text t = read_text(
		"# a header added by hand\n\nInput file x.blktrace.0 added\n"
		"  8,0    0        1     0.000000000    44  Q   R 8 + 8 "
		"[(null)]"
		"\r\n"
		"  8,0    0        2     0.000000001    44  G   R 8 + 8 "
		"[[x for]]\r\n"
		"CPU0 (x):\n Reads Queued:   727,     6013KiB\t Writes\n\n"
		"Total (x):\n what ever follows\n"
		"Throughput (R/W): 798KiB/s\nEvents (x): 2 entries\n"
		"Skips: 0 forward (0 -   0.0%)");

	(void)state;
	assert_int_equal(t.status, 0);
	assert_int_equal(t.count, 2);
	assert_string_equal(t.name44, "");
}

/* Damage a good line in one place, or leave it. */
static size_t
put_line(char *at, uint32_t i)
{
	static const char letters[] = " 0123456789,.+-/()[]QRWDCFNS\tx";
	int n = sprintf(at, "  8,%-3u %2u %8u %5u.%09u %5u  %c   R %u + 8 [%s]",
			i / 7 % 3, i % 13, i * 37 % 99999999, i / 50,
			i % 50 * 19999999, i * 7919 % 99999, "QGIDC"[i % 5],
			i * 1001, i % 5 == 4 ? "0" : "fio");

	if (rand() % 4)
		at[rand() % n] = letters[rand() % (int)(sizeof(letters) - 1)];
	at[n] = '\n';
	return (size_t)n + 1;
}

/*
 * Columns and blanks agree: every line gives the same by the fast way and,
 * moved by one blank so that no column fits, by the general one.
 */
static void
test_columns(void **state)
{
	enum { LINES = 20000, BYTES = 100 * LINES };
	char *plain = malloc(BYTES), *moved = malloc(BYTES);
	size_t plain_size = 0, moved_size = 0;
	struct trace_reader *a, *b;
	struct trace_event x, y;
	struct err e;
	int r;

	(void)state;
	srand(1);
	for (uint32_t i = 0; i < LINES; i++) {
		size_t n = put_line(plain + plain_size, i);

		moved[moved_size] = ' ';
		memcpy(moved + moved_size + 1, plain + plain_size, n);
		plain_size += n;
		moved_size += n + 1;
	}
	a = open_text(plain, plain_size, true);
	b = open_text(moved, moved_size, true);
	do {
		r = trace_next(a, &x, &e);
		assert_int_equal(trace_next(b, &y, &e), r);
		if (r > 0)
			assert_memory_equal(&x, &y, sizeof(x));
	} while (r > 0);
	assert_int_equal(r, 0);
	for (int i = 0; i < DAMAGE_KINDS; i++)
		assert_int_equal(trace_get_stats(a)->damage[i].count,
				 trace_get_stats(b)->damage[i].count);
	assert_in_range(trace_get_stats(a)->records, LINES / 3, LINES - 1000);
	trace_close(a);
	trace_close(b);
	free(plain);
	free(moved);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_tails),
		cmocka_unit_test(test_decoration),
		cmocka_unit_test(test_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
