/* SPDX-License-Identifier: MIT */
/*
 * The map is compared with a model that walks every sector of small drives
 * in order, for every mapping, sparing and kind of defect.
 */
#include "sim/core/rng.h"
#include "sim/drive/geometry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NO_LBA UINT64_MAX

/* ---- The model: one record a sector, in LBA order -------------------------
 */

struct cell {
	uint32_t cyl, head, sector, slot, spt;
	uint32_t zone, region; /* regions are numbered over the drive */
	bool is_front, is_slipped, is_spare;
	uint64_t lba;
};

struct model {
	const struct geometry_config *config;
	struct cell *cells; /* physical order */
	size_t count;
	struct cell **by_lba;
	size_t capacity;
};

struct walk {
	struct model *m;
	uint32_t zone, region, first_cyl;
	uint32_t acc; /* slot of sector 0 in slots of head 0, not reduced */
	uint32_t tracks;
};

static void
add_track(struct walk *w, uint32_t cyl, uint32_t head)
{
	const struct geometry_zone_config *z = &w->m->config->zones[w->zone];
	uint32_t spt = z->spt[head];
	uint32_t start = w->acc % z->spt[0];

	start = (start * spt + z->spt[0] - 1) / z->spt[0];
	for (uint32_t s = 0; s < spt; s++) {
		struct cell *c = &w->m->cells[w->m->count++];

		*c = (struct cell){ .cyl = cyl,
				    .head = head,
				    .sector = s,
				    .spt = spt,
				    .zone = w->zone,
				    .region = w->region,
				    .lba = NO_LBA };
		c->slot = (start + s) % spt;
		c->is_front = w->tracks < z->front_tracks;
	}
	w->tracks++;
	if (w->m->config->sparing == SPARE_TRACK)
		w->region++;
}

static void
walk_cylinders(struct walk *w)
{
	const struct geometry_config *g = w->m->config;
	const struct geometry_zone_config *z = &g->zones[w->zone];
	uint32_t range = g->spare_range_cyl ? g->spare_range_cyl : 1;

	for (uint32_t c = 0; c < z->cylinders; c++) {
		if (c)
			w->acc += z->cyl_skew;
		if (c && c % range == 0 && g->sparing == SPARE_CYLINDER)
			w->region++;
		for (uint32_t h = 0; h < g->heads; h++) {
			if (h)
				w->acc += z->track_skew;
			add_track(w, w->first_cyl + c, h);
		}
	}
}

static void
walk_band(struct walk *w, uint32_t band, uint32_t begin, uint32_t length)
{
	const struct geometry_config *g = w->m->config;
	const struct geometry_zone_config *z = &g->zones[w->zone];
	bool serpentine = g->mapping == MAP_SERPENTINE;

	for (uint32_t turn = 0; turn < g->heads; turn++) {
		uint32_t head = turn;

		if (serpentine && band % 2)
			head = g->heads - 1 - turn;
		if (turn)
			w->acc += z->track_skew;
		for (uint32_t i = 0; i < length; i++) {
			uint32_t at =
				serpentine && turn % 2 ? length - 1 - i : i;

			if (i)
				w->acc += z->cyl_skew;
			add_track(w, w->first_cyl + begin + at, head);
		}
	}
}

static void
walk_bands(struct walk *w)
{
	const struct geometry_config *g = w->m->config;
	const struct geometry_zone_config *z = &g->zones[w->zone];
	uint32_t band = 0;

	for (uint32_t c = 0; c < z->cylinders; c += g->band_cyl, band++) {
		uint32_t length = z->cylinders - c;

		if (length > g->band_cyl)
			length = g->band_cyl;
		if (band) {
			uint32_t larger = z->cyl_skew > z->track_skew
						  ? z->cyl_skew
						  : z->track_skew;

			w->acc += z->band_skew ? z->band_skew : larger;
			if (g->sparing == SPARE_CYLINDER)
				w->region++;
		}
		walk_band(w, band, c, length);
	}
}

static struct cell *
model_cell(const struct model *m, uint32_t cyl, uint32_t head, uint32_t sector)
{
	for (size_t i = 0; i < m->count; i++) {
		struct cell *c = &m->cells[i];

		if (c->cyl == cyl && c->head == head && c->sector == sector)
			return c;
	}
	return NULL;
}

/* Give LBAs to one region, cells [from, to). */
static void
fill_region(struct model *m, size_t from, size_t to, uint32_t *front)
{
	const struct geometry_config *g = m->config;
	size_t size = to - from, spares = 0, used = 0;

	if (g->sparing != SPARE_NONE)
		spares = g->zones[m->cells[from].zone].spare_sectors;
	for (size_t i = from; i < to; i++) {
		struct cell *c = &m->cells[i];

		if (c->is_slipped)
			continue;
		if (used == size - spares) {
			c->is_spare = true;
			continue;
		}
		used++;
		if (*front) {
			(*front)--;
			continue;
		}
		if (g->capacity && m->capacity >= g->capacity)
			continue;
		c->lba = m->capacity;
		m->by_lba[m->capacity++] = c;
	}
}

/* Data sectors that the unused tracks in front would hold. */
static uint32_t
front_of_zone(const struct model *m, uint32_t zone)
{
	const struct geometry_config *g = m->config;
	const struct geometry_zone_config *z = &g->zones[zone];
	uint32_t front = z->front_sectors, spares = 0;

	if (z->front_tracks == z->cylinders * g->heads)
		return UINT32_MAX; /* a gap */
	if (g->sparing != SPARE_NONE)
		spares = g->zones[zone].spare_sectors;
	for (size_t i = 0; i < m->count; i++) {
		const struct cell *c = &m->cells[i];
		size_t end = i;

		if (c->zone != zone || !c->is_front)
			continue;
		while (end < m->count && m->cells[end].region == c->region)
			end++;
		front += end - i > spares;
	}
	return front;
}

static void
fill_lbas(struct model *m)
{
	uint32_t front = 0;
	size_t from = 0;

	for (size_t i = 1; i <= m->count; i++) {
		const struct cell *c = &m->cells[from];

		if (i < m->count && m->cells[i].region == c->region)
			continue;
		if (from == 0 || m->cells[from - 1].zone != c->zone)
			front = front_of_zone(m, c->zone);
		fill_region(m, from, i, &front);
		from = i;
	}
}

static void
apply_remaps(struct model *m)
{
	for (uint32_t i = 0; i < m->config->defect_count; i++) {
		const struct geometry_defect *d = &m->config->defects[i];
		struct cell *bad, *spare;

		if (!d->remapped)
			continue;
		bad = model_cell(m, d->cyl, d->head, d->sector);
		spare = model_cell(m, d->to_cyl, d->to_head, d->to_sector);
		spare->lba = bad->lba;
		bad->lba = NO_LBA;
		m->by_lba[spare->lba] = spare;
	}
}

static void
model_build(struct model *m, const struct geometry_config *g)
{
	struct walk w = { .m = m };
	size_t all = 0;

	memset(m, 0, sizeof(*m));
	m->config = g;
	for (uint32_t z = 0; z < g->zone_count; z++)
		for (uint32_t h = 0; h < g->heads; h++)
			all += (size_t)g->zones[z].spt[h] *
			       g->zones[z].cylinders;
	m->cells = calloc(all, sizeof(*m->cells));
	m->by_lba = calloc(all, sizeof(struct cell *));
	assert_non_null(m->cells);
	assert_non_null(m->by_lba);
	for (; w.zone < g->zone_count; w.zone++, w.region++) {
		w.tracks = 0;
		w.acc = g->zones[w.zone].first_slot;
		if (g->mapping == MAP_CYLINDER)
			walk_cylinders(&w);
		else
			walk_bands(&w);
		w.first_cyl += g->zones[w.zone].cylinders;
	}
	assert_int_equal(m->count, all);
	for (uint32_t i = 0; i < g->defect_count; i++) {
		const struct geometry_defect *d = &g->defects[i];

		if (!d->remapped)
			model_cell(m, d->cyl, d->head, d->sector)->is_slipped =
				true;
	}
	fill_lbas(m);
	apply_remaps(m);
}

static void
model_free(struct model *m)
{
	free(m->cells);
	free(m->by_lba);
}

/* Sectors from @lba on that follow one another on its track. */
static uint32_t
model_run(const struct model *m, uint64_t lba)
{
	const struct cell *c = m->by_lba[lba];
	uint32_t run = 1;

	while (lba + run < m->capacity) {
		const struct cell *next = m->by_lba[lba + run];

		if (next->cyl != c->cyl || next->head != c->head ||
		    next->sector != c->sector + run)
			break;
		run++;
	}
	return run;
}

/* ---- Comparison -----------------------------------------------------------
 */

static void
compare_lba(const struct geometry *geo, const struct model *m, uint64_t lba)
{
	const struct cell *c = m->by_lba[lba];
	struct geometry_place p;

	geometry_decode(geo, lba, &p);
	assert_int_equal(p.cyl, c->cyl);
	assert_int_equal(p.head, c->head);
	assert_int_equal(p.sector, c->sector);
	assert_int_equal(p.slot, c->slot);
	assert_int_equal(p.spt, c->spt);
	assert_int_equal(geometry_format_spt(geo, p.format), c->spt);
	/* never too long; never shorter without a defect between */
	assert_in_range(p.run, 1, model_run(m, lba));
	if (m->config->defect_count == 0)
		assert_int_equal(p.run, model_run(m, lba));
}

static void
compare_all(const struct geometry_config *g)
{
	struct geometry *geo = NULL;
	struct err e = { 0 };
	struct model m;

	model_build(&m, g);
	if (geometry_create(g, &geo, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(geometry_capacity(geo), m.capacity);
	for (uint64_t lba = 0; lba < m.capacity; lba++)
		compare_lba(geo, &m, lba);
	for (size_t i = 0; i < m.count; i++) {
		const struct cell *c = &m.cells[i];

		assert_int_equal(
			geometry_encode(geo, c->cyl, c->head, c->sector),
			c->lba);
		assert_int_equal(geometry_spt(geo, c->cyl, c->head), c->spt);
	}
	geometry_free(geo);
	model_free(&m);
}

/* ---- Random small drives --------------------------------------------------
 */

#define ZONES_MAX   4
#define DEFECTS_MAX 24

struct random_drive {
	struct geometry_config config;
	struct geometry_zone_config zones[ZONES_MAX];
	struct geometry_defect defects[DEFECTS_MAX];
};

static uint32_t
between(struct rng *rng, uint32_t low, uint32_t high)
{
	return low + (uint32_t)rng_below(rng, high - low + 1);
}

static void
random_zone(struct rng *rng, const struct geometry_config *g,
	    struct geometry_zone_config *z, bool per_head)
{
	uint32_t spt = between(rng, 6, 20);

	z->cylinders = between(rng, 1, 13);
	for (uint32_t h = 0; h < g->heads; h++)
		z->spt[h] = per_head ? between(rng, 6, 20) : spt;
	z->track_skew = between(rng, 0, 5);
	z->cyl_skew = between(rng, 0, 5);
	z->band_skew = between(rng, 0, 5);
	z->first_slot = between(rng, 0, 5);
	if (g->sparing != SPARE_NONE)
		z->spare_sectors = between(rng, 0, 3);
	if (between(rng, 0, 3) == 0)
		z->front_tracks = between(rng, 0, z->cylinders * g->heads / 2);
	if (between(rng, 0, 3) == 0)
		z->front_sectors = between(rng, 0, 2);
	if (z != g->zones && between(rng, 0, 5) == 0)
		z->front_tracks = z->cylinders * g->heads;
}

static void
random_drive(struct rng *rng, struct random_drive *d,
	     enum geometry_mapping mapping, enum geometry_sparing sparing)
{
	bool per_head = between(rng, 0, 2) == 0;

	memset(d, 0, sizeof(*d));
	d->config.mapping = mapping;
	d->config.sparing = sparing;
	d->config.heads = between(rng, 1, 5);
	d->config.band_cyl = between(rng, 1, 6);
	d->config.spare_range_cyl = between(rng, 0, 3);
	d->config.zone_count = between(rng, 1, ZONES_MAX);
	d->config.zones = d->zones;
	d->config.defects = d->defects;
	for (uint32_t i = 0; i < d->config.zone_count; i++)
		random_zone(rng, &d->config, &d->zones[i], per_head);
}

/* Slip a random sector if its region still has a spare. */
static void
slip_one(struct rng *rng, const struct model *m, struct random_drive *d)
{
	const struct cell *c = &m->cells[rng_below(rng, m->count)];
	uint32_t used = 0;

	for (uint32_t i = 0; i < d->config.defect_count; i++) {
		const struct geometry_defect *o = &d->defects[i];
		const struct cell *other =
			model_cell(m, o->cyl, o->head, o->sector);

		if (other == c)
			return;
		used += other->region == c->region;
	}
	if (used >= d->zones[c->zone].spare_sectors)
		return;
	d->defects[d->config.defect_count++] = (struct geometry_defect){
		.cyl = c->cyl, .head = c->head, .sector = c->sector
	};
}

/* Remap a random sector in use to a random one that is not. */
static void
remap_one(struct rng *rng, const struct model *m, struct random_drive *d)
{
	const struct cell *bad, *spare;
	uint32_t n = d->config.defect_count;

	bad = m->by_lba[rng_below(rng, m->capacity)];
	spare = &m->cells[rng_below(rng, m->count)];
	if (spare->lba != NO_LBA || spare->is_slipped)
		return;
	for (uint32_t i = 0; i < n; i++) {
		const struct geometry_defect *o = &d->defects[i];

		if (!o->remapped)
			continue;
		if (model_cell(m, o->cyl, o->head, o->sector) == bad ||
		    model_cell(m, o->to_cyl, o->to_head, o->to_sector) == spare)
			return;
	}
	d->defects[d->config.defect_count++] =
		(struct geometry_defect){ bad->cyl,     bad->head,  bad->sector,
					  true,         spare->cyl, spare->head,
					  spare->sector };
}

static void
add_random_defects(struct rng *rng, struct random_drive *d)
{
	struct model m;

	model_build(&m, &d->config);
	for (uint32_t i = 0; i < DEFECTS_MAX / 2; i++)
		slip_one(rng, &m, d);
	model_free(&m);
	model_build(&m, &d->config);
	for (uint32_t i = 0; i < 6; i++)
		remap_one(rng, &m, d);
	model_free(&m);
}

static void
test_every_combination(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 1, "geometry");
	for (int round = 0; round < 60; round++) {
		for (int i = 0; i < 3 * 4 * 3; i++) {
			struct random_drive d;
			int defects = i / 12;

			random_drive(&rng, &d, (enum geometry_mapping)(i % 3),
				     (enum geometry_sparing)(i / 3 % 4));
			if (defects)
				add_random_defects(&rng, &d);
			compare_all(&d.config);
		}
	}
}

static void
test_capacity_cuts(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 2, "geometry");
	for (int round = 0; round < 300; round++) {
		struct random_drive d;
		struct model m;

		random_drive(&rng, &d, (enum geometry_mapping)(round % 3),
			     (enum geometry_sparing)(round / 3 % 4));
		model_build(&m, &d.config);
		d.config.capacity = 1 + rng_below(&rng, m.capacity);
		model_free(&m);
		if (round % 2)
			add_random_defects(&rng, &d);
		compare_all(&d.config);
	}
}

/* ---- Zone borders ---------------------------------------------------------
 */

/*
 * Angles as multiples of 1 / (spt of one * spt of the other): the new zone's
 * first sector begins within one of its slots after the end of the last
 * sector plus skew.
 */
static void
check_border(const struct geometry *geo, const struct geometry_config *g,
	     uint32_t zone, uint64_t first_lba)
{
	const struct geometry_zone_config *z = &g->zones[zone - 1];
	struct geometry_place a, b;
	uint64_t skew =
		z->track_skew > z->cyl_skew ? z->track_skew : z->cyl_skew;
	uint64_t late;

	if (g->mapping != MAP_CYLINDER && z->band_skew)
		skew = z->band_skew;
	geometry_decode(geo, first_lba - 1, &a);
	geometry_decode(geo, first_lba, &b);
	late = (uint64_t)b.slot * a.spt + 4 * (uint64_t)a.spt * b.spt -
	       (a.slot + 1 + skew) * b.spt;
	assert_true(late % ((uint64_t)a.spt * b.spt) < a.spt);
}

static bool
has_equal_heads(const struct geometry_config *g)
{
	for (uint32_t z = 0; z < g->zone_count; z++)
		for (uint32_t h = 1; h < g->heads; h++)
			if (g->zones[z].spt[h] != g->zones[z].spt[0])
				return false;
	return true;
}

static void
check_borders(struct random_drive *d)
{
	struct geometry *geo;
	struct model m;

	model_build(&m, &d->config);
	for (uint32_t i = 0; i < d->config.zone_count; i++)
		d->zones[i].first_slot = GEOMETRY_SLOT_AUTO;
	assert_int_equal(geometry_create(&d->config, &geo, NULL), 0);
	for (uint64_t lba = 1; lba < m.capacity; lba++) {
		uint32_t zone = m.by_lba[lba]->zone;

		if (zone != m.by_lba[lba - 1]->zone)
			check_border(geo, &d->config, zone, lba);
	}
	geometry_free(geo);
	model_free(&m);
}

static void
test_zone_borders_follow(void **state)
{
	struct rng rng;

	(void)state;
	rng_init(&rng, 3, "geometry");
	for (int round = 0; round < 600; round++) {
		struct random_drive d;

		do {
			random_drive(&rng, &d,
				     (enum geometry_mapping)(round % 3),
				     (enum geometry_sparing)(round / 3 % 4));
			for (uint32_t i = 0; i < d.config.zone_count; i++)
				d.zones[i].front_tracks /= 2; /* no gaps */
		} while (!has_equal_heads(&d.config));
		if (round % 2)
			add_random_defects(&rng, &d);
		for (uint32_t i = 0; i < d.config.defect_count; i++) {
			/* slips come first; a remapped sector is elsewhere */
			if (d.defects[i].remapped)
				d.config.defect_count = i;
		}
		check_borders(&d);
	}
}

/* ---- A large drive against plain division ---------------------------------
 */

#define BIG_ZONES 30
#define BIG_HEADS 8
#define BIG_BAND  64
#define BIG_CYL   4989 /* a short last band */

static uint32_t
big_spt(uint32_t zone)
{
	return 2400 - 41 * zone;
}

static void
big_create(struct geometry **geo)
{
	static struct geometry_zone_config zones[BIG_ZONES];
	struct geometry_config g = { .heads = BIG_HEADS,
				     .band_cyl = BIG_BAND,
				     .mapping = MAP_SERPENTINE,
				     .zones = zones,
				     .zone_count = BIG_ZONES };

	for (uint32_t i = 0; i < BIG_ZONES; i++) {
		zones[i] = (struct geometry_zone_config){
			.cylinders = BIG_CYL,
			.track_skew = 300,
			.cyl_skew = 201,
			.band_skew = 311,
			.first_slot = i,
		};
		for (uint32_t h = 0; h < BIG_HEADS; h++)
			zones[i].spt[h] = big_spt(i);
	}
	assert_int_equal(geometry_create(&g, geo, NULL), 0);
}

/* The place of @index in a zone by plain divisions. */
static void
big_place(uint32_t zone, uint64_t index, struct geometry_place *p)
{
	uint64_t spt = big_spt(zone), track = index / spt;
	uint64_t band = track / (BIG_BAND * BIG_HEADS);
	uint64_t rest = track % (BIG_BAND * BIG_HEADS);
	uint64_t length =
		band == BIG_CYL / BIG_BAND ? BIG_CYL % BIG_BAND : BIG_BAND;
	uint64_t turn = rest / length, step = rest % length, skew;

	p->sector = (uint32_t)(index % spt);
	p->head = (uint32_t)(band % 2 ? BIG_HEADS - 1 - turn : turn);
	p->cyl = (uint32_t)(zone * BIG_CYL + band * BIG_BAND +
			    (turn % 2 ? length - 1 - step : step));
	skew = band * (BIG_HEADS * (BIG_BAND - 1) * 201 +
		       (BIG_HEADS - 1) * 300 + 311) +
	       turn * ((length - 1) * 201 + 300) + step * 201 + zone;
	p->slot = (uint32_t)((p->sector + skew) % spt);
	p->spt = (uint32_t)spt;
	p->run = (uint32_t)(spt - p->sector);
}

static void
big_compare(const struct geometry *geo, uint32_t zone, uint64_t first,
	    uint64_t index)
{
	struct geometry_place p, want = { 0 };

	if (index >= (uint64_t)big_spt(zone) * BIG_CYL * BIG_HEADS)
		return;
	big_place(zone, index, &want);
	geometry_decode(geo, first + index, &p);
	want.format = p.format;
	assert_int_equal(geometry_format_spt(geo, p.format), want.spt);
	assert_memory_equal(&p, &want, sizeof(p));
	assert_int_equal(geometry_encode(geo, p.cyl, p.head, p.sector),
			 first + index);
}

static void
test_large_drive(void **state)
{
	struct geometry *geo;
	uint64_t first = 0;
	struct rng rng;

	(void)state;
	rng_init(&rng, 4, "geometry");
	big_create(&geo);
	for (uint32_t zone = 0; zone < BIG_ZONES; zone++) {
		uint64_t spt = big_spt(zone);
		uint64_t size = spt * BIG_CYL * BIG_HEADS;
		uint64_t band = spt * BIG_BAND * BIG_HEADS;

		for (uint64_t i = 0; i < 32; i++) {
			big_compare(geo, zone, first, i);
			big_compare(geo, zone, first, size - 1 - i);
		}
		for (uint64_t at = band; at < size; at += band)
			for (uint64_t i = 0; i < 64; i++)
				big_compare(geo, zone, first, at - 32 + i);
		for (int i = 0; i < 20000; i++)
			big_compare(geo, zone, first, rng_below(&rng, size));
		first += size;
	}
	assert_int_equal(geometry_capacity(geo), first);
	assert_int_equal(geometry_cylinders(geo), BIG_ZONES * BIG_CYL);
	assert_int_equal(geometry_heads(geo), BIG_HEADS);
	assert_int_equal(geometry_formats(geo), BIG_ZONES);
	geometry_free(geo);
}

/* One zone of more sectors than 32 bits count, in one group or in cylinders */
static void
test_one_huge_zone(void **state)
{
	struct geometry_zone_config z = { .cylinders = 300000,
					  .track_skew = 200,
					  .cyl_skew = 100 };
	struct geometry_config g = {
		.heads = 10, .band_cyl = 1000000, .zones = &z, .zone_count = 1
	};
	struct rng rng;

	(void)state;
	rng_init(&rng, 5, "geometry");
	for (int i = 0; i < 4; i++) {
		struct geometry *geo = NULL;
		struct geometry_place p;

		g.mapping = i % 2 ? MAP_SERPENTINE : MAP_CYLINDER;
		for (uint32_t h = 0; h < g.heads; h++)
			z.spt[h] = 2600 - (i / 2 ? h : 0);
		assert_int_equal(geometry_create(&g, &geo, NULL), 0);
		for (int n = 0; n < 20000; n++) {
			uint64_t lba = rng_below(&rng, geometry_capacity(geo));

			geometry_decode(geo, lba, &p);
			assert_true(geometry_encode(geo, p.cyl, p.head,
						    p.sector) == lba);
		}
		geometry_decode(geo, geometry_capacity(geo) - 1, &p);
		assert_int_equal(p.head, 9);
		assert_int_equal(p.cyl, i % 2 ? 0 : 299999);
		assert_int_equal(p.sector, p.spt - 1);
		geometry_free(geo);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_combination),
		cmocka_unit_test(test_capacity_cuts),
		cmocka_unit_test(test_zone_borders_follow),
		cmocka_unit_test(test_large_drive),
		cmocka_unit_test(test_one_huge_zone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
