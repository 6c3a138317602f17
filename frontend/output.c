/* SPDX-License-Identifier: MIT */
#include "frontend/output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *
output_name(const struct output *out)
{
	return out->path ? out->path : "standard output";
}

int
output_fail(const struct output *out, int error, struct err *e)
{
	return err_set(e, ERR_OUTPUT, "%s: %s", output_name(out),
		       error ? strerror(error) : "writing failed");
}

static bool
is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

/* Give the temporary file the permissions that the old file has, or that a
 * new one gets. */
static void
copy_mode(const char *path, int fd)
{
	struct stat st;
	mode_t mask;

	if (stat(path, &st) == 0) {
		fchmod(fd, st.st_mode & 07777);
		return;
	}
	mask = umask(0);
	umask(mask);
	fchmod(fd, 0666 & ~mask);
}

static int
open_temporary(struct output *out, struct err *e)
{
	int fd;

	if (asprintf(&out->temporary, "%s.XXXXXX", out->path) < 0) {
		out->temporary = NULL;
		return err_nomem(e);
	}
	fd = mkstemp(out->temporary);
	if (fd >= 0) {
		copy_mode(out->path, fd);
		out->file = fdopen(fd, "w");
	}
	if (!out->file) {
		int err = output_fail(out, errno, e);

		free(out->temporary);
		out->temporary = NULL;
		return err;
	}
	return 0;
}

int
output_open(struct output *out, const char *path, struct err *e)
{
	memset(out, 0, sizeof(*out));
	if (!path || strcmp(path, "-") == 0) {
		out->file = stdout;
		return 0;
	}
	out->path = path;
	if (!is_special(path))
		return open_temporary(out, e);
	out->file = fopen(path, "we");
	return out->file ? 0 : output_fail(out, errno, e);
}

int
output_commit(struct output *out, struct err *e)
{
	bool failed;
	int err = 0;

	assert(out->file);
	errno = 0;
	failed = fflush(out->file) != 0 || ferror(out->file);
	if (failed)
		err = output_fail(out, errno, e);
	if (out->file != stdout && fclose(out->file) != 0 && !failed)
		err = output_fail(out, errno, e);
	out->file = NULL;
	if (!out->temporary)
		return err;
	if (!err && rename(out->temporary, out->path) != 0)
		err = output_fail(out, errno, e);
	if (err)
		unlink(out->temporary);
	free(out->temporary);
	out->temporary = NULL;
	return err;
}

void
output_discard(struct output *out)
{
	if (out->file && out->file != stdout)
		fclose(out->file);
	out->file = NULL;
	if (out->temporary) {
		unlink(out->temporary);
		free(out->temporary);
		out->temporary = NULL;
	}
}

int
output_json_sink(void *ctx, const char *data, size_t size)
{
	return fwrite(data, 1, size, ctx) == size ? 0 : ERR_OUTPUT;
}
