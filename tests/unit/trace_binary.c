/* SPDX-License-Identifier: MIT */
/* vscsi, btrecord and SRT: records by hand, whole and damaged. */
#include "traces/trace.h"

#include "tests/trace_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct bytes {
	uint8_t data[512];
	size_t size;
};

/* The lowest @n bytes of @v, the first one lowest or highest. */
static void
put(struct bytes *b, uint64_t v, int n, bool big)
{
	for (int i = 0; i < n; i++)
		b->data[b->size++] = (uint8_t)(v >> 8 * (big ? n - 1 - i : i));
}

static struct bytes
make_vscsi(void)
{
	struct bytes b = { .size = 0 };

	for (int i = 0; i < 2; i++) {
		put(&b, 0x800000f4, 4, false);
		put(&b, i ? 513 : 512, 4, false);
		put(&b, 1, 4, false);
		put(&b, i ? 0x28 : 0x2a, 2, false);
		put(&b, 0x0100, 2, false);
		put(&b, i ? 8 : 42932745, 8, false);
		put(&b, 5633898 + (uint64_t)i, 8, false);
	}
	return b;
}

static void
put_io(struct bytes *b, uint64_t sector, uint64_t bytes, uint32_t read)
{
	put(b, sector, 8, true);
	put(b, bytes, 8, true);
	put(b, read, 4, true);
	put(b, 0, 4, true);
}

/* Of the other byte order than most machines. */
static struct bytes
make_btrecord(void)
{
	static const uint64_t words[] = { 0x010000, 5, 3, 3, 2, 0 };
	struct bytes b = { .size = 0 };

	for (uint32_t i = 0; i < ARRAY_LEN(words); i++)
		put(&b, words[i], 8, true);
	put_io(&b, 8, 4096, 1);
	put_io(&b, 16, 512, 0);
	put(&b, 0, 8, true); /* a bunch of nothing */
	put(&b, 500, 8, true);
	put(&b, 1, 8, true);
	put(&b, 1000, 8, true);
	put_io(&b, 24, 1024, 1);
	return b;
}

static struct bytes
make_srt(void)
{
	static const uint32_t words[] = {
		56,   0x40001, 0, 0,   174,   19687, 4096,
		1056, 0x0300,  0, 0,   1,     0,     2,
		56,   0x10002, 0, 7,   0,     9,     512,
		8,    0x0100,  0, 0,   0,     0,     0,
		52,   0x30001, 1, 500, 100,   300,   512,
		16,   0x0100,  0, 0,   0x100, 0,
	};
	struct bytes b = { .size = 0 };

	memcpy(b.data, "$$TR_IOREC-1.3 of a disk\n", 25);
	b.size = 36; /* zeroes */
	for (uint32_t i = 0; i < ARRAY_LEN(words); i++)
		put(&b, words[i], 4, true);
	return b;
}

struct expected {
	nsec_t time_ns;
	uint64_t sector;
	uint32_t bytes;
	char action;
	bool write;
	uint32_t device;
};

struct binary_case {
	const char *format;
	struct bytes (*make)(void);
	struct expected events[8];
	const char *cut; /* said when the last byte is missing */
	size_t spoil;    /* the byte to set to 0xff, and what is said */
	const char *spoiled;
};

static const struct binary_case cases[] = {
	{ "vscsi",
	  make_vscsi,
	  { { 0, 42932745, 512, 'Q', true, 0 },
	    { 1000, 8, 1024, 'Q', false, 0 } },
	  "byte 32: the file ends inside a record: 31 of 32 bytes",
	  47,
	  "byte 32: no vscsi record of version 1: command 0x28, version "
	  "0xff00" },
	{ "btrecord",
	  make_btrecord,
	  { { 0, 8, 4096, 'Q', false, 0 },
	    { 0, 16, 512, 'Q', true, 0 },
	    { 1000, 24, 1024, 'Q', false, 0 } },
	  "byte 128: the file ends inside an I/O: 23 of 24 bytes",
	  128,
	  "byte 128: no I/O of btrecord" },
	{ "srt",
	  make_srt,
	  { { 0, 1056, 4096, 'Q', false, 3 },
	    { 174000, 1056, 4096, 'D', false, 3 },
	    { 19687000, 1056, 4096, 'C', false, 3 },
	    { 1000500000, 16, 512, 'Q', true, 1 },
	    { 1000600000, 16, 512, 'D', true, 1 },
	    { 1000800000, 16, 512, 'C', true, 1 } },
	  "byte 148: the file ends inside a record",
	  175,
	  "byte 148: 767 bytes are not a whole number of sectors" },
};

static struct trace_reader *
open_bytes(const struct bytes *b, bool lenient)
{
	struct trace_options opt = { .lenient = lenient };
	struct trace_reader *reader = NULL;
	char path[TRACE_PATH_MAX];
	const char *p = path;
	struct err e = { 0 };

	trace_file_write(path, ".bin", b->data, b->size);
	if (trace_open(&p, 1, &opt, &reader, &e))
		fail_msg("%s", e.text);
	unlink(path);
	return reader;
}

static void
test_values(void **state)
{
	for (uint32_t k = 0; k < ARRAY_LEN(cases); k++) {
		const struct binary_case *c = &cases[k];
		struct bytes b = c->make();
		struct trace_reader *reader = open_bytes(&b, false);
		struct trace_event ev;
		struct err e = { 0 };

		(void)state;
		assert_string_equal(trace_get_stats(reader)->format, c->format);
		for (const struct expected *x = c->events; x->action; x++) {
			if (trace_next(reader, &ev, &e) != 1)
				fail_msg("%s", e.text);
			assert_int_equal(ev.time_ns, x->time_ns);
			assert_int_equal(ev.sector, x->sector);
			assert_int_equal(ev.bytes, x->bytes);
			assert_int_equal(*trace_action_name(ev.action),
					 x->action);
			assert_int_equal(!!(ev.category & TRACE_WRITE),
					 x->write);
			assert_int_equal(ev.device, x->device);
		}
		assert_int_equal(trace_next(reader, &ev, &e), 0);
		trace_close(reader);
	}
}

static void
check_damage(const struct bytes *b, const char *format, const char *message)
{
	for (int lenient = 0; lenient < 2; lenient++) {
		struct trace_options opt = { .format = format,
					     .lenient = lenient };
		struct trace_reader *reader = NULL;
		char path[TRACE_PATH_MAX];
		const char *p = path;
		struct trace_event ev;
		struct err e = { 0 };
		int r;

		trace_file_write(path, ".bin", b->data, b->size);
		assert_int_equal(trace_open(&p, 1, &opt, &reader, &e), 0);
		unlink(path);
		while ((r = trace_next(reader, &ev, &e)) > 0)
			;
		assert_int_equal(r, lenient ? 0 : ERR_INPUT);
		if (!lenient && !strstr(e.text, message))
			fail_msg("%s: not '%s'", e.text, message);
		trace_close(reader);
	}
}

static void
test_damage(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < ARRAY_LEN(cases); k++) {
		const struct binary_case *c = &cases[k];
		struct bytes b = c->make();

		b.data[c->spoil] = 0xff;
		check_damage(&b, c->format, c->spoiled);
		b = c->make();
		b.size--;
		check_damage(&b, c->format, c->cut);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
