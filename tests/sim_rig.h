/* SPDX-License-Identifier: MIT */
/*
 * A whole machine for tests, on a drive described in the test itself.  What
 * goes wrong fails the test.
 */
#ifndef NCQSIM_TESTS_SIM_RIG_H
#define NCQSIM_TESTS_SIM_RIG_H

#include "sim/ncqsim.h"

struct rig {
	struct ncqsim_config *cfg;
	struct ncqsim *sim;
	struct io_source *source;
	struct ncqsim_drive_info info;
};

/* A closed loop without merging on the drive of the text @ini. */
void rig_new(struct rig *rig, const char *ini);
void rig_free(struct rig *rig);

/* Set a key of the configuration. */
void rig_set(struct rig *rig, const char *key, const char *text);

/* Build the machine with a load (see traces/workload.h); run it; end it. */
void rig_start(struct rig *rig, const char *load);
void rig_run(struct rig *rig);
void rig_stop(struct rig *rig);

/* All three, with @probe watching unless NULL: the hash of the result. */
uint64_t rig_hash(struct rig *rig, const char *load, struct probe *probe);

/* The same with records of the caller's own. */
uint64_t rig_hash_records(struct rig *rig, const struct io_record *records,
			  size_t count, struct probe *probe);

#endif
