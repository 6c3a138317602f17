/* SPDX-License-Identifier: MIT */
/* DiskSim's parameter files as a drive file. */
#ifndef NCQSIM_FRONTEND_DISKSIM_IMPORT_H
#define NCQSIM_FRONTEND_DISKSIM_IMPORT_H

#include "sim/core/err.h"

#include <stdio.h>

/*
 * Write the drive of @path, a .diskspecs or .parv file, as a drive file to
 * @out.  Beside a .diskspecs the .parv of the same name, if there is one,
 * gives the speed of the bus.  What a drive file cannot express is a comment
 * in it, and a line to @warn unless it is one of DiskSim's own (statistics,
 * 0).  ERR_INPUT names file and line.
 */
int disksim_import(const char *path, FILE *out, FILE *warn, struct err *e);

#endif
