/* SPDX-License-Identifier: MIT */
/* Every firmware policy by name.  A new one adds its two lines here. */
#include "models/firmware/firmware.h"

#include <string.h>

extern const struct firmware_ops firmware_fcfs;
extern const struct firmware_ops firmware_sstf;
extern const struct firmware_ops firmware_look;
extern const struct firmware_ops firmware_clook;
extern const struct firmware_ops firmware_sptf;
extern const struct firmware_ops firmware_sptf_aged;
extern const struct firmware_ops firmware_sptf_window;
extern const struct firmware_ops firmware_optimal;

const struct firmware_ops *const firmware_table[] = {
	&firmware_fcfs,        &firmware_sstf,    &firmware_look,
	&firmware_clook,       &firmware_sptf,    &firmware_sptf_aged,
	&firmware_sptf_window, &firmware_optimal, NULL,
};

const struct firmware_ops *
firmware_find(const char *name)
{
	for (size_t i = 0; firmware_table[i]; i++)
		if (strcmp(firmware_table[i]->name, name) == 0)
			return firmware_table[i];
	return NULL;
}
