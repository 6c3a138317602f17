/* SPDX-License-Identifier: MIT */
#include "sim/drive/cache.h"

#include <assert.h>
#include <string.h>

int
cache_init(struct cache *cache, const struct cache_config *config,
	   uint32_t sector_bytes, struct err *e)
{
	uint64_t bytes = (uint64_t)config->size_kb * 1024;
	uint64_t each;

	memset(cache, 0, sizeof(*cache));
	cache->config = *config;
	cache->sector_bytes = sector_bytes;
	cache->read_end = cache->write_end = UINT64_MAX;
	if (!bytes)
		return 0;
	each = bytes / (uint64_t)config->segments / sector_bytes;
	if (each == 0)
		return err_set(e, ERR_CONFIG,
			       "cache.segments = %lld: %lld KiB divided by "
			       "them leave no sector of %u bytes in one",
			       (long long)config->segments,
			       (long long)config->size_kb, sector_bytes);
	cache->segment_sectors = (uint32_t)each;
	cache->count = (uint32_t)config->segments;
	return 0;
}

struct cache_hit
cache_lookup(const struct cache *cache, uint64_t sector, uint32_t count)
{
	struct cache_hit hit = { CACHE_NONE, 0 };

	for (uint32_t i = 0; i < cache->count; i++) {
		const struct cache_segment *s = &cache->segment[i];
		uint64_t there = s->end - sector;

		if (sector < s->first || sector >= s->end)
			continue;
		hit.segment = i;
		hit.count = there < count ? (uint32_t)there : count;
		if (hit.count == count)
			break;
	}
	return hit;
}

nsec_t
cache_hit_ns(const struct cache *cache, uint64_t sector)
{
	return sector == cache->read_end ? cache->config.sequential_hit_ns
					 : cache->config.hit_ns;
}

static void
segment_touch(struct cache *cache, uint32_t segment)
{
	cache->segment[segment].used = ++cache->uses;
}

uint32_t
cache_begin(struct cache *cache, uint64_t sector)
{
	uint32_t oldest = 0;

	if (!cache->count)
		return CACHE_NONE;
	for (uint32_t i = 0; i < cache->count; i++) {
		const struct cache_segment *s = &cache->segment[i];

		if (s->end == sector && s->first < s->end) {
			segment_touch(cache, i);
			return i;
		}
		if (s->used < cache->segment[oldest].used)
			oldest = i;
	}
	cache->segment[oldest].first = sector;
	cache->segment[oldest].end = sector;
	segment_touch(cache, oldest);
	return oldest;
}

void
cache_extend(struct cache *cache, uint32_t segment, uint64_t end)
{
	struct cache_segment *s;

	if (segment == CACHE_NONE)
		return;
	s = &cache->segment[segment];
	assert(end >= s->end);
	s->end = end;
	if (s->end - s->first > cache->segment_sectors)
		s->first = s->end - cache->segment_sectors;
}

void
cache_sent(struct cache *cache, uint32_t segment, uint64_t sector,
	   uint32_t count)
{
	struct cache_segment *s;

	cache->read_end = sector + count;
	cache->write_end = UINT64_MAX;
	if (segment == CACHE_NONE)
		return;
	segment_touch(cache, segment);
	s = &cache->segment[segment];
	if (cache->config.keep_sent || sector + count <= s->first)
		return;
	s->first = sector + count < s->end ? sector + count : s->end;
}

uint64_t
cache_look_ahead_end(const struct cache *cache, uint64_t sector, uint32_t count,
		     uint64_t track_end, uint64_t capacity)
{
	const struct cache_config *c = &cache->config;
	uint64_t end = sector + count, stop;
	uint64_t most = (uint64_t)c->look_ahead_max_sectors;

	if (!cache->count || c->look_ahead == LOOK_AHEAD_OFF)
		return end;
	if (c->look_ahead == LOOK_AHEAD_ADAPTIVE && sector != cache->read_end)
		return end;
	if (most == 0 || most > cache->segment_sectors)
		most = cache->segment_sectors;
	stop = end + most;
	if (c->look_ahead == LOOK_AHEAD_TRACK && stop > track_end)
		stop = track_end;
	return stop < capacity ? stop : capacity;
}

/* Leave of @s what [from, to) does not cover; the longer part if two. */
static void
segment_cut(struct cache_segment *s, uint64_t from, uint64_t to)
{
	if (to <= s->first || from >= s->end)
		return;
	if (from <= s->first && to >= s->end)
		s->first = s->end;
	else if (from - s->first > s->end - to && from > s->first)
		s->end = from;
	else if (to < s->end)
		s->first = to;
	else
		s->end = from;
}

void
cache_written(struct cache *cache, uint64_t sector, uint32_t count)
{
	cache->write_end = sector + count;
	cache->read_end = UINT64_MAX;
	for (uint32_t i = 0; i < cache->count; i++)
		segment_cut(&cache->segment[i], sector, sector + count);
}

void
cache_clear(struct cache *cache)
{
	for (uint32_t i = 0; i < cache->count; i++)
		cache->segment[i].first = cache->segment[i].end;
	cache->read_end = cache->write_end = UINT64_MAX;
}
