/* SPDX-License-Identifier: MIT */
/*
 * The result as JSON.  Keys keep their order, durations are whole
 * nanoseconds, and nothing depends on the wall clock: the same command
 * writes the same bytes.
 */
#include "frontend/report.h"

#include "frontend/output.h"
#include "frontend/text.h"

#include <string.h>

static void
write_option(struct json *json, const struct cli_line *line,
	     const struct cli_option *opt)
{
	const void *value = (const char *)line->args + opt->offset;
	const struct cli_list *list = value;

	switch (opt->kind) {
	case CLI_FLAG:
	case CLI_CONST:
		json_bool(json, opt->name, true);
		break;
	case CLI_VALUE:
		json_string(json, opt->name, *(const char *const *)value);
		break;
	case CLI_LIST:
		json_begin_array(json, opt->name);
		for (size_t i = 0; i < list->count; i++)
			json_string(json, NULL, list->text[i]);
		json_end_array(json);
		break;
	case CLI_COUNT:
		json_uint(json, opt->name, *(const uint64_t *)value);
		break;
	case CLI_CHOICE:
		json_string(json, opt->name, opt->choices[*(const int *)value]);
		break;
	}
}

/* What "ncqsim run RESULT.json" reads back: see result.c. */
void
report_put_command(struct json *json, const struct cli_line *line)
{
	json_begin_object(json, "command");
	json_string(json, "name", "run");
	json_begin_array(json, "arguments");
	for (size_t i = 0; i < line->words.count; i++)
		json_string(json, NULL, line->words.text[i]);
	json_end_array(json);
	json_begin_object(json, "options");
	for (size_t i = 0; line->options[i].name; i++)
		if (line->options[i].repeats && cli_given(line, i))
			write_option(json, line, &line->options[i]);
	json_end_object(json);
	json_end_object(json);
}

static void
write_configuration(struct json *json, const struct ncqsim_config *config)
{
	const struct option_table *table;
	char key[128], value[4096];

	json_begin_object(json, "configuration");
	for (size_t i = 0; (table = ncqsim_config_table(config, i)); i++) {
		for (size_t j = 0; j < table->count; j++) {
			snprintf(key, sizeof(key), "%s.%s", table->section,
				 table->options[j].name);
			if (ncqsim_config_get(config, key, value, sizeof(value),
					      NULL) >= 0)
				json_string(json, key, value);
		}
	}
	json_end_object(json);
}

static void
write_figures(struct json *json, const struct report_latency *l)
{
	char key[16];

	for (size_t i = 0; i < REPORT_FIGURES; i++) {
		snprintf(key, sizeof(key), "%s_ns", report_figures[i].name);
		json_int(json, key, report_figure_ns(l, i));
	}
}

static void
write_rows(struct json *json, const struct report *report)
{
	static const char *const groups[] = { "all", "operation", "process" };

	json_begin_array(json, "latency");
	for (size_t i = 0; i < report->row_count; i++) {
		const struct report_row *row = &report->rows[i];

		json_begin_object(json, NULL);
		json_string(json, "group", groups[row->group]);
		json_string(json, "name", row->name);
		json_uint(json, "bios", row->q2c.count);
		json_uint(json, "bytes", row->sectors * SECTOR_BYTES);
		json_decimal(json, "iops",
			     (int64_t)report_milli_iops(report, row->q2c.count),
			     3);
		json_decimal(json, "mib_per_s",
			     (int64_t)report_milli_mibps(report, row->sectors),
			     3);
		write_figures(json, &row->q2c);
		json_end_object(json);
	}
	json_end_array(json);
}

static void
write_input(struct json *json, const struct report *report)
{
	json_begin_object(json, "input");
	json_uint(json, "records", report->totals.records);
	json_uint(json, "dropped", report->totals.dropped);
	json_uint(json, "damaged", report->damaged);
	json_int(json, "last_arrival_ns", report->totals.last_arrival_ns);
	json_hex64(json, "hash", report->input_hash);
	json_end_object(json);
}

static void
write_drive(struct json *json, const struct ncqsim_drive_info *drive)
{
	json_begin_object(json, "drive");
	json_string(json, "model", drive->model);
	json_uint(json, "sectors", drive->sectors);
	json_uint(json, "rpm", drive->rpm);
	json_uint(json, "heads", drive->heads);
	json_uint(json, "cylinders", drive->cylinders);
	json_uint(json, "queue_depth", drive->queue_depth);
	json_int(json, "revolution_ns", drive->revolution_ns);
	json_int(json, "seek_mean_ns", drive->seek_mean_ns);
	json_end_object(json);
}

static void
write_split(struct json *json, const struct report *report)
{
	json_begin_object(json, "split");
	json_int(json, "q2d_mean_ns", report->q2d_mean_ns);
	json_int(json, "d2c_mean_ns", report->d2c_mean_ns);
	json_int(json, "q2c_mean_ns", report->q2c_mean_ns);
	json_end_object(json);
	json_begin_object(json, "d2c");
	json_uint(json, "requests", report->d2c.count);
	write_figures(json, &report->d2c);
	json_end_object(json);
}

/* Mean with one more digit than the sum has. */
static void
write_mean(struct json *json, const char *key, uint64_t sum, uint64_t count)
{
	json_decimal(json, key, (int64_t)text_ratio(sum, 1000, count), 3);
}

static void
write_drive_time(struct json *json, const struct report *report)
{
	const struct stats_requests *r = &report->requests;

	json_begin_object(json, "drive_time");
	json_int(json, "overhead_ns", r->overhead_ns);
	json_int(json, "seek_ns", r->seek_ns);
	json_int(json, "switch_ns", r->switch_ns);
	json_int(json, "rotate_ns", r->rotate_ns);
	json_int(json, "transfer_ns", r->transfer_ns);
	json_int(json, "destage_ns", report->totals.destage_ns);
	json_int(json, "idle_ns", report->idle_ns);
	json_uint(json, "buffer_hits", r->hits);
	json_uint(json, "buffer_streams", r->streams);
	json_uint(json, "buffer_writes", r->kept);
	json_uint(json, "seeks", r->seeks);
	write_mean(json, "seek_mean_cyl", r->seek_cyl, r->seeks);
	json_uint(json, "seek_mean_ns",
		  text_ratio((uint64_t)r->seek_ns, 1, r->seeks));
	json_uint(json, "rotate_mean_ns",
		  text_ratio((uint64_t)r->rotate_ns, 1, r->media));
	json_end_object(json);
}

static void
write_queue(struct json *json, const struct stats_requests *r)
{
	json_begin_object(json, "queue");
	json_begin_array(json, "depth");
	for (uint32_t i = 0; i < STATS_DEPTHS; i++) {
		if (!r->depth[i])
			continue;
		json_begin_object(json, NULL);
		json_uint(json, "depth", i);
		json_uint(json, "commands", r->depth[i]);
		json_end_object(json);
	}
	json_end_array(json);
	json_uint(json, "reordered", r->passing);
	write_mean(json, "reorder_mean_distance", r->passed, r->passing);
	json_int(json, "oldest_wait_ns", r->oldest_wait_ns);
	json_end_object(json);
}

static void
write_result(struct json *json, const struct report *report)
{
	const struct ncqsim_totals *t = &report->totals;

	json_begin_object(json, "result");
	json_hex64(json, "hash", t->hash);
	json_int(json, "elapsed_ns", report->elapsed_ns);
	json_uint(json, "bios", t->bios);
	json_uint(json, "requests", t->requests);
	json_uint(json, "merges", report->merges);
	json_uint(json, "errors", report->requests.errors);
	json_uint(json, "interrupts", t->interrupts);
	json_bool(json, "saturated", report_is_saturated(report));
	json_uint(json, "backlog_max", t->backlog_max);
	json_uint(json, "backlog_at_last_arrival", t->backlog_arrival);
	json_int(json, "drain_ns", t->last_complete_ns - t->last_arrival_ns);
	write_rows(json, report);
	write_split(json, report);
	write_drive_time(json, report);
	write_queue(json, &report->requests);
	json_end_object(json);
}

static void
write_compare(struct json *json, const struct compare *compare)
{
	json_begin_array(json, "compare");
	for (size_t i = 0; i < COMPARE_PAIRS; i++) {
		const struct compare_pair *pair = &compare->pair[i];
		struct report_latency recorded =
			report_latency_of(pair->recorded);
		struct report_latency simulated =
			report_latency_of(pair->simulated);

		json_begin_object(json, NULL);
		json_string(json, "name", pair->name);
		json_uint(json, "demerit_ns", pair->demerit_ns);
		json_begin_object(json, "recorded");
		json_uint(json, "count", recorded.count);
		write_figures(json, &recorded);
		json_end_object(json);
		json_begin_object(json, "simulated");
		json_uint(json, "count", simulated.count);
		write_figures(json, &simulated);
		json_end_object(json);
		json_end_object(json);
	}
	json_end_array(json);
}

void
report_put_json(struct json *json, const struct report *report)
{
	json_begin_object(json, NULL);
	json_string(json, "schema", REPORT_SCHEMA);
	json_uint(json, "schema_version", REPORT_SCHEMA_VERSION);
	json_string(json, "ncqsim_version", NCQSIM_VERSION);
	json_bool(json, "complete", report->complete);
	report_put_command(json, report->line);
	write_configuration(json, report->config);
	write_input(json, report);
	write_drive(json, &report->drive);
	write_result(json, report);
	if (report->compare)
		write_compare(json, report->compare);
	json_end_object(json);
}

int
report_write_json(FILE *out, const struct report *report)
{
	struct json json;

	json_init(&json, JSON_PRETTY, output_json_sink, out);
	report_put_json(&json, report);
	return json_finish(&json);
}
