/* SPDX-License-Identifier: MIT */
#include "frontend/files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool
is_special(const struct stat *st)
{
	return !S_ISREG(st->st_mode);
}

/* The folder of a file that does not exist yet, and its name in there. */
static const char *
split(const char *path, char *folder, size_t size)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		snprintf(folder, size, ".");
	else
		snprintf(folder, size, "%.*s/", (int)(slash - path), path);
	return slash ? slash + 1 : path;
}

static bool
is_same_name(const char *a, const char *b)
{
	char in_a[PATH_MAX], in_b[PATH_MAX];
	const char *name_a = split(a, in_a, sizeof(in_a));
	const char *name_b = split(b, in_b, sizeof(in_b));
	struct stat st_a, st_b;

	return strcmp(name_a, name_b) == 0 && stat(in_a, &st_a) == 0 &&
	       stat(in_b, &st_b) == 0 && st_a.st_dev == st_b.st_dev &&
	       st_a.st_ino == st_b.st_ino;
}

static bool
is_same(const char *a, const char *b)
{
	struct stat st_a, st_b;
	bool has_a, has_b;

	if (!a || !b || strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
		return false;
	has_a = stat(a, &st_a) == 0;
	has_b = stat(b, &st_b) == 0;
	if (has_a && has_b)
		return !is_special(&st_a) && st_a.st_dev == st_b.st_dev &&
		       st_a.st_ino == st_b.st_ino;
	return !has_a && !has_b && is_same_name(a, b);
}

int
files_check(const struct file_name *written, size_t written_count,
	    const struct file_name *read, size_t read_count, struct err *e)
{
	for (size_t i = 0; i < written_count; i++) {
		for (size_t j = 0; j < read_count; j++)
			if (is_same(written[i].path, read[j].path))
				return err_set(e, ERR_CONFIG,
					       "%s: %s is %s itself",
					       written[i].what, written[i].path,
					       read[j].what);
		for (size_t j = 0; j < i; j++)
			if (is_same(written[i].path, written[j].path))
				return err_set(e, ERR_CONFIG,
					       "%s: %s is written by %s too",
					       written[i].what, written[i].path,
					       written[j].what);
	}
	return 0;
}
