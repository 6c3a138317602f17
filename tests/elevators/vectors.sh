#!/bin/sh
# SPDX-License-Identifier: MIT
# The elevator vectors that are in the tree.
if [ -z "$(find tests/elevators -name '*.in' | head -n 1)" ]; then
	echo "no vectors in tests/elevators"
	exit 77
fi
exec "$BUILD_DIR/tests/elevators/vectors" tests/elevators
