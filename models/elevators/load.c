/* SPDX-License-Identifier: MIT */
/*
 * A user's own elevator, from a shared object.
 */
#include "models/elevators/elevator.h"

#include <dlfcn.h>
#include <stdio.h>

const struct elevator_ops *
elevator_load(const char *path, struct err *e)
{
	const struct elevator_ops *ops;
	const char *why;
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!object) {
		why = dlerror();
		err_set(e, ERR_CONFIG, "elevator %s: %s", path,
			why ? why : "cannot be loaded");
		return NULL;
	}
	ops = dlsym(object, ELEVATOR_SYMBOL);
	if (!ops) {
		err_set(e, ERR_CONFIG,
			"elevator %s: defines no struct elevator_ops "
			"called " ELEVATOR_SYMBOL,
			path);
		dlclose(object);
		return NULL;
	}
	if (elevator_check(ops, e) < 0) {
		err_prefix(e, "%s", path);
		dlclose(object);
		return NULL;
	}
	return ops; /* the object stays loaded, for good */
}
