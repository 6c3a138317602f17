/* SPDX-License-Identifier: MIT */
#include "frontend/tables.h"

#include <assert.h>
#include <string.h>

static void
add_table(struct tables *tables, const struct option_table *table,
	  const char *elevator)
{
	if (!table->count)
		return;
	assert(tables->count < TABLES_MAX);
	tables->table[tables->count] = *table;
	tables->elevator[tables->count++] = elevator;
}

static bool
is_elevators(const struct option_table *table)
{
	return strcmp(table->section, "elevator") == 0;
}

/* An elevator's tunables are known once it is chosen; one that the default
 * kernel did not have is passed over. */
static void
add_elevator(struct tables *tables, struct ncqsim_config *cfg, const char *name)
{
	const struct option_table *table;

	if (ncqsim_config_elevator(cfg, name, NULL) < 0)
		return;
	for (size_t i = 0; (table = ncqsim_config_table(cfg, i)); i++)
		if (is_elevators(table))
			add_table(tables, table, name);
}

int
tables_gather(struct tables *tables, struct err *e)
{
	struct ncqsim_config *cfg = ncqsim_config_new(NULL, e);
	const struct option_table *table;

	if (!cfg)
		return e->code;
	tables->count = 0;
	for (size_t i = 0; (table = ncqsim_config_table(cfg, i)); i++)
		if (!is_elevators(table))
			add_table(tables, table, NULL);
	for (size_t i = 0; ncqsim_elevator_name(i); i++)
		add_elevator(tables, cfg, ncqsim_elevator_name(i));
	ncqsim_config_free(cfg);
	return 0;
}
