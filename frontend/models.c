/* SPDX-License-Identifier: MIT */
#include "frontend/models.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
is_models(const char *folder)
{
	char drives[4200];

	snprintf(drives, sizeof(drives), "%s/drives", folder);
	return access(drives, R_OK | X_OK) == 0;
}

/* The folder of the running program, or "" when it cannot be known. */
static void
program_folder(char *buf, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", buf, size - 1);
	char *slash;

	buf[n < 0 ? 0 : n] = '\0';
	slash = strrchr(buf, '/');
	if (slash)
		*slash = '\0';
}

int
models_folder(char *buf, size_t size, struct err *e)
{
	static const char *const beside[] = { "../../models",
					      "../share/ncqsim/models" };
	const char *named = getenv("NCQSIM_MODELS");
	char program[4096];

	if (named && *named) {
		snprintf(buf, size, "%s", named);
		if (is_models(buf))
			return 0;
		return err_set(e, ERR_CONFIG,
			       "NCQSIM_MODELS=%s: no folder drives in it",
			       named);
	}
	program_folder(program, sizeof(program));
	for (size_t i = 0; i < ARRAY_LEN(beside); i++) {
		snprintf(buf, size, "%s/%s", program, beside[i]);
		if (is_models(buf))
			return 0;
	}
	return err_set(e, ERR_CONFIG,
		       "no drive models beside %s; name their folder in "
		       "NCQSIM_MODELS",
		       program);
}

struct ncqsim_config *
models_config(struct err *e)
{
	char folder[4200];

	if (models_folder(folder, sizeof(folder), e) < 0)
		return NULL;
	return ncqsim_config_new(folder, e);
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Add NAME of NAME.ini; templates are written in capitals. */
static int
add_drive(struct cli_list *names, const char *file, struct err *e)
{
	size_t n = strlen(file);
	char *name;
	int err;

	if (n <= 4 || strcmp(file + n - 4, ".ini") != 0 || file[0] == '.' ||
	    strcmp(file, "TEMPLATE.ini") == 0)
		return 0;
	name = strndup(file, n - 4);
	if (!name)
		return err_nomem(e);
	err = cli_list_add(names, name, e);
	if (err)
		free(name);
	return err;
}

int
models_drives(struct cli_list *names, struct err *e)
{
	char folder[4200], drives[4300];
	struct dirent *entry;
	int err = models_folder(folder, sizeof(folder), e);
	DIR *dir;

	if (err)
		return err;
	snprintf(drives, sizeof(drives), "%s/drives", folder);
	dir = opendir(drives);
	if (!dir)
		return err_set(e, ERR_INPUT, "%s: %s", drives, strerror(errno));
	while (!err && (entry = readdir(dir)))
		err = add_drive(names, entry->d_name, e);
	closedir(dir);
	if (names->count)
		qsort(names->text, names->count, sizeof(*names->text),
		      compare_names);
	return err;
}

void
models_drives_free(struct cli_list *names)
{
	for (size_t i = 0; i < names->count; i++)
		free((char *)(uintptr_t)names->text[i]);
	free(names->text);
}

int
models_choose(struct ncqsim_config *cfg, const char *drive, struct err *e)
{
	struct cli_list names = { NULL, 0 };
	bool known = strchr(drive, '/') || access(drive, F_OK) == 0;
	int err = 0;

	if (!known)
		err = models_drives(&names, e);
	for (size_t i = 0; i < names.count; i++)
		known |= strcmp(names.text[i], drive) == 0;
	if (!err && !known) {
		err = cli_list_add(&names, NULL, e);
		if (!err)
			err = cli_unknown("drive", drive, names.text,
					  "see ncqsim drive list", e);
	}
	models_drives_free(&names);
	return err ? err : ncqsim_config_drive(cfg, drive, e);
}

bool
models_is_drive_section(const char *section)
{
	static const char *const sections[] = {
		"drive", "mechanism", "zone",      "defect",
		"seek",  "cache",     "interface", "firmware",
	};

	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		if (strcmp(sections[i], section) == 0)
			return true;
	return false;
}
