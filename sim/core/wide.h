/* SPDX-License-Identifier: MIT */
/*
 * 128-bit helpers and division by a constant through its reciprocal.
 */
#ifndef NCQSIM_CORE_WIDE_H
#define NCQSIM_CORE_WIDE_H

#include <assert.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 uint128_t;
__extension__ typedef __int128 int128_t;

/* The upper 64 bits of a * b. */
static inline uint64_t
wide_mulhi(uint64_t a, uint64_t b)
{
	return (uint64_t)(((uint128_t)a * b) >> 64);
}

/*
 * m = floor(2^64 / d) + 1: then floor(n / d) = mulhi(n, m) without any
 * correction for every n with n * d < 2^64 (the error of m is at most one
 * part in 2^64 / d).  d is 2 or more.
 */
struct reciprocal {
	uint64_t m;
	uint64_t d;
};

/* @n_max is the largest number that will be divided. */
static inline struct reciprocal
reciprocal_of(uint64_t d, uint64_t n_max)
{
	struct reciprocal r;

	assert(d >= 2);
	assert((uint128_t)n_max * d < (uint128_t)1 << 64);
	(void)n_max;
	r.m = (uint64_t)(((uint128_t)1 << 64) / d) + 1;
	r.d = d;
	return r;
}

static inline uint64_t
reciprocal_div(struct reciprocal r, uint64_t n)
{
	return wide_mulhi(n, r.m);
}

static inline uint64_t
reciprocal_mod(struct reciprocal r, uint64_t n)
{
	return n - wide_mulhi(n, r.m) * r.d;
}

/* ceil(n / d); n + d - 1 must be within the bound. */
static inline uint64_t
reciprocal_div_up(struct reciprocal r, uint64_t n)
{
	return wide_mulhi(n + r.d - 1, r.m);
}

/*
 * For dividends of any size: m = floor(2^64 / d) gives a quotient that is at
 * most one too small, so the remainder needs one conditional subtraction.
 */
static inline struct reciprocal
reciprocal_unbounded(uint64_t d)
{
	assert(d >= 2);
	return (struct reciprocal){
		.m = (uint64_t)(((uint128_t)1 << 64) / d),
		.d = d,
	};
}

static inline uint64_t
reciprocal_unbounded_div(struct reciprocal r, uint64_t n)
{
	uint64_t quotient = wide_mulhi(n, r.m);

	return quotient + (n - quotient * r.d >= r.d);
}

static inline uint64_t
reciprocal_unbounded_mod(struct reciprocal r, uint64_t n)
{
	uint64_t rest = n - wide_mulhi(n, r.m) * r.d;

	return rest < r.d ? rest : rest - r.d;
}

/* floor(sqrt(x)). */
uint64_t wide_sqrt(uint128_t x);

#endif
