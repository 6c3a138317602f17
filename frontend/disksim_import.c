/* SPDX-License-Identifier: MIT */
#include "frontend/disksim_import.h"

#include "frontend/disksim.h"
#include "frontend/disksim_layout.h"

#include "sim/core/types.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- writing ---- */

void
import_line(const struct import *im, const char *key, const char *from,
	    const char *fmt, ...)
{
	char value[64], both[128];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	snprintf(both, sizeof(both), "%s = %s", key, value);
	fprintf(im->out, "%-31s # %s\n", both, from);
}

void
import_warn(const struct import *im, const struct dnode *node, const char *fmt,
	    ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(im->out, "# not expressed: %s\n", text);
	if (im->warn)
		fprintf(im->warn, "ncqsim: %s:%d: not expressed: %s\n",
			node->file, node->line, text);
}

/* ---- reading ---- */

int
import_number(const struct dnode *block, const char *key, double *value,
	      struct err *e)
{
	const struct dnode *node = disksim_find(block, key);

	if (!node)
		return disksim_fail(block, e, "%s lacks \"%s\"", block->type,
				    key);
	return disksim_number(node, value, e);
}

int
import_number_or(const struct dnode *block, const char *key, double other,
		 double *value, struct err *e)
{
	const struct dnode *node = disksim_find(block, key);

	*value = other;
	return node ? disksim_number(node, value, e) : 0;
}

/* A number that is written as it is, in us, from milliseconds. */
static int
copy_us(const struct import *im, const struct dnode *block, const char *key,
	const char *from)
{
	char comment[96];
	double ms;
	int r = import_number(block, from, &ms, im->e);

	if (r < 0)
		return r;
	if (ms < 0)
		return disksim_fail(disksim_find(block, from), im->e,
				    "%s = %g: 0 or more is wanted", from, ms);
	snprintf(comment, sizeof(comment), "extracted: %s", from);
	import_line(im, key, comment, "%.10g", round(ms * 1e6) / 1e3);
	return 0;
}

/* ---- [seek] ---- */

static int
fail_seek(const char *path, int line, const char *what, struct err *e)
{
	return err_set(e, ERR_INPUT, "%s:%d: %s is wanted", path, line, what);
}

/* Distances and times of a seek file, as one list. */
static int
copy_seek_points(const struct import *im, FILE *f, const char *path)
{
	char line[256];
	long count, distance, before = 0;
	double ms;
	int at = 1;

	if (!fgets(line, sizeof(line), f) ||
	    sscanf(line, "Seek distances measured: %ld", &count) != 1 ||
	    count < 1)
		return fail_seek(path, 1, "\"Seek distances measured: N\"",
				 im->e);
	fprintf(im->out, "table_ms =");
	for (long i = 0; i < count; i++) {
		at++;
		if (!fgets(line, sizeof(line), f))
			return fail_seek(path, at, "another \"distance, ms\"",
					 im->e);
		if (sscanf(line, "%ld , %lf", &distance, &ms) != 2 || ms <= 0)
			return fail_seek(path, at, "\"distance, ms\"", im->e);
		if (distance <= before)
			return fail_seek(path, at,
					 "a distance above the one before",
					 im->e);
		before = distance;
		fprintf(im->out, "%s%ld %.10g",
			i == 0       ? " "
			: i % 5 == 0 ? " \
	"
				     : "  ",
			distance, round(ms * 1e6) / 1e6);
	}
	fprintf(im->out, "\n# extracted: Full seek curve = %s\n", path);
	return 0;
}

static int
copy_seek_file(const struct import *im, const struct dnode *name)
{
	const char *slash = strrchr(name->file, '/');
	char path[1024];
	FILE *f;
	int r;

	snprintf(path, sizeof(path), "%.*s%s",
		 slash && *name->text != '/' ? (int)(slash - name->file) + 1
					     : 0,
		 name->file, name->text);
	f = fopen(path, "r");
	if (!f)
		return disksim_fail(name, im->e, "%s: cannot be read", path);
	r = copy_seek_points(im, f, path);
	fclose(f);
	return r;
}

/* The six numbers of the HPL curve: break, a, b, c, e, one cylinder. */
static int
copy_hpl(const struct import *im, const struct dnode *mech)
{
	const char *from = "HPL seek equation values";
	const struct dnode *list = disksim_find(mech, from);
	double v[6];
	int n = 0, r = 0;

	if (!list || list->kind != DNODE_LIST)
		return disksim_fail(mech, im->e, "%s lacks \"%s\"", mech->type,
				    from);
	for (const struct dnode *c = list->child; r == 0 && c; c = c->next)
		r = n < 6 ? disksim_number(c, &v[n++], im->e)
			  : disksim_fail(c, im->e, "%s: six are wanted", from);
	if (r == 0 && n < 6)
		r = disksim_fail(list, im->e, "%s: six are wanted", from);
	if (r < 0)
		return r;
	import_line(im, "break_cyl", "extracted: HPL seek equation value 1",
		    "%.0f", v[0]);
	import_line(im, "short_a_ms", "extracted: value 2", "%.10g", v[1]);
	import_line(im, "short_b_ms", "extracted: value 3", "%.10g", v[2]);
	import_line(im, "long_c_ms", "extracted: value 4", "%.10g", v[3]);
	import_line(im, "long_e_ps", "extracted: value 5", "%.0f", v[4] * 1e9);
	if (v[5] >= 0)
		import_line(im, "single_ms", "extracted: value 6", "%.10g",
			    v[5]);
	return 0;
}

/* Single, average and full stroke, whatever curve DiskSim puts through. */
static int
copy_three_points(const struct import *im, const struct dnode *mech)
{
	static const char *const keys[][2] = {
		{ "single_ms", "Single cylinder seek time" },
		{ "average_ms", "Average seek time" },
		{ "full_ms", "Full strobe seek time" },
	};
	char from[96];
	double ms;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		int r = import_number(mech, keys[i][1], &ms, im->e);

		if (r < 0)
			return r;
		snprintf(from, sizeof(from), "extracted: %s", keys[i][1]);
		import_line(im, keys[i][0], from, "%.10g", ms);
	}
	return 0;
}

static int
copy_curve(const struct import *im, const struct dnode *mech)
{
	const struct dnode *type = disksim_find(mech, "Seek type");
	const struct dnode *file;
	double ms;
	int r;

	if (!type || type->kind != DNODE_SCALAR)
		return disksim_fail(mech, im->e, "%s lacks \"Seek type\"",
				    mech->type);
	if (strcmp(type->text, "extracted") == 0) {
		file = disksim_find(mech, "Full seek curve");
		return file ? copy_seek_file(im, file)
			    : disksim_fail(mech, im->e,
					   "%s lacks \"Full seek curve\"",
					   mech->type);
	}
	if (strcmp(type->text, "hpl") == 0 ||
	    strcmp(type->text, "hplplus10") == 0)
		return copy_hpl(im, mech);
	if (strcmp(type->text, "linear") == 0 ||
	    strcmp(type->text, "curve") == 0)
		return copy_three_points(im, mech);
	if (strcmp(type->text, "constant") != 0)
		return disksim_fail(type, im->e,
				    "Seek type = %s: extracted, hpl, "
				    "hplplus10, linear, curve or constant is "
				    "wanted",
				    type->text);
	r = import_number(mech, "Single cylinder seek time", &ms, im->e);
	if (r == 0)
		import_line(im, "table_ms",
			    "extracted: Single cylinder seek time", "1 %.10g",
			    ms);
	return r;
}

static int
write_seek(const struct import *im)
{
	const struct dnode *mech = im->mech;
	double settle, head_switch;
	int r;

	fprintf(im->out, "\n[seek]\n");
	r = copy_curve(im, mech);
	if (r == 0)
		r = import_number_or(mech, "Add. write settling delay", 0,
				     &settle, im->e);
	if (r == 0)
		r = import_number(mech, "Head switch time", &head_switch,
				  im->e);
	if (r < 0)
		return r;
	import_line(im, "head_switch_ms", "extracted: Head switch time",
		    "%.10g", head_switch);
	if (settle < 0)
		fprintf(im->out,
			"# Add. write settling delay is %.10g: a "
			"write settles no sooner\n",
			settle);
	import_line(im, "write_settle_ms",
		    "extracted: Add. write settling delay", "%.10g",
		    settle < 0 ? 0 : settle);
	import_line(im, "restart_as_seek",
		    "inferred: six measured drives need a seek's settling",
		    "yes");
	return 0;
}

/* ---- [mechanism], [drive] ---- */

static int
write_head(const struct import *im, const char *path)
{
	double blocks, rpm, error, surfaces;
	int r = import_number(im->model, "Block count", &blocks, im->e);

	if (r == 0)
		r = import_number(im->model, "Number of data surfaces",
				  &surfaces, im->e);
	if (r == 0)
		r = import_number(im->mech, "Rotation speed (in rpms)", &rpm,
				  im->e);
	if (r == 0)
		r = import_number_or(im->mech, "Percent error in rpms", 0,
				     &error, im->e);
	if (r < 0)
		return r;
	fprintf(im->out,
		"# Imported from %s, a drive of DiskSim (Carnegie Mellon "
		"University).\n# Marks: extracted (the parameter it came "
		"from), inferred.\n\n[drive]\nmodel = %s\n",
		path, im->disk->text ? im->disk->text : "disk");
	import_line(im, "capacity_sectors", "extracted: Block count", "%.0f",
		    blocks);
	fprintf(im->out, "\n[mechanism]\n");
	import_line(im, "rpm", "extracted: Rotation speed (in rpms)", "%.0f",
		    rpm);
	if (rpm != floor(rpm))
		import_warn(im, im->mech,
			    "Rotation speed (in rpms) = %g: "
			    "rounded",
			    rpm);
	if (error != 0)
		import_warn(im, im->mech, "Percent error in rpms = %g", error);
	import_line(im, "heads", "extracted: Number of data surfaces", "%.0f",
		    surfaces);
	return 0;
}

/* ---- [cache] ---- */

/* What the buffer's parameters say together. */
struct buffer_of {
	double segments, segment_blocks, enabled, kind, over_requested,
		most_ahead, idle_hit, fast_write;
};

static int
read_buffer(const struct import *im, struct buffer_of *b)
{
	const struct {
		const char *key;
		double *value;
	} numbers[] = {
		{ "Number of buffer segments", &b->segments },
		{ "Segment size (in blks)", &b->segment_blocks },
		{ "Enable caching in buffer", &b->enabled },
		{ "Buffer continuous read", &b->kind },
		{ "Read-ahead over requested", &b->over_requested },
		{ "Maximum read-ahead (blks)", &b->most_ahead },
		{ "Read-ahead on idle hit", &b->idle_hit },
		{ "Fast write level", &b->fast_write },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(numbers); i++)
		r = import_number(im->disk, numbers[i].key, numbers[i].value,
				  im->e);
	if (r == 0 && (b->segments < 1 || b->segments > 256 ||
		       b->segment_blocks < 1 || b->segment_blocks > 1e6))
		r = disksim_fail(im->disk, im->e,
				 "%g buffer segments of %g blocks: 1 to 256 of "
				 "1 to 1000000 are wanted",
				 b->segments, b->segment_blocks);
	return r;
}

/*
 * Kinds 3 and 4 both read on over cylinders.  The drive that was measured to
 * look ahead only behind a sequential read has 4 and does not count what was
 * asked for apart.
 */
static const char *
look_ahead_of(const struct buffer_of *b)
{
	if (b->enabled == 0 || b->kind == 0)
		return "off";
	if (b->kind == 1)
		return "track";
	return b->kind == 4 && b->over_requested == 0 ? "adaptive" : "always";
}

static int
write_buffer_times(const struct import *im, const struct buffer_of *b)
{
	static const char *const hits[][2] = {
		{ "sequential_hit_us", "Read hit over. after read" },
		{ "hit_us", "Read hit over. after write" },
	};
	static const char *const writes[][2] = {
		{ "near_write_us", "Write hit over. after read" },
		{ "sequential_write_us", "Write hit over. after write" },
		{ "write_us", "Write miss over. after read" },
		{ "write_after_write_us", "Write miss over. after write" },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(hits); i++)
		r = copy_us(im, im->disk, hits[i][0], hits[i][1]);
	for (size_t i = 0; r == 0 && b->fast_write > 0 && i < ARRAY_LEN(writes);
	     i++)
		r = copy_us(im, im->disk, writes[i][0], writes[i][1]);
	if (r == 0 && b->fast_write > 0)
		import_line(im, "destage_us",
			    "inferred: no overhead of its own", "0");
	return r;
}

static int
write_cache(const struct import *im)
{
	struct buffer_of b = { 0 };
	double kb;
	int r = read_buffer(im, &b);

	if (r < 0)
		return r;
	fprintf(im->out, "\n[cache]\n");
	kb = b.enabled != 0 || b.fast_write > 0
		     ? ceil(b.segments * b.segment_blocks / 2)
		     : 0;
	import_line(im, "size_kb", "extracted: segments of Segment size",
		    "%.0f", kb);
	import_line(im, "segments", "extracted: Number of buffer segments",
		    "%.0f", b.segments);
	import_line(im, "look_ahead", "extracted: Buffer continuous read", "%s",
		    look_ahead_of(&b));
	import_line(im, "look_ahead_max_sectors",
		    "extracted: Maximum read-ahead (blks)", "%.0f",
		    b.most_ahead);
	import_line(im, "keep_sent", "inferred: gone where writes are fast",
		    b.fast_write > 0 && b.over_requested != 0 ? "no" : "yes");
	import_line(im, "idle_hit_ahead", "extracted: Read-ahead on idle hit",
		    b.idle_hit != 0 ? "yes" : "no");
	import_line(im, "write_back", "extracted: Fast write level",
		    b.fast_write > 0 ? "yes" : "no");
	return write_buffer_times(im, &b);
}

/* ---- [interface] ---- */

/* The slowest bus of the .parv, in ms a block; 0 when it gives none. */
static int
slowest_bus(const struct import *im, const struct dnode *node, double *ms)
{
	double here;
	int r = 0;

	for (const struct dnode *c = node->child; r == 0 && c; c = c->next) {
		if (c->kind == DNODE_BLOCK &&
		    strcmp(c->type, "disksim_bus") == 0) {
			r = import_number_or(c, "Read block transfer time", 0,
					     &here, im->e);
			if (r == 0 && here > *ms)
				*ms = here;
		}
	}
	return r;
}

static int
write_bus(const struct import *im)
{
	double bulk, bus = 0;
	int r = import_number_or(im->disk, "Bulk sector transfer time", 0,
				 &bulk, im->e);

	if (r == 0)
		r = slowest_bus(im, im->root, &bus);
	if (r < 0)
		return r;
	import_line(im, "block_us",
		    bulk > 0 ? "extracted: Bulk sector transfer time"
			     : "extracted: bus, Read block transfer time",
		    "%.10g", round((bulk > 0 ? bulk : bus) * 1e6) / 1e3);
	if (bulk <= 0 && bus <= 0)
		import_warn(im, im->disk, "no transfer time of the bus: 0");
	return 0;
}

static int
write_interface(const struct import *im)
{
	static const char *const times[][2] = {
		{ "command_us", "Read miss over. after read" },
		{ "read_after_write_us", "Read miss over. after write" },
		{ "write_us", "Write miss over. after read" },
		{ "write_after_write_us", "Write miss over. after write" },
		{ "read_done_us", "Read completion overhead" },
		{ "write_done_us", "Write completion overhead" },
	};
	double depth, water;
	int r = import_number_or(im->disk, "Max queue length", 1, &depth,
				 im->e);

	if (r == 0)
		r = import_number_or(im->disk, "High (read) water mark", 0,
				     &water, im->e);
	if (r < 0)
		return r;
	fprintf(im->out, "\n[interface]\n");
	import_line(im, "kind", "DiskSim's drives have parallel SCSI", "scsi");
	import_line(im, "queue_depth", "extracted: Max queue length", "%.0f",
		    depth < 1    ? 1
		    : depth > 32 ? 32
				 : depth);
	r = write_bus(im);
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(times); i++)
		r = copy_us(im, im->disk, times[i][0], times[i][1]);
	if (r == 0)
		import_line(im, "read_start_percent",
			    "extracted: High (read) water mark", "%.0f",
			    water < 0 || water > 1 ? 0 : water * 100);
	return r;
}

/* ---- what is left ---- */

static bool
is_zero(const struct dnode *node)
{
	char *end;

	return node->kind == DNODE_SCALAR && strtod(node->text, &end) == 0 &&
	       end != node->text && !*end;
}

/* What DiskSim itself does not use, or what changes nothing here. */
static bool
is_idle(const struct dnode *node)
{
	static const char *const idle[] = {
		"Time scale for overheads", "Scheduler",
		"Avg sectors per cylinder", "Calc sector by sector",
		"Set watermark by reqsize", "Single cylinder seek time",
		"Average seek time",        "Full strobe seek time",
		"HPL seek equation values", "First ten seek times",
		"Combine seq writes",       "Read directly to buffer",
	};

	for (size_t i = 0; i < ARRAY_LEN(idle); i++)
		if (strcmp(node->key, idle[i]) == 0)
			return true;
	return is_zero(node);
}

/* Entries that nobody asked for, each a comment. */
static void
list_unused(const struct import *im, const struct dnode *block)
{
	for (const struct dnode *c = block->child; c; c = c->next) {
		if (c->used || !c->key || strncmp(c->key, "Print", 5) == 0)
			continue;
		if (is_idle(c))
			fprintf(im->out, "# without meaning here: %s%s%s\n",
				c->key, c->kind == DNODE_SCALAR ? " = " : "",
				c->kind == DNODE_SCALAR ? c->text : "");
		else if (c->kind != DNODE_SCALAR)
			import_warn(im, c, "%s", c->key);
		else
			import_warn(im, c, "%s = %s", c->key, c->text);
	}
}

static int
find_blocks(struct import *im, const char *path)
{
	const struct dnode *e;

	im->disk = disksim_block(im->root, "disksim_disk");
	if (!im->disk)
		return err_set(im->e, ERR_INPUT, "%s: no disksim_disk in it",
			       path);
	e = disksim_find(im->disk, "Model");
	im->model = e && e->kind == DNODE_BLOCK ? e : NULL;
	if (!im->model)
		return disksim_fail(im->disk, im->e,
				    "\"Model = source FILE\" is wanted");
	e = disksim_find(im->model, "Mechanical Model");
	if (!e || e->kind != DNODE_BLOCK || strcmp(e->type, "dm_mech_g1") != 0)
		return disksim_fail(im->model, im->e,
				    "\"Mechanical Model = dm_mech_g1\" is "
				    "wanted");
	im->mech = e;
	e = disksim_find(im->model, "Layout Model");
	if (!e || e->kind != DNODE_BLOCK)
		return disksim_fail(im->model, im->e,
				    "\"Layout Model = dm_layout_g1\" is "
				    "wanted");
	im->layout = e;
	return 0;
}

static int
write_all(struct import *im, const char *path)
{
	int r = find_blocks(im, path);

	if (r == 0)
		r = write_head(im, path);
	if (r == 0)
		r = import_layout(im);
	if (r == 0)
		r = write_seek(im);
	if (r == 0)
		r = write_cache(im);
	if (r == 0)
		r = write_interface(im);
	if (r < 0)
		return r;
	fprintf(im->out, "\n[firmware]\npolicy = fcfs\n\n");
	disksim_find(im->mech, "Access time type");
	disksim_find(im->model, "Number of cylinders");
	list_unused(im, im->disk);
	list_unused(im, im->model);
	list_unused(im, im->mech);
	return 0;
}

/* The .parv beside a .diskspecs sources it, and knows the bus. */
static const char *
file_to_read(const char *path, char *parv, size_t size)
{
	const char *dot = strrchr(path, '.');

	if (!dot || strcmp(dot, ".diskspecs") != 0)
		return path;
	snprintf(parv, size, "%.*s.parv", (int)(dot - path), path);
	return access(parv, R_OK) == 0 ? parv : path;
}

int
disksim_import(const char *path, FILE *out, FILE *warn, struct err *e)
{
	struct import im = { .out = out, .warn = warn, .e = e };
	struct dfile *files = NULL;
	char parv[1024];
	int r;

	path = file_to_read(path, parv, sizeof(parv));
	r = disksim_read(path, &im.root, &files, e);
	if (r < 0)
		return r;
	r = write_all(&im, path);
	disksim_free(im.root, files);
	return r;
}
