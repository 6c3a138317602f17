/* SPDX-License-Identifier: MIT */
/* Every firmware policy by name.  A new one adds its two lines here. */
#include "models/firmware/firmware.h"

#include <string.h>

extern const struct firmware_ops firmware_fcfs;
extern const struct firmware_ops firmware_sptf;

const struct firmware_ops *const firmware_table[] = {
	&firmware_fcfs,
	&firmware_sptf,
	NULL,
};

const struct firmware_ops *
firmware_find(const char *name)
{
	for (size_t i = 0; firmware_table[i]; i++)
		if (strcmp(firmware_table[i]->name, name) == 0)
			return firmware_table[i];
	return NULL;
}
