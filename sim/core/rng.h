/* SPDX-License-Identifier: MIT */
/*
 * Pseudo-random numbers: xoshiro256** (Blackman and Vigna, "Scrambled
 * linear pseudorandom number generators", 2018) in named streams.
 *
 * A stream is made from the run's seed and its own name, so that adding a
 * consumer never changes what the others draw.  Everything is in integers:
 * the same seed gives the same numbers with any compiler.
 */
#ifndef NCQSIM_CORE_RNG_H
#define NCQSIM_CORE_RNG_H

#include "sim/core/types.h"
#include "sim/core/wide.h"

struct rng {
	uint64_t s[4];
};

/* Start the stream called @stream of the run with @seed. */
void rng_init(struct rng *rng, uint64_t seed, const char *stream);

static inline uint64_t
rng_rotl(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

/* 64 random bits. */
static inline uint64_t
rng_next(struct rng *rng)
{
	uint64_t *s = rng->s;
	uint64_t result = rng_rotl(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rng_rotl(s[3], 45);
	return result;
}

/* Uniform in [0, n), without bias; n is 1 or more. */
uint64_t rng_below_slow(struct rng *rng, uint64_t n, uint128_t product);

static inline uint64_t
rng_below(struct rng *rng, uint64_t n)
{
	/* Lemire, "Fast random integer generation in an interval", 2019. */
	uint128_t product = (uint128_t)rng_next(rng) * n;

	if (unlikely((uint64_t)product < n))
		return rng_below_slow(rng, n, product);
	return (uint64_t)(product >> 64);
}

/* True @parts times out of 1 000 000. */
static inline bool
rng_chance_ppm(struct rng *rng, uint32_t parts)
{
	return rng_below(rng, 1000000) < parts;
}

/*
 * Exponentially distributed with @mean_ns, 0 or more; the longest value is
 * about 44 times the mean.  The mean is below 2^57 ns.
 */
nsec_t rng_exponential_ns(struct rng *rng, nsec_t mean_ns);

/*
 * Near-normal with mean zero and standard deviation @sigma_ns: the sum of
 * twelve uniform numbers less six, so never beyond 6 sigma.  The deviation
 * is below 2^58 ns.
 */
nsec_t rng_normal_ns(struct rng *rng, nsec_t sigma_ns);

#endif
