/* SPDX-License-Identifier: MIT */
#include "sim/drive/decision.h"

#include "models/firmware/rules.h"

/* The shortest seek is nearly all settling; a longer one has as much. */
static nsec_t
settle_ns(const struct mech *mech, nsec_t seek_ns, bool write)
{
	nsec_t shortest_ns;

	if (seek_ns == 0 || mech->seek->cylinders < 2)
		return 0;
	shortest_ns = seek_time_ns(mech->seek, 1, false, write);
	return shortest_ns < seek_ns ? shortest_ns : seek_ns;
}

static void
candidate_describe(struct probe_candidate *c, const struct drive_view *view,
		   uint64_t phase, uint32_t tag)
{
	const struct drive_queue *queue = view->queue;
	struct mech_range range = {
		.sector = queue->first[tag],
		.count = queue->sectors[tag],
		.write = queue->writes >> tag & 1,
	};
	struct mech_access access;

	mech_access(view->mech, view->now_ns, view_delay_ns(view, tag), &range,
		    &queue->target[tag], &access);
	*c = (struct probe_candidate){
		.arrived_ns = queue->arrived_ns[tag],
		.overhead_ns = view_delay_ns(view, tag),
		.settle_ns = settle_ns(view->mech, access.seek_ns, range.write),
		.switch_ns = access.switch_ns,
		.rotate_ns = access.rotate_ns,
		.transfer_ns = access.transfer_ns,
		.total_ns = access.end_ns,
		.start_ns = access.start_ns,
		.expected_ns = rules_start_ns(view, phase, tag),
		.credit_ns = rules_credit_ns(view, tag),
		.lba = range.sector,
		.sectors = range.count,
		.seek_cyl = access.seek_cyl,
		.tag = (uint8_t)tag,
		.is_write = range.write,
		.is_allowed = view->tags >> tag & 1,
		.is_chained = range.sector == view->next_sector,
		.is_high = queue->high >> tag & 1,
	};
	c->seek_ns = access.seek_ns - c->settle_ns;
}

void
decision_describe(struct probe_decision *decision,
		  const struct drive_view *view, uint32_t tag)
{
	uint64_t phase = spindle_phase(&view->mech->spindle, view->now_ns);

	decision->time_ns = view->now_ns;
	decision->count = 0;
	for (uint32_t rest = view->queue->tags; rest;) {
		uint32_t bit = rules_oldest(view, rest, 1);
		uint32_t oldest = (uint32_t)__builtin_ctz(bit);

		if (oldest == tag)
			decision->chosen = decision->count;
		candidate_describe(&decision->candidate[decision->count++],
				   view, phase, oldest);
		rest &= ~bit;
	}
	assert(decision->candidate[decision->chosen].tag == tag);
}
