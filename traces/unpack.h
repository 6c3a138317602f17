/* SPDX-License-Identifier: MIT */
/*
 * Compressed files and members of tarballs, as a stream of bytes, through
 * libarchive.  Built without it, everything says so.
 */
#ifndef NCQSIM_TRACES_UNPACK_H
#define NCQSIM_TRACES_UNPACK_H

#include "sim/core/err.h"
#include "sim/core/types.h"

#include <sys/types.h>

/* How many bytes of a file unpack_kind() needs: a block of tar. */
#define UNPACK_MAGIC_BYTES 512

/* "gzip", "bzip2", "xz", "zstd", "tar", or NULL: not packed. */
const char *unpack_kind(const uint8_t *bytes, size_t length);

struct unpack;

/* What is unpacked: a file of which the first bytes are already read. */
struct unpack_source {
	int fd;
	const uint8_t *head; /* copied */
	size_t head_bytes;
	const char *path;   /* for messages; outlives the stream */
	const char *member; /* of a tarball; NULL: its only file */
};

/* Returns 0, ERR_INPUT, or ERR_INTERNAL. */
int unpack_open(const struct unpack_source *source, struct unpack **unpack,
		struct err *e);

/* Up to @bytes bytes; 0 at the end, or a negative code. */
ssize_t
unpack_read(struct unpack *unpack, void *buf, size_t bytes, struct err *e);

/* Packed bytes consumed. */
uint64_t unpack_consumed(const struct unpack *unpack);

/* NULL is allowed; the descriptor stays open. */
void unpack_close(struct unpack *unpack);

/*
 * Call @add with the name of every file in the tarball @path; a compressed
 * file that is no tarball has none.  Anything but 0 of @add ends it and is
 * returned.  Also 0 for what is not packed or cannot be read.
 */
int unpack_list(const char *path,
		int (*add)(void *ctx, const char *member, struct err *e),
		void *ctx, struct err *e);

#endif
