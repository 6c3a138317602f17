/* SPDX-License-Identifier: MIT */
/*
 * What --columns says: see columns.c.
 */
#ifndef NCQSIM_TRACES_COLUMNS_H
#define NCQSIM_TRACES_COLUMNS_H

#include "traces/line.h"

#define COLUMNS_MAX 64

enum column_kind {
	COLUMN_TIME,
	COLUMN_RESPONSE,
	COLUMN_LBA,
	COLUMN_SIZE,
	COLUMN_OP,
	COLUMN_DEVICE,
	COLUMN_PID,
	COLUMN_KINDS,
};

struct columns {
	uint8_t at[COLUMN_KINDS];    /* from 1; 0: none */
	uint64_t unit[COLUMN_KINDS]; /* in ns or bytes */
	char separator;              /* ' ': blanks; 0: not known yet */
};

/* Returns 0 or ERR_CONFIG. */
int columns_parse(const char *text, struct columns *cols, struct err *e);

#endif
