/* SPDX-License-Identifier: MIT */
#include "tests/sim_rig.h"

#include "traces/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A drive file in a temporary place, read and removed again. */
static void
choose_drive(struct ncqsim_config *cfg, const char *ini)
{
	char path[] = "/tmp/ncqsim-oracle-XXXXXX";
	struct err e;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, ini, strlen(ini)), strlen(ini));
	close(fd);
	if (ncqsim_config_drive(cfg, path, &e) < 0)
		fail_msg("%s", e.text);
	unlink(path);
}

void
rig_set(struct rig *rig, const char *key, const char *text)
{
	struct err e;

	if (ncqsim_config_set(rig->cfg, key, text, NULL, &e) < 0)
		fail_msg("%s", e.text);
}

void
rig_new(struct rig *rig, const char *ini)
{
	struct err e;

	memset(rig, 0, sizeof(*rig));
	rig->cfg = ncqsim_config_new("models", &e);
	assert_non_null(rig->cfg);
	choose_drive(rig->cfg, ini);
	rig_set(rig, "run.replay", "depth");
	rig_set(rig, "host.nomerges", "yes");
	rig_set(rig, "host.max_sectors_kb", "1024");
}

void
rig_start(struct rig *rig, const char *load)
{
	struct workload workload;
	struct err e = { 0 };

	rig->sim = ncqsim_create(rig->cfg, &e);
	if (!rig->sim)
		fail_msg("%s", e.text);
	ncqsim_drive_info(rig->sim, &rig->info);
	if (workload_parse(load, &workload, &e) < 0 ||
	    workload_open(&workload, rig->info.sectors, &rig->source, &e) < 0)
		fail_msg("%s", e.text);
	ncqsim_feed(rig->sim, rig->source);
}

void
rig_run(struct rig *rig)
{
	struct err e = { 0 };
	int more;

	do
		more = ncqsim_run(rig->sim, 100000, &e);
	while (more > 0);
	if (more < 0)
		fail_msg("%s", e.text);
}

void
rig_stop(struct rig *rig)
{
	rig->source->close(rig->source);
	ncqsim_destroy(rig->sim);
}

void
rig_free(struct rig *rig)
{
	ncqsim_config_free(rig->cfg);
}

uint64_t
rig_hash(struct rig *rig, const char *load, struct probe *probe)
{
	struct ncqsim_totals totals;

	rig_start(rig, load);
	if (probe)
		ncqsim_attach(rig->sim, probe);
	rig_run(rig);
	ncqsim_totals(rig->sim, &totals);
	rig_stop(rig);
	return totals.hash;
}

struct list_source {
	struct io_source source;
	const struct io_record *records;
	size_t count, at;
};

static int
list_next(struct io_source *src, struct io_record *rec, struct err *e)
{
	struct list_source *l = container_of(src, struct list_source, source);

	(void)e;
	if (l->at == l->count)
		return 0;
	*rec = l->records[l->at];
	rec->number = (uint32_t)l->at++;
	return 1;
}

uint64_t
rig_hash_records(struct rig *rig, const struct io_record *records, size_t count,
		 struct probe *probe)
{
	struct list_source source = { { list_next, NULL }, records, count, 0 };
	struct ncqsim_totals totals;
	struct err e = { 0 };

	rig->sim = ncqsim_create(rig->cfg, &e);
	if (!rig->sim)
		fail_msg("%s", e.text);
	ncqsim_drive_info(rig->sim, &rig->info);
	if (probe)
		ncqsim_attach(rig->sim, probe);
	ncqsim_feed(rig->sim, &source.source);
	rig_run(rig);
	ncqsim_totals(rig->sim, &totals);
	ncqsim_destroy(rig->sim);
	return totals.hash;
}
