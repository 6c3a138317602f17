/* SPDX-License-Identifier: MIT */
/*
 * The result hash: 64 bits over every completion in order.  Two runs that
 * complete the same requests at the same times have the same hash.
 */
#ifndef NCQSIM_CORE_HASH_H
#define NCQSIM_CORE_HASH_H

#include "sim/core/types.h"

#define HASH_INITIAL UINT64_C(0x9e3779b97f4a7c15)

/* @hash is HASH_INITIAL at first; the order of the calls counts. */
static inline uint64_t
hash_add(uint64_t hash, nsec_t time_ns, uint64_t lba, uint32_t tag)
{
	uint64_t x = (uint64_t)time_ns * UINT64_C(0xff51afd7ed558ccd);

	x ^= (lba + (uint64_t)tag) * UINT64_C(0xc4ceb9fe1a85ec53);
	x ^= (x >> 29) + ((uint64_t)tag << 47);
	hash = (hash << 25 | hash >> 39) ^ x;
	return hash * UINT64_C(0xd6e8feb86659fd93);
}

/* Mix the state so that every bit of it shows in every bit of the result. */
uint64_t hash_final(uint64_t hash);

/* 64-bit FNV-1a of @size bytes, for names and small inputs. */
uint64_t hash_bytes(const void *data, size_t size);

#endif
