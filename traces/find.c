/* SPDX-License-Identifier: MIT */
/*
 * Which files make up a trace.  blktrace writes NAME.blktrace.CPU, one file a
 * CPU.  The set is found by listing the directory, so that a missing number
 * does not hide the files after it.
 */
#include "traces/reader.h"

#include "traces/unpack.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MEMBER_SUFFIX ".blktrace."

/* Paths of files to open, each owned. */
struct path_list {
	char **paths;
	uint32_t count;
};

static int
list_add(struct path_list *list, char *path, struct err *e)
{
	char **paths;

	if (!path)
		return err_nomem(e);
	paths = realloc(list->paths, (list->count + 1) * sizeof(*paths));
	if (!paths) {
		free(path);
		return err_nomem(e);
	}
	list->paths = paths;
	list->paths[list->count++] = path;
	return 0;
}

static void
list_free(struct path_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		free(list->paths[i]);
	free(list->paths);
}

/* Where ".blktrace.CPU" begins in @path, or NULL. */
static const char *
member_suffix(const char *path)
{
	const char *suffix = NULL;
	const char *digits;

	for (const char *s = path; (s = strstr(s, MEMBER_SUFFIX)); s++)
		suffix = s;
	if (!suffix)
		return NULL;
	digits = suffix + strlen(MEMBER_SUFFIX);
	if (*digits == '\0' || strlen(digits) > 5 ||
	    digits[strspn(digits, "0123456789")] != '\0')
		return NULL;
	return suffix;
}

int
trace_member_cpu(const char *path)
{
	const char *suffix = member_suffix(path);

	if (!suffix)
		return -1;
	return atoi(suffix + strlen(MEMBER_SUFFIX));
}

static int
compare_cpu(const void *a, const void *b)
{
	return trace_member_cpu(*(char *const *)a) -
	       trace_member_cpu(*(char *const *)b);
}

/* Say which CPU numbers are missing below the highest of a sorted set. */
static int
warn_missing(struct trace_reader *reader, const struct path_list *set,
	     const char *prefix, struct err *e)
{
	char text[200] = "";
	int cpu = 0;

	for (uint32_t i = 0; i < set->count; i++) {
		int have = trace_member_cpu(set->paths[i]);

		for (; cpu < have && strlen(text) < sizeof(text) - 8; cpu++)
			sprintf(text + strlen(text), " %d", cpu);
		cpu = have + 1;
	}
	if (!text[0])
		return 0;
	return reader_warn(reader, e,
			   "%s.blktrace.*: no file of CPU%s; reading the "
			   "other %u",
			   prefix, text, set->count);
}

/* Split @prefix into the directory to list and the name in it. */
static char *
prefix_dir(const char *prefix, const char **name)
{
	const char *slash = strrchr(prefix, '/');

	*name = slash ? slash + 1 : prefix;
	if (!slash)
		return strdup(".");
	if (slash == prefix)
		return strdup("/");
	return strndup(prefix, (size_t)(slash - prefix));
}

/* Add PREFIX.blktrace.N for every N that the directory holds. */
static int
list_members(const char *prefix, struct path_list *set, struct err *e)
{
	const char *name;
	char *dir = prefix_dir(prefix, &name);
	DIR *d = dir ? opendir(dir) : NULL;
	struct dirent *entry;
	int r = 0;

	free(dir);
	while (d && !r && (entry = readdir(d))) {
		const char *suffix = member_suffix(entry->d_name);
		char *path;

		if (!suffix ||
		    strlen(name) != (size_t)(suffix - entry->d_name) ||
		    memcmp(name, entry->d_name, strlen(name)) != 0)
			continue;
		if (asprintf(&path, "%s%s", prefix, suffix) < 0)
			path = NULL;
		r = list_add(set, path, e);
	}
	if (d)
		closedir(d);
	return r;
}

/* Add a whole set, in CPU order.  @prefix without members adds nothing. */
static int
add_prefix(struct trace_reader *reader, const char *prefix,
	   struct path_list *list, struct err *e)
{
	struct path_list set = { NULL, 0 };
	int r = list_members(prefix, &set, e);

	if (set.count > 1)
		qsort(set.paths, set.count, sizeof(*set.paths), compare_cpu);
	if (!r && set.count > 0)
		r = warn_missing(reader, &set, prefix, e);
	for (uint32_t i = 0; !r && i < set.count; i++) {
		r = list_add(list, set.paths[i], e);
		set.paths[i] = NULL;
	}
	list_free(&set);
	return r;
}

static int
too_many_names(const char *dir, const char *a, const char *b, struct err *e)
{
	return err_set(e, ERR_INPUT,
		       "%s: several traces (%s, %s); name one: %s/%s", dir, a,
		       b, dir, a);
}

/* The one name N of the N.blktrace.* in @dir, into @name. */
static int
directory_name(const char *dir, char **name, struct err *e)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int r = 0;

	if (!d)
		return err_set(e, ERR_INPUT, "%s: cannot list: %s", dir,
			       strerror(errno));
	while (!r && (entry = readdir(d))) {
		const char *suffix = member_suffix(entry->d_name);
		size_t n = suffix ? (size_t)(suffix - entry->d_name) : 0;

		if (n == 0)
			continue;
		entry->d_name[n] = '\0';
		if (*name && strcmp(*name, entry->d_name) != 0)
			r = too_many_names(dir, *name, entry->d_name, e);
		else if (!*name && !(*name = strdup(entry->d_name)))
			r = err_nomem(e);
	}
	closedir(d);
	if (!r && !*name)
		r = err_set(e, ERR_INPUT,
			    "%s: a directory without NAME.blktrace.CPU files",
			    dir);
	return r;
}

static int
add_directory(struct trace_reader *reader, const char *dir,
	      struct path_list *list, struct err *e)
{
	size_t length = strlen(dir);
	char *name = NULL;
	char *prefix = NULL;
	int r = directory_name(dir, &name, e);

	while (length > 1 && dir[length - 1] == '/')
		length--;
	if (!r && asprintf(&prefix, "%.*s/%s", (int)length, dir, name) < 0) {
		prefix = NULL;
		r = err_nomem(e);
	}
	if (!r)
		r = add_prefix(reader, prefix, list, e);
	free(prefix);
	free(name);
	return r;
}

/* FILE:MEMBER. */
static bool
is_in_archive(const char *path)
{
	const char *colon = strrchr(path, ':');
	struct stat st;
	char *file;
	bool is_file;

	if (!colon || stat(path, &st) == 0)
		return false;
	file = strndup(path, (size_t)(colon - path));
	is_file = file && stat(file, &st) == 0 && S_ISREG(st.st_mode);
	free(file);
	return is_file;
}

/* What one argument names. */
static int
add_path(struct trace_reader *reader, const char *path, bool alone,
	 struct path_list *list, struct err *e)
{
	const char *suffix = member_suffix(path);
	uint32_t before = list->count;
	struct stat st;
	char *prefix;
	int r;

	if (strcmp(path, "-") == 0 || is_in_archive(path))
		return list_add(list, strdup(path), e);
	if (stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return add_directory(reader, path, list, e);
		if (!alone || !suffix)
			return list_add(list, strdup(path), e);
	} else if (suffix || errno != ENOENT) {
		return err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
	}
	prefix = suffix ? strndup(path, (size_t)(suffix - path)) : strdup(path);
	if (!prefix)
		return err_nomem(e);
	r = add_prefix(reader, prefix, list, e);
	free(prefix);
	if (!r && list->count == before)
		r = err_set(e, ERR_INPUT,
			    "%s: no such file, and no %s" MEMBER_SUFFIX "N",
			    path, path);
	return r;
}

/* The files of a tarball that are wanted. */
struct members {
	struct path_list traces; /* NAME.blktrace.CPU */
	struct path_list others;
	const char *wanted; /* a name or a prefix; NULL: any */
};

static int
add_member(void *ctx, const char *name, struct err *e)
{
	struct members *m = ctx;
	const char *suffix = member_suffix(name);

	if (m->wanted && strcmp(m->wanted, name) != 0 &&
	    !(suffix && strlen(m->wanted) == (size_t)(suffix - name) &&
	      memcmp(m->wanted, name, strlen(m->wanted)) == 0))
		return 0;
	return list_add(suffix ? &m->traces : &m->others, strdup(name), e);
}

/* The one trace among the files of the tarball: one prefix, or one file. */
static int
choose_members(const char *path, struct members *m, struct path_list **chosen,
	       struct err *e)
{
	struct path_list *list = m->traces.count ? &m->traces : &m->others;
	size_t prefix;

	*chosen = list;
	if (list == &m->others && list->count > 1)
		return too_many_names(path, list->paths[0], list->paths[1], e);
	if (list == &m->others)
		return 0;
	qsort(list->paths, list->count, sizeof(*list->paths), compare_cpu);
	prefix = (size_t)(member_suffix(list->paths[0]) - list->paths[0]);
	for (uint32_t i = 1; i < list->count; i++) {
		const char *suffix = member_suffix(list->paths[i]);

		if ((size_t)(suffix - list->paths[i]) != prefix ||
		    memcmp(list->paths[0], list->paths[i], prefix) != 0)
			return too_many_names(path, list->paths[0],
					      list->paths[i], e);
	}
	return 0;
}

static int
open_input(struct trace_reader *reader, const char *path, const char *member,
	   struct err *e)
{
	uint32_t n = reader->input_count;
	struct trace_input *inputs =
		realloc(reader->inputs, (n + 1) * sizeof(*inputs));
	int r;

	if (!inputs)
		return err_nomem(e);
	reader->inputs = inputs;
	r = input_open(&inputs[n], path, member, e);
	if (r)
		return r;
	inputs[n].lenient = reader->opt.lenient;
	reader->input_count++;
	return 0;
}

/* Open @path, or what is wanted of it when it is a tarball. */
static int
open_path(struct trace_reader *reader, const char *path, const char *wanted,
	  struct err *e)
{
	struct members m = { .wanted = wanted };
	struct path_list *list;
	struct stat st;
	int r = 0;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		r = unpack_list(path, add_member, &m, e);
	if (!r)
		r = choose_members(path, &m, &list, e);
	if (!r && list->count == 0)
		r = open_input(reader, path, wanted, e);
	for (uint32_t i = 0; !r && i < list->count; i++)
		r = open_input(reader, path, list->paths[i], e);
	list_free(&m.traces);
	list_free(&m.others);
	return r;
}

/* ARCHIVE:MEMBER, unless there is a file of that name. */
static int
open_inputs(struct trace_reader *reader, const struct path_list *list,
	    struct err *e)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < list->count; i++) {
		char *path = list->paths[i];
		char *colon = strrchr(path, ':');
		struct stat st;

		if (colon && stat(path, &st) != 0)
			*colon = '\0';
		else
			colon = NULL;
		r = open_path(reader, path, colon ? colon + 1 : NULL, e);
	}
	return r;
}

int
trace_find_inputs(struct trace_reader *reader, const char *const *paths,
		  uint32_t count, struct err *e)
{
	struct path_list list = { NULL, 0 };
	int r = 0;

	assert(count > 0);
	for (uint32_t i = 0; !r && i < count; i++)
		r = add_path(reader, paths[i], count == 1, &list, e);
	if (!r)
		r = open_inputs(reader, &list, e);
	list_free(&list);
	return r;
}
