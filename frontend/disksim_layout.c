/* SPDX-License-Identifier: MIT */
/*
 * DiskSim's layouts dm_layout_g1: zones one after another.  Sparing schemes
 * by number, from the DiskSim 4.0 manual (CMU-PDL-08-101): 0 none; 1 whole
 * tracks at the zone's end; 2 at the end of a cylinder, 3 of a track, 7 of the
 * disk, 8 of a range of cylinders, 9 of a zone; 4 and 10 as 2 and 9, with the
 * slips' own spares at the end of the disk; 5 and 6 as 2 and 4, at the front.
 * The number of spares of scheme 1 counts tracks, and so do its slips; those
 * of others count sectors from the zone's beginning.
 */
#include "frontend/disksim_layout.h"

#include "sim/core/types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One zone of the file. */
struct g1_zone {
	const struct dnode *node, *slips, *defects;
	double first, last, spt, offset, front, track_skew, cyl_skew, spares;
	size_t slip_count;
};

struct g1 {
	const struct import *im;
	int mapping, scheme;
	double range, heads, cylinders;
	struct g1_zone *zones;
	size_t count;
	unsigned written; /* zones of the drive file */
};

/* What a scheme is in a drive file. */
struct scheme {
	const char *sparing;
	bool slips_apart;  /* slips use no spares of the zone */
	const char *doubt; /* what is not as in DiskSim */
};

static const struct scheme schemes[] = {
	[0] = { "zone", true, NULL },
	[1] = { "zone", false, NULL },
	[2] = { "cylinder", false, NULL },
	[3] = { "track", false, NULL },
	[4] = { "cylinder", false, "slips share the cylinder's spares" },
	[5] = { "cylinder", false, "spares lie at the cylinder's end" },
	[6] = { "cylinder", false,
		"spares lie at the cylinder's end, slips share them" },
	[7] = { "zone", true, NULL },
	[8] = { "cylinder", false, NULL },
	[9] = { "zone", false, NULL },
	[10] = { "zone", true, NULL },
};

/* ---- reading ---- */

static size_t
length_of(const struct dnode *list)
{
	size_t n = 0;

	for (const struct dnode *c = list ? list->child : NULL; c; c = c->next)
		n++;
	return n;
}

static int
read_zone(const struct g1 *g, const struct dnode *node, struct g1_zone *z)
{
	const struct {
		const char *key;
		double *value;
		double least;
	} numbers[] = {
		{ "First cylinder number", &z->first, 0 },
		{ "Last cylinder number", &z->last, z->first },
		{ "Blocks per track", &z->spt, 2 },
		{ "Offset of first block", &z->offset, 0 },
		{ "Empty space at zone front", &z->front, 0 },
		{ "Skew for track switch", &z->track_skew, 0 },
		{ "Skew for cylinder switch", &z->cyl_skew, 0 },
		{ "Number of spares", &z->spares, 0 },
	};

	z->node = node;
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		int r = import_number(node, numbers[i].key, numbers[i].value,
				      g->im->e);

		if (r < 0)
			return r;
		if (*numbers[i].value < numbers[i].least ||
		    *numbers[i].value > 1e9)
			return disksim_fail(
				disksim_find(node, numbers[i].key), g->im->e,
				"%s = %g: %g or more is wanted", numbers[i].key,
				*numbers[i].value, numbers[i].least);
	}
	if (z->last < z->first)
		return disksim_fail(node, g->im->e,
				    "a zone from cylinder %g to %g", z->first,
				    z->last);
	z->slips = disksim_find(node, "slips");
	z->defects = disksim_find(node, "defects");
	z->slip_count = length_of(z->slips);
	return 0;
}

static int
read_zones(struct g1 *g)
{
	const struct dnode *list = disksim_find(g->im->layout, "Zones");
	double next = 0;

	if (!list || list->kind != DNODE_LIST || !list->child)
		return disksim_fail(g->im->layout, g->im->e,
				    "%s lacks \"Zones\"", g->im->layout->type);
	g->zones = calloc(length_of(list), sizeof(*g->zones));
	if (!g->zones)
		return err_nomem(g->im->e);
	for (const struct dnode *c = list->child; c; c = c->next) {
		struct g1_zone *z = &g->zones[g->count++];
		int r;

		if (c->kind != DNODE_BLOCK)
			return disksim_fail(c, g->im->e,
					    "Zones: dm_layout_g1_zone { } is "
					    "wanted");
		r = read_zone(g, c, z);
		if (r < 0)
			return r;
		if (z->first < next)
			return disksim_fail(c, g->im->e,
					    "the zone begins at cylinder %g, "
					    "inside the one before",
					    z->first);
		next = z->last + 1;
	}
	return 0;
}

static int
read_layout(struct g1 *g)
{
	const struct dnode *layout = g->im->layout;
	struct err *e = g->im->e;
	double mapping, scheme;
	int r = import_number(layout, "LBN-to-PBN mapping scheme", &mapping, e);

	if (r == 0)
		r = import_number(layout, "Sparing scheme used", &scheme, e);
	if (r == 0)
		r = import_number_or(layout, "Rangesize for sparing", 1,
				     &g->range, e);
	if (r == 0)
		r = import_number(g->im->model, "Number of data surfaces",
				  &g->heads, e);
	if (r == 0)
		r = import_number(g->im->model, "Number of cylinders",
				  &g->cylinders, e);
	if (r < 0)
		return r;
	if (mapping != 0 && mapping != 1 && mapping != 2)
		return disksim_fail(layout, e,
				    "LBN-to-PBN mapping scheme = %g: 0, 1 or 2 "
				    "is wanted",
				    mapping);
	if (scheme != floor(scheme) || scheme < 0 ||
	    scheme >= (double)ARRAY_LEN(schemes))
		return disksim_fail(layout, e,
				    "Sparing scheme used = %g: 0 to %zu is "
				    "wanted",
				    scheme, ARRAY_LEN(schemes) - 1);
	g->mapping = (int)mapping;
	g->scheme = (int)scheme;
	return read_zones(g);
}

/* ---- writing ---- */

/* What shares spares, counted as slips are; 0: the whole zone. */
static double
region_size(const struct g1 *g, const struct g1_zone *z)
{
	switch (g->scheme) {
	case 2:
	case 4:
	case 5:
	case 6:
		return g->heads * z->spt;
	case 3:
		return z->spt;
	case 8:
		return g->range * g->heads * z->spt;
	default:
		return 0;
	}
}

/* Whether the slips before @slip have used the spares of its region. */
static bool
is_beyond_spares(const struct g1 *g, const struct g1_zone *z,
		 const struct dnode *slip)
{
	double size = region_size(g, z), used = 0;
	double region = size > 0 ? floor(strtod(slip->text, NULL) / size) : 0;

	if (schemes[g->scheme].slips_apart)
		return false;
	for (const struct dnode *c = z->slips->child; c != slip; c = c->next)
		if (size <= 0 ||
		    (c->kind == DNODE_SCALAR &&
		     floor(strtod(c->text, NULL) / size) == region))
			used++;
	return used >= z->spares;
}

/* One slip of a zone as the numbers of a list. */
static int
write_slip(const struct g1 *g, const struct g1_zone *z,
	   const struct dnode *slip)
{
	double at, track, rest = 0;
	int r = disksim_number(slip, &at, g->im->e);

	if (r < 0)
		return r;
	track = at;
	if (g->scheme != 1) {
		track = floor(at / z->spt);
		rest = at - track * z->spt;
	}
	if (at < 0 || track >= (z->last - z->first + 1) * g->heads)
		return disksim_fail(slip, g->im->e,
				    "slips: %g lies outside the zone", at);
	fprintf(g->im->out, "%.0f %.0f", z->first + floor(track / g->heads),
		fmod(track, g->heads));
	if (g->scheme != 1)
		fprintf(g->im->out, " %.0f", rest);
	return 0;
}

/* All slips of the drive, in one list. */
static int
write_slips(const struct g1 *g)
{
	size_t n = 0, beyond = 0;

	for (size_t i = 0; i < g->count; i++) {
		const struct g1_zone *z = &g->zones[i];
		const struct dnode *c = z->slips ? z->slips->child : NULL;

		for (; c; c = c->next) {
			int r;

			if (c->kind == DNODE_SCALAR &&
			    is_beyond_spares(g, z, c)) {
				beyond++;
				continue;
			}
			if (n++ == 0)
				fprintf(g->im->out, "# extracted: slips\n%s =",
					g->scheme == 1 ? "slipped_tracks"
						       : "slipped");
			fprintf(g->im->out, "%s",
				n == 1       ? " "
				: n % 4 == 1 ? ", \\\n\t"
					     : ", ");
			r = write_slip(g, z, c);
			if (r < 0)
				return r;
		}
	}
	if (n)
		fprintf(g->im->out, "\n");
	if (beyond)
		import_warn(g->im, g->im->layout,
			    "%zu slips more than there are spares", beyond);
	return 0;
}

static void
begin_zone(struct g1 *g, double cylinders, double spt)
{
	fprintf(g->im->out, "\n[zone %u]\n", g->written++);
	fprintf(g->im->out, "cylinders = %.0f\nspt = %.0f\n", cylinders, spt);
}

/* Cylinders of no zone. */
static void
write_gap(struct g1 *g, double cylinders, double spt)
{
	if (cylinders <= 0)
		return;
	begin_zone(g, cylinders, spt);
	fprintf(g->im->out, "spare_sectors = 0\n");
	import_line(g->im, "front_tracks", "extracted: no zone has these",
		    "%.0f", cylinders * g->heads);
}

/* Spare sectors by the measure of the drive file. */
static double
spares_of(const struct g1 *g, const struct g1_zone *z)
{
	double spares = g->scheme == 7 ? 0 : z->spares;

	if (g->scheme == 0)
		spares = 0;
	if (g->scheme == 1)
		return spares * z->spt;
	return spares +
	       (schemes[g->scheme].slips_apart ? (double)z->slip_count : 0);
}

static void
write_zone(struct g1 *g, const struct g1_zone *z)
{
	const struct import *im = g->im;
	double data = z->spt - (g->scheme == 3 ? z->spares : 0);
	double tracks = floor(z->front / data);

	begin_zone(g, z->last - z->first + 1, z->spt);
	import_line(im, "spare_sectors", "extracted: Number of spares", "%.0f",
		    spares_of(g, z));
	if (tracks > 0)
		import_line(im, "front_tracks",
			    "extracted: Empty space at zone front", "%.0f",
			    tracks);
	if (z->front > tracks * data)
		import_line(im, "front_sectors",
			    "extracted: Empty space at zone front", "%.0f",
			    z->front - tracks * data);
	import_line(im, "first_slot", "extracted: Offset of first block",
		    "%.0f", fmod(round(z->offset), z->spt));
	import_line(im, "track_skew", "extracted: Skew for track switch",
		    "%.0f", fmod(round(z->track_skew), z->spt));
	import_line(im, g->mapping ? "band_skew" : "cyl_skew",
		    "extracted: Skew for cylinder switch", "%.0f",
		    fmod(round(z->cyl_skew), z->spt));
	if (length_of(z->defects))
		import_warn(im, z->defects, "%zu numbers of defects",
			    length_of(z->defects));
}

/* The rest of [mechanism]. */
static void
write_mechanism(const struct g1 *g)
{
	const struct scheme *scheme = &schemes[g->scheme];
	const struct import *im = g->im;

	import_line(im, "mapping", "extracted: LBN-to-PBN mapping scheme",
		    g->mapping ? "serpentine" : "cylinder");
	if (g->mapping)
		import_line(im, "band_cyl", "heads to and fro, by cylinder",
			    "1");
	import_line(im, "sparing", "extracted: Sparing scheme used", "%s",
		    scheme->sparing);
	if (g->scheme == 8)
		import_line(im, "spare_range_cyl",
			    "extracted: Rangesize for sparing", "%.0f",
			    g->range);
	if (scheme->doubt)
		import_warn(im, im->layout, "sparing scheme %d: %s", g->scheme,
			    scheme->doubt);
	if (g->mapping == 2)
		import_warn(im, im->layout,
			    "mapping scheme 2: each zone begins with head 0");
}

static int
write_layout(struct g1 *g)
{
	double next = 0;
	int r;

	write_mechanism(g);
	r = write_slips(g);
	if (r < 0)
		return r;
	for (size_t i = 0; i < g->count; i++) {
		const struct g1_zone *z = &g->zones[i];

		write_gap(g, z->first - next, z->spt);
		write_zone(g, z);
		next = z->last + 1;
	}
	write_gap(g, g->cylinders - next, g->zones[g->count - 1].spt);
	return 0;
}

int
import_layout(const struct import *im)
{
	struct g1 g = { .im = im };
	int r;

	if (strcmp(im->layout->type, "dm_layout_g1") != 0)
		return disksim_fail(im->layout, im->e,
				    "layout %s: only dm_layout_g1 can be "
				    "imported",
				    im->layout->type);
	r = read_layout(&g);
	if (r == 0)
		r = write_layout(&g);
	free(g.zones);
	return r;
}
