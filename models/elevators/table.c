/* SPDX-License-Identifier: MIT */
/*
 * The built-in elevators, in the order they are listed, and what every
 * elevator is checked for before it is used.
 */
#include "models/elevators/elevator.h"

#include <stdio.h>
#include <string.h>

extern const struct elevator_ops noop_elevator;
extern const struct elevator_ops deadline_elevator;
extern const struct elevator_ops anticipatory_elevator;
extern const struct elevator_ops cfq_elevator;
extern const struct elevator_ops cfq_2618_elevator;
extern const struct elevator_ops none_elevator;
extern const struct elevator_ops mq_deadline_elevator;
extern const struct elevator_ops kyber_elevator;
extern const struct elevator_ops bfq_elevator;

/* clang-format off */
const struct elevator_ops *const elevator_table[] = {
	&noop_elevator,
	&deadline_elevator,
	&anticipatory_elevator,
	&cfq_elevator,
	&cfq_2618_elevator,
	&none_elevator,
	&mq_deadline_elevator,
	&kyber_elevator,
	&bfq_elevator,
	NULL,
};
/* clang-format on */

static const char *const era_names[] = {
	[ERA_2_6_18] = "2.6.18",       [ERA_2_6_27] = "2.6.27",
	[ERA_2_6_31] = "2.6.31",       [ERA_2_6_32] = "2.6.32",
	[ERA_2_6_32_71] = "2.6.32.71", [ERA_MODERN] = "modern",
};

const char *
host_era_name(enum host_era era)
{
	return (size_t)era < ARRAY_LEN(era_names) ? era_names[era] : NULL;
}

int
host_era_parse(const char *name, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(era_names); i++)
		if (strcmp(name, era_names[i]) == 0)
			return (int)i;
	return err_set(e, ERR_CONFIG,
		       "host.kernel = %s: must be 2.6.18, 2.6.27, 2.6.31, "
		       "2.6.32, 2.6.32.71 or modern",
		       name);
}

/* "noop, deadline, cfq" into @text: those of @era, cut if too long. */
static void
list_names(enum host_era era, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; elevator_table[i] && used < size; i++) {
		const struct elevator_ops *ops = elevator_table[i];
		int n;

		if (era < ops->first_era || era > ops->last_era)
			continue;
		n = snprintf(text + used, size - used, "%s%s",
			     used > 0 ? ", " : "", ops->name);
		if (n > 0)
			used += (size_t)n;
	}
}

/* There is such an elevator, in another kernel. */
static const struct elevator_ops *
wrong_era(const struct elevator_ops *ops, enum host_era era, struct err *e)
{
	char eras[64];

	snprintf(eras, sizeof(eras), "%s%s%s", host_era_name(ops->first_era),
		 ops->first_era == ops->last_era ? "" : " to ",
		 ops->first_era == ops->last_era
			 ? ""
			 : host_era_name(ops->last_era));
	err_set(e, ERR_CONFIG,
		"elevator %s is not in host.kernel = %s but in %s: --set "
		"host.kernel=%s",
		ops->name, host_era_name(era), eras,
		host_era_name(ops->first_era));
	return NULL;
}

const struct elevator_ops *
elevator_find(const char *name, enum host_era era, struct err *e)
{
	char names[256];

	if (strchr(name, '/'))
		return elevator_load(name, e);
	for (size_t i = 0; elevator_table[i]; i++) {
		const struct elevator_ops *ops = elevator_table[i];

		if (strcmp(ops->name, name) == 0 && era >= ops->first_era &&
		    era <= ops->last_era)
			return ops;
	}
	for (size_t i = 0; elevator_table[i]; i++)
		if (strcmp(elevator_table[i]->name, name) == 0)
			return wrong_era(elevator_table[i], era, e);
	list_names(era, names, sizeof(names));
	err_set(e, ERR_CONFIG,
		"elevator %s: host.kernel = %s has %s, or give a path to a "
		"shared object",
		name, host_era_name(era), names);
	return NULL;
}

static int
check_option(const struct elevator_ops *ops, const struct option *o,
	     struct err *e)
{
	if (!o->name || !o->unit || !o->help || !o->initial)
		return err_set(e, ERR_CONFIG,
			       "elevator %s: tunable %s needs a name, a unit "
			       "(\"\" for none), a default and a help text",
			       ops->name, o->name ? o->name : "without a name");
	if (o->type != OPTION_INT)
		return err_set(e, ERR_CONFIG,
			       "elevator %s: tunable %s is no OPTION_INT",
			       ops->name, o->name);
	if (o->offset < sizeof(struct elevator) ||
	    o->offset + sizeof(int64_t) > ops->state_size)
		return err_set(e, ERR_CONFIG,
			       "elevator %s: tunable %s lies outside the "
			       "elevator's state",
			       ops->name, o->name);
	return 0;
}

int
elevator_check(const struct elevator_ops *ops, struct err *e)
{
	size_t options = ops && ops->options ? ops->options->count : 0;
	int rc = 0;

	if (!ops)
		return err_set(e, ERR_CONFIG, "no elevator is given");
	if (ops->abi != ELEVATOR_ABI)
		return err_set(e, ERR_CONFIG,
			       "the elevator was compiled for version %u of "
			       "the elevator interface, this is version %u: "
			       "compile it again",
			       ops->abi, ELEVATOR_ABI);
	if (!ops->name || !ops->name[0] || !ops->help)
		return err_set(e, ERR_CONFIG,
			       "the elevator has no name or no help text");
	if (!host_era_name(ops->first_era) || !host_era_name(ops->last_era) ||
	    ops->first_era > ops->last_era)
		return err_set(e, ERR_CONFIG,
			       "elevator %s: first_era and last_era are not a "
			       "range of eras",
			       ops->name);
	if (ops->state_size < sizeof(struct elevator))
		return err_set(e, ERR_CONFIG,
			       "elevator %s: its state is smaller than the "
			       "struct elevator it must begin with",
			       ops->name);
	if (!ops->insert || !ops->dispatch)
		return err_set(e, ERR_CONFIG,
			       "elevator %s lacks insert() or dispatch(), "
			       "which are required",
			       ops->name);
	if (!ops->former != !ops->latter || !ops->former != !ops->swallow)
		return err_set(e, ERR_CONFIG,
			       "elevator %s: former(), latter() and swallow() "
			       "go together, all three or none",
			       ops->name);
	for (size_t i = 0; i < options && rc == 0; i++)
		rc = check_option(ops, &ops->options->options[i], e);
	return rc;
}
