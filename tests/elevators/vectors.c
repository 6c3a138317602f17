/* SPDX-License-Identifier: MIT */
/*
 * Runs elevator vectors: what real Linux elevators did with a workload on a
 * simple disk, to be reproduced byte for byte.  README.md beside this file
 * gives the format of the files and the model of the disk.
 *
 *	vectors [-a] [DIR|FILE.in...]	compare, print what differs
 *	vectors -t FILE.in [KERNEL]	print the events of one run
 *
 * A folder holds NAME.in with NAME.out beside it; further outputs are in
 * versions/KERNEL/ELEVATOR/NAME.out and belong to ELEVATOR/NAME.in beside
 * versions/.  With -a an input without an output for a kernel is expected
 * to give what it gives with 2.6.32, where that kernel has what it uses.
 *
 * Without a folder it takes vectors.tar.xz beside its source, with -a.
 *
 * Exit status: 0 all passed, 1 some failed, 2 cannot run.
 */
#include "tests/vector_machine.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_SHOWN 25
#define ARCHIVE      "tests/elevators/vectors.tar.xz"

struct tally {
	unsigned passed;
	unsigned failed;
};

struct paths {
	char **names;
	size_t count;
};

/* nftw() has no context argument. */
static struct paths found;

static void
die(const char *what, const char *name)
{
	fprintf(stderr, "vectors: %s: %s\n", name, what);
	exit(2);
}

static bool
ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcmp(name + n - m, end) == 0;
}

static int
collect(const char *name, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (kind != FTW_F || !ends_with(name, ".in"))
		return 0;
	found.names =
		realloc(found.names, (found.count + 1) * sizeof(*found.names));
	if (!found.names)
		return -1;
	found.names[found.count] = strdup(name);
	return found.names[found.count++] ? 0 : -1;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The whole of @name, NULL when there is no such file. */
static char *
read_file(const char *name)
{
	FILE *f = fopen(name, "r");
	char *text = NULL;
	size_t size = 0;

	if (!f)
		return NULL;
	if (getdelim(&text, &size, '\0', f) < 0 && !feof(f))
		die("cannot be read", name);
	fclose(f);
	return text ? text : strdup("");
}

/* Length of the first line of @text, without the newline. */
static int
line_length(const char *text)
{
	return (int)strcspn(text, "\n");
}

/* Print the last events up to and including event number @end. */
static void
show_events(const struct machine_result *r, size_t end)
{
	const char *at = r->events;
	size_t first = end > EVENTS_SHOWN ? end - EVENTS_SHOWN : 0;

	for (size_t i = 0; *at && i < end; i++) {
		int n = line_length(at);

		if (i >= first)
			printf("    %.*s\n", n, at);
		at += n + (at[n] == '\n');
	}
}

/* Compare line by line; describe the first difference. */
static bool
compare(const char *name, const char *kernel, const char *want,
	const struct machine_result *r)
{
	const char *got = r->output;
	unsigned line = 1;

	while (*want && line_length(want) == line_length(got) &&
	       strncmp(want, got, (size_t)line_length(want)) == 0) {
		int n = line_length(want);

		want += n + (want[n] == '\n');
		got += n + (got[n] == '\n');
		line++;
	}
	if (!*want && !*got)
		return true;
	printf("%s (%s): output line %u differs; events before it:\n", name,
	       kernel, line);
	show_events(r, machine_events_before(r, line));
	printf("  expected  %.*s\n  got       %.*s\n", line_length(want), want,
	       line_length(got), got);
	return false;
}

static void
run_one(const char *in_name, const char *out_name, const char *kernel,
	struct tally *tally)
{
	struct machine_result r;
	struct err e;
	char *in = read_file(in_name);
	char *want = read_file(out_name);

	if (!in)
		die(strerror(errno), in_name);
	if (!want)
		die(strerror(errno), out_name);
	if (machine_run(in, (enum host_era)host_era_parse(kernel, NULL), &r,
			&e) < 0) {
		printf("%s (%s): %s\n", in_name, kernel, e.text);
		tally->failed++;
	} else {
		if (compare(in_name, kernel, want, &r))
			tally->passed++;
		else
			tally->failed++;
		machine_result_free(&r);
	}
	free(in);
	free(want);
}

static bool
exists(const char *name)
{
	FILE *f = fopen(name, "r");

	if (f)
		fclose(f);
	return f != NULL;
}

/*
 * Does the input use what came after @era?  The generated ones, which name
 * their seed, were not run with the oldest kernels.
 */
static bool
needs_newer(const char *in_name, enum host_era era)
{
	char *in = read_file(in_name);
	bool newer;

	newer = (era < ERA_2_6_32 && strstr(in, "\nset low_latency")) ||
		(era < ERA_2_6_31 && strstr(in, "\nqueue nonrot")) ||
		(era < ERA_2_6_31 && strstr(in, ", seed "));
	free(in);
	return newer;
}

/* The outputs of other kernels for DIR/ELEVATOR/NAME.in. */
static void
run_versions(const char *in_name, const char *out_name, bool all,
	     struct tally *tally)
{
	const char *name = strrchr(in_name, '/');
	const char *folder = name;
	char path[4096];

	if (!name)
		return;
	while (folder > in_name && folder[-1] != '/')
		folder--;
	for (int era = ERA_2_6_18; era < ERA_MODERN; era++) {
		const char *kernel = host_era_name((enum host_era)era);

		if (era == ERA_2_6_32)
			continue;
		snprintf(path, sizeof(path), "%.*sversions/%s/%.*s/%.*s.out",
			 (int)(folder - in_name), in_name, kernel,
			 (int)(name - folder), folder,
			 (int)strlen(name + 1) - 3, name + 1);
		if (exists(path))
			run_one(in_name, path, kernel, tally);
		else if (all && !needs_newer(in_name, (enum host_era)era))
			run_one(in_name, out_name, kernel, tally);
	}
}

static void
run_path(const char *path, bool all, struct tally *tally)
{
	found = (struct paths){ 0 };
	if (nftw(path, collect, 16, FTW_PHYS) < 0)
		die(strerror(errno), path);
	if (found.count == 0)
		die("holds no .in file", path);
	qsort(found.names, found.count, sizeof(*found.names), compare_names);
	for (size_t i = 0; i < found.count; i++) {
		char *in = found.names[i];
		size_t n = strlen(in);
		char *out = malloc(n + 2);

		if (!out)
			die("out of memory", in);
		snprintf(out, n + 2, "%.*s.out", (int)n - 3, in);
		run_one(in, out, "2.6.32", tally);
		run_versions(in, out, all, tally);
		free(out);
		free(in);
	}
	free(found.names);
}

static void
run_archive(struct tally *tally)
{
	char folder[] = "/tmp/vectors.XXXXXX";
	char command[256];

	if (!mkdtemp(folder))
		die(strerror(errno), folder);
	snprintf(command, sizeof(command), "tar -xJf %s -C %s", ARCHIVE,
		 folder);
	if (system(command) != 0)
		die("cannot be unpacked with tar and xz", ARCHIVE);
	run_path(folder, true, tally);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	if (system(command) != 0)
		die("cannot be removed", folder);
}

static int
trace(const char *name, const char *kernel)
{
	struct machine_result r;
	struct err e;
	char *in = read_file(name);
	int era = host_era_parse(kernel, &e);

	if (!in)
		die(strerror(errno), name);
	if (era < 0 || machine_run(in, (enum host_era)era, &r, &e) < 0)
		die(e.text, name);
	fputs(r.events, stdout);
	machine_result_free(&r);
	free(in);
	return 0;
}

int
main(int argc, char **argv)
{
	struct tally tally = { 0 };
	bool all = false;
	int i = 1;

	if (argc > 2 && strcmp(argv[1], "-t") == 0)
		return trace(argv[2], argc > 3 ? argv[3] : "2.6.32");
	if (argc > 1 && strcmp(argv[1], "-a") == 0) {
		all = true;
		i++;
	}
	if (i >= argc)
		run_archive(&tally);
	for (; i < argc; i++)
		run_path(argv[i], all, &tally);
	printf("%u passed, %u failed\n", tally.passed, tally.failed);
	return tally.failed > 0;
}
