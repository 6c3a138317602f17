/* SPDX-License-Identifier: MIT */
/*
 * The files of one command: what it writes must replace nothing that it
 * reads, nor be written twice.
 */
#ifndef NCQSIM_FRONTEND_FILES_H
#define NCQSIM_FRONTEND_FILES_H

#include "sim/core/err.h"
#include "sim/core/types.h"

struct file_name {
	const char *what; /* "--output", "the drive" */
	const char *path; /* NULL: not there */
};

/*
 * ERR_CONFIG when one of @written is one of those after it or one of @read.
 * Pipes and devices, and "-", are no files to be replaced.
 */
int files_check(const struct file_name *written, size_t written_count,
		const struct file_name *read, size_t read_count, struct err *e);

#endif
