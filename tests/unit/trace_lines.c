/* SPDX-License-Identifier: MIT */
/*
 * Every format of one line an I/O: what a line of it means, by hand, and what
 * is said of a damaged one.
 */
#include "traces/trace.h"

#include "tests/trace_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define EVENTS_MAX 8

struct expected {
	nsec_t time_ns;
	uint64_t sector;
	uint32_t bytes;
	char action;
	char kind; /* R W D F */
	uint32_t device, pid;
};

struct format_case {
	const char *format; /* recognised when it is not forced */
	const char *force, *columns;
	const char *text;
	struct expected events[EVENTS_MAX]; /* bytes 0 and action 0: end */
	const char *damaged;                /* a line whose fault is */
	const char *message;
};

#define SDA (8u << 20)

static const struct format_case cases[] = {
	{ "spc",
	  NULL,
	  NULL,
	  "0,20941264,8192,W,0.551706\n 1, 5, 513, r, 0.551705, extra\n",
	  { { 0, 5, 1024, 'Q', 'R', 1, 0 },
	    { 1000, 20941264, 8192, 'Q', 'W', 0, 0 } },
	  "0,20941264,8192,X,0.6\n",
	  ":3:17: not an SPC line: read or write" },
	{ "msr",
	  NULL,
	  NULL,
	  "128166391024154329,prxy,0,Write,1105182720,1024,1514\n"
	  "128166391024154330,prxy,1,Read,512,512,1\n",
	  { { 0, 2158560, 1024, 'Q', 'W', 0, 0 },
	    { 100, 1, 512, 'Q', 'R', 1, 0 },
	    { 200, 1, 512, 'C', 'R', 1, 0 },
	    { 151400, 2158560, 1024, 'C', 'W', 0, 0 } },
	  "128166391024154330,prxy,1,Read,512,x,1\n",
	  ":3:36: not an MSR Cambridge line: a size in bytes expected" },
	{ "systor17",
	  NULL,
	  NULL,
	  "Timestamp,Response,IOType,LUN,Offset,Size\n"
	  "1456095145.133076000,0.000806000,R,0,899056122368,131072\n"
	  "1456095145.133076001,,W,3,512,512\n"
	  "1456095145.133076002,,,3,512,512\n",
	  { { 0, 1755968989, 131072, 'Q', 'R', 0, 0 },
	    { 1, 1, 512, 'Q', 'W', 3, 0 },
	    { 806000, 1755968989, 131072, 'C', 'R', 0, 0 } },
	  "1456095145.133076002,0.1,R,3,512\n",
	  ":5:33: not a SYSTOR'17 line: a comma expected" },
	{ "alibaba",
	  NULL,
	  NULL,
	  "0,R,126703644672,4096,1577808000000626\n"
	  "7,W,1024,512,1577808000000627\n",
	  { { 0, 247468056, 4096, 'Q', 'R', 0, 0 },
	    { 1000, 2, 512, 'Q', 'W', 7, 0 } },
	  "7,W,1024,512,soon\n",
	  ":3:14: not an Alibaba line: a time" },
	{ "tencent",
	  NULL,
	  NULL,
	  "1538323200,12910952,128,0,1063\n1538323201,8,1,1,2\n",
	  { { 0, 12910952, 65536, 'Q', 'R', 1063, 0 },
	    { 1000000000, 8, 512, 'Q', 'W', 2, 0 } },
	  "1538323201,8,1,2,2\n",
	  ":3:16: not a Tencent line: 0 (read) or 1 (write) expected" },
	{ "fiu",
	  NULL,
	  NULL,
	  "0 4892 syslogd 904265560 8 W 6 0 531e779d\n"
	  "39064 2522 kjournald 4 16 R 8 16 90\n",
	  { { 0, 904265560, 4096, 'Q', 'W', 6 << 20, 4892 },
	    { 39064, 4, 8192, 'Q', 'R', SDA | 16, 2522 } },
	  "39000 1 a 4 16 R 8 16 90\n",
	  ":3:1: the time goes back by 64 ns" },
	{ "cloudphysics",
	  NULL,
	  NULL,
	  "1,5633898,2a,512,42932745\n1,5633898,12,36,0\n"
	  "1,5633899,88,1024,8\n",
	  { { 0, 42932745, 512, 'Q', 'W', 0, 0 },
	    { 1000000000, 8, 1024, 'Q', 'R', 0, 0 } },
	  "1,5633899,1234,1024,8\n",
	  "a hexadecimal number expected" },
	{ "blkreplay",
	  NULL,
	  NULL,
	  "Copyright someone\n\nstart ; sector; length ; op ;\n"
	  "0.449518165 ;     37766917 ;   14 ; W ; 0.0 ; 0.0\n"
	  "0.449518265 ; 2 ; 1 ; R ; 0.001 ; 0.002\n",
	  { { 0, 37766917, 7168, 'Q', 'W', 0, 0 },
	    { 100, 2, 512, 'Q', 'R', 0, 0 },
	    { 3000100, 2, 512, 'C', 'R', 0, 0 } },
	  "0.5 ; 2 ; R ; 1 ; 0.001 ; 0.002\n",
	  ":6:11: not a blkreplay line: a number of sectors expected" },
	{ "fio-iolog",
	  NULL,
	  NULL,
	  "fio version 3 iolog\n21 /a b add\n185 /a b open\n"
	  "188 /a b read 503808 4096\n407 /c write 512 512\n"
	  "408 /c trim 0 1024\n409 /a b datasync 0 0\n410 /c close\n",
	  { { 0, 984, 4096, 'Q', 'R', 1, 0 },
	    { 219000, 1, 512, 'Q', 'W', 2, 0 },
	    { 220000, 0, 1024, 'Q', 'D', 2, 0 },
	    { 221000, 0, 0, 'Q', 'F', 1, 0 } },
	  "500 /c wait 5 0\n",
	  ":9:16: not a fio iolog line: a wait in version 2" },
	{ "fio-iolog",
	  NULL,
	  NULL,
	  "fio version 2 iolog\n/a add\n/a open\n/a read 0 512\n"
	  "/a wait 25 0\n/a write 512 512\n",
	  { { 0, 0, 512, 'Q', 'R', 1, 0 }, { 25000, 1, 512, 'Q', 'W', 1, 0 } },
	  "/a reed 0 512\n",
	  ":7:4: not a fio iolog line: read, write, trim" },
	{ "disksim",
	  NULL,
	  NULL,
	  "13.191135 30 0 5 1\n13.5 31 100 8 10 2\n",
	  { { 0, 0, 2560, 'Q', 'R', 30, 0 },
	    { 308865, 100, 4096, 'Q', 'W', 31, 0 } },
	  "14.5 31 100 8\n",
	  ":3:14: not a DiskSim line: a blank expected" },
	{ "mqsim",
	  "mqsim",
	  NULL,
	  "938513000 4 264719034 16 0\n938513007 4 8 1 1\n",
	  { { 0, 264719034, 8192, 'Q', 'W', 4, 0 },
	    { 7, 8, 512, 'Q', 'R', 4, 0 } },
	  "938513000 4 8 1 1\n",
	  ":3:1: the time goes back by 7 ns" },
	{ "biosnoop",
	  NULL,
	  NULL,
	  "TIME(s) COMM PID DISK T SECTOR BYTES QUE(ms) LAT(ms)\n"
	  "0.000000 dd 24852 sda W 26236512 8192 1.00 3.00\n"
	  "0.001000 ? 0 sdb RA 8 512 0.00 0.50\n",
	  { { 0, 26236512, 8192, 'Q', 'W', SDA, 24852 },
	    { 1000000, 26236512, 8192, 'D', 'W', SDA, 24852 },
	    { 4000000, 26236512, 8192, 'C', 'W', SDA, 24852 },
	    { 4500000, 8, 512, 'Q', 'R', SDA | 16, 0 },
	    { 4500000, 8, 512, 'D', 'R', SDA | 16, 0 },
	    { 5000000, 8, 512, 'C', 'R', SDA | 16, 0 } },
	  "0.002 dd 1 sda W 26236512 8192 1.00\n",
	  ":4:36: not a biosnoop line: a time expected" },
	{ "iosnoop",
	  NULL,
	  NULL,
	  "STARTs ENDs COMM PID TYPE DEV BLOCK BYTES LATms\n"
	  "10.000001 10.000005 dd 2 W 202,1 8388616 4096 0.00\n",
	  { { 0, 8388616, 4096, 'Q', 'W', 202u << 20 | 1, 2 },
	    { 0, 8388616, 4096, 'D', 'W', 202u << 20 | 1, 2 },
	    { 4000, 8388616, 4096, 'C', 'W', 202u << 20 | 1, 2 } },
	  "1.0 2.0 fio 26344 RA 254,0 + 0 0.86\n",
	  ":3:28: not an iosnoop -ts line: a block (iosnoop misreads" },
	{ "ftrace",
	  NULL,
	  NULL,
	  "# tracer: nop\n"
	  " a b-403 [001] ...1. 86.522943: block_rq_insert: 8,0 R 8192 () "
	  "505936 + 16 be,0,4 [fio]\n"
	  "CPU:0 [LOST 3 EVENTS]\n"
	  " kworker/0:1H-kb 58 [000] 86.522944: block:block_rq_issue: 8,0 FF "
	  "0 () 18446744073709551615 + 0 [x]\n"
	  " <idle>-0 (-----) [000] ..s. 86.522946: block_rq_complete: 8,0 W "
	  "() 16 + 8 [-5]\n"
	  " fio-9 [000] d..1. 86.522947:   7,0    Q   R 126480 + 16 [fio]\n"
	  "  7,0    0  86.522948550  2442  Q   R 126480 + 16 [fio]\n",
	  { { 0, 505936, 8192, 'I', 'R', SDA, 403 },
	    { 1000, 0, 0, 'D', 'F', SDA, 58 },
	    { 3000, 16, 4096, 'C', 'W', SDA, 0 },
	    { 4000, 126480, 8192, 'Q', 'R', 7 << 20, 9 },
	    { 5550, 126480, 8192, 'Q', 'R', 7 << 20, 2442 } },
	  " fio-9 [000] 87.0: block_rq_issue: 8,0 R 8192 () x + 1 [fio]\n",
	  ":8:50: not a line of ftrace, trace-cmd or perf: a sector" },
	{ "blkparse-f",
	  NULL,
	  NULL,
	  "0.000000000,156,mkfs.ext4,Q,FWS,0,0,0,0\n"
	  "0.000379440,58,kworker/0:1H,C,R,8,16,8192,65531\n",
	  { { 0, 0, 0, 'Q', 'F', 0, 156 },
	    { 379440, 8, 8192, 'C', 'R', 0, 58 } },
	  "0.000379440,58,kworker/0:1H,E,R,8,16,8192,65531\n",
	  ":3:29: not a line of this blkparse -f format: an action" },
	{ "blkparse-f",
	  NULL,
	  "%12S|%n|%a|%T.%t|%D\\n",
	  "         100|8|UT|1.000000009|8,16\n",
	  { { 0, 100, 4096, 'U', 'R', SDA | 16, 0 } },
	  "100|8|Q|1;000000009|8,16\n",
	  ":2:10: not a line" },
	{ "columns",
	  NULL,
	  "time=3:ms,lba=1,size=2:bytes,op=4,response=6:us",
	  "lba,size,time,op,x,r\n100,4096,1.5,R,sda,2\n104,512,2,w,,1.5\n",
	  { { 0, 100, 4096, 'Q', 'R', 0, 0 },
	    { 2000, 100, 4096, 'C', 'R', 0, 0 },
	    { 500000, 104, 512, 'Q', 'W', 0, 0 },
	    { 501500, 104, 512, 'C', 'W', 0, 0 } },
	  "104,512,2,9,,1.5\n",
	  ":4:11: not a line of the --columns told" },
	{ "columns",
	  NULL,
	  "time=1:ns,lba=2:bytes,size=3:sectors,op=4:read",
	  "5  1024 3 1\n7\t512 1 0\n",
	  { { 0, 2, 1536, 'Q', 'R', 0, 0 }, { 2, 1, 512, 'Q', 'W', 0, 0 } },
	  "7 512\n",
	  ":3:6: not a line of the --columns told: size expected" },
	{ "etw",
	  NULL,
	  NULL,
	  "BeginHeader\nDiskRead, TimeStamp, Process Name ( PID), IrpPtr, "
	  "ByteOffset, IOSize, ElapsedTime, DiskNum, DiskSvcTime\nEndHeader\n"
	  "DiskRead, 1000, a.exe ( 4), 0xfff, 0x1000, 0x2000, 300, 1, 200\n"
	  "DiskFlush, 1001, whatever\n",
	  { { 0, 8, 8192, 'Q', 'R', 1, 0 },
	    { 100000, 8, 8192, 'D', 'R', 1, 0 },
	    { 300000, 8, 8192, 'C', 'R', 1, 0 } },
	  "DiskRead, 1000, a.exe ( 4), 0xfff, 0xzz, 0x2000, 300, 1, 200\n",
	  ":6:38: not a line of an xperf dump: a hexadecimal number" },
};

static struct trace_reader *
open_case(const struct format_case *c, bool damaged, bool lenient)
{
	struct trace_options opt = { .format = c->force,
				     .columns = c->columns,
				     .lenient = lenient };
	struct trace_reader *reader = NULL;
	char path[TRACE_PATH_MAX], text[2048];
	const char *p = path;
	struct err e = { 0 };

	strcpy(text, c->text);
	if (damaged)
		strcat(text, c->damaged);
	trace_file_write(path, ".txt", text, strlen(text));
	if (damaged && !c->columns)
		opt.format = c->format;
	if (trace_open(&p, 1, &opt, &reader, &e))
		fail_msg("%s: %s", c->format, e.text);
	unlink(path);
	return reader;
}

static char
kind_of(uint32_t category)
{
	if (category & TRACE_DISCARD)
		return 'D';
	if (category & TRACE_FLUSH)
		return 'F';
	return category & TRACE_WRITE ? 'W' : 'R';
}

static void
test_values(void **state)
{
	const struct format_case *c = *state;
	struct trace_reader *reader = open_case(c, false, false);
	struct trace_event ev;
	struct err e = { 0 };

	assert_string_equal(trace_get_stats(reader)->format, c->format);
	for (uint32_t i = 0; i < EVENTS_MAX && c->events[i].action; i++) {
		const struct expected *x = &c->events[i];

		if (trace_next(reader, &ev, &e) != 1)
			fail_msg("event %u: %s", i, e.text);
		assert_int_equal(ev.time_ns, x->time_ns);
		assert_int_equal(ev.sector, x->sector);
		assert_int_equal(ev.bytes, x->bytes);
		assert_int_equal(*trace_action_name(ev.action), x->action);
		assert_int_equal(kind_of(ev.category), x->kind);
		assert_int_equal(ev.device, x->device);
		assert_int_equal(ev.pid, x->pid);
	}
	assert_int_equal(trace_next(reader, &ev, &e), 0);
	trace_close(reader);
}

static void
test_damage(void **state)
{
	const struct format_case *c = *state;

	for (int lenient = 0; lenient < 2; lenient++) {
		struct trace_reader *reader = open_case(c, true, lenient);
		const struct trace_stats *st = trace_get_stats(reader);
		uint64_t damaged = 0;
		struct trace_event ev;
		struct err e = { 0 };
		int r;

		while ((r = trace_next(reader, &ev, &e)) > 0)
			;
		assert_int_equal(r, lenient ? 0 : ERR_INPUT);
		if (!lenient && !strstr(e.text, c->message))
			fail_msg("%s: not '%s'", e.text, c->message);
		for (uint32_t i = 0; i < DAMAGE_KINDS; i++)
			damaged += st->damage[i].count;
		assert_int_equal(damaged, 1);
		trace_close(reader);
	}
}

static void
test_ask_unit(void **state)
{
	static const char text[] = "938513000 4 264719034 16 0\n";
	struct trace_options opt = { 0 };
	struct trace_reader *reader = NULL;
	char path[TRACE_PATH_MAX];
	const char *p = path;
	struct trace_event ev;
	struct err e = { 0 };

	(void)state;
	trace_file_write(path, ".txt", text, strlen(text));
	assert_int_equal(trace_open(&p, 1, &opt, &reader, &e), ERR_CONFIG);
	assert_non_null(strstr(e.text, "--time-unit"));
	assert_int_equal(trace_parse_unit("us", &opt.time_unit_ns, &e), 0);
	assert_int_equal(opt.time_unit_ns, 1000);
	assert_int_equal(trace_open(&p, 1, &opt, &reader, &e), 0);
	assert_int_equal(trace_next(reader, &ev, &e), 1);
	assert_int_equal(trace_get_stats(reader)->base_ns, 938513000000);
	trace_close(reader);
	unlink(path);
	assert_int_equal(trace_parse_unit("h", &opt.time_unit_ns, &e),
			 ERR_CONFIG);
}

static void
test_bad_columns(void **state)
{
	static const char *const bad[] = {
		"time=1,lba=2,size=3",
		"time=0,lba=2,size=3,op=4",
		"time=1:h,lba=2,size=3,op=4",
		"lbas=1",
		"time=99,lba=2,size=3,op=4",
		"%T.%t %Q %a %S",
		"%T.%t %S",
		"time",
	};
	char path[TRACE_PATH_MAX];
	const char *p = path;

	(void)state;
	trace_file_write(path, ".txt", "1,2,3,R\n", 8);
	for (uint32_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct trace_options opt = { .columns = bad[i] };
		struct trace_reader *reader = NULL;
		struct err e = { 0 };

		assert_int_equal(trace_open(&p, 1, &opt, &reader, &e),
				 ERR_CONFIG);
		assert_memory_equal(e.text, "--columns", 9);
	}
	unlink(path);
}

int
main(void)
{
	struct CMUnitTest tests[2 * ARRAY_LEN(cases) + 2];

	memset(tests, 0, sizeof(tests));
	for (uint32_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		tests[i].name = cases[i / 2].format;
		tests[i].test_func = i % 2 ? test_damage : test_values;
		tests[i].initial_state = (void *)(uintptr_t)&cases[i / 2];
	}
	tests[2 * ARRAY_LEN(cases)] =
		(struct CMUnitTest)cmocka_unit_test(test_ask_unit);
	tests[2 * ARRAY_LEN(cases) + 1] =
		(struct CMUnitTest)cmocka_unit_test(test_bad_columns);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
