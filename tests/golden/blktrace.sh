#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# What --blktrace writes is read by the real blkparse, btt and iowatcher, and
# btt's averages of Q2C and D2C are ours, to the digit that btt prints.
set -u
export PATH="$PWD/${BUILD_DIR:-build/release}:$PATH" LC_ALL=C
for tool in blkparse btt iowatcher; do
	command -v $tool >/dev/null ||
		{ echo "the Debian package blktrace is not installed"; exit 77; }
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0

# check NAME ARGUMENT...: run, let the tools read it, compare.
check()
{
	local name=$1 result trace=$tmp/$1
	shift
	ncqsim run "$@" --quiet --json -o "$trace.json" --blktrace "$trace" ||
		{ echo "$name: run failed"; bad=1; return; }
	blkparse -q -i "$trace" -d "$trace.bin" -O >"$trace.log" 2>&1 ||
		{ echo "$name: blkparse failed"; bad=1; }
	grep -v '^Input file .* added$' "$trace.log" && bad=1
	(cd "$tmp" && btt -i "$trace.bin") >"$trace.btt" 2>&1 ||
		{ echo "$name: btt failed"; bad=1; }
	(cd "$tmp" && iowatcher -t "$trace" -o "$trace.svg") >"$trace.log" 2>&1
	[ -s "$trace.svg" ] || { echo "$name: iowatcher drew nothing"; bad=1; }
	python3 - "$name" "$trace.json" "$trace.btt" <<'END' || bad=1
import json, sys
name, result, btt = sys.argv[1:]
split = json.load(open(result))["result"]["split"]
wrong = 0
for word in ("Q2C", "D2C"):
    line = [l.split() for l in open(btt) if l.split()[:1] == [word]][0]
    theirs, count = float(line[2]), int(line[4])
    ours = split[word.lower() + "_mean_ns"] / 1e9
    bios = json.load(open(result))["result"]["bios"]
    if abs(ours - theirs) > 1.5e-9 or count != bios:
        print(f"{name}: {word}: btt {theirs:.9f} s, ours {ours:.9f} s")
        wrong = 1
    print(f"{name}: {word} {theirs:.9f} s over {count} bios")
sys.exit(wrong)
END
}

# btt loses a bio when another of the same sector is queued before it is
# complete, as happens in a long backlog; so the capture is slowed down.
check sample traces/samples/randread-qd128 -e deadline --speed 0.05
check random --workload randread,count=2000 --depth 64 -q 8
check sequential --workload write,count=3000 --depth 16
check merged --workload write,count=3000,rate_iops=20000 -q 1
check mixed --workload randrw,count=2000,rate_iops=70 -e deadline
exit $bad
