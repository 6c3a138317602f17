/* SPDX-License-Identifier: MIT */
#include "traces/unpack.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

const char *
unpack_kind(const uint8_t *bytes, size_t length)
{
	static const struct {
		size_t at, length;
		const char *magic, *kind;
	} kinds[] = {
		{ 0, 2, "\x1f\x8b", "gzip" },
		{ 0, 3, "BZh", "bzip2" },
		{ 0, 5, "\xfd\x37zXZ", "xz" },
		{ 0, 4, "\x28\xb5\x2f\xfd", "zstd" },
		{ 257, 5, "ustar", "tar" },
	};

	for (uint32_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (length >= kinds[i].at + kinds[i].length &&
		    memcmp(bytes + kinds[i].at, kinds[i].magic,
			   kinds[i].length) == 0)
			return kinds[i].kind;
	return NULL;
}

#ifdef HAVE_LIBARCHIVE

#define READ_BYTES ((size_t)64 << 10)

struct unpack {
	struct archive *archive;
	const char *path;
	int fd;
	uint8_t *buf;      /* of READ_BYTES */
	bool alone;        /* no other file may follow */
	size_t head_bytes; /* in buf, not handed over yet */
	uint64_t consumed;
	uint64_t offset; /* of the unpacked bytes */
};

static la_ssize_t
feed_archive(struct archive *a, void *ctx, const void **bytes)
{
	struct unpack *u = ctx;
	ssize_t n = (ssize_t)u->head_bytes;

	*bytes = u->buf;
	u->head_bytes = 0;
	if (n == 0)
		n = read(u->fd, u->buf, READ_BYTES);
	if (n < 0) {
		archive_set_error(a, errno, "%s", strerror(errno));
		return -1;
	}
	u->consumed += (uint64_t)n;
	return n;
}

static int
unpack_error(struct unpack *u, struct err *e)
{
	const char *text = archive_error_string(u->archive);

	return err_set(e, ERR_INPUT, "%s: byte %llu unpacked: %s", u->path,
		       (unsigned long long)u->offset,
		       text ? text : "damaged compressed data");
}

static struct unpack *
unpack_new(const struct unpack_source *source)
{
	struct unpack *u = calloc(1, sizeof(*u));

	assert(source->head_bytes <= READ_BYTES);
	if (!u)
		return NULL;
	u->path = source->path;
	u->fd = source->fd;
	u->buf = malloc(READ_BYTES);
	u->archive = archive_read_new();
	if (!u->buf || !u->archive) {
		unpack_close(u);
		return NULL;
	}
	if (source->head_bytes)
		memcpy(u->buf, source->head, source->head_bytes);
	u->head_bytes = source->head_bytes;
	archive_read_support_filter_gzip(u->archive);
	archive_read_support_filter_bzip2(u->archive);
	archive_read_support_filter_xz(u->archive);
	archive_read_support_filter_zstd(u->archive);
	archive_read_support_format_tar(u->archive);
	archive_read_support_format_raw(u->archive);
	return u;
}

static bool
is_tar(struct unpack *u)
{
	return (archive_format(u->archive) & ARCHIVE_FORMAT_BASE_MASK) ==
	       ARCHIVE_FORMAT_TAR;
}

/* A name without "./" before it. */
static const char *
member_name(struct archive_entry *entry)
{
	const char *name = archive_entry_pathname(entry);

	if (name && strncmp(name, "./", 2) == 0)
		name += 2;
	return name ? name : "";
}

/* Go to the file wanted.  1, 0 when there is none, or a negative code. */
static int
find_member(struct unpack *u, const char *member, struct err *e)
{
	struct archive_entry *entry;
	int r;

	while ((r = archive_read_next_header(u->archive, &entry)) ==
		       ARCHIVE_OK ||
	       r == ARCHIVE_WARN) {
		if (!is_tar(u))
			return !member;
		if (archive_entry_filetype(entry) == AE_IFREG &&
		    (!member || strcmp(member, member_name(entry)) == 0))
			return 1;
	}
	return r == ARCHIVE_EOF ? 0 : unpack_error(u, e);
}

int
unpack_open(const struct unpack_source *source, struct unpack **unpack,
	    struct err *e)
{
	struct unpack *u = unpack_new(source);
	int r;

	if (!u)
		return err_nomem(e);
	if (archive_read_open(u->archive, u, NULL, feed_archive, NULL) !=
	    ARCHIVE_OK)
		r = unpack_error(u, e);
	else
		r = find_member(u, source->member, e);
	if (r == 0 && source->member)
		r = err_set(e, ERR_INPUT, "%s: no such file in the archive",
			    source->path);
	if (r < 0) {
		unpack_close(u);
		return r;
	}
	u->alone = !source->member;
	*unpack = u;
	return 0;
}

ssize_t
unpack_read(struct unpack *u, void *buf, size_t bytes, struct err *e)
{
	la_ssize_t n = archive_read_data(u->archive, buf, bytes);

	if (n < 0)
		return unpack_error(u, e);
	if (n == 0 && u->alone && is_tar(u)) {
		int r = find_member(u, NULL, e);

		u->alone = false;
		return r == 1 ? err_set(e, ERR_INPUT,
					"%s: several files in the archive, of "
					"which a pipe gives but one: unpack it "
					"first",
					u->path)
			      : r;
	}
	u->offset += (uint64_t)n;
	return n;
}

uint64_t
unpack_consumed(const struct unpack *u)
{
	return u->consumed;
}

void
unpack_close(struct unpack *u)
{
	if (!u)
		return;
	if (u->archive)
		archive_read_free(u->archive);
	free(u->buf);
	free(u);
}

static int
list_members(struct unpack *u,
	     int (*add)(void *ctx, const char *member, struct err *e),
	     void *ctx, struct err *e)
{
	struct archive_entry *entry;
	int r = 0;

	if (archive_read_open(u->archive, u, NULL, feed_archive, NULL) !=
	    ARCHIVE_OK)
		return 0;
	while (!r &&
	       archive_read_next_header(u->archive, &entry) >= ARCHIVE_WARN) {
		if (!is_tar(u))
			break;
		if (archive_entry_filetype(entry) == AE_IFREG)
			r = add(ctx, member_name(entry), e);
	}
	return r;
}

int
unpack_list(const char *path,
	    int (*add)(void *ctx, const char *member, struct err *e), void *ctx,
	    struct err *e)
{
	uint8_t head[UNPACK_MAGIC_BYTES];
	struct unpack_source source = { .path = path, .head = head };
	struct unpack *u;
	ssize_t n;
	int r = 0;

	source.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (source.fd < 0)
		return 0;
	n = read(source.fd, head, sizeof(head));
	if (n > 0 && unpack_kind(head, (size_t)n)) {
		source.head_bytes = (size_t)n;
		u = unpack_new(&source);
		r = u ? list_members(u, add, ctx, e) : err_nomem(e);
		unpack_close(u);
	}
	close(source.fd);
	return r;
}

#else

int
unpack_open(const struct unpack_source *source, struct unpack **unpack,
	    struct err *e)
{
	(void)unpack;
	return err_set(e, ERR_INPUT,
		       "%s: packed by %s, and this ncqsim was built without "
		       "libarchive: unpack it first",
		       source->path,
		       unpack_kind(source->head, source->head_bytes));
}

ssize_t
unpack_read(struct unpack *u, void *buf, size_t bytes, struct err *e)
{
	(void)u;
	(void)buf;
	(void)bytes;
	return err_set(e, ERR_INTERNAL, "nothing to unpack");
}

uint64_t
unpack_consumed(const struct unpack *u)
{
	(void)u;
	return 0;
}

void
unpack_close(struct unpack *u)
{
	(void)u;
}

int
unpack_list(const char *path,
	    int (*add)(void *ctx, const char *member, struct err *e), void *ctx,
	    struct err *e)
{
	(void)path;
	(void)add;
	(void)ctx;
	(void)e;
	return 0;
}

#endif
