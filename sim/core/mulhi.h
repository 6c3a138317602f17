/* SPDX-License-Identifier: MIT */
/*
 * Division by a constant that is known only at run time, as a multiply.
 *
 * With m = floor(2^64 / d) + 1, floor(n / d) is the high word of n * m while
 * n * d < 2^64.  Without that bound, floor(2^64 / d) gives a quotient that
 * is at most one too small.  (Granlund and Montgomery, PLDI 1994.)
 */
#ifndef NCQSIM_CORE_MULHI_H
#define NCQSIM_CORE_MULHI_H

#include <assert.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 uint128_t;

static inline uint64_t
mulhi64(uint64_t a, uint64_t b)
{
	return (uint64_t)((uint128_t)a * b >> 64);
}

/* A divisor with its multiplier for quotients up to a stated bound. */
struct divisor {
	uint64_t d;
	uint64_t m;
};

/* @d is 1 or more; every dividend will be at most @n_max. */
static inline struct divisor
divisor_make(uint64_t d, uint64_t n_max)
{
	assert(d > 0);
	assert(d == 1 || (uint128_t)n_max * d >> 64 == 0);
	(void)n_max;
	return (struct divisor){ d, d == 1 ? 0 : UINT64_MAX / d + 1 };
}

static inline uint64_t
divisor_quotient(struct divisor div, uint64_t n)
{
	return div.m ? mulhi64(n, div.m) : n;
}

static inline uint64_t
divisor_quotient_up(struct divisor div, uint64_t n)
{
	return divisor_quotient(div, n + div.d - 1);
}

/* A divisor for dividends of any size: one correction instead of a bound. */
static inline uint64_t
reciprocal_make(uint64_t d)
{
	assert(d > 1);
	/* floor(2^64 / d), which UINT64_MAX / d misses when d divides it. */
	return UINT64_MAX / d + (UINT64_MAX % d == d - 1);
}

static inline uint64_t
reciprocal_quotient(uint64_t n, uint64_t d, uint64_t r)
{
	uint64_t q = mulhi64(n, r);

	return q + (n - q * d >= d);
}

#endif
