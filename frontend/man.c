/* SPDX-License-Identifier: MIT */
/*
 * The manual pages, in mdoc(7).  Commands, options, keys and examples come
 * from the tables; only what no table says is written here.  The
 * build makes the pages from this output.
 */
#include "frontend/help.h"

#include "frontend/models.h"
#include "frontend/text.h"

#include <ctype.h>
#include <string.h>

/* One page: mdoc has no blank lines, and a line that begins with a dot or
 * a quote is a request. */
static void
put_text(FILE *out, const char *text)
{
	bool start = true;

	for (; *text; text++) {
		if (text[0] == '\n') {
			fputs(text[1] == '\n' ? "\n.Pp\n" : "\n", out);
			text += text[1] == '\n';
			start = true;
			continue;
		}
		if (start && (*text == '.' || *text == '\''))
			fputs("\\&", out);
		start = false;
		if (*text == '\\')
			fputs("\\e", out);
		else if (*text == '-')
			fputs("\\-", out);
		else
			putc(*text, out);
		/* A new line for each sentence. */
		if (*text == '.' && text[1] == ' ' &&
		    isupper((unsigned char)text[2])) {
			putc('\n', out);
			text++;
			start = true;
		}
	}
	putc('\n', out);
}

static void
put_option(FILE *out, const struct cli_option *opt)
{
	fputs(".It ", out);
	if (opt->letter)
		fprintf(out, "Fl %c , ", opt->letter);
	fprintf(out, "Fl \\-%s", opt->name);
	if (opt->argument)
		fprintf(out, " Ar %s", opt->argument);
	putc('\n', out);
	put_text(out, opt->help);
}

static void
put_command(FILE *out, const struct command *cmd)
{
	const struct command *const *child = cmd->children;
	const struct cli_option *opt = cmd->options;

	fprintf(out, ".Ss ncqsim %s %s\n", help_full_name(cmd).text,
		cmd->synopsis);
	put_text(out, cmd->about);
	if (opt && opt->name) {
		fputs(".Bl -tag -width Ds\n", out);
		for (; opt->name; opt++)
			put_option(out, opt);
		fputs(".El\n", out);
	}
	for (; child && *child; child++)
		put_command(out, *child);
}

static void
put_examples(FILE *out)
{
	bool first = true;

	fputs(".Sh EXAMPLES\n", out);
	for (size_t i = 0; commands[i]; i++) {
		const struct command_example *ex = commands[i]->examples;

		for (; ex && ex->line; ex++) {
			fputs(first ? "" : ".Pp\n", out);
			first = false;
			/* The phrase as a sentence. */
			putc(toupper((unsigned char)ex->what[0]), out);
			put_text(out, ex->what + 1);
			fputs(".Dl ncqsim ", out);
			put_text(out, ex->line);
		}
	}
}

static void
put_key(FILE *out, const struct option_table *table, const struct option *opt)
{
	fprintf(out, ".It Ic %s.%s\n", table->section, opt->name);
	put_text(out, opt->help);
	fputs(".br\n", out);
	fprintf(out, "Range: %s; ", help_range(opt).text);
	if (opt->initial && *opt->initial)
		fprintf(out, "default %s.\n", opt->initial);
	else
		fputs(opt->initial ? "default none.\n" : "must be given.\n",
		      out);
	if (opt->source) {
		fputs(".br\nSource: ", out);
		put_text(out, opt->source);
	}
}

/* The tables of drive files, or all the others. */
static void
put_keys(FILE *out, const struct tables *tables, bool of_drive)
{
	for (size_t i = 0; i < tables->count; i++) {
		const struct option_table *table = &tables->table[i];

		if (models_is_drive_section(table->section) != of_drive)
			continue;
		if (tables->elevator[i])
			fprintf(out, ".Ss [%s] of %s\n", table->section,
				tables->elevator[i]);
		else
			fprintf(out, ".Ss [%s]\n", table->section);
		put_text(out, table->help ? table->help : "");
		fputs(".Bl -tag -width Ds\n", out);
		for (size_t j = 0; j < table->count; j++)
			put_key(out, table, &table->options[j]);
		fputs(".El\n", out);
	}
}

/* Names that may be chosen, each with its line of help. */
static void
put_choices(FILE *out, const char *title, const char *(*name)(size_t i),
	    const char *(*help)(size_t i))
{
	fprintf(out, ".Sh %s\n.Bl -tag -width Ds\n", title);
	for (size_t i = 0; name(i); i++) {
		fprintf(out, ".It Ic %s\n", name(i));
		put_text(out, help(i));
	}
	fputs(".El\n", out);
}

void
man_command_page(FILE *out, const struct tables *tables)
{
	fputs(".\\\" SPDX-License-Identifier: MIT\n"
	      ".\\\" Printed by \"ncqsim help --man ncqsim.1\".\n"
	      ".Dd January 1, 2026\n.Dt NCQSIM 1\n.Os\n"
	      ".Sh NAME\n.Nm ncqsim\n"
	      ".Nd simulate a hard drive with native command queuing\n"
	      ".Sh SYNOPSIS\n.Nm\n.Ar command\n"
	      ".Op Ar option ...\n.Op Ar argument ...\n"
	      ".Sh DESCRIPTION\n.Nm\n"
	      "simulates a hard drive behind an AHCI controller and the block\n"
	      "layer of a Linux kernel: it replays a trace taken with\n"
	      ".Xr blktrace 8\nand reports what the drive would have done.\n"
	      ".Pp\nAn option may be shortened as long as it stays "
	      "unambiguous, its value\nfollows as the next word or after "
	      "\\(dq=\\(dq, and \\(dq\\-\\-\\(dq ends the "
	      "options.\nEvery command has\n.Fl \\-help .\n"
	      ".Sh COMMANDS\n",
	      out);
	for (size_t i = 0; commands[i]; i++)
		put_command(out, commands[i]);
	put_choices(out, "ELEVATORS", ncqsim_elevator_name,
		    ncqsim_elevator_help);
	put_choices(out, "FIRMWARE POLICIES", ncqsim_firmware_name,
		    ncqsim_firmware_help);
	fputs(".Sh CONFIGURATION\n"
	      "Keys that\n.Fl \\-set\ntakes, besides those of a drive file "
	      "(see\n.Xr ncqsim-drive 5 ) .\n",
	      out);
	put_keys(out, tables, false);
	fputs(".Sh ENVIRONMENT\n.Bl -tag -width Ds\n"
	      ".It Ev NCQSIM_MODELS\n"
	      "Folder that holds\n.Pa drives ,\n"
	      "instead of the one that was installed.\n.El\n"
	      ".Sh EXIT STATUS\n.Bl -tag -width Ds -compact\n"
	      ".It 0\nDone.\n"
	      ".It 1\nIt ran, but a check failed: a result was not repeated.\n"
	      ".It 2\nUsage or configuration.\n"
	      ".It 3\nInput that is unreadable or malformed.\n"
	      ".It 4\nOutput failed.\n"
	      ".It 5\nAn internal invariant broke, or memory ran out.\n"
	      ".It 130, 143\nStopped by SIGINT or SIGTERM; what was whole is "
	      "written.\n.El\n",
	      out);
	put_examples(out);
	fputs(".Sh SEE ALSO\n.Xr blkparse 1 ,\n.Xr btt 1 ,\n.Xr fio 1 ,\n"
	      ".Xr ncqsim-drive 5 ,\n.Xr blktrace 8\n",
	      out);
}

void
man_drive_page(FILE *out, const struct tables *tables)
{
	fputs(".\\\" SPDX-License-Identifier: MIT\n"
	      ".\\\" Printed by \"ncqsim help --man ncqsim-drive.5\".\n"
	      ".Dd January 1, 2026\n.Dt NCQSIM-DRIVE 5\n.Os\n"
	      ".Sh NAME\n.Nm ncqsim-drive\n.Nd drive files of ncqsim\n"
	      ".Sh DESCRIPTION\n"
	      "A drive file describes one hard drive in sections and keys:\n"
	      ".Bd -literal -offset indent\n"
	      "[mechanism]\nrpm = 5400          ; datasheet\n.Ed\n.Pp\n"
	      "A comment runs from # or ; to the end of the line; one beside "
	      "a value\nsays where the number comes from and how far it can "
	      "be trusted:\ndatasheet, measured, extracted, inferred, "
	      "recalled, or\nfitted(EXPERIMENT).\n"
	      "A key that does not exist or a value out of range is an "
	      "error.\n.Pp\n"
	      ".Dl ncqsim drive check FILE\n.Pp\ntells what is wrong, and\n"
	      ".Pa TEMPLATE.ini\nbeside the drives holds every key.\n"
	      ".Sh SECTIONS\n",
	      out);
	put_keys(out, tables, true);
	fputs(".Sh FILES\n.Pa models/drives/*.ini\n"
	      ".Sh SEE ALSO\n.Xr ncqsim 1\n",
	      out);
}
