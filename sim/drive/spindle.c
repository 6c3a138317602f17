/* SPDX-License-Identifier: MIT */
#include "sim/drive/spindle.h"

#include <stdlib.h>
#include <string.h>

static uint64_t
greatest_common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The longest access and a revolution more, in ticks. */
static uint64_t
total_max(const struct spindle *sp)
{
	return (uint64_t)SPINDLE_ACCESS_MAX_NS * sp->ticks_per_ns +
	       2 * sp->rev.d;
}

int
spindle_init(struct spindle *sp, int64_t rpm, const struct geometry *geo,
	     struct err *e)
{
	uint32_t count = geometry_formats(geo);
	uint64_t common;

	assert(rpm > 0);
	memset(sp, 0, sizeof(*sp));
	common = greatest_common_divisor((uint64_t)NSEC_PER_MIN, (uint64_t)rpm);
	sp->rpm = (uint32_t)rpm;
	sp->rev = reciprocal_unbounded((uint64_t)NSEC_PER_MIN / common);
	sp->ticks_per_ns = (uint64_t)rpm / common;
	if (sp->ticks_per_ns > 1)
		sp->per_ns = reciprocal_of(sp->ticks_per_ns,
					   total_max(sp) + sp->ticks_per_ns);
	sp->phase_max_ns = INT64_MAX / (nsec_t)sp->ticks_per_ns;
	sp->formats = calloc(count, sizeof(*sp->formats));
	if (!sp->formats)
		return err_nomem(e);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t spt = geometry_format_spt(geo, i);
		uint64_t most = spt * sp->rev.d + spt;

		if (spt < 2 || (uint128_t)most * spt >> 64) {
			spindle_free(sp);
			return err_set(e, ERR_CONFIG,
				       "%llu sectors per track cannot be "
				       "timed exactly at %lld rpm",
				       (unsigned long long)spt, (long long)rpm);
		}
		sp->formats[i] = reciprocal_of(spt, most);
	}
	return 0;
}

void
spindle_free(struct spindle *sp)
{
	free(sp->formats);
	sp->formats = NULL;
}
