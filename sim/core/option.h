/* SPDX-License-Identifier: MIT */
/*
 * Options: each is declared once, in a table, with its name, type, unit,
 * range, default and help.  Drive files, --set, "ncqsim help KEY", the
 * manual page and shell completion all read the same tables.
 *
 * A table describes one plain configuration struct: an option is a field of
 * it, found by offset.  Setting checks the range and records nothing else,
 * so a struct of options can be copied with =.
 */
#ifndef NCQSIM_CORE_OPTION_H
#define NCQSIM_CORE_OPTION_H

#include "sim/core/err.h"
#include "sim/core/types.h"

enum option_type {
	OPTION_BOOL,   /* bool; yes/no, true/false, on/off, 1/0 */
	OPTION_INT,    /* int64_t in [min, max], in the unit of the name */
	OPTION_TIME,   /* nsec_t; the text is a decimal number in .unit (ns,
			* us, ms, s) or followed by another of these units */
	OPTION_CHOICE, /* int: index into .choices */
	OPTION_NAME,   /* char[OPTION_NAME_MAX]: one word or path */
	OPTION_LIST,   /* struct option_list: decimals, see there */
};

#define OPTION_NAME_MAX 256

/*
 * Decimal numbers, separated by blanks or commas, kept as integers in
 * millionths, so that the text "2.54" is the same everywhere.  The array
 * belongs to whoever holds the struct; option_set() replaces it,
 * option_list_free() frees it.
 */
struct option_list {
	int64_t *micro; /* value * 1 000 000 */
	size_t count;
};

struct option {
	const char *name;           /* within its section: "queue_depth" */
	const char *help;           /* a sentence or more, without the name */
	const char *unit;           /* "ms", "sectors", "" */
	const char *initial;        /* default as text; NULL = must be given */
	const char *source;         /* standard, paper or data sheet; or NULL */
	const char *const *choices; /* NULL-ended, for OPTION_CHOICE */
	int64_t min, max;           /* INT, TIME (ns) and LIST (micro) */
	enum option_type type;
	size_t offset; /* of the field in the struct */
};

/* The options of one section of a file, and the struct they fill. */
struct option_table {
	const char *section; /* "mechanism"; the key is section.name */
	const char *help;    /* what the section is about */
	const struct option *options;
	size_t count;
};

/* Where a value came from, for messages; line 0 = no file. */
struct option_place {
	const char *file; /* file name, or "--set" */
	int line, column; /* of the value */
	int key_column;   /* 0 = not known */
};

/*
 * Fill every field of @config from the defaults; a NULL default is zero.
 * Lists that @config held before are not freed.
 */
void option_defaults(const struct option_table *table, void *config);

/*
 * Set the option called @name in @config from @text.  Unknown names ("did
 * you mean"), malformed values and values out of range are ERR_CONFIG with
 * the place, the key, the value and what would be right.  What is finer
 * than a nanosecond or a millionth is rounded to the nearest one.  @place
 * may be NULL.
 */
int
option_set(const struct option_table *table, void *config, const char *name,
	   const char *text, const struct option_place *place, struct err *e);

/* The option called @name, or NULL. */
const struct option *
option_find(const struct option_table *table, const char *name);

/*
 * Write the value of @opt in @config as text that option_set() reads back
 * to the same value.  Returns the length, as snprintf does.
 */
int option_format(const struct option *opt, const void *config, char *buf,
		  size_t size);

/*
 * What @opt accepts, for help and messages: "1 to 30000 rpm", "0 or more
 * ms", "one of sata, pata".  Returns the length, as snprintf does.
 */
int option_format_range(const struct option *opt, char *buf, size_t size);

/*
 * The name in @names (NULL-ended) nearest to @word by edit distance, or
 * NULL when none is near enough to be worth suggesting.
 */
const char *option_nearest(const char *word, const char *const *names);

void option_list_free(struct option_list *list);

/* Free the lists that the options of @table hold in @config. */
void option_table_free(const struct option_table *table, void *config);

/*
 * After "*to = *from": give @to lists of its own.  On failure (out of
 * memory) the lists of @table in @to are empty.
 */
int option_table_own(const struct option_table *table, void *to, struct err *e);

#endif
