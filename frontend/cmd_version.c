/* SPDX-License-Identifier: MIT */
#include "frontend/command.h"

#include "sim/ncqsim.h"

#include <stdio.h>

/* What the build has or was left without. */
struct feature {
	const char *name;
	bool present;
	const char *use;
};

#ifdef HAVE_LIBARCHIVE
#define WITH_LIBARCHIVE true
#else
#define WITH_LIBARCHIVE false
#endif
#ifdef HAVE_JANSSON
#define WITH_JANSSON true
#else
#define WITH_JANSSON false
#endif
#ifdef HAVE_CAIRO
#define WITH_CAIRO true
#else
#define WITH_CAIRO false
#endif
#ifdef HAVE_SDL2
#define WITH_SDL2 true
#else
#define WITH_SDL2 false
#endif
#ifdef HAVE_LIBURING
#define WITH_LIBURING true
#else
#define WITH_LIBURING false
#endif

static const struct feature features[] = {
	{ "libarchive", WITH_LIBARCHIVE, "compressed traces" },
	{ "jansson", WITH_JANSSON, "repeating result files" },
	{ "cairo", WITH_CAIRO, "plots and pictures" },
	{ "sdl2", WITH_SDL2, "not used yet" },
	{ "liburing", WITH_LIBURING, "not used yet" },
};

static int
version_run(struct cli_line *line, struct err *e)
{
	if (line->words.count)
		return err_set(e, ERR_CONFIG, "version takes no argument");
	printf("ncqsim %s\n", NCQSIM_VERSION);
	for (size_t i = 0; i < ARRAY_LEN(features); i++)
		printf("  %-12s%-10s(%s)\n", features[i].name,
		       features[i].present ? "present" : "left out",
		       features[i].use);
	return EXIT_DONE;
}

static const struct command_example examples[] = {
	{ "version", "the version, and which libraries this build has" },
	{ 0 },
};

const struct command cmd_version = {
	.name = "version",
	.summary = "show the version and what this build was made with",
	.synopsis = "",
	.about = "Show the version, and the optional libraries that this build "
		 "has or was left without.",
	.examples = examples,
	.words = "",
	.run = version_run,
};
