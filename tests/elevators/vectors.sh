#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The elevator vectors of this folder, for every elevator that has a file in
# models/elevators/.
set -eu
build=${BUILD_DIR:-build/release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xf tests/elevators/vectors.tar.xz
set --
for file in models/elevators/*.c; do
	name=$(basename "$file" .c)
	[ -d "$work/$name" ] && set -- "$@" "$work/$name"
done
"$build/tests/elevators/vectors" "$@"
