/* SPDX-License-Identifier: MIT */
#include "traces/input.h"

#include "traces/unpack.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Unpack what follows when the first bytes say that it is packed. */
static int
start_unpacking(struct trace_input *in, const char *member, struct err *e)
{
	struct unpack_source source = { .fd = in->fd,
					.head = in->buf,
					.path = in->path,
					.member = member };
	int r;

	while (in->end < UNPACK_MAGIC_BYTES) {
		ssize_t n = read(in->fd, in->buf + in->end,
				 UNPACK_MAGIC_BYTES - in->end);

		if (n < 0)
			return err_set(e, ERR_INPUT, "%s: byte %zu: %s",
				       in->path, in->end, strerror(errno));
		if (n == 0)
			break;
		in->end += (size_t)n;
	}
	source.head_bytes = in->end;
	if (!unpack_kind(in->buf, in->end)) {
		if (member)
			return err_set(e, ERR_INPUT, "%s: not in an archive",
				       in->path);
		return 0;
	}
	r = unpack_open(&source, &in->unpack, e);
	in->end = 0;
	return r;
}

int
input_open(struct trace_input *in, const char *path, const char *member,
	   struct err *e)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct stat st;
	int r;

	memset(in, 0, sizeof(*in));
	in->fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0)
		return err_set(e, ERR_INPUT, "%s: cannot open: %s", path,
			       strerror(errno));
	if (fstat(in->fd, &st) == 0 && S_ISREG(st.st_mode))
		in->size = (uint64_t)st.st_size;
	if (asprintf(&in->path, "%s%s%s", is_stdin ? "standard input" : path,
		     member ? ":" : "", member ? member : "") < 0)
		in->path = NULL;
	in->buf = malloc(INPUT_BUFFER_BYTES);
	in->capacity = INPUT_BUFFER_BYTES;
	r = in->path && in->buf ? start_unpacking(in, member, e) : err_nomem(e);
	if (r)
		input_close(in);
	return r;
}

void
input_close(struct trace_input *in)
{
	unpack_close(in->unpack);
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	free(in->buf);
	free(in->path);
	free(in->damage);
	memset(in, 0, sizeof(*in));
	in->fd = -1;
}

uint64_t
input_consumed(const struct trace_input *in)
{
	return in->unpack ? unpack_consumed(in->unpack) : in->offset;
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

/* More bytes: how many, 0 at the end, or a negative code. */
static ssize_t
read_some(struct trace_input *in, struct err *e)
{
	uint8_t *to = in->buf + in->end;
	size_t room = in->capacity - in->end;
	struct err damage = { .code = ERR_INPUT };
	ssize_t n;

	if (in->unpack) {
		n = in->damage ? -1
			       : unpack_read(in->unpack, to, room, &damage);
		if (n >= 0)
			return n;
		/* Asked again, it fails again. */
		if (!in->damage)
			in->damage = strdup(damage.text);
		if (!in->damage)
			return err_nomem(e);
		return in->lenient ? 0
				   : err_set(e, ERR_INPUT, "%s", in->damage);
	}
	/* EINTR too: only a signal that asks to stop interrupts. */
	n = read(in->fd, to, room);
	if (n < 0)
		return err_set(e, ERR_INPUT, "%s: byte %llu: %s", in->path,
			       (unsigned long long)(in->offset + in->end),
			       strerror(errno));
	return n;
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
		ssize_t n = read_some(in, e);

		if (n < 0)
			return (int)n;
		in->eof = n == 0;
		in->end += (size_t)n;
	}
	return 0;
}
