/* SPDX-License-Identifier: MIT */
/*
 * The first command of the order in which the last one ends soonest, by
 * search of all orders; for teaching and for bounds, since no drive has the
 * time.  With more than eight commands it is sptf of the oldest eight.
 *
 * Not all n! orders need be tried: of those that serve the same commands and
 * end with the same one, only the one that ends soonest matters, because an
 * access that begins earlier never ends later.  So it is a table by set and
 * last command (Held and Karp, "A dynamic programming approach to sequencing
 * problems", 1962).  It knows the mechanism exactly: guard time and errors do
 * not count.
 */
#include "models/firmware/rules.h"

extern const struct firmware_ops firmware_sptf;

#define SEARCH_MAX 8u

/* The best way to serve a set of commands with a given last one. */
struct way {
	nsec_t end_ns;      /* after the dispatch; INT64_MAX: none yet */
	uint32_t cyl, head; /* where the arm ends */
	uint8_t first;      /* index of its first command */
};

struct search {
	const struct drive_view *view;
	uint32_t count;
	uint8_t tag[SEARCH_MAX]; /* oldest first */
	struct way way[1u << SEARCH_MAX][SEARCH_MAX];
};

static struct mech_range
range_of(const struct drive_queue *queue, uint32_t tag)
{
	return (struct mech_range){ queue->first[tag], queue->sectors[tag],
				    queue->writes >> tag & 1 };
}

/* Serve @next when the arm is at @mech, @after_ns after the dispatch. */
static struct way
way_on(const struct search *s, const struct mech *mech, nsec_t after_ns,
       uint64_t next_sector, uint32_t next)
{
	const struct drive_view *view = s->view;
	uint32_t tag = s->tag[next];
	struct mech_range range = range_of(view->queue, tag);
	struct mech_access access;

	mech_access(mech, view->now_ns + after_ns,
		    range.sector == next_sector ? 0 : view->overhead_ns, &range,
		    &view->queue->target[tag], &access);
	return (struct way){ .end_ns = after_ns + access.end_ns,
			     .cyl = access.cyl,
			     .head = access.head };
}

/* Lengthen the way that ends with @last of @set by every other command. */
static void
extend(struct search *s, uint32_t set, uint32_t last)
{
	const struct way *way = &s->way[set][last];
	struct mech_range range = range_of(s->view->queue, s->tag[last]);
	struct mech mech = *s->view->mech;

	mech.cyl = way->cyl;
	mech.head = way->head;
	for (uint32_t next = 0; next < s->count; next++) {
		struct way *best = &s->way[set | 1u << next][next];
		struct way longer;

		if (set >> next & 1)
			continue;
		longer = way_on(s, &mech, way->end_ns,
				range.sector + range.count, next);
		longer.first = way->first;
		if (longer.end_ns < best->end_ns ||
		    (longer.end_ns == best->end_ns &&
		     longer.first < best->first))
			*best = longer;
	}
}

static void
search_all(struct search *s)
{
	uint32_t sets = 1u << s->count;

	for (uint32_t set = 0; set < sets; set++)
		for (uint32_t i = 0; i < s->count; i++)
			s->way[set][i].end_ns = INT64_MAX;
	for (uint32_t i = 0; i < s->count; i++) {
		struct way *way = &s->way[1u << i][i];

		*way = way_on(s, s->view->mech, 0, s->view->next_sector, i);
		way->first = (uint8_t)i;
	}
	for (uint32_t set = 1; set < sets - 1; set++)
		for (uint32_t i = 0; i < s->count; i++)
			if (s->way[set][i].end_ns != INT64_MAX)
				extend(s, set, i);
}

static uint32_t
search_pick(const struct drive_view *view)
{
	struct search s = { .view = view };
	const struct way *all, *best;

	for (uint32_t rest = view->tags; rest;) {
		uint32_t bit = rules_oldest(view, rest, 1);

		s.tag[s.count++] = (uint8_t)__builtin_ctz(bit);
		rest &= ~bit;
	}
	search_all(&s);
	all = s.way[(1u << s.count) - 1];
	best = all;
	for (uint32_t i = 1; i < s.count; i++)
		if (all[i].end_ns < best->end_ns ||
		    (all[i].end_ns == best->end_ns &&
		     all[i].first < best->first))
			best = &all[i];
	return s.tag[best->first];
}

static uint32_t
optimal_pick(const struct drive_view *view)
{
	struct drive_view oldest = *view;

	if ((uint32_t)__builtin_popcount(view->tags) <= SEARCH_MAX)
		return search_pick(view);
	oldest.tags = rules_oldest(view, view->tags, SEARCH_MAX);
	return firmware_sptf.pick(&oldest);
}

const struct firmware_ops firmware_optimal = {
	.name = "optimal",
	.help = "the order that ends soonest, of up to 8 commands; beyond, "
		"sptf of the oldest 8",
	.why = "the first of the order that ends soonest",
	.pick = optimal_pick,
};
