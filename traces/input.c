/* SPDX-License-Identifier: MIT */
#include "traces/input.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int
input_open(struct trace_input *in, const char *path, struct err *e)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct stat st;

	memset(in, 0, sizeof(*in));
	in->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0)
		return err_set(e, ERR_INPUT, "%s: cannot open: %s", path,
			       strerror(errno));
	if (fstat(in->fd, &st) == 0 && S_ISREG(st.st_mode))
		in->size = (uint64_t)st.st_size;
	in->path = strdup(is_stdin ? "standard input" : path);
	in->buf = malloc(INPUT_BUFFER_BYTES);
	in->capacity = INPUT_BUFFER_BYTES;
	if (!in->path || !in->buf) {
		input_close(in);
		return err_nomem(e);
	}
	return 0;
}

void
input_close(struct trace_input *in)
{
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	free(in->buf);
	free(in->path);
	memset(in, 0, sizeof(*in));
	in->fd = -1;
}

static int
input_grow(struct trace_input *in, size_t bytes, struct err *e)
{
	uint8_t *buf;

	if (bytes <= in->capacity)
		return 0;
	buf = realloc(in->buf, bytes);
	if (!buf)
		return err_nomem(e);
	in->buf = buf;
	in->capacity = bytes;
	return 0;
}

int
input_fill(struct trace_input *in, size_t bytes, struct err *e)
{
	int r = input_grow(in, bytes, e);

	if (r)
		return r;
	assert(in->pos <= in->end);
	memmove(in->buf, in->buf + in->pos, input_ready(in));
	in->offset += in->pos;
	in->end -= in->pos;
	in->pos = 0;
	while (!in->eof && in->end < bytes) {
		ssize_t n =
			read(in->fd, in->buf + in->end, in->capacity - in->end);

		/* EINTR too: only a signal that asks to stop interrupts. */
		if (n < 0)
			return err_set(
				e, ERR_INPUT, "%s: byte %llu: %s", in->path,
				(unsigned long long)(in->offset + in->end),
				strerror(errno));
		in->eof = n == 0;
		in->end += (size_t)n;
	}
	return 0;
}
