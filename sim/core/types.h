/* SPDX-License-Identifier: MIT */
/*
 * Scalars with a unit, and the few helpers that every module needs.
 */
#ifndef NCQSIM_CORE_TYPES_H
#define NCQSIM_CORE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Simulated time or a duration in nanoseconds; 2^63 ns is 292 years. */
typedef int64_t nsec_t;

/* Logical block address or count in 512-byte sectors, as blktrace counts. */
typedef uint64_t sector_t;

#define NSEC_PER_USEC INT64_C(1000)
#define NSEC_PER_MSEC INT64_C(1000000)
#define NSEC_PER_SEC  INT64_C(1000000000)
#define NSEC_PER_MIN  INT64_C(60000000000)

#define SECTOR_BYTES 512u

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* The object of type TYPE whose member MEMBER is at PTR. */
#define container_of(ptr, type, member)                                        \
	((type *)(void *)((char *)(ptr)-offsetof(type, member)))

/* What hardly ever runs stays out of the way of what always does. */
#define cold_path __attribute__((cold, noinline))
/* For the event path, where a call was measured to cost. */
#define hot_inline inline __attribute__((always_inline))

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#endif
