/* SPDX-License-Identifier: MIT */
/*
 * Where the data of the program is: models/drives beside the build, or what
 * was installed.
 */
#ifndef NCQSIM_FRONTEND_MODELS_H
#define NCQSIM_FRONTEND_MODELS_H

#include "frontend/cli.h"
#include "sim/ncqsim.h"

/*
 * Write the folder that holds drives/ into @buf: $NCQSIM_MODELS, else the
 * source tree the program was built in, else ../share/ncqsim/models beside
 * the program's folder.  ERR_CONFIG when there is none.
 */
int models_folder(char *buf, size_t size, struct err *e);

/* A configuration with every default; NULL with @e filled. */
struct ncqsim_config *models_config(struct err *e);

/* Names of the drives (without .ini, sorted); the caller frees each text
 * and the list. */
int models_drives(struct cli_list *names, struct err *e);
void models_drives_free(struct cli_list *names);

/* Take a drive by name or file; an unknown name is ERR_CONFIG with the one
 * that was meant. */
int models_choose(struct ncqsim_config *cfg, const char *drive, struct err *e);

/* Do the keys of this section belong in a drive file? */
bool models_is_drive_section(const char *section);

#endif
