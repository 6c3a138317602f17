/* SPDX-License-Identifier: MIT */
#include "sim/core/rng.h"

#include "sim/core/hash.h"

#include <assert.h>
#include <string.h>

/* splitmix64 (Steele, Lea and Flood, 2014), as its authors advise for seeds */
static uint64_t
splitmix_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void
rng_init(struct rng *rng, uint64_t seed, const char *stream)
{
	uint64_t state = seed;

	/* Spread the seed first: neighbouring seeds must not meet names. */
	state = splitmix_next(&state) ^ hash_bytes(stream, strlen(stream));
	for (size_t i = 0; i < ARRAY_LEN(rng->s); i++)
		rng->s[i] = splitmix_next(&state);
}

uint64_t
rng_below_slow(struct rng *rng, uint64_t n, uint128_t product)
{
	uint64_t rejected = (0 - n) % n; /* 2^64 mod n */

	assert(n > 0);
	while ((uint64_t)product < rejected)
		product = (uint128_t)rng_next(rng) * n;
	return (uint64_t)(product >> 64);
}

/*
 * 2 * atanh(z) with z and the result in units of 2^-63, z below 0.172: nine
 * terms of z + z^3/3 + z^5/5 ... leave less than 2^-48.
 */
static uint64_t
twice_atanh_q63(uint64_t z)
{
	uint64_t square = wide_mulhi(z, z) << 1;
	uint64_t power = z, sum = 0;

	for (uint64_t k = 1; k <= 17; k += 2) {
		sum += power / k;
		power = wide_mulhi(power, square) << 1;
	}
	return 2 * sum;
}

/* -ln(u / 2^64) in units of 2^-57, 0 to 64 ln 2; u is not 0. */
static uint64_t
minus_ln_q57(uint64_t u)
{
	const uint64_t ln2_q57 = UINT64_C(0x162e42fefa39ef3);
	const uint64_t half_sqrt2_q64 = UINT64_C(0xb504f333f9de6484);
	uint64_t shift = (uint64_t)__builtin_clzll(u);
	uint64_t w = u << shift, one, distance, z;
	uint128_t sum;

	/* u = w * 2^-shift with w within [1/sqrt 2, sqrt 2) of 1 */
	one = (uint64_t)1 << 63;
	if (w < half_sqrt2_q64) {
		shift++; /* w counts in 2^-63 */
		distance = w - one;
		sum = (uint128_t)w + one;
		z = (uint64_t)(((uint128_t)distance << 63) / sum);
		return shift * ln2_q57 - (twice_atanh_q63(z) >> 6);
	}
	/* w counts in 2^-64 */
	distance = 0 - w;
	sum = ((uint128_t)1 << 64) + w;
	z = (uint64_t)(((uint128_t)distance << 63) / sum);
	return shift * ln2_q57 + (twice_atanh_q63(z) >> 6);
}

nsec_t
rng_exponential_ns(struct rng *rng, nsec_t mean_ns)
{
	uint64_t u = rng_next(rng);

	assert(mean_ns >= 0 && mean_ns < (nsec_t)1 << 57);
	if (u == 0)
		u = 1;
	return (nsec_t)(((uint128_t)minus_ln_q57(u) * (uint64_t)mean_ns) >> 57);
}

nsec_t
rng_normal_ns(struct rng *rng, nsec_t sigma_ns)
{
	int64_t sum = -6 * (int64_t)UINT32_MAX;

	assert(sigma_ns >= 0 && sigma_ns < (nsec_t)1 << 58);
	for (int i = 0; i < 6; i++) {
		uint64_t bits = rng_next(rng);

		sum += (int64_t)(bits >> 32) + (int64_t)(bits & UINT32_MAX);
	}
	/* twelve variances of 2^64 / 12 make a deviation of 2^32 */
	return (nsec_t)((int128_t)sum * sigma_ns / ((int128_t)1 << 32));
}
