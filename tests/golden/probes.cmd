# Observers change nothing: the same result with and without them.
run="ncqsim run traces/samples/randread-qd128 -e deadline -q 8 --quiet"
$run --json -o "$TMP/alone.json"
$run --json -o "$TMP/watched.json" --compare --blktrace "$TMP/sim" \
	--requests "$TMP/requests.csv"
for file in alone watched; do
	sed -n 's/^ *"hash": //p' "$TMP/$file.json"
done | sort | uniq -c
# What was written is a trace like any other: from D it holds what was issued.
ncqsim trace info "$TMP/sim" | head -n 3
ncqsim run "$TMP/sim" --from D --quiet | head -n 1
