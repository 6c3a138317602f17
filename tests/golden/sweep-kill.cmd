# needs: jansson
# Killed, resumed, out of space: what was finished stays, nothing is redone.
sweep="ncqsim sweep --workload randread,count=20000 --vary queue_depth=1..32 --quiet"
file=$TMP/kill.jsonl
for round in 1 2 3; do
	$sweep -j 2 -o "$file" --resume >/dev/null &
	# Until there is one more than before.
	before=$(cat "$file.part" 2>/dev/null | wc -l)
	for i in $(seq 3000); do
		[ "$(cat "$file.part" 2>/dev/null | wc -l)" -gt "$before" ] &&
			break
		sleep 0.01
	done
	kill -KILL $!
	wait $! 2>/dev/null
done 2>/dev/null
[ -e "$file" ] || echo "not there yet"
[ "$(wc -l <"$file.part")" -ge 4 ] && echo "at least a cell a round"
# The line that was being written when the power went.
head -c 100 "$file.part" | tr -d '\n' >>"$file.part"
sort "$file.part" >"$TMP/before"
$sweep -o "$file"
echo "-> $?"
$sweep -o "$file" --resume --shard 1/2
echo "-> $?"
$sweep -o "$file" --resume --set host.nr_requests=64
echo "-> $?"
ncqsim sweep --workload randread,count=20001 --vary queue_depth=1..32 \
	-o "$file" --resume
echo "-> $?"
sort "$file.part" | cmp - "$TMP/before" && echo untouched
$sweep -o "$file" --resume >"$TMP/shown"
echo "-> $?"
$sweep -o "$TMP/whole.jsonl" >"$TMP/at-once"
cmp "$file" "$TMP/whole.jsonl" && cmp "$TMP/shown" "$TMP/at-once" && echo same
ncqsim sweep --workload randread,count=20000 --vary queue_depth=1..32 \
	-o "$file" --resume >/dev/null
# No more space after some lines.
small="ncqsim sweep --workload randread,count=100 --vary queue_depth=1..32 --quiet"
(
	ulimit -f 8
	$small -o "$TMP/full.jsonl"
	echo "-> $?"
) 2>&1 | sed 's/^bash: //'
tail -c 3 "$TMP/full.jsonl.part"
[ "$(wc -l <"$TMP/full.jsonl.part")" -ge 5 ] && echo "some are kept"
$small -o "$TMP/full.jsonl" --resume >/dev/null
echo "-> $?"
$small -o "$TMP/enough.jsonl" >/dev/null
cmp "$TMP/full.jsonl" "$TMP/enough.jsonl" && echo same
# Asked to stop.
ncqsim sweep --workload randread,count=1000000 --vary queue_depth=1..32 \
	--quiet -o "$TMP/int.jsonl" >/dev/null &
sleep 0.3
kill -INT $!
wait $!
echo "-> $?"
ls "$TMP"
