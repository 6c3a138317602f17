/* SPDX-License-Identifier: MIT */
#include "sim/drive/buffer.h"

#include <string.h>

int
buffer_init(struct buffer *buffer, const struct cache_config *config,
	    uint32_t sector_bytes, struct err *e)
{
	uint64_t sectors = (uint64_t)config->size_kb * 1024 / sector_bytes;

	memset(buffer, 0, sizeof(*buffer));
	if (config->write_back && sectors == 0)
		return err_set(e, ERR_CONFIG,
			       "cache.write_back = yes: needs a buffer, but "
			       "cache.size_kb = 0");
	dirty_init(&buffer->dirty, (uint32_t)config->extents, sectors);
	buffer->is_used = sectors > 0;
	return cache_init(&buffer->cache, config, sector_bytes, e);
}

/* ---- look-ahead ---- */

/* The access that reads ahead the first @count sectors. */
static struct mech_access
ahead_access(const struct buffer *buffer, const struct mech *mech,
	     uint64_t count)
{
	const struct look_ahead_state *ahead = &buffer->ahead;
	struct mech_range range = { ahead->from, (uint32_t)count, false };
	struct mech_target target;
	struct mech_access access;

	mech_aim(mech, ahead->from, &target);
	mech_access(mech, ahead->began_ns, 0, &range, &target, &access);
	return access;
}

/* Sectors that cannot have passed in less than @elapsed_ns. */
static uint64_t
most_passed(const struct buffer *buffer, const struct mech *mech,
	    nsec_t elapsed_ns)
{
	const struct look_ahead_state *ahead = &buffer->ahead;
	uint64_t turn_ns = (uint64_t)NSEC_PER_MIN / mech->spindle.rpm;
	uint64_t all = ahead->end - ahead->from, most;
	struct mech_target target;

	mech_aim(mech, ahead->from, &target);
	if ((uint64_t)elapsed_ns / turn_ns > all)
		return all;
	/* Inner tracks only have fewer. */
	most = (uint64_t)elapsed_ns * target.place.spt / turn_ns + 2;
	return most < all ? most : all;
}

/* Sectors read ahead by @now_ns, and the access that read them. */
static uint64_t
ahead_passed(const struct buffer *buffer, const struct mech *mech,
	     nsec_t now_ns, struct mech_access *access)
{
	nsec_t elapsed_ns = now_ns - buffer->ahead.began_ns;
	uint64_t low = 0, high = most_passed(buffer, mech, elapsed_ns);
	uint64_t step = 1, middle;

	/* Down from the top in growing steps, then halving: the top is near. */
	for (middle = high; middle > 0; step *= 2) {
		*access = ahead_access(buffer, mech, middle);
		if (access->end_ns <= elapsed_ns) {
			low = middle;
			break;
		}
		high = middle - 1;
		middle = middle > step ? middle - step : 0;
	}
	while (low < high) {
		middle = low + (high - low + 1) / 2;
		*access = ahead_access(buffer, mech, middle);
		if (access->end_ns <= elapsed_ns)
			low = middle;
		else
			high = middle - 1;
	}
	if (low > 0)
		*access = ahead_access(buffer, mech, low);
	return low;
}

void
buffer_stop_ahead(struct buffer *buffer, struct mech *mech, nsec_t now_ns)
{
	struct look_ahead_state *ahead = &buffer->ahead;
	nsec_t elapsed_ns = now_ns - ahead->began_ns;
	struct mech_access access;
	struct mech_target target;
	uint64_t passed;

	if (likely(!ahead->is_on))
		return;
	ahead->is_on = false;
	mech_aim(mech, ahead->from, &target);
	passed = 0;
	if (target.place.cyl == mech->cyl && target.place.head == mech->head)
		passed = mech_passed_in_run(mech, ahead->began_ns, elapsed_ns,
					    &target);
	if (passed > ahead->end - ahead->from)
		passed = ahead->end - ahead->from;
	/* Beyond its track, or on its way there: the long way. */
	if (passed == target.place.run || target.place.cyl != mech->cyl ||
	    target.place.head != mech->head) {
		passed = ahead_passed(buffer, mech, now_ns, &access);
		if (passed > 0)
			mech_move(mech, &access);
	}
	cache_extend(&buffer->cache, ahead->segment, ahead->from + passed);
}

/* The first sector that is not on the track of @sector. */
static uint64_t
track_end(const struct mech *mech, uint64_t sector)
{
	struct mech_target target;

	mech_aim(mech, sector, &target);
	return sector + target.place.run;
}

/* Begin to read ahead behind @range, which @segment holds. */
static void
ahead_begin(struct buffer *buffer, const struct mech *mech, nsec_t now_ns,
	    const struct mech_range *range, uint32_t segment)
{
	uint64_t end = range->sector + range->count, stop = UINT64_MAX;

	if (buffer->cache.config.look_ahead == LOOK_AHEAD_TRACK)
		stop = track_end(mech, end - 1);
	buffer->ahead = (struct look_ahead_state){
		.segment = segment,
		.began_ns = now_ns,
		.from = end,
		.end = cache_look_ahead_end(&buffer->cache, range->sector,
					    range->count, stop,
					    geometry_capacity(mech->geo)),
	};
	buffer->ahead.is_on = buffer->ahead.end > end;
}

/* ---- reads ---- */

/* The firmware serves hits and buffered writes one after the other. */
static nsec_t
firmware_serve(struct buffer *buffer, nsec_t now_ns, nsec_t cost_ns)
{
	if (buffer->firmware_free_ns < now_ns)
		buffer->firmware_free_ns = now_ns;
	buffer->firmware_free_ns += cost_ns;
	return buffer->firmware_free_ns;
}

/* Is @range in what is there, or coming, of the look-ahead's segment? */
static bool
ahead_brings(const struct buffer *buffer, const struct mech_range *range)
{
	const struct look_ahead_state *ahead = &buffer->ahead;

	return ahead->is_on &&
	       range->sector >= buffer->cache.segment[ahead->segment].first &&
	       range->sector < ahead->end &&
	       range->sector + range->count > ahead->from;
}

/* When the look-ahead has brought @range, of which a part is to come. */
static nsec_t
ahead_brings_ns(struct buffer *buffer, const struct mech *mech,
		const struct mech_range *range)
{
	uint64_t end = range->sector + range->count;

	if (buffer->ahead.end < end)
		buffer->ahead.end = end;
	return buffer->ahead.began_ns +
	       ahead_access(buffer, mech, end - buffer->ahead.from).end_ns;
}

static nsec_t
hit_done(struct buffer *buffer, nsec_t now_ns, const struct mech_range *range,
	 uint32_t segment)
{
	nsec_t cost_ns = cache_hit_ns(&buffer->cache, range->sector);

	cache_sent(&buffer->cache, segment, range->sector, range->count);
	return firmware_serve(buffer, now_ns, cost_ns);
}

/*
 * The look-ahead has come to its limit, and the platter turns on: what lies
 * behind is a new access.  Only asked for reads that may want it.
 */
static bool
ahead_is_over(const struct buffer *buffer, const struct mech *mech,
	      nsec_t now_ns, const struct mech_range *range)
{
	const struct look_ahead_state *ahead = &buffer->ahead;

	if (!ahead->is_on || range->sector > ahead->end ||
	    range->sector < buffer->cache.segment[ahead->segment].first)
		return false;
	return ahead_access(buffer, mech, ahead->end - ahead->from).end_ns <=
	       now_ns - ahead->began_ns;
}

/*
 * A hit may move the limit of the look-ahead that it came from further on,
 * or begin it anew when the media is idle.
 */
static void
ahead_extend(struct buffer *buffer, const struct mech *mech, nsec_t now_ns,
	     const struct mech_range *range, uint32_t segment)
{
	struct look_ahead_state *ahead = &buffer->ahead;
	uint64_t end = range->sector + range->count;
	struct mech_target last;

	mech_aim(mech, end - 1, &last);
	end = cache_look_ahead_end(&buffer->cache, range->sector, range->count,
				   end - 1 + last.place.run,
				   geometry_capacity(mech->geo));
	if (!ahead->is_on) {
		ahead->segment = segment;
		ahead->began_ns = now_ns;
		ahead->from = ahead->end = buffer->cache.segment[segment].end;
	}
	if (ahead->segment != segment || end <= ahead->end)
		return;
	ahead->end = end;
	ahead->is_on = true;
}

enum buffer_read
buffer_read(struct buffer *buffer, struct mech *mech, nsec_t now_ns,
	    const struct mech_range *range, bool is_idle, nsec_t *done_ns)
{
	struct cache_hit hit;
	nsec_t brought_ns, served_ns;

	if (dirty_covers(&buffer->dirty, range->sector, range->count) ==
	    range->count) {
		*done_ns = hit_done(buffer, now_ns, range, CACHE_NONE);
		return BUFFER_HIT;
	}
	if (ahead_is_over(buffer, mech, now_ns, range))
		buffer_stop_ahead(buffer, mech, now_ns);
	hit = cache_lookup(&buffer->cache, range->sector, range->count);
	if (hit.count == range->count) {
		if (buffer->cache.config.idle_hit_ahead && is_idle)
			ahead_extend(buffer, mech, now_ns, range, hit.segment);
		*done_ns = hit_done(buffer, now_ns, range, hit.segment);
		return BUFFER_HIT;
	}
	if (!is_idle || !ahead_brings(buffer, range))
		return BUFFER_MISS;
	brought_ns = ahead_brings_ns(buffer, mech, range);
	served_ns = now_ns + cache_hit_ns(&buffer->cache, range->sector);
	*done_ns = brought_ns > served_ns ? brought_ns : served_ns;
	return BUFFER_STREAM;
}

void
buffer_read_done(struct buffer *buffer, struct mech *mech, nsec_t now_ns,
		 const struct mech_range *range, bool goes_on)
{
	struct look_ahead_state *ahead = &buffer->ahead;
	uint64_t end = range->sector + range->count;
	struct mech_access access;
	uint32_t segment;

	if (ahead->is_on) { /* a stream: the arm has come along */
		segment = ahead->segment;
		access = ahead_access(buffer, mech, end - ahead->from);
		now_ns = ahead->began_ns + access.end_ns;
		mech_move(mech, &access);
		ahead->is_on = false;
	} else {
		segment = cache_begin(&buffer->cache, range->sector);
	}
	cache_extend(&buffer->cache, segment, end);
	if (goes_on && segment != CACHE_NONE)
		ahead_begin(buffer, mech, now_ns, range, segment);
	cache_sent(&buffer->cache, segment, range->sector, range->count);
}

/* ---- writes ---- */

void
buffer_write_through(struct buffer *buffer, const struct mech_range *range)
{
	cache_written(&buffer->cache, range->sector, range->count);
}

static nsec_t
write_cost_ns(const struct buffer *buffer, nsec_t cost_ns,
	      const struct dirty_added *added)
{
	const struct cache_config *c = &buffer->cache.config;

	if (added->is_new)
		return cost_ns + c->new_extent_ns;
	return cost_ns + c->new_sector_ns * added->new_sectors;
}

bool
buffer_write(struct buffer *buffer, nsec_t now_ns,
	     const struct mech_range *range, nsec_t cost_ns, nsec_t *done_ns)
{
	struct dirty_added added =
		dirty_add(&buffer->dirty, range->sector, range->count);

	if (added.is_full)
		return false;
	*done_ns = firmware_serve(buffer, now_ns,
				  write_cost_ns(buffer, cost_ns, &added));
	cache_written(&buffer->cache, range->sector, range->count);
	return true;
}

bool
buffer_is_pressed(const struct buffer *buffer)
{
	const struct dirty_list *dirty = &buffer->dirty;
	uint64_t percent = (uint64_t)buffer->cache.config.high_water_percent;

	return dirty->used > 0 &&
	       (dirty->used * UINT64_C(100) >= dirty->limit * percent ||
		dirty->sectors * 100 >= dirty->sectors_max * percent);
}

static struct buffer_piece
piece_of(const struct buffer *buffer, uint32_t entry, uint64_t next_sector)
{
	const struct dirty_extent *x = &buffer->dirty.extent[entry];

	return (struct buffer_piece){
		.entry = entry,
		.delay_ns = x->first == next_sector
				    ? 0
				    : buffer->cache.config.destage_ns,
		.range = { x->first, (uint32_t)(x->end - x->first), true },
	};
}

struct buffer_piece
buffer_destage(struct buffer *buffer, const struct mech *mech, nsec_t now_ns,
	       uint64_t next_sector)
{
	struct dirty_list *dirty = &buffer->dirty;
	uint64_t phase = spindle_phase(&mech->spindle, now_ns);
	uint64_t least = UINT64_MAX;
	struct buffer_piece best = { 0 };
	bool is_dirty = dirty_pass(dirty);

	assert(is_dirty);
	(void)is_dirty;
	for (uint32_t i = 0; i < dirty->limit; i++) {
		struct buffer_piece piece;
		struct mech_target target;
		uint64_t total;

		if (dirty->extent[i].state != DIRTY_IN_PASS)
			continue;
		piece = piece_of(buffer, i, next_sector);
		mech_aim(mech, piece.range.sector, &target);
		total = spindle_pass(&mech->spindle, phase, target.slot_ticks,
				     piece.delay_ns +
					     mech_seek_ns(mech, &target, true));
		if (total < least) {
			least = total;
			best = piece;
		}
	}
	dirty_write(dirty, best.entry);
	return best;
}

void
buffer_destaged(struct buffer *buffer, uint32_t entry)
{
	dirty_written(&buffer->dirty, entry);
}
