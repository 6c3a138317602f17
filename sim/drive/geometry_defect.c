/* SPDX-License-Identifier: MIT */
/* Slipped and remapped sectors. */
#include "sim/drive/geometry_impl.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define ADJUST_MAP_ENTRIES 4096

/* ---- Look-ups -------------------------------------------------------------
 */

/* Slipped sectors of the drive whose physical ordinal is below @physical. */
uint64_t
geometry_slips_before(const struct geometry *geo, uint64_t physical)
{
	uint32_t low = 0, high = geo->slip_count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (geo->slips[middle] < physical)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct remap *
geometry_find_remap(const struct geometry *geo, uint64_t physical)
{
	uint32_t low = 0, high = geo->remap_count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (geo->remaps[middle].physical < physical)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < geo->remap_count && geo->remaps[low].physical == physical)
		return &geo->remaps[low];
	return NULL;
}

/* ---- Checks ---------------------------------------------------------------
 */

static int
check_place(const struct geometry *geo, uint32_t cyl, uint32_t head,
	    uint32_t sector, struct err *e)
{
	if (cyl >= geo->cylinders)
		return err_set(e, ERR_CONFIG,
			       "defect %u %u %u: the last cylinder is %u", cyl,
			       head, sector, geo->cylinders - 1);
	if (head >= geo->heads)
		return err_set(e, ERR_CONFIG,
			       "defect %u %u %u: the last head is %u", cyl,
			       head, sector, geo->heads - 1);
	if (sector >= geometry_spt(geo, cyl, head))
		return err_set(e, ERR_CONFIG,
			       "defect %u %u %u: the track's last sector is "
			       "%u",
			       cyl, head, sector,
			       geometry_spt(geo, cyl, head) - 1);
	return 0;
}

static uint64_t
physical_of(const struct geometry *geo, uint32_t cyl, uint32_t head,
	    uint32_t sector)
{
	const struct zone *z = geometry_zone_of_cyl(geo, cyl);
	struct track_at at;

	geometry_track_at(geo, z, cyl, head, &at);
	return z->first_physical + sector +
	       geometry_track_index(geo, z, &z->physical, &at);
}

/* ---- Slips ----------------------------------------------------------------
 */

/* A slipped sector while the tables are built. */
struct slip {
	uint64_t physical;
	const struct geometry_defect *defect;
};

static int
compare_slip(const void *pa, const void *pb)
{
	uint64_t a = ((const struct slip *)pa)->physical;
	uint64_t b = ((const struct slip *)pb)->physical;

	return (a > b) - (a < b);
}

/* From @lba on data moves up by @shift; of two at one LBA the later counts. */
static void
add_adjustment(struct geometry *geo, uint64_t lba, uint32_t shift)
{
	struct adjustment *a = &geo->adjust[geo->adjust_count];

	if (lba >= geo->capacity)
		return;
	if (geo->adjust_count && a[-1].lba == lba) {
		a[-1].shift = shift;
		return;
	}
	assert(geo->adjust_count == 0 || a[-1].lba < lba);
	*a = (struct adjustment){ lba, shift, NO_REMAP };
	geo->adjust_count++;
}

/* The LBA from which on data index @index of a zone counts. */
static uint64_t
lba_from_index(const struct zone *z, uint64_t index)
{
	return index < z->front ? z->first_lba
				: z->first_lba + index - z->front;
}

static const struct zone *
find_region(const struct geometry *geo, const struct geometry_defect *d,
	    struct region *region)
{
	const struct zone *z = geometry_zone_of_cyl(geo, d->cyl);
	struct track_at at;

	geometry_track_at(geo, z, d->cyl, d->head, &at);
	geometry_region_of(geo, z, &at, region);
	return z;
}

/*
 * Shift the data of the region of *@slips, the first of @count in physical
 * order; returns how many belong to the region, or an error.  The n-th slip,
 * counted from 0, at physical offset r moves data index r - n and all above;
 * one that lies past the region's data moves none.
 */
static int
shift_region(struct geometry *geo, const struct slip *slips, uint32_t count,
	     struct err *e)
{
	struct region region, other;
	const struct zone *z = find_region(geo, slips->defect, &region);
	uint32_t spares = geo->sparing == SPARE_NONE ? 0 : z->spare_sectors;
	uint32_t n, moved = 0;

	for (n = 0; n < count; n++) {
		const struct geometry_defect *d = slips[n].defect;
		uint64_t index = slips[n].physical - region.physical - n;

		find_region(geo, d, &other);
		if (other.physical != region.physical)
			break;
		if (index >= region.data)
			continue;
		if (++moved > spares)
			return err_set(e, ERR_CONFIG,
				       "defect %u %u %u: more slipped sectors "
				       "than the %u spare(s) here",
				       d->cyl, d->head, d->sector, spares);
		add_adjustment(geo, lba_from_index(z, region.index + index),
			       moved);
	}
	add_adjustment(geo, lba_from_index(z, region.index + region.data), 0);
	return (int)n;
}

static int
collect_slips(struct geometry *geo, const struct geometry_config *config,
	      struct slip *slips, struct err *e)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < config->defect_count; i++) {
		const struct geometry_defect *d = &config->defects[i];
		int r = check_place(geo, d->cyl, d->head, d->sector, e);

		if (r < 0)
			return r;
		if (d->remapped)
			continue;
		slips[count].physical =
			physical_of(geo, d->cyl, d->head, d->sector);
		slips[count++].defect = d;
	}
	qsort(slips, count, sizeof(*slips), compare_slip);
	for (uint32_t i = 0; i < count; i++) {
		const struct geometry_defect *d = slips[i].defect;

		if (i && slips[i].physical == slips[i - 1].physical)
			return err_set(e, ERR_CONFIG,
				       "defect %u %u %u is listed twice",
				       d->cyl, d->head, d->sector);
		geo->slips[i] = slips[i].physical;
	}
	geo->slip_count = count;
	return 0;
}

/* End the list and map LBAs to it. */
static void
finish_adjustments(struct geometry *geo)
{
	uint32_t at = 0;

	geo->adjust[geo->adjust_count] =
		(struct adjustment){ UINT64_MAX, 0, NO_REMAP };
	while ((geo->capacity - 1) >> geo->adjust_shift >= ADJUST_MAP_ENTRIES)
		geo->adjust_shift++;
	for (uint64_t i = 0; i < ADJUST_MAP_ENTRIES; i++) {
		while (geo->adjust[at + 1].lba <= i << geo->adjust_shift)
			at++;
		geo->adjust_map[i] = at;
	}
}

static int
add_slips(struct geometry *geo, const struct geometry_config *config,
	  struct slip *slips, struct err *e)
{
	int r = collect_slips(geo, config, slips, e);

	if (r < 0)
		return r;
	add_adjustment(geo, 0, 0);
	for (uint32_t i = 0; i < geo->slip_count; i += (uint32_t)r) {
		r = shift_region(geo, &slips[i], geo->slip_count - i, e);
		if (r < 0)
			return r;
	}
	finish_adjustments(geo);
	return 0;
}

/* ---- Remaps ---------------------------------------------------------------
 */

/* Is the sector at a physical ordinal slipped? */
static bool
is_slipped(const struct geometry *geo, uint64_t physical)
{
	return geometry_slips_before(geo, physical + 1) !=
	       geometry_slips_before(geo, physical);
}

static int
add_remap(struct geometry *geo, const struct geometry_defect *d,
	  struct remap *remap, struct err *e)
{
	int r = check_place(geo, d->to_cyl, d->to_head, d->to_sector, e);

	if (r < 0)
		return r;
	remap->lba = geometry_encode(geo, d->cyl, d->head, d->sector);
	remap->physical = physical_of(geo, d->to_cyl, d->to_head, d->to_sector);
	remap->place.cyl = d->to_cyl;
	remap->place.head = d->to_head;
	remap->place.sector = d->to_sector;
	if (remap->lba == UINT64_MAX)
		return err_set(e, ERR_CONFIG,
			       "defect %u %u %u: no LBA is there to be "
			       "remapped",
			       d->cyl, d->head, d->sector);
	if (is_slipped(geo, remap->physical) ||
	    geometry_encode(geo, d->to_cyl, d->to_head, d->to_sector) !=
		    UINT64_MAX)
		return err_set(e, ERR_CONFIG,
			       "defect %u %u %u to %u %u %u: the latter is no "
			       "free spare",
			       d->cyl, d->head, d->sector, d->to_cyl,
			       d->to_head, d->to_sector);
	return 0;
}

static int
compare_remap_lba(const void *pa, const void *pb)
{
	uint64_t a = ((const struct remap *)pa)->lba;
	uint64_t b = ((const struct remap *)pb)->lba;

	return (a > b) - (a < b);
}

static int
compare_remap_physical(const void *pa, const void *pb)
{
	uint64_t a = ((const struct remap *)pa)->physical;
	uint64_t b = ((const struct remap *)pb)->physical;

	return (a > b) - (a < b);
}

/* Neither a sector nor a spare may be named twice. */
static int
check_remaps(const struct remap *sorted, uint32_t count, bool by_lba,
	     struct err *e)
{
	for (uint32_t i = 1; i < count; i++) {
		const struct remap *a = &sorted[i - 1], *b = &sorted[i];

		if (by_lba ? a->lba == b->lba : a->physical == b->physical)
			return err_set(e, ERR_CONFIG,
				       "defects remapped to %u %u %u and %u "
				       "%u %u: %s",
				       a->place.cyl, a->place.head,
				       a->place.sector, b->place.cyl,
				       b->place.head, b->place.sector,
				       by_lba ? "the same bad sector"
					      : "the same spare");
	}
	return 0;
}

/* Give the remapped LBA of remap @index an entry of its own. */
static void
insert_remap(struct geometry *geo, uint32_t index)
{
	uint64_t lba = geo->remaps[index].lba;
	uint32_t at = geo->adjust_count - 1, shift, more = 0;
	bool splits_before, splits_after;

	while (geo->adjust[at].lba > lba)
		at--;
	shift = geo->adjust[at].shift;
	splits_before = geo->adjust[at].lba < lba;
	splits_after = geo->adjust[at + 1].lba > lba + 1;
	more = (uint32_t)splits_before + splits_after;
	/* the sentinel moves too */
	memmove(&geo->adjust[at + 1 + more], &geo->adjust[at + 1],
		(geo->adjust_count - at) * sizeof(*geo->adjust));
	geo->adjust_count += more;
	at += splits_before;
	geo->adjust[at] = (struct adjustment){ lba, shift, index };
	if (splits_after)
		geo->adjust[at + 1] =
			(struct adjustment){ lba + 1, shift, NO_REMAP };
}

static int
add_remaps(struct geometry *geo, const struct geometry_config *config,
	   struct err *e)
{
	uint32_t count = 0;
	int r = 0;

	/* remap_count stays 0 meanwhile: encode knows the slips only */
	for (uint32_t i = 0; i < config->defect_count; i++) {
		if (!config->defects[i].remapped)
			continue;
		r = add_remap(geo, &config->defects[i], &geo->remaps[count++],
			      e);
		if (r < 0)
			return r;
	}
	qsort(geo->remaps, count, sizeof(*geo->remaps), compare_remap_lba);
	r = check_remaps(geo->remaps, count, true, e);
	if (r < 0)
		return r;
	qsort(geo->remaps, count, sizeof(*geo->remaps), compare_remap_physical);
	r = check_remaps(geo->remaps, count, false, e);
	if (r < 0)
		return r;
	geo->remap_count = count;
	for (uint32_t i = 0; i < count; i++)
		insert_remap(geo, i);
	finish_adjustments(geo);
	return 0;
}

/* The spares' angles, once the zones have theirs. */
void
geometry_place_remaps(struct geometry *geo)
{
	for (uint32_t i = 0; i < geo->remap_count; i++) {
		struct geometry_place *p = &geo->remaps[i].place;

		geometry_fill_place(geo, p->cyl, p->head, p->sector, p);
	}
}

int
geometry_add_defects(struct geometry *geo, const struct geometry_config *config,
		     struct err *e)
{
	size_t count = config->defect_count;
	struct slip *slips;
	int r = 0;

	if (count == 0)
		return 0;
	slips = calloc(count, sizeof(*slips));
	geo->slips = calloc(count, sizeof(*geo->slips));
	geo->remaps = calloc(count, sizeof(*geo->remaps));
	/* two entries a defect, one at LBA 0 and the end */
	geo->adjust = calloc(2 * count + 2, sizeof(*geo->adjust));
	geo->adjust_map = calloc(ADJUST_MAP_ENTRIES, sizeof(*geo->adjust_map));
	if (!slips || !geo->slips || !geo->remaps || !geo->adjust ||
	    !geo->adjust_map)
		r = err_nomem(e);
	if (r == 0)
		r = add_slips(geo, config, slips, e);
	if (r == 0)
		r = add_remaps(geo, config, e);
	free(slips);
	return r;
}
