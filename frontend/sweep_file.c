/* SPDX-License-Identifier: MIT */
#include "frontend/sweep.h"

#include "frontend/output.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Frees what cannot grow. */
static char *
grow_text(char *text, size_t room)
{
	char *bigger = realloc(text, room);

	if (!bigger)
		free(text);
	return bigger;
}

char *
sweep_slurp(const char *path, bool missing, size_t *length, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t room = 65536;
	char *text = malloc(room);
	ssize_t n = 0;

	*length = 0;
	if (!text || (fd < 0 && !(missing && errno == ENOENT))) {
		err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
		free(text);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	while (fd >= 0 && text &&
	       (n = read(fd, text + *length, room - *length - 1)) > 0) {
		*length += (size_t)n;
		if (*length + 1 == room)
			text = grow_text(text, room *= 2);
	}
	if (text)
		text[*length] = '\0';
	if (!text || n < 0) {
		err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
		free(text);
		text = NULL;
	}
	if (fd >= 0)
		close(fd);
	return text;
}

static int
fail(const char *path, struct err *e)
{
	return err_set(e, ERR_OUTPUT, "%s: %s", path, strerror(errno));
}

/* An entry of a folder lasts once the folder is written too. */
static void
sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder =
		slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(folder);
}

int
sweep_file_append(struct sweep_file *file, const char *lines, size_t length,
		  struct err *e)
{
	size_t done = 0;
	int error;

	while (done < length) {
		ssize_t n = pwrite(file->fd, lines + done, length - done,
				   (off_t)(file->end + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (done == length && fdatasync(file->fd) == 0) {
		file->end += length;
		return 0;
	}
	/* Cut what is half written, so that whole lines are all there is. */
	error = errno;
	if (ftruncate(file->fd, (off_t)file->end) != 0)
		error = errno;
	errno = error;
	return fail(file->part, e);
}

/* Nothing is kept of a file that belongs to another sweep. */
static int
take_part(struct sweep_file *file, struct sweep *sweep, struct err *e)
{
	struct sweep_text text = { .path = file->part };
	char *part = sweep_slurp(file->part, false, &text.length, e);
	int err;

	if (!part)
		return e->code;
	text.text = part;
	err = text.length ? sweep_read(sweep, &text, e) : 0;
	free(part);
	file->end = text.end;
	file->broken = text.broken;
	return err;
}

static int
take_whole(const char *path, struct sweep *sweep, struct err *e)
{
	struct sweep_text text = { .path = path };
	char *whole = sweep_slurp(path, true, &text.length, e);
	int err;

	if (!whole)
		return e->code;
	text.text = whole;
	err = text.length ? sweep_read(sweep, &text, e) : 0;
	free(whole);
	return err;
}

static int
open_part(struct sweep_file *file, struct err *e)
{
	file->fd = open(file->part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (file->fd < 0)
		return fail(file->part, e);
	if (flock(file->fd, LOCK_EX | LOCK_NB) != 0) {
		close(file->fd);
		file->fd = -1;
		return err_set(e, ERR_CONFIG, "%s: another ncqsim writes to it",
			       file->part);
	}
	return 0;
}

/* The head first, and nothing after the last whole line. */
static int
start_part(struct sweep_file *file, const struct sweep *sweep, struct err *e)
{
	if (ftruncate(file->fd, (off_t)file->end) != 0)
		return fail(file->part, e);
	if (file->end)
		return 0;
	sync_folder(file->part);
	return sweep_file_append(file, sweep->head, strlen(sweep->head), e);
}

int
sweep_file_open(struct sweep_file *file, struct sweep *sweep, struct err *e)
{
	const struct sweep_args *args = sweep->args;
	struct stat st;
	int err;

	*file = (struct sweep_file){ .fd = -1, .path = args->run.file };
	if (!file->path)
		return args->resume ? err_set(e, ERR_CONFIG,
					      "--resume needs --output FILE")
				    : 0;
	if (asprintf(&file->part, "%s.part", file->path) < 0) {
		file->part = NULL;
		return err_nomem(e);
	}
	if (!args->resume && stat(file->part, &st) == 0 && st.st_size)
		return err_set(e, ERR_CONFIG,
			       "%s: an unfinished sweep; --resume continues "
			       "it, or remove the file",
			       file->part);
	err = open_part(file, e);
	if (!err && args->resume)
		err = take_part(file, sweep, e);
	if (!err && args->resume && !file->end)
		err = take_whole(file->path, sweep, e);
	return err ? err : start_part(file, sweep, e);
}

int
sweep_file_finish(struct sweep_file *file, const struct sweep *sweep,
		  struct err *e)
{
	struct output out;
	int err;

	if (!file->path)
		return 0;
	err = output_open(&out, file->path, e);
	if (err)
		return err;
	fputs(sweep->head, out.file);
	for (size_t i = 0; i < sweep->cells; i++)
		if (sweep->cell[i].line)
			fputs(sweep->cell[i].line, out.file);
	if (out.temporary && fflush(out.file) == 0)
		fsync(fileno(out.file));
	err = output_commit(&out, e);
	if (!err) {
		sync_folder(file->path);
		if (file->part)
			unlink(file->part);
	}
	return err;
}

void
sweep_file_close(struct sweep_file *file)
{
	struct stat st;

	/* A sweep that never began leaves nothing behind. */
	if (file->fd >= 0 && fstat(file->fd, &st) == 0 && !st.st_size)
		unlink(file->part);
	if (file->fd >= 0)
		close(file->fd);
	free(file->part);
	file->part = NULL;
}
