#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Every kind of plot, large and very small, against accepted pictures.  The
# data are made up here, so that only drawing decides.
set -eu
build=$PWD/${BUILD_DIR:-build/release}
for library in cairo jansson; do
	if ! "$build/ncqsim" version | grep -q "^  $library  *present"; then
		echo "built without $library"
		exit 77
	fi
done
# What fontconfig keeps is not ours.
export LSAN_OPTIONS=suppressions=$PWD/tests/golden/lsan-suppressions
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
plot() { "$build/ncqsim" plot "$@"; }

python3 - "$tmp" <<'END'
import sys
for name, factor in ("first", 1), ("second", 2):
    with open(f"{sys.argv[1]}/{name}.csv", "w") as out:
        out.write("pid,lba,queued_ns,completed_ns,q2c_ns,started_ns,done_ns,"
                  "seek_cyl\n")
        for i in range(400):
            x = i * 7919 % 400
            wait = (2000000 + x * 40000) * factor
            out.write(f"{1 + i % 3},{x * 1000000},{i * 1000000},"
                      f"{i * 1000000 + wait},{wait},0,{wait},{x * factor}\n")
END
"$build/ncqsim" sweep --workload randread,count=100 --quiet \
	--vary queue_depth=1..32*2 --vary elevator=noop,deadline,cfq \
	-o "$tmp/sweep.jsonl" >"$tmp/table"
for size in 400x300 160x120; do
	for kind in depth latency heatmap; do
		plot "$tmp/sweep.jsonl" -k $kind --size $size \
			-o "$tmp/$kind-$size.png"
	done
	for kind in cdf hist scatter timeline seek; do
		plot "$tmp/first.csv" "$tmp/second.csv" -k $kind --rpm 7200 \
			--size $size -o "$tmp/$kind-$size.png"
	done
	plot "$tmp/first.csv" -k offset --size $size -o "$tmp/offset-$size.png"
done
python3 tests/golden/plot.py tests/golden/plot.accepted \
	"$tmp"/{cdf,hist,scatter,timeline,seek,offset}-*.png
# Simulated numbers may change: only their edges are looked at.
UPDATE=1 python3 tests/golden/plot.py "$tmp/not-kept" \
	"$tmp"/{depth,latency,heatmap}-*.png

plot "$tmp/first.csv" -k cdf -o "$tmp/x.svg" --gnuplot "$tmp/x.gp" \
	--data "$tmp/x.data"
plot "$tmp/first.csv" -k cdf -o "$tmp/x.pdf"
head -c 5 "$tmp/x.pdf" | grep -q '%PDF-'
grep -q '</svg>' "$tmp/x.svg"
grep -q '^plot \$d0' "$tmp/x.gp"
[ "$(wc -l <"$tmp/x.data")" = 401 ]
[ "$(tail -n 1 "$tmp/x.data")" = '"first",17.96,100' ]
for bad in "-k cdf -o x.gif" "-k cdf" "-k cdf --size 10x10 -o x.svg" \
	"-k depth -o x.svg"; do
	status=0
	# shellcheck disable=SC2086
	plot "$tmp/first.csv" $bad 2>/dev/null || status=$?
	if [ $status != 2 ] && [ $status != 3 ]; then
		echo "plot $bad: status $status"
		exit 1
	fi
done
