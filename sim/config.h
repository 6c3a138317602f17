/* SPDX-License-Identifier: MIT */
/*
 * Inside the library: what a struct ncqsim_config holds.
 */
#ifndef NCQSIM_CONFIG_H
#define NCQSIM_CONFIG_H

#include "models/elevators/elevator.h"
#include "models/firmware/firmware.h"
#include "sim/drive/drive_config.h"
#include "sim/ncqsim.h"

/* [host] */
struct host_options {
	int kernel;          /* enum host_era */
	int64_t queue_depth; /* device/queue_depth; the drive may have less */
	int64_t nr_requests;
	int64_t max_sectors_kb;
	int64_t unplug_thresh;
	int64_t unplug_delay_ms;
	bool nomerges;
	bool ncq_prio;
	int64_t ncq_deadline_ms;
};

/* [run] */
struct run_options {
	int replay; /* enum ncqsim_replay */
	int beyond; /* enum ncqsim_beyond */
	int64_t depth;
	int64_t backlog_max;
	int64_t span_sectors;
	int64_t seed;
};

/*
 * The chosen elevator's tunables, kept in a state of its own that no queue
 * uses.
 */
struct elevator_options {
	const struct elevator_ops *ops;
	struct option_table table; /* empty when it has none */
	void *values;              /* ops->state_size bytes, owned */
};

struct ncqsim_config {
	char models_dir[4096];
	char drive_name[OPTION_NAME_MAX];
	bool has_drive;
	struct drive_config drive;
	struct host_options host;
	struct run_options run;
	struct elevator_options elevator;
	const struct firmware_ops *firmware; /* NULL: as the drive says */
};

#endif
