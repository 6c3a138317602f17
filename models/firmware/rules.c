/* SPDX-License-Identifier: MIT */
#include "models/firmware/rules.h"

/* ---- the keys in force ---- */

void
rules_init(struct firmware_config *rules, const struct firmware_config *config,
	   const struct firmware_ops *ops)
{
	*rules = *config;
	if (rules->age_credit == 0)
		rules->age_credit = ops->age_credit;
	if (rules->window == 0)
		rules->window = ops->window;
}

bool
rules_restrict_always(const struct firmware_config *rules)
{
	return rules->stream_first || rules->window;
}

/* ---- candidates ---- */

static uint32_t
tag_bit(uint32_t tag)
{
	return UINT32_C(1) << tag;
}

/* The oldest of @tags. */
static uint32_t
oldest_of(const struct drive_queue *queue, uint32_t tags)
{
	uint32_t oldest = (uint32_t)__builtin_ctz(tags);

	for (uint32_t rest = tags & (tags - 1); rest; rest &= rest - 1) {
		uint32_t tag = (uint32_t)__builtin_ctz(rest);

		if (queue->age[tag] < queue->age[oldest])
			oldest = tag;
	}
	return oldest;
}

/* Ordinals of arrival are unique; with the tag below they are a sort key. */
static uint64_t
age_key(const struct drive_queue *queue, uint32_t tag)
{
	return queue->age[tag] * QUEUE_TAGS + tag;
}

/* Put @key among the @used smallest so far, of which @most are kept. */
static uint32_t
keep_smallest(uint64_t *keys, uint32_t used, uint32_t most, uint64_t key)
{
	uint32_t at = used;

	if (used == most) {
		if (key > keys[used - 1])
			return used;
		at = used - 1;
	}
	for (; at > 0 && keys[at - 1] > key; at--)
		keys[at] = keys[at - 1];
	keys[at] = key;
	return used < most ? used + 1 : used;
}

uint32_t
rules_oldest(const struct drive_view *view, uint32_t tags, uint32_t count)
{
	uint64_t keys[QUEUE_TAGS];
	uint32_t used = 0, found = 0;

	if (count > QUEUE_TAGS)
		count = QUEUE_TAGS;
	for (uint32_t rest = tags; rest && count; rest &= rest - 1)
		used = keep_smallest(
			keys, used, count,
			age_key(view->queue, (uint32_t)__builtin_ctz(rest)));
	for (uint32_t i = 0; i < used; i++)
		found |= tag_bit((uint32_t)(keys[i] % QUEUE_TAGS));
	return found;
}

/* The oldest when it is over age, else nothing. */
static uint32_t
over_age(const struct drive_view *view, uint32_t tags)
{
	nsec_t limit_ns = view->firmware->age_limit_ns;
	uint32_t oldest;

	if (!limit_ns || view->now_ns - view->oldest_ns <= limit_ns)
		return 0;
	oldest = oldest_of(view->queue, tags);
	if (view->now_ns - view->queue->arrived_ns[oldest] <= limit_ns)
		return 0;
	return tag_bit(oldest);
}

/* The isochronous command with the earliest deadline, when that is near. */
static uint32_t
near_deadline(const struct drive_view *view, uint32_t tags)
{
	const struct drive_queue *queue = view->queue;
	nsec_t near_ns = view->now_ns + view->firmware->deadline_margin_ns;
	uint32_t found = 0;

	if (!view->firmware->priority)
		return 0;
	for (tags &= queue->isochronous; tags; tags &= tags - 1) {
		uint32_t tag = (uint32_t)__builtin_ctz(tags);

		if (queue->deadline_ns[tag] <= near_ns) {
			near_ns = queue->deadline_ns[tag] - 1;
			found = tag_bit(tag);
		}
	}
	return found;
}

static uint32_t
high_priority(const struct drive_view *view, uint32_t tags)
{
	return view->firmware->priority ? tags & view->queue->high : 0;
}

/* The next of the stream; of several that begin there the oldest. */
static uint32_t
stream_next(const struct drive_view *view, uint32_t tags)
{
	if (!view->firmware->stream_first)
		return 0;
	tags &= view_chained(view);
	return tags ? tag_bit(oldest_of(view->queue, tags)) : 0;
}

static uint32_t
in_window(const struct drive_view *view, uint32_t tags)
{
	uint32_t window = (uint32_t)view->firmware->window;

	return window ? rules_oldest(view, tags, window) : 0;
}

uint32_t
rules_restrict(const struct drive_view *view, enum probe_rule *deciding)
{
	static const struct {
		uint32_t (*restrict_to)(const struct drive_view *view,
					uint32_t tags);
		enum probe_rule rule;
	} rules[] = {
		{ over_age, PROBE_RULE_AGE },
		{ near_deadline, PROBE_RULE_DEADLINE },
		{ high_priority, PROBE_RULE_PRIORITY },
		{ stream_next, PROBE_RULE_STREAM },
		{ in_window, PROBE_RULE_WINDOW },
	};
	uint32_t tags = view->tags;

	*deciding = PROBE_RULE_NONE;
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		uint32_t fewer = rules[i].restrict_to(view, tags);

		assert((fewer & ~tags) == 0);
		if (!fewer || fewer == tags)
			continue;
		tags = fewer;
		*deciding = rules[i].rule;
		if ((tags & (tags - 1)) == 0)
			break;
	}
	return tags;
}

/* ---- estimates ---- */

#define WAIT_MAX_NS (24 * 3600 * NSEC_PER_SEC) /* more earns no credit */

nsec_t
rules_credit_ns(const struct drive_view *view, uint32_t tag)
{
	nsec_t waited_ns = view->now_ns - view->queue->arrived_ns[tag];

	if (waited_ns > WAIT_MAX_NS)
		waited_ns = WAIT_MAX_NS;
	return waited_ns * view->firmware->age_credit / 1000;
}

nsec_t
rules_move_ns(const struct drive_view *view, uint32_t tag)
{
	const struct drive_queue *queue = view->queue;
	nsec_t ns = mech_seek_ns(view->mech, &queue->target[tag],
				 queue->writes >> tag & 1);

	if (!view->firmware->seek_error_ns || ns == 0)
		return ns;
	ns += queue->seek_error_ns[tag];
	return ns < 0 ? 0 : ns;
}

nsec_t
rules_start_ns(const struct drive_view *view, uint64_t phase, uint32_t tag)
{
	const struct spindle *sp = &view->mech->spindle;
	uint64_t slot = view->queue->target[tag].slot_ticks;
	nsec_t ready_ns;

	/* Streaming on needs no estimate. */
	if (view->queue->first[tag] == view->next_sector ||
	    !(view->firmware->seek_error_ns | view->firmware->rotate_error_ns))
		return spindle_total_ns(sp, view_start_total(view, phase, tag));
	if (view->firmware->rotate_error_ns)
		slot = (slot + view->queue->rotate_error_ticks[tag]) %
		       sp->rev.d;
	ready_ns = view_delay_ns(view, tag) + rules_move_ns(view, tag);
	return spindle_total_ns(
		sp, view_guarded(view, ready_ns,
				 spindle_pass(sp, phase, slot, ready_ns)));
}

uint32_t
rules_pick_start(const struct drive_view *view)
{
	uint64_t phase = spindle_phase(&view->mech->spindle, view->now_ns);
	nsec_t least = INT64_MAX;
	uint32_t best = QUEUE_TAGS;

	for (uint32_t rest = view->tags; rest; rest &= rest - 1) {
		uint32_t tag = (uint32_t)__builtin_ctz(rest);
		nsec_t score = rules_start_ns(view, phase, tag) -
			       rules_credit_ns(view, tag);

		if (score < least ||
		    (score == least &&
		     view->queue->age[tag] < view->queue->age[best])) {
			least = score;
			best = tag;
		}
	}
	return best;
}

/* ---- bounds ---- */

static uint64_t
accesses_in(nsec_t span_ns, const struct firmware_limits *limits)
{
	assert(limits->access_min_ns > 0);
	return (uint64_t)(span_ns / limits->access_min_ns) + 1;
}

/*
 * An age limit: younger commands are chosen only until it is reached; then
 * only what is older still comes first.
 */
uint64_t
rules_passed_max(const struct firmware_ops *ops,
		 const struct firmware_config *rules,
		 const struct firmware_limits *limits)
{
	uint64_t own = FIRMWARE_UNBOUNDED, aged = FIRMWARE_UNBOUNDED;

	/* A stream can be endless; a window may hide the next of a sweep. */
	if (ops->passed_max && !rules->stream_first &&
	    rules->window == ops->window)
		own = ops->passed_max(rules, limits);
	if (rules->age_limit_ns)
		aged = accesses_in(rules->age_limit_ns, limits);
	return own < aged ? own : aged;
}
