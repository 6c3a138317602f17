/* SPDX-License-Identifier: MIT */
#include "sim/core/wide.h"

uint64_t
wide_sqrt(uint128_t x)
{
	uint128_t rest = x, root = 0, bit = (uint128_t)1 << 126;

	while (bit > x)
		bit >>= 2;
	for (; bit; bit >>= 2) {
		if (rest >= root + bit) {
			rest -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	assert(root * root <= x);
	return (uint64_t)root;
}
