/* SPDX-License-Identifier: MIT */
/* From what a drive file says to the map and the seek curve. */
#include "sim/core/wide.h"
#include "sim/drive/drive_config.h"

#include <assert.h>
#include <stdlib.h>

static const int64_t micro = 1000000;

struct layout {
	const struct drive_config *config;
	struct geometry_config geometry;
	struct geometry_zone_config *zones;
	struct geometry_defect *defects;
	struct err *e;
};

/* ---- Skews -----------------------------------------------------------------
 */

/* Slots of a track with @spt that pass in @ns, rounded up. */
static uint32_t
slots_of_time(const struct layout *l, nsec_t ns, uint32_t spt)
{
	uint128_t slots = (uint128_t)(uint64_t)ns *
			  (uint64_t)l->config->mechanism.rpm * spt;

	slots = (slots + (uint64_t)NSEC_PER_MIN - 1) / (uint64_t)NSEC_PER_MIN;
	return (uint32_t)slots;
}

/* One skew: the zone's own in slots or time, else what all zones share. */
struct skew_choice {
	const char *name;
	int64_t own_slots, shared_slots;
	nsec_t own_ns, shared_ns;
};

/* Slots, or -1 when nothing gives this skew; ERR_CONFIG when two keys do. */
static int
choose_skew(const struct layout *l, const struct skew_choice *c, uint32_t spt,
	    bool heads_differ, int64_t *slots)
{
	nsec_t ns = c->own_ns;

	if ((c->own_slots >= 0 && c->own_ns > 0) ||
	    (c->shared_slots >= 0 && c->shared_ns > 0))
		return err_set(l->e, ERR_CONFIG,
			       "%s and %s_us in one section: give one of them",
			       c->name, c->name);
	*slots = c->own_slots;
	if (*slots < 0 && ns == 0) {
		*slots = c->shared_slots;
		ns = c->shared_ns;
	}
	/* tracks of other heads begin on slots of their own */
	if (*slots < 0 && ns > 0)
		*slots = (int64_t)slots_of_time(l, ns, spt) + heads_differ;
	return 0;
}

static int
set_skews(const struct layout *l, const struct skew_config *own,
	  bool heads_differ, struct geometry_zone_config *z)
{
	const struct skew_config *all = &l->config->all_zones.skew;
	const struct skew_choice choices[] = {
		{ "track_skew", own->track_slots, all->track_slots,
		  own->track_ns, all->track_ns },
		{ "cyl_skew", own->cyl_slots, all->cyl_slots, own->cyl_ns,
		  all->cyl_ns },
		{ "band_skew", own->band_slots, all->band_slots, own->band_ns,
		  all->band_ns },
	};
	int64_t slots[ARRAY_LEN(choices)];

	for (size_t i = 0; i < ARRAY_LEN(choices); i++) {
		int r = choose_skew(l, &choices[i], z->spt[0], heads_differ,
				    &slots[i]);

		if (r < 0)
			return r;
	}
	z->track_skew = slots[0] < 0 ? 0 : (uint32_t)slots[0];
	z->cyl_skew = slots[1] < 0 ? z->track_skew : (uint32_t)slots[1];
	z->band_skew = slots[2] < 0 ? 0 : (uint32_t)slots[2];
	return 0;
}

/* ---- Zones -----------------------------------------------------------------
 */

static int
set_zone(const struct layout *l, uint32_t i)
{
	const struct drive_config *c = l->config;
	const struct zone_config *own = &c->zones[i];
	struct geometry_zone_config *z = &l->zones[i];
	uint32_t heads = l->geometry.heads;
	int64_t spares = own->spare_sectors;
	bool differ = own->spt.count > 1;

	if (own->spt.count != 1 && own->spt.count != heads)
		return err_set(l->e, ERR_CONFIG,
			       "[zone %u] spt has %zu numbers; one, or one for "
			       "each of %u heads",
			       i, own->spt.count, heads);
	for (uint32_t h = 0; h < heads; h++) {
		int64_t spt = own->spt.micro[differ ? h : 0];

		if (spt % micro)
			return err_set(l->e, ERR_CONFIG,
				       "[zone %u] spt: whole numbers only", i);
		z->spt[h] = (uint32_t)(spt / micro);
	}
	z->cylinders = (uint32_t)own->cylinders;
	z->spare_sectors =
		(uint32_t)(spares < 0 ? c->all_zones.spare_sectors : spares);
	z->front_tracks = (uint32_t)own->front_tracks;
	z->front_sectors = (uint32_t)own->front_sectors;
	z->first_slot = own->first_slot < 0 ? GEOMETRY_SLOT_AUTO
					    : (uint32_t)own->first_slot;
	return set_skews(l, &own->skew, differ, z);
}

static int
check_zones(const struct layout *l)
{
	const struct zones_config *all = &l->config->all_zones;

	if (all->cylinders < all->count || all->spt_outer < 2 ||
	    all->spt_inner < 2)
		return err_set(l->e, ERR_CONFIG,
			       "[zones] count = %lld wants cylinders (%lld or "
			       "more), spt_outer and spt_inner (2 or more)",
			       (long long)all->count, (long long)all->count);
	return 0;
}

/* Zones of nearly equal width whose sectors per track fall evenly. */
static int
make_zones(const struct layout *l)
{
	static const struct skew_config none = { -1, -1, -1, 0, 0, 0 };
	const struct zones_config *all = &l->config->all_zones;
	int64_t steps = all->count > 1 ? all->count - 1 : 1;
	int64_t fall = all->spt_outer - all->spt_inner;
	int r = check_zones(l);

	for (int64_t i = 0; r == 0 && i < all->count; i++) {
		struct geometry_zone_config *z = &l->zones[i];
		int64_t spt = all->spt_outer * 2 * steps - fall * 2 * i + steps;

		for (uint32_t h = 0; h < l->geometry.heads; h++)
			z->spt[h] = (uint32_t)(spt / (2 * steps));
		z->cylinders = (uint32_t)(all->cylinders / all->count +
					  (i < all->cylinders % all->count));
		z->spare_sectors = (uint32_t)all->spare_sectors;
		z->first_slot = GEOMETRY_SLOT_AUTO;
		r = set_skews(l, &none, false, z);
	}
	return r;
}

static int
set_zones(struct layout *l)
{
	const struct drive_config *c = l->config;
	uint32_t count = c->zone_count;
	int r = 0;

	if (c->all_zones.count)
		count = (uint32_t)c->all_zones.count;
	if (!count)
		return err_set(l->e, ERR_CONFIG,
			       "no zones: neither [zone 0] nor a count in "
			       "[zones]");
	l->zones = calloc(count, sizeof(*l->zones));
	if (!l->zones)
		return err_nomem(l->e);
	l->geometry.zones = l->zones;
	l->geometry.zone_count = count;
	if (c->all_zones.count)
		return make_zones(l);
	for (uint32_t i = 0; r == 0 && i < count; i++)
		r = set_zone(l, i);
	return r;
}

/* ---- Defects ---------------------------------------------------------------
 */

static int
check_list(const struct layout *l, const struct option_list *list,
	   const char *name, size_t of)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->micro[i] % micro ||
		    list->micro[i] / micro > UINT32_MAX)
			return err_set(l->e, ERR_CONFIG,
				       "mechanism.%s: number %zu is not a "
				       "whole number within a drive",
				       name, i + 1);
	}
	if (list->count % of)
		return err_set(l->e, ERR_CONFIG,
			       "mechanism.%s: %zu numbers; a multiple of %zu "
			       "is wanted",
			       name, list->count, of);
	return 0;
}

static uint32_t
number(const struct option_list *list, size_t i)
{
	return (uint32_t)(list->micro[i] / micro);
}

/* Sectors per track at a place, 0 where there is none. */
static uint32_t
spt_at(const struct layout *l, uint32_t cyl, uint32_t head)
{
	uint64_t first = 0;

	for (uint32_t i = 0; i < l->geometry.zone_count; i++) {
		first += l->zones[i].cylinders;
		if (cyl < first && head < l->geometry.heads)
			return l->zones[i].spt[head];
	}
	return 0;
}

/* Sectors of all slipped tracks, or an error. */
static int
count_slipped_tracks(const struct layout *l, size_t *sectors)
{
	const struct option_list *tracks = &l->config->mechanism.slipped_tracks;
	int r = check_list(l, tracks, "slipped_tracks", 2);

	*sectors = 0;
	for (size_t i = 0; r == 0 && i < tracks->count; i += 2) {
		uint32_t spt =
			spt_at(l, number(tracks, i), number(tracks, i + 1));

		if (!spt)
			r = err_set(l->e, ERR_CONFIG,
				    "mechanism.slipped_tracks: there is no "
				    "track %u %u",
				    number(tracks, i), number(tracks, i + 1));
		*sectors += spt;
	}
	return r;
}

static struct geometry_defect *
add_slipped_tracks(const struct layout *l, struct geometry_defect *d)
{
	const struct option_list *tracks = &l->config->mechanism.slipped_tracks;

	for (size_t i = 0; i < tracks->count; i += 2) {
		uint32_t cyl = number(tracks, i), head = number(tracks, i + 1);
		uint32_t spt = spt_at(l, cyl, head);

		for (uint32_t s = 0; s < spt; s++)
			*d++ = (struct geometry_defect){ .cyl = cyl,
							 .head = head,
							 .sector = s };
	}
	return d;
}

static int
set_defects(struct layout *l)
{
	const struct option_list *slips = &l->config->mechanism.slipped;
	const struct option_list *remaps = &l->config->mechanism.remapped;
	struct geometry_defect *d;
	size_t in_tracks = 0;
	int r = check_list(l, slips, "slipped", 3);

	if (r == 0)
		r = check_list(l, remaps, "remapped", 6);
	if (r == 0)
		r = count_slipped_tracks(l, &in_tracks);
	if (r < 0)
		return r;
	d = calloc(slips->count + remaps->count + in_tracks + 1, sizeof(*d));
	if (!d)
		return err_nomem(l->e);
	l->geometry.defects = l->defects = d;
	for (size_t i = 0; i < slips->count; i += 3)
		*d++ = (struct geometry_defect){ .cyl = number(slips, i),
						 .head = number(slips, i + 1),
						 .sector =
							 number(slips, i + 2) };
	d = add_slipped_tracks(l, d);
	for (size_t i = 0; i < remaps->count; i += 6)
		*d++ = (struct geometry_defect){
			number(remaps, i),     number(remaps, i + 1),
			number(remaps, i + 2), true,
			number(remaps, i + 3), number(remaps, i + 4),
			number(remaps, i + 5)
		};
	l->geometry.defect_count = (uint32_t)(d - l->defects);
	return 0;
}

/* ---- The whole -------------------------------------------------------------
 */

static bool
is_sector_size(int64_t bytes)
{
	return bytes == 512 || bytes == 4096;
}

static int
set_drive(struct layout *l)
{
	const struct mechanism_config *m = &l->config->mechanism;
	int64_t capacity = l->config->identity.capacity_sectors;
	int64_t per_sector = m->physical_sector_bytes / SECTOR_BYTES;

	if (!is_sector_size(m->physical_sector_bytes) ||
	    !is_sector_size(m->logical_sector_bytes) ||
	    m->logical_sector_bytes > m->physical_sector_bytes)
		return err_set(l->e, ERR_CONFIG,
			       "sectors of %lld bytes on the platter, %lld on "
			       "the interface; 512 or 4096, the latter not "
			       "larger",
			       (long long)m->physical_sector_bytes,
			       (long long)m->logical_sector_bytes);
	if (capacity % per_sector)
		return err_set(l->e, ERR_CONFIG,
			       "capacity_sectors = %lld is no whole number of "
			       "sectors of %lld bytes",
			       (long long)capacity,
			       (long long)m->physical_sector_bytes);
	l->geometry.capacity = (uint64_t)(capacity / per_sector);
	l->geometry.heads = (uint32_t)m->heads;
	l->geometry.band_cyl = (uint32_t)m->band_cyl;
	l->geometry.spare_range_cyl = (uint32_t)m->spare_range_cyl;
	l->geometry.mapping = (enum geometry_mapping)m->mapping;
	l->geometry.sparing = (enum geometry_sparing)m->sparing;
	return 0;
}

int
drive_config_geometry(const struct drive_config *config, struct geometry **out,
		      struct err *e)
{
	struct layout l = { .config = config, .e = e };
	int r = set_drive(&l);

	if (r == 0)
		r = set_zones(&l);
	if (r == 0)
		r = set_defects(&l);
	if (r == 0)
		r = geometry_create(&l.geometry, out, e);
	free(l.zones);
	free(l.defects);
	if (r < 0)
		err_prefix(e, "%s", config->path);
	return r;
}

int
drive_config_seek(const struct drive_config *config, uint32_t cylinders,
		  struct seek_curve **out, struct err *e)
{
	int r = seek_create(&config->seek, cylinders, out, e);

	if (r < 0)
		err_prefix(e, "%s", config->path);
	return r;
}
