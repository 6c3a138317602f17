/* SPDX-License-Identifier: MIT */
/*
 * Command lines: each option of a command is declared once, in a table, and
 * names the field of the command's argument struct that it fills.  Parsing,
 * --help, the manual page and shell completion read the same tables.
 *
 * Accepted: --name VALUE, --name=VALUE, -x VALUE, -xVALUE, flags bundled as
 * -ab, "--" before operands that begin with "-", options after operands, and
 * unambiguous beginnings of long names.  A lone "-" is an operand.
 *
 * An option and a pair may say the same thing (-q 4, --set
 * host.queue_depth=4).  The last one counts: such a pair becomes the option,
 * and an option with a section removes the pairs before it that it repeats.
 */
#ifndef NCQSIM_FRONTEND_CLI_H
#define NCQSIM_FRONTEND_CLI_H

#include "sim/core/err.h"
#include "sim/core/types.h"

enum cli_kind {
	CLI_FLAG,  /* bool, becomes true */
	CLI_VALUE, /* const char *, the text as given */
	CLI_LIST,  /* struct cli_list, may be repeated */
	CLI_COUNT, /* uint64_t, a decimal number */
	CLI_CHOICE /* int, index into choices */,
	CLI_CONST, /* int, becomes .constant; a flag of a group */
};

/* Texts of a repeated option or operands; they belong to argv. */
struct cli_list {
	const char **text; /* owned */
	size_t count;
};

struct cli_option {
	const char *name; /* long, without "--"; NULL ends a table */
	char letter;      /* short form, or 0 */
	bool repeats;     /* decides the result: kept in it, to be repeated */
	enum cli_kind kind;
	int constant;               /* CLI_CONST */
	const char *argument;       /* "FILE"; NULL for flags */
	const char *const *choices; /* NULL-ended: CLI_CHOICE, completion */
	const char *help;           /* a phrase; may be several lines long */
	const char *key;            /* of the pairs option that it stands for */
	const char *section; /* its value is NAME:key=value,... of there */
	bool is_pairs;       /* CLI_LIST of KEY=VALUE */
	size_t offset;       /* of the field in the struct */
};

/* Options and operands of one command line. */
struct cli_line {
	const struct cli_option *options;
	void *args;            /* the struct that the options fill */
	struct cli_list words; /* operands */
	uint64_t given;        /* bit i: options[i] was given */
	bool help;             /* --help or -h was given */
	const char *command;   /* for messages: "run" */
};

/*
 * Parse @argc words of @argv, which do not hold the command's name.  The
 * caller frees with cli_free().  ERR_CONFIG names the option and what would
 * be right.
 */
int cli_parse(struct cli_line *line, int argc, char **argv, struct err *e);
void cli_free(struct cli_line *line);

/* Set option @i of the line from @text, as if it had been typed. */
int cli_set(struct cli_line *line, size_t i, const char *text, struct err *e);

/* Index of the option called @name, or -1. */
int cli_find(const struct cli_option *options, const char *name);

/* The option that @pair, KEY=VALUE, is another way to write, or -1. */
int cli_find_key(const struct cli_option *options, const char *pair);

/* Does @spec, a value of @opt, say what @pair says? */
bool
cli_spec_sets(const struct cli_option *opt, const char *spec, const char *pair);

static inline bool
cli_given(const struct cli_line *line, size_t i)
{
	return line->given >> i & 1;
}

/* Append to a list.  Returns 0 or ERR_INTERNAL. */
int cli_list_add(struct cli_list *list, const char *text, struct err *e);

/*
 * Fill @e with "unknown WHAT 'WORD'", a suggestion from the NULL-ended
 * @names, and @hint ("see ncqsim help").  Returns ERR_CONFIG.
 */
int cli_unknown(const char *what, const char *word, const char *const *names,
		const char *hint, struct err *e);

#endif
