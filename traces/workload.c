/* SPDX-License-Identifier: MIT */
#include "traces/workload.h"

#include "sim/core/option.h"
#include "sim/core/rng.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORKLOAD_PID 1
#define URGENT_PID   2

struct generator {
	struct io_source source;
	struct workload load;
	struct rng positions;
	struct rng mix;
	struct rng urgent;
	sector_t begin;
	uint64_t blocks; /* whole transfers in the span */
	uint64_t next;   /* ordinal of the next record */
	uint64_t at;     /* sequential: its block */
};

static const char *const pattern_names[] = {
	"read", "write", "rw", "randread", "randwrite", "randrw", NULL,
};

static int
set_pattern(struct workload *w, const char *name, struct err *e)
{
	static const uint32_t percents[] = { 100, 0, 50 };
	const char *near = option_nearest(name, pattern_names);

	for (size_t i = 0; pattern_names[i]; i++) {
		if (strcmp(pattern_names[i], name) != 0)
			continue;
		w->random = i >= 3;
		w->read_percent = percents[i % 3];
		return 0;
	}
	return err_set(e, ERR_CONFIG,
		       "workload: %s: must be read, write, rw, randread, "
		       "randwrite or randrw%s%s%s",
		       name, near ? "; did you mean " : "", near ? near : "",
		       near ? "?" : "");
}

/* A number with an optional k m g t. */
static int
parse_number(const char *key, const char *text, uint64_t *value, struct err *e)
{
	static const char suffixes[] = "kmgt";
	const char *suffix;
	uint32_t shift = 0;
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	suffix = *end ? strchr(suffixes, *end | 0x20) : NULL;
	if (suffix) {
		shift = 10 * (uint32_t)(suffix - suffixes + 1);
		end++;
	}
	if (*text < '0' || *text > '9' || *end || errno ||
	    *value > (UINT64_MAX >> 1) >> shift)
		return err_set(e, ERR_CONFIG,
			       "workload: %s=%s: not a number such as 4096, "
			       "4k or 10g",
			       key, text);
	*value <<= shift;
	return 0;
}

/* What a key sets and what it may be, in the unit of the struct. */
struct key {
	const char *name;
	size_t offset; /* of a uint64_t in struct workload */
	uint64_t min, max;
	bool is_size; /* in bytes, kept in sectors */
};

#define KEY_OF(field) offsetof(struct workload, field)
#define LBA_MAX       ((uint64_t)1 << 48)

static const struct key keys[] = {
	{ "bs", KEY_OF(block_sectors), 1, 65536, true },
	{ "count", KEY_OF(count), 1, UINT64_MAX, false },
	{ "offset", KEY_OF(offset_sectors), 0, LBA_MAX, true },
	{ "size", KEY_OF(size_sectors), 1, LBA_MAX, true },
	{ "rwmixread", KEY_OF(read_percent), 0, 100, false },
	{ "rate_iops", KEY_OF(rate_iops), 0, 1000000000, false },
	{ "cmdprio_percentage", KEY_OF(urgent_percent), 0, 100, false },
	{ "seed", KEY_OF(seed), 0, UINT64_MAX, false },
};

static int
unknown_key(const char *name, struct err *e)
{
	const char *names[ARRAY_LEN(keys) + 1] = { NULL };
	const char *near;

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		names[i] = keys[i].name;
	near = option_nearest(name, names);
	if (near)
		return err_set(e, ERR_CONFIG,
			       "workload: unknown key %s; did you mean %s?",
			       name, near);
	return err_set(e, ERR_CONFIG,
		       "workload: unknown key %s; there are bs, count, offset, "
		       "size, rwmixread, rate_iops, cmdprio_percentage and "
		       "seed",
		       name);
}

static int
set_value(struct workload *w, const struct key *key, const char *text,
	  struct err *e)
{
	uint64_t unit = key->is_size ? SECTOR_BYTES : 1;
	uint64_t value;
	int err = parse_number(key->name, text, &value, e);

	if (err)
		return err;
	if (value % unit || value / unit < key->min || value / unit > key->max)
		return err_set(e, ERR_CONFIG,
			       "workload: %s=%s: must be %s%" PRIu64
			       " to %" PRIu64,
			       key->name, text,
			       key->is_size ? "a multiple of 512, " : "",
			       key->min * unit, key->max * unit);
	*(uint64_t *)(void *)((char *)w + key->offset) = value / unit;
	return 0;
}

/* One "key=value" of the line. */
static int
set_word(struct workload *w, char *word, struct err *e)
{
	char *equals = strchr(word, '=');

	if (!equals)
		return err_set(e, ERR_CONFIG, "workload: %s: must be KEY=VALUE",
			       word);
	*equals = '\0';
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (strcmp(keys[i].name, word) == 0)
			return set_value(w, &keys[i], equals + 1, e);
	return unknown_key(word, e);
}

int
workload_parse(const char *text, struct workload *workload, struct err *e)
{
	struct workload w = { .block_sectors = 8, .count = 10000, .seed = 1 };
	char *copy = strdup(text);
	char *rest = copy, *word;
	int err;

	if (!copy)
		return err_nomem(e);
	err = set_pattern(&w, strsep(&rest, ","), e);
	while (!err && (word = strsep(&rest, ",")))
		err = set_word(&w, word, e);
	free(copy);
	if (!err)
		*workload = w;
	return err;
}

static int
generator_next(struct io_source *src, struct io_record *rec, struct err *e)
{
	struct generator *g = container_of(src, struct generator, source);
	uint64_t block = g->at;

	(void)e;
	if (g->next == g->load.count)
		return 0;
	if (g->load.random)
		block = rng_below(&g->positions, g->blocks);
	else
		g->at = block + 1 == g->blocks ? 0 : block + 1;
	*rec = (struct io_record){
		.lba = g->begin + block * g->load.block_sectors,
		.sectors = (uint32_t)g->load.block_sectors,
		.pid = WORKLOAD_PID,
		.op = IO_READ,
		.flags = IO_SYNC,
		.io_level = 4,
		.number = (uint32_t)g->next,
	};
	if (g->load.rate_iops)
		rec->time_ns = (nsec_t)((uint128_t)g->next * NSEC_PER_SEC /
					g->load.rate_iops);
	if (g->load.read_percent < 100 &&
	    rng_below(&g->mix, 100) >= g->load.read_percent)
		rec->op = IO_WRITE;
	if (g->load.urgent_percent &&
	    rng_below(&g->urgent, 100) < g->load.urgent_percent) {
		rec->io_class = IO_CLASS_RT;
		rec->pid = URGENT_PID;
	}
	g->next++;
	return 1;
}

static void
generator_close(struct io_source *src)
{
	free(container_of(src, struct generator, source));
}

int
workload_open(const struct workload *workload, sector_t drive_sectors,
	      struct io_source **source, struct err *e)
{
	struct generator *g;
	sector_t size = workload->size_sectors;

	assert(workload->block_sectors);
	if (!size && workload->offset_sectors < drive_sectors)
		size = drive_sectors - workload->offset_sectors;
	if (size < workload->block_sectors)
		return err_set(e, ERR_CONFIG,
			       "workload: no room for one transfer from "
			       "offset=%" PRIu64 " on a drive of %" PRIu64
			       " bytes",
			       workload->offset_sectors * SECTOR_BYTES,
			       drive_sectors * SECTOR_BYTES);
	g = calloc(1, sizeof(*g));
	if (!g)
		return err_nomem(e);
	g->load = *workload;
	g->begin = workload->offset_sectors;
	g->blocks = size / workload->block_sectors;
	rng_init(&g->positions, workload->seed, "workload.position");
	rng_init(&g->mix, workload->seed, "workload.mix");
	rng_init(&g->urgent, workload->seed, "workload.urgent");
	g->source.next = generator_next;
	g->source.close = generator_close;
	*source = &g->source;
	return 0;
}
