/* SPDX-License-Identifier: MIT */
#include "frontend/run.h"

#include "frontend/models.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_DRIVE    "wd3200bjkt"
#define DEFAULT_ELEVATOR "noop"

/* Take a default as if it had been typed, so that the result keeps it. */
static int
take_default(struct cli_line *line, const char *name, const char *value,
	     struct err *e)
{
	int i = cli_find(line->options, name);

	return cli_given(line, (size_t)i) ? 0
					  : cli_set(line, (size_t)i, value, e);
}

static int
set_key(struct ncqsim_config *cfg, const char *key, const char *value,
	const char *option, struct err *e)
{
	const struct option_place place = { .file = option };

	return value ? ncqsim_config_set(cfg, key, value, &place, e) : 0;
}

/* --set section.key=value */
static int
set_pair(struct ncqsim_config *cfg, const char *pair, struct err *e)
{
	const char *equals = strchr(pair, '=');
	char key[128];

	if (!equals || equals == pair || (size_t)(equals - pair) >= sizeof(key))
		return err_set(e, ERR_CONFIG,
			       "--set %s: must be SECTION.KEY=VALUE", pair);
	snprintf(key, sizeof(key), "%.*s", (int)(equals - pair), pair);
	return ncqsim_config_set(cfg, key, equals + 1, NULL, e);
}

int
run_configure(struct cli_line *line, struct ncqsim_config *cfg, struct err *e)
{
	const struct run_args *args = line->args;
	int err = take_default(line, "drive", DEFAULT_DRIVE, e);

	if (!err)
		err = take_default(line, "elevator", DEFAULT_ELEVATOR, e);
	if (!err)
		err = models_choose(cfg, args->drive, e);
	if (!err)
		err = ncqsim_config_elevator(cfg, args->elevator, e);
	if (!err && args->firmware)
		err = ncqsim_config_firmware(cfg, args->firmware, e);
	if (!err)
		err = set_key(cfg, "host.queue_depth", args->queue_depth,
			      "--queue-depth", e);
	if (!err)
		err = set_key(cfg, "run.replay",
			      args->replay == REPLAY_DEPTH ? "depth" : "timed",
			      "--replay", e);
	if (!err)
		err = set_key(cfg, "run.depth", args->depth, "--depth", e);
	if (!err)
		err = set_key(cfg, "run.beyond", run_beyond_names[args->beyond],
			      "--beyond", e);
	for (size_t i = 0; !err && i < args->set.count; i++)
		err = set_pair(cfg, args->set.text[i], e);
	return err < 0 ? err : 0;
}
