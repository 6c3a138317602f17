/* SPDX-License-Identifier: MIT */
/* Checks a drive's layout and prepares the tables of geometry.c. */
#include "sim/drive/geometry_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks ---------------------------------------------------------------
 */

static bool
is_banded(const struct geometry_config *config)
{
	return config->mapping != MAP_CYLINDER;
}

static int
check_heads(const struct geometry_config *config, uint32_t zone, struct err *e)
{
	const struct geometry_zone_config *z = &config->zones[zone];
	uint32_t spare = config->sparing == SPARE_TRACK ? z->spare_sectors : 0;

	for (uint32_t h = 0; h < config->heads; h++) {
		if (z->spt[h] < 2 || z->spt[h] > GEOMETRY_SPT_MAX)
			return err_set(e, ERR_CONFIG,
				       "zone %u: %u sectors per track on head "
				       "%u; 2 to %u",
				       zone, z->spt[h], h, GEOMETRY_SPT_MAX);
		if (z->spt[h] < (uint64_t)spare + 2)
			return err_set(e, ERR_CONFIG,
				       "zone %u: %u spare sectors leave fewer "
				       "than 2 of the %u of a track",
				       zone, spare, z->spt[h]);
	}
	return 0;
}

static int
check_skews(const struct geometry_config *config, uint32_t zone, struct err *e)
{
	const struct geometry_zone_config *z = &config->zones[zone];
	const struct {
		const char *name;
		uint32_t value;
	} skews[] = { { "track_skew", z->track_skew },
		      { "cyl_skew", z->cyl_skew },
		      { "band_skew", z->band_skew } };

	for (size_t i = 0; i < ARRAY_LEN(skews); i++) {
		if (skews[i].value >= z->spt[0])
			return err_set(e, ERR_CONFIG,
				       "zone %u: %s of %u slots; a track has "
				       "%u",
				       zone, skews[i].name, skews[i].value,
				       z->spt[0]);
	}
	if (z->first_slot != GEOMETRY_SLOT_AUTO && z->first_slot >= z->spt[0])
		return err_set(e, ERR_CONFIG,
			       "zone %u: first_slot %u; a track has %u slots",
			       zone, z->first_slot, z->spt[0]);
	return 0;
}

static int
check_zone(const struct geometry_config *config, uint32_t zone, struct err *e)
{
	const struct geometry_zone_config *z = &config->zones[zone];
	int r;

	if (z->cylinders == 0 || z->cylinders > GEOMETRY_CYLINDERS_MAX)
		return err_set(e, ERR_CONFIG, "zone %u: %u cylinders; 1 to %u",
			       zone, z->cylinders, GEOMETRY_CYLINDERS_MAX);
	if (config->sparing == SPARE_NONE && z->spare_sectors)
		return err_set(e, ERR_CONFIG,
			       "zone %u: %u spare sectors, but the drive has "
			       "sparing = none",
			       zone, z->spare_sectors);
	if (z->front_tracks > (uint64_t)z->cylinders * config->heads)
		return err_set(e, ERR_CONFIG,
			       "zone %u: %u unused tracks in front; it has "
			       "%llu",
			       zone, z->front_tracks,
			       (unsigned long long)z->cylinders *
				       config->heads);
	r = check_heads(config, zone, e);
	return r < 0 ? r : check_skews(config, zone, e);
}

static int
check_config(const struct geometry_config *config, struct err *e)
{
	uint64_t cylinders = 0;

	if (config->heads == 0 || config->heads > GEOMETRY_HEADS_MAX)
		return err_set(e, ERR_CONFIG, "%u heads; 1 to %d",
			       config->heads, GEOMETRY_HEADS_MAX);
	if (config->zone_count == 0 || config->zone_count > GEOMETRY_ZONES_MAX)
		return err_set(e, ERR_CONFIG, "%u zones; 1 to %d",
			       config->zone_count, GEOMETRY_ZONES_MAX);
	if (is_banded(config) && config->band_cyl == 0)
		return err_set(e, ERR_CONFIG,
			       "band_cyl is 0; a mapping by bands needs the "
			       "cylinders of a band");
	for (uint32_t i = 0; i < config->zone_count; i++) {
		int r = check_zone(config, i, e);

		if (r < 0)
			return r;
		cylinders += config->zones[i].cylinders;
	}
	if (cylinders > GEOMETRY_CYLINDERS_MAX)
		return err_set(e, ERR_CONFIG, "%llu cylinders; at most %u",
			       (unsigned long long)cylinders,
			       GEOMETRY_CYLINDERS_MAX);
	return 0;
}

/* ---- One zone -------------------------------------------------------------
 */

static struct small_divisor
small_divisor_of(uint64_t d, uint64_t n_max)
{
	struct small_divisor s = { reciprocal_of(2 * d, 2 * n_max) };

	return s;
}

static uint32_t
max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static void
set_heads(struct zone *z, const struct geometry_config *config,
	  const struct geometry_zone_config *zc)
{
	uint32_t spare = config->sparing == SPARE_TRACK ? zc->spare_sectors : 0;

	z->is_flat = config->sparing != SPARE_CYLINDER;
	for (uint32_t h = 0; h < config->heads; h++) {
		uint32_t spt = zc->spt[h];

		z->head_spt[h] = spt;
		z->physical.before[h + 1] = z->physical.before[h] + spt;
		z->data.before[h + 1] = z->data.before[h] + spt - spare;
		z->is_flat = z->is_flat && spt == zc->spt[0];
	}
}

/* The zone's cylinders in groups; the last one has what is left over. */
static void
set_groups(struct zone *z, const struct geometry_config *config,
	   const struct geometry_zone_config *zc)
{
	uint32_t cyl = 1;

	if (is_banded(config))
		cyl = config->band_cyl;
	else if (config->sparing == SPARE_CYLINDER && config->spare_range_cyl)
		cyl = config->spare_range_cyl;
	if (cyl > zc->cylinders)
		cyl = zc->cylinders;
	z->cylinders = zc->cylinders;
	z->group_cyl_count = cyl;
	z->last_group = (zc->cylinders - 1) / cyl;
	z->last_cyl_count = zc->cylinders - (uint32_t)z->last_group * cyl;
}

static int
set_sizes(struct zone *z, const struct geometry_config *config, uint32_t i,
	  struct err *e)
{
	uint64_t row = z->data.before[config->heads], spares = 0;
	uint64_t smallest = row * z->last_cyl_count, zone_spares = 0;

	z->spare_sectors = config->zones[i].spare_sectors;
	if (config->sparing == SPARE_CYLINDER)
		spares = z->spare_sectors;
	if (config->sparing == SPARE_ZONE)
		zone_spares = z->spare_sectors;
	if (spares + 2 > smallest)
		return err_set(e, ERR_CONFIG,
			       "zone %u: %u spare sectors leave fewer than 2 "
			       "of the %llu of its last %u cylinder(s)",
			       i, z->spare_sectors,
			       (unsigned long long)smallest, z->last_cyl_count);
	z->group_data.d = row * z->group_cyl_count - spares;
	z->last_group_data = smallest - spares;
	z->physical_total = z->physical.before[config->heads] * z->cylinders;
	z->data_total = z->last_group * z->group_data.d + z->last_group_data;
	if (zone_spares >= z->data_total)
		return err_set(
			e, ERR_CONFIG, "zone %u: %u spare sectors; it has %llu",
			i, z->spare_sectors, (unsigned long long)z->data_total);
	z->data_total -= zone_spares;
	return 0;
}

/* Can numbers up to @n_max be divided by @d through a reciprocal? */
static bool
is_divisible(uint64_t n_max, uint64_t d)
{
	return (uint128_t)n_max * d < (uint128_t)1 << 64;
}

static int
set_divisors(struct zone *z, const struct geometry_config *config, uint32_t i,
	     struct err *e)
{
	uint64_t sectors = z->physical_total, group = z->group_data.d;
	uint64_t tracks = (uint64_t)z->cylinders * config->heads;
	uint64_t row = z->data.before[config->heads];

	if (!is_divisible(sectors, row) ||
	    (z->last_group && !is_divisible(sectors, group)))
		return err_set(e, ERR_CONFIG,
			       "zone %u: %llu sectors in groups of %llu; give "
			       "it as several zones",
			       i, (unsigned long long)sectors,
			       (unsigned long long)group);
	z->track_data = reciprocal_of(z->data.before[1], sectors);
	z->row_data = reciprocal_of(row, sectors);
	if (z->last_group) /* else m = 0: everything is in group 0 */
		z->group_data = reciprocal_of(group, sectors);
	for (uint32_t h = 0; h < config->heads; h++)
		z->head_data[h] = reciprocal_of(
			z->data.before[h + 1] - z->data.before[h], sectors);
	z->group_track_count = z->group_cyl_count * config->heads;
	z->group_cyl = small_divisor_of(z->group_cyl_count, tracks);
	z->last_cyl = small_divisor_of(z->last_cyl_count, tracks);
	z->group_tracks = small_divisor_of(z->group_track_count, tracks);
	return 0;
}

/*
 * The same angles for the quick decode, which knows a track's ordinal before
 * its coordinates.
 */
static void
set_terms(struct zone *z, const struct geometry_config *config, uint64_t spt)
{
	uint64_t full = z->group_cyl_count, last = z->last_cyl_count;
	uint64_t a_track, a_group;

	a_track = is_banded(config) ? z->slot_step : z->slot_turn;
	a_group = z->slot_group + spt * z->group_track_count -
		  a_track * z->group_track_count;
	z->terms.track = (uint32_t)a_track;
	z->terms.group = (uint32_t)(a_group % spt);
	if (!is_banded(config))
		return;
	z->terms.turn =
		(uint32_t)((z->slot_turn + full * spt - full * a_track) % spt);
	z->terms.turn_last =
		(uint32_t)((z->slot_turn_last + last * spt - last * a_track) %
			   spt);
}

static int
set_skews(struct zone *z, const struct geometry_config *config, uint32_t i,
	  struct err *e)
{
	const struct geometry_zone_config *zc = &config->zones[i];
	uint64_t spt = zc->spt[0], heads = config->heads, largest;
	uint64_t track = zc->track_skew, cyl = zc->cyl_skew, step = cyl;
	uint64_t full = z->group_cyl_count, last = z->last_cyl_count;
	uint64_t tracks = (uint64_t)z->cylinders * heads;

	z->track_skew = zc->track_skew;
	z->cyl_skew = zc->cyl_skew;
	z->band_skew = zc->band_skew ? zc->band_skew
				     : max_u32(zc->track_skew, zc->cyl_skew);
	z->slot_turn = z->slot_turn_last = zc->track_skew;
	if (is_banded(config)) {
		z->slot_turn = (uint32_t)((track + (full - 1) * cyl) % spt);
		z->slot_turn_last =
			(uint32_t)((track + (last - 1) * cyl) % spt);
		z->slot_group =
			(uint32_t)((heads * (full - 1) * cyl +
				    (heads - 1) * track + z->band_skew) %
				   spt);
	} else {
		step = (heads - 1) * track + cyl;
		z->slot_group = (uint32_t)(full * (step % spt) % spt);
	}
	z->slot_step = (uint32_t)(step % spt);
	set_terms(z, config, spt);
	/* no sum of either form is above this; scale_slot() has its own */
	largest = spt * (2 * tracks + heads + 4) + GEOMETRY_SPT_MAX * (spt + 1);
	if (!is_divisible(largest, spt))
		return err_set(e, ERR_CONFIG,
			       "zone %u: %llu tracks of %llu sectors; give it "
			       "as several zones",
			       i, (unsigned long long)tracks,
			       (unsigned long long)spt);
	z->spt = reciprocal_of(spt, largest);
	if (zc->first_slot != GEOMETRY_SLOT_AUTO)
		z->first_slot = zc->first_slot;
	return 0;
}

/* Data index of the first track that is used. */
static uint64_t
front_index(const struct geometry *geo, const struct zone *z, uint32_t tracks)
{
	uint64_t group_tracks = (uint64_t)z->group_cyl_count * geo->heads;
	struct track_at at = { .group = tracks / group_tracks };
	uint32_t rest = (uint32_t)(tracks % group_tracks);
	uint64_t index, offset;

	if (geo->mapping == MAP_CYLINDER) {
		at.step = rest / geo->heads;
		at.turn = rest % geo->heads;
	} else {
		uint32_t cyl = geometry_group_cylinders(z, at.group);

		at.turn = rest / cyl;
		at.step = rest % cyl;
	}
	index = geometry_track_index(geo, z, &z->data, &at);
	if (geo->sparing != SPARE_CYLINDER)
		return index;
	offset = index - at.group * group_tracks / geo->heads *
				 z->data.before[geo->heads];
	if (offset > geometry_group_data(z, at.group))
		offset = geometry_group_data(z, at.group);
	return at.group * z->group_data.d + offset;
}

static int
build_zone(struct geometry *geo, const struct geometry_config *config,
	   uint32_t i, struct err *e)
{
	const struct geometry_zone_config *zc = &config->zones[i];
	struct zone *z = &geo->zones[i];
	int r;

	set_heads(z, config, zc);
	set_groups(z, config, zc);
	r = set_sizes(z, config, i, e);
	if (r == 0)
		r = set_divisors(z, config, i, e);
	if (r == 0)
		r = set_skews(z, config, i, e);
	if (r < 0)
		return r;
	z->front = z->data_total; /* of a gap */
	if (zc->front_tracks == (uint64_t)zc->cylinders * config->heads)
		return 0;
	z->front = front_index(geo, z, zc->front_tracks) + zc->front_sectors;
	if (z->front >= z->data_total)
		return err_set(e, ERR_CONFIG,
			       "zone %u: %u unused tracks and %u sectors in "
			       "front and the spares leave no sector",
			       i, zc->front_tracks, zc->front_sectors);
	return 0;
}

/* ---- The whole drive ------------------------------------------------------
 */

/* Place the zones one after another in cylinders, sectors and LBAs. */
static void
chain_zones(struct geometry *geo)
{
	uint64_t lba = 0, physical = 0;
	uint32_t cyl = 0;

	for (uint32_t i = 0; i < geo->zone_count; i++) {
		struct zone *z = &geo->zones[i];

		z->first_cyl = cyl;
		z->first_physical = physical;
		z->first_lba = lba;
		lba += z->data_total - z->front;
		z->end_lba = lba;
		z->to_index = z->front - z->first_lba;
		cyl += z->cylinders;
		physical += z->physical_total;
	}
	geo->cylinders = cyl;
}

/* Give up the sectors past the published capacity. */
static int
cut_capacity(struct geometry *geo, uint64_t capacity, struct err *e)
{
	uint64_t all = geo->zones[geo->zone_count - 1].end_lba;

	if (capacity > all)
		return err_set(e, ERR_CONFIG,
			       "the zones hold %llu sectors, %llu fewer than "
			       "the capacity of %llu",
			       (unsigned long long)all,
			       (unsigned long long)(capacity - all),
			       (unsigned long long)capacity);
	geo->capacity = capacity ? capacity : all;
	for (uint32_t i = 0; i < geo->zone_count; i++) {
		struct zone *z = &geo->zones[i];

		if (z->first_lba > geo->capacity)
			z->first_lba = geo->capacity;
		if (z->end_lba > geo->capacity)
			z->end_lba = geo->capacity;
	}
	return 0;
}

static void
build_zone_map(struct geometry *geo)
{
	uint32_t zone = 0;

	while ((geo->capacity - 1) >> geo->zone_shift >= ZONE_MAP_BYTES)
		geo->zone_shift++;
	for (uint64_t i = 0; i < ZONE_MAP_BYTES; i++) {
		uint64_t lba = i << geo->zone_shift;

		if (lba >= geo->capacity)
			break;
		while (lba >= geo->zones[zone].end_lba)
			zone++;
		geo->zone_map[i] = (uint8_t)zone;
	}
}

static uint32_t
format_of(struct geometry *geo, uint32_t spt)
{
	for (uint32_t i = 0; i < geo->format_count; i++) {
		if (geo->format_spt[i] == spt)
			return i;
	}
	geo->format_spt[geo->format_count] = spt;
	return geo->format_count++;
}

static int
number_formats(struct geometry *geo, struct err *e)
{
	geo->format_spt = calloc((size_t)geo->zone_count * geo->heads,
				 sizeof(*geo->format_spt));
	if (!geo->format_spt)
		return err_nomem(e);
	for (uint32_t i = 0; i < geo->zone_count; i++) {
		struct zone *z = &geo->zones[i];

		for (uint32_t h = 0; h < geo->heads; h++)
			z->head_format[h] = format_of(geo, z->head_spt[h]);
		z->format = z->head_format[0];
	}
	return 0;
}

/* @angle / @spt of a revolution in slots of @to_spt, rounded up. */
static uint64_t
convert_slots(uint64_t angle, uint64_t spt, uint64_t to_spt)
{
	return (angle * to_spt + spt - 1) / spt;
}

/*
 * The first slot of zone @i such that its first sector follows the last one
 * of the zone before without a lost revolution.
 */
static void
match_angle(struct geometry *geo, uint32_t i)
{
	const struct zone *before = &geo->zones[i - 1];
	struct zone *z = &geo->zones[i];
	struct geometry_place from, to;
	uint64_t skew = max_u32(before->track_skew, before->cyl_skew);
	uint64_t want, have;

	/* without a sector of its own or one before it there is no border */
	if (z->first_lba == 0 || z->first_lba == z->end_lba)
		return;
	if (geo->mapping != MAP_CYLINDER)
		skew = before->band_skew;
	geometry_decode_unmapped(geo, z->first_lba - 1, &from);
	geometry_decode_unmapped(geo, z->first_lba, &to);
	/* the skew counts slots of head 0 */
	skew = convert_slots(skew, before->spt.d, from.spt);
	want = convert_slots(from.slot + 1 + skew, from.spt, to.spt) % to.spt;
	have = to.slot;
	want = (want + to.spt - have) % to.spt;
	z->first_slot =
		(uint32_t)(convert_slots(want, to.spt, z->spt.d) % z->spt.d);
}

static void
match_angles(struct geometry *geo, const struct geometry_config *config)
{
	for (uint32_t i = 1; i < geo->zone_count; i++) {
		if (config->zones[i].first_slot == GEOMETRY_SLOT_AUTO)
			match_angle(geo, i);
	}
}

static int
build(struct geometry *geo, const struct geometry_config *config, struct err *e)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < geo->zone_count; i++)
		r = build_zone(geo, config, i, e);
	if (r < 0)
		return r;
	chain_zones(geo);
	r = number_formats(geo, e);
	if (r == 0)
		r = cut_capacity(geo, config->capacity, e);
	if (r < 0)
		return r;
	build_zone_map(geo);
	r = geometry_add_defects(geo, config, e);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < geo->zone_count; i++)
		geo->zones[i].is_quick =
			geo->zones[i].is_flat && !geo->adjust_count;
	match_angles(geo, config);
	geometry_place_remaps(geo);
	return 0;
}

int
geometry_create(const struct geometry_config *config, struct geometry **out,
		struct err *e)
{
	struct geometry *geo;
	int r = check_config(config, e);

	if (r < 0)
		return r;
	geo = calloc(1, sizeof(*geo));
	if (!geo)
		return err_nomem(e);
	geo->mapping = config->mapping;
	geo->serpentine = config->mapping == MAP_SERPENTINE;
	geo->sparing = config->sparing;
	geo->heads = config->heads;
	geo->zone_count = config->zone_count;
	/* the size is a multiple of the alignment */
	geo->zones = aligned_alloc(_Alignof(struct zone),
				   config->zone_count * sizeof(*geo->zones));
	if (geo->zones)
		memset(geo->zones, 0, config->zone_count * sizeof(*geo->zones));
	r = geo->zones ? build(geo, config, e) : err_nomem(e);
	if (r < 0) {
		geometry_free(geo);
		return r;
	}
	*out = geo;
	return 0;
}

void
geometry_free(struct geometry *geo)
{
	if (!geo)
		return;
	free(geo->zones);
	free(geo->format_spt);
	free(geo->adjust);
	free(geo->adjust_map);
	free(geo->slips);
	free(geo->remaps);
	free(geo);
}
