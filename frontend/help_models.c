/* SPDX-License-Identifier: MIT */
#include "frontend/help.h"

#include "frontend/text.h"

#include "sim/ncqsim.h"

#include <string.h>

#define INDENT 16

static void
print_line(FILE *out, const char *name, const char *help, const char *eras)
{
	char text[512];

	snprintf(text, sizeof(text), "%s%s%s%s", help ? help : "",
		 eras ? " (" : "", eras ? eras : "", eras ? ")" : "");
	fprintf(out, "  %-*s", INDENT - 2, name);
	text_wrap(out, text, INDENT, INDENT);
}

static bool
print_elevators(FILE *out, const char *wanted)
{
	const char *name, *first, *last;
	bool found = false;
	char eras[64];

	for (size_t i = 0; (name = ncqsim_elevator_name(i)); i++) {
		if (wanted && strcmp(wanted, name) != 0)
			continue;
		ncqsim_elevator_eras(i, &first, &last);
		snprintf(eras, sizeof(eras), "%s%s%s", first,
			 strcmp(first, last) ? " to " : "",
			 strcmp(first, last) ? last : "");
		print_line(out, name, ncqsim_elevator_help(i), eras);
		found = true;
	}
	return found;
}

static bool
print_policies(FILE *out, const char *wanted)
{
	bool found = false;
	const char *name;

	for (size_t i = 0; (name = ncqsim_firmware_name(i)); i++) {
		if (wanted && strcmp(wanted, name) != 0)
			continue;
		print_line(out, name, ncqsim_firmware_help(i), NULL);
		found = true;
	}
	return found;
}

bool
help_models(FILE *out, const char *name)
{
	if (strcmp(name, "elevators") == 0) {
		fputs("Elevators (-e) and the host.kernel they are in:\n", out);
		return print_elevators(out, NULL);
	}
	if (strcmp(name, "policies") == 0) {
		fputs("Firmware policies (-p):\n", out);
		return print_policies(out, NULL);
	}
	return print_elevators(out, name) || print_policies(out, name);
}
