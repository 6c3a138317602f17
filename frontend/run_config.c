/* SPDX-License-Identifier: MIT */
#include "frontend/run.h"

#include "frontend/load.h"
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

/* Host and run decide which elevators there are, the rest are keys of what
 * was chosen. */
static int
set_pairs(struct ncqsim_config *cfg, const struct cli_list *pairs, bool early,
	  struct err *e)
{
	int err = 0;

	for (size_t i = 0; err >= 0 && i < pairs->count; i++) {
		bool is_early = strncmp(pairs->text[i], "host.", 5) == 0 ||
				strncmp(pairs->text[i], "run.", 4) == 0;

		if (is_early == early)
			err = set_pair(cfg, pairs->text[i], e);
	}
	return err < 0 ? err : 0;
}

/* The options that stand for a key. */
static int
set_keys(struct ncqsim_config *cfg, const struct run_args *args, struct err *e)
{
	int err = set_key(cfg, "host.queue_depth", args->queue_depth,
			  "--queue-depth", e);

	if (err >= 0)
		err = set_key(cfg, "run.replay", run_replay_names[args->replay],
			      "--replay", e);
	if (err >= 0)
		err = set_key(cfg, "run.depth", args->depth, "--depth", e);
	if (err >= 0)
		err = set_key(cfg, "run.beyond", run_beyond_names[args->beyond],
			      "--beyond", e);
	/* What was issued stays as it was: neither merged again nor split. */
	if (err >= 0 && args->from == RUN_FROM_ISSUE)
		err = set_key(cfg, "host.nomerges", "yes", "--from", e);
	if (err >= 0 && args->from == RUN_FROM_ISSUE)
		err = set_key(cfg, "host.max_sectors_kb", "32768", "--from", e);
	return err < 0 ? err : 0;
}

int
run_configure(struct cli_line *line, struct ncqsim_config *cfg, struct err *e)
{
	const struct run_args *args = line->args;
	int err = take_default(line, "drive", DEFAULT_DRIVE, e);

	if (!err)
		err = take_default(line, "elevator", DEFAULT_ELEVATOR, e);
	if (!err)
		err = set_keys(cfg, args, e);
	if (!err)
		err = set_pairs(cfg, &args->set, true, e);
	if (!err)
		err = models_choose(cfg, args->drive, e);
	if (!err)
		err = ncqsim_config_elevator(cfg, args->elevator, e);
	if (!err && args->firmware)
		err = ncqsim_config_firmware(cfg, args->firmware, e);
	if (!err)
		err = set_pairs(cfg, &args->set, false, e);
	return err;
}

/* What would have no effect was meant otherwise. */
static int
check_replay(const struct run_args *args, struct err *e)
{
	if (args->depth && args->replay != REPLAY_DEPTH)
		return err_set(e, ERR_CONFIG,
			       "--depth %s needs --replay depth, not %s",
			       args->depth, run_replay_names[args->replay]);
	if (args->speed && args->replay == REPLAY_DEPTH)
		return err_set(e, ERR_CONFIG,
			       "--speed %s: --replay depth ignores the times",
			       args->speed);
	return 0;
}

int
run_choose_replay(struct cli_line *line, const struct load *load, struct err *e)
{
	const struct run_args *args = line->args;
	int replay = cli_find(line->options, "replay");
	bool is_given = cli_given(line, (size_t)replay);
	const char *mode = NULL;
	int err = 0;

	if (args->measured_clock && is_given && args->replay != REPLAY_TIMED)
		return err_set(e, ERR_CONFIG,
			       "--measured-clock and --replay %s exclude each "
			       "other",
			       run_replay_names[args->replay]);
	if (is_given)
		return check_replay(args, e);
	if (args->measured_clock)
		mode = "timed";
	else if (!load_has_times(load))
		mode = "depth";
	else if (load_has_think(line))
		mode = "think";
	if (mode)
		err = cli_set(line, (size_t)replay, mode, e);
	return err ? err : check_replay(args, e);
}

int
run_set_span(const struct cli_line *line, struct ncqsim_config *cfg,
	     const struct records *records, struct err *e)
{
	const struct run_args *args = line->args;
	uint64_t span = records ? records->span_sectors : 0;
	char text[24];
	int err = 0;

	if (args->beyond != BEYOND_SCALE)
		return 0;
	if (!records)
		err = load_span(line, &span, e);
	if (err || !span)
		return err;
	snprintf(text, sizeof(text), "%" PRIu64, span);
	return ncqsim_config_set(cfg, "run.span_sectors", text, NULL, e);
}

/* The policy in force is named by -p, or by the drive and --set. */
static bool
sets_policy(const struct cli_list *set)
{
	for (size_t i = 0; i < set->count; i++)
		if (strncmp(set->text[i], "firmware.policy=", 16) == 0)
			return true;
	return false;
}

void
run_describe(const struct run_args *args, const struct ncqsim_config *cfg,
	     const struct ncqsim_drive_info *drive, struct run_texts *texts)
{
	static const char *const from[] = { "from Q", "from D" };
	static const char *const loop[] = { "timed", "closed loop of ",
					    "closed loop with think times" };
	char policy[OPTION_NAME_MAX] = "", depth[24] = "";

	if (args->firmware && !sets_policy(&args->set))
		snprintf(policy, sizeof(policy), "%s", args->firmware);
	else
		ncqsim_config_get(cfg, "firmware.policy", policy,
				  sizeof(policy), NULL);
	snprintf(texts->stack, sizeof(texts->stack),
		 "elevator %s, queue depth %u, firmware %s", args->elevator,
		 drive->queue_depth, policy);
	ncqsim_config_get(cfg, "run.depth", depth, sizeof(depth), NULL);
	snprintf(texts->load, sizeof(texts->load), "%s%s%s%s%s",
		 loop[args->replay], args->replay == REPLAY_DEPTH ? depth : "",
		 args->workload ? "" : ", ",
		 args->workload ? "" : from[args->from],
		 args->speed ? ", speed " : "");
	if (args->speed)
		strncat(texts->load, args->speed, 16);
}
