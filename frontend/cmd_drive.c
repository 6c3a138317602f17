/* SPDX-License-Identifier: MIT */
#include "frontend/command.h"
#include "frontend/disksim_import.h"
#include "frontend/models.h"
#include "frontend/output.h"
#include "frontend/text.h"

#include "sim/core/json.h"
#include "sim/ncqsim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct drive_args {
	bool json;
	const char *file;
};

/* A drive file turned into a machine, to ask it about itself. */
struct bench {
	struct ncqsim_config *cfg;
	struct ncqsim *sim;
	struct ncqsim_drive_info info;
};

static void
bench_close(struct bench *bench)
{
	ncqsim_destroy(bench->sim);
	ncqsim_config_free(bench->cfg);
}

static int
bench_open(struct bench *bench, const char *drive, struct err *e)
{
	int err;

	memset(bench, 0, sizeof(*bench));
	bench->cfg = models_config(e);
	if (!bench->cfg)
		return e->code;
	err = models_choose(bench->cfg, drive, e);
	if (!err) {
		bench->sim = ncqsim_create(bench->cfg, e);
		err = bench->sim ? 0 : (int)e->code;
	}
	if (err)
		bench_close(bench);
	else
		ncqsim_drive_info(bench->sim, &bench->info);
	return err;
}

/* Bytes a second while a track of @spt sectors passes the head. */
static uint64_t
media_rate(const struct ncqsim_drive_info *info, uint32_t spt)
{
	return (uint64_t)spt * SECTOR_BYTES * info->rpm / 60;
}

static void
json_drive(struct json *json, const char *name, const struct bench *bench)
{
	const struct ncqsim_drive_info *info = &bench->info;

	json_begin_object(json, NULL);
	json_string(json, "name", name);
	json_string(json, "model", info->model);
	json_uint(json, "sectors", info->sectors);
	json_uint(json, "rpm", info->rpm);
	json_uint(json, "heads", info->heads);
	json_uint(json, "cylinders", info->cylinders);
	json_uint(json, "queue_depth", info->queue_depth);
	json_int(json, "revolution_ns", info->revolution_ns);
	json_int(json, "seek_mean_ns", info->seek_mean_ns);
	json_uint(json, "outer_bytes_per_s", media_rate(info, info->outer_spt));
	json_uint(json, "inner_bytes_per_s", media_rate(info, info->inner_spt));
	json_end_object(json);
}

/* 80 columns hold a name of @width and the model in what is left. */
static void
print_drive(const char *name, const struct bench *bench, int width)
{
	const struct ncqsim_drive_info *info = &bench->info;
	int model = width < 40 ? 46 - width : 6;

	printf("%-*s %-*.*s %9s %6" PRIu32 " %6" PRIu32 " %8s\n", width, name,
	       model, model, info->model,
	       text_bytes(info->sectors * SECTOR_BYTES).s, info->rpm,
	       info->heads, text_time(info->seek_mean_ns).s);
}

static int
list_names(const struct cli_list *names, struct json *json, struct err *e)
{
	struct bench bench;
	int err = 0, width = 4;

	for (size_t i = 0; i < names->count; i++)
		if ((int)strlen(names->text[i]) > width)
			width = (int)strlen(names->text[i]);
	if (!json)
		printf("%-*s %-*s %9s %6s %6s %8s\n", width, "NAME",
		       width < 40 ? 46 - width : 6, "MODEL", "CAPACITY", "RPM",
		       "HEADS", "SEEK");
	for (size_t i = 0; !err && i < names->count; i++) {
		err = bench_open(&bench, names->text[i], e);
		if (err)
			break;
		if (json)
			json_drive(json, names->text[i], &bench);
		else
			print_drive(names->text[i], &bench, width);
		bench_close(&bench);
	}
	return err;
}

static int
list_run(struct cli_line *line, struct err *e)
{
	const struct drive_args *args = line->args;
	struct cli_list names = { NULL, 0 };
	struct json json;
	int err;

	if (line->words.count)
		return err_set(e, ERR_CONFIG, "drive list takes no argument");
	err = models_drives(&names, e);
	if (!err && args->json) {
		json_init(&json, JSON_PRETTY, output_json_sink, stdout);
		json_begin_array(&json, NULL);
		err = list_names(&names, &json, e);
		if (!err) {
			json_end_array(&json);
			json_finish(&json);
		}
	} else if (!err) {
		err = list_names(&names, NULL, e);
	}
	models_drives_free(&names);
	return err;
}

static void
print_keys(const struct ncqsim_config *cfg)
{
	const struct option_table *table;
	char key[128], value[4096];

	for (size_t i = 0; (table = ncqsim_config_table(cfg, i)); i++) {
		bool first = true;

		if (!models_is_drive_section(table->section))
			continue;
		for (size_t j = 0; j < table->count; j++) {
			const struct option *opt = &table->options[j];

			snprintf(key, sizeof(key), "%s.%s", table->section,
				 opt->name);
			if (ncqsim_config_get(cfg, key, value, sizeof(value),
					      NULL) < 0 ||
			    !*value)
				continue;
			if (first)
				printf("\n[%s]\n", table->section);
			first = false;
			printf("%-24s = %s\n", opt->name, value);
		}
	}
}

static void
show_drive(const struct bench *bench)
{
	const struct ncqsim_drive_info *info = &bench->info;
	uint64_t bytes = info->sectors * SECTOR_BYTES;

	printf("%s\n", info->model);
	printf("  capacity   %" PRIu64 " sectors, %s GB (%s)\n", info->sectors,
	       text_decimal((int64_t)bytes, 9, bytes < 1000000000 ? 4 : 1).s,
	       text_bytes(bytes).s);
	printf("  mechanism  %" PRIu32 " rpm (a turn in %s), %" PRIu32
	       " heads, %" PRIu32 " cylinders\n",
	       info->rpm, text_time(info->revolution_ns).s, info->heads,
	       info->cylinders);
	printf("  seek       %s on average, reading\n",
	       text_time(info->seek_mean_ns).s);
	printf("  media      %s MB/s outside (%" PRIu32 " sectors a track), "
	       "%s MB/s inside (%" PRIu32 ")\n",
	       text_decimal((int64_t)media_rate(info, info->outer_spt), 6, 1).s,
	       info->outer_spt,
	       text_decimal((int64_t)media_rate(info, info->inner_spt), 6, 1).s,
	       info->inner_spt);
	print_keys(bench->cfg);
}

static int
show_run(struct cli_line *line, struct err *e)
{
	const struct drive_args *args = line->args;
	struct bench bench;
	struct json json;
	int err;

	if (line->words.count != 1)
		return err_set(e, ERR_CONFIG,
			       "drive show needs one drive: a file, or a name "
			       "of ncqsim drive list");
	err = bench_open(&bench, line->words.text[0], e);
	if (err)
		return err;
	if (args->json) {
		json_init(&json, JSON_PRETTY, output_json_sink, stdout);
		json_drive(&json, line->words.text[0], &bench);
		json_finish(&json);
	} else {
		show_drive(&bench);
	}
	bench_close(&bench);
	return EXIT_DONE;
}

/* Every file is looked at, so that one go shows all that is wrong. */
static int
check_run(struct cli_line *line, struct err *e)
{
	struct bench bench;
	int status = EXIT_DONE;

	if (!line->words.count)
		return err_set(e, ERR_CONFIG, "drive check needs a drive file");
	for (size_t i = 0; i < line->words.count; i++) {
		const char *name = line->words.text[i];
		int err = bench_open(&bench, name, e);

		if (err) {
			fprintf(stderr, "ncqsim: %s\n", e->text);
			status = -err;
			continue;
		}
		printf("%s: ok: %s, %" PRIu64 " sectors\n", name,
		       bench.info.model, bench.info.sectors);
		bench_close(&bench);
	}
	return status;
}

static int
import_run(struct cli_line *line, struct err *e)
{
	const struct drive_args *args = line->args;
	struct output out;
	int err;

	if (line->words.count != 1)
		return err_set(e, ERR_CONFIG,
			       "drive import needs one file: NAME.diskspecs or "
			       "NAME.parv");
	err = output_open(&out, args->file, e);
	if (err)
		return err;
	err = disksim_import(line->words.text[0], out.file, stderr, e);
	if (err) {
		output_discard(&out);
		return err;
	}
	return output_commit(&out, e);
}

static const struct cli_option import_options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .kind = CLI_VALUE,
	  .argument = "FILE",
	  .help = "write the drive file there instead of standard output",
	  .offset = offsetof(struct drive_args, file) },
	{ 0 },
};

static const struct cli_option options[] = {
	{ .name = "json",
	  .kind = CLI_FLAG,
	  .help = "as JSON",
	  .offset = offsetof(struct drive_args, json) },
	{ 0 },
};

static const struct command_example list_examples[] = {
	{ "drive list", "the drives that come with ncqsim" },
	{ 0 },
};
static const struct command_example show_examples[] = {
	{ "drive show wd3200bjkt", "one drive: rates, and every value" },
	{ 0 },
};
static const struct command_example check_examples[] = {
	{ "drive check mine.ini", "is a drive file right?" },
	{ 0 },
};
static const struct command_example import_examples[] = {
	{ "drive import cheetah9LP.diskspecs -o cheetah9lp.ini",
	  "a drive of DiskSim as a drive file" },
	{ 0 },
};
static const struct command_example examples[] = {
	{ "drive list", "the drives that come with ncqsim" },
	{ "drive show wd3200bjkt", "one drive: rates, and every value" },
	{ "drive check mine.ini", "is a drive file right?" },
	{ "drive import cheetah9LP.diskspecs -o cheetah9lp.ini",
	  "a drive of DiskSim as a drive file" },
	{ 0 },
};

static const struct command list_command = {
	.name = "list",
	.summary = "list the drives that come with ncqsim",
	.synopsis = "[--json]",
	.about = "List the drives that come with ncqsim: name, model, "
		 "capacity, speed, heads and the mean seek time for reads.",
	.options = options,
	.examples = list_examples,
	.words = "",
	.args_size = sizeof(struct drive_args),
	.run = list_run,
};
static const struct command show_command = {
	.name = "show",
	.summary = "show one drive and what follows from its file",
	.synopsis = "DRIVE [--json]",
	.about = "Show what a drive file makes: capacity, turn, seeks, media "
		 "rates; then the value of each key. DRIVE is a file or a "
		 "name of \"ncqsim drive list\".",
	.options = options,
	.examples = show_examples,
	.words = "drive",
	.args_size = sizeof(struct drive_args),
	.run = show_run,
};
static const struct command check_command = {
	.name = "check",
	.summary = "check drive files",
	.synopsis = "DRIVE...",
	.about = "Read drive files and build their drives. Each mistake is "
		 "one line on standard error with its place; the exit status "
		 "is 2 then.",
	.examples = check_examples,
	.words = "drive",
	.run = check_run,
};
static const struct command import_command = {
	.name = "import",
	.summary = "make a drive file of DiskSim's parameter files",
	.synopsis = "FILE [-o FILE]",
	.about = "Read a drive of DiskSim (Carnegie Mellon University), its "
		 ".diskspecs or .parv with the .model and .seek that belong "
		 "to it, and write it as a drive file; each key names the "
		 "parameter it came from. What cannot be expressed is a "
		 "comment there and a warning here. A .parv beside a "
		 ".diskspecs is read for the speed of the bus.",
	.options = import_options,
	.examples = import_examples,
	.words = "file",
	.args_size = sizeof(struct drive_args),
	.run = import_run,
};
static const struct command *const children[] = { &list_command, &show_command,
						  &check_command,
						  &import_command, NULL };

const struct command cmd_drive = {
	.name = "drive",
	.summary = "list, show, check and import drive models",
	.synopsis = "COMMAND [OPTION]... [DRIVE]...",
	.about = "A drive is a file of sections and keys, described in "
		 "ncqsim-drive(5).",
	.examples = examples,
	.children = children,
	.words = "",
};
