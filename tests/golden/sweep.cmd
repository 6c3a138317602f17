# needs: jansson
# Every combination; the same bytes whatever -j; shards merge to the whole.
trace=traces/samples/randread-qd128
t() { echo "\$ $*"; "$@" 2>&1; echo "-> $?"; }
two="$trace --vary queue_depth=1..32*4 --vary elevator=all"
t ncqsim sweep $two -j 1 -o "$TMP/one.jsonl"
t ncqsim sweep $two -j 2 -o "$TMP/two.jsonl" --metric p99_ms --md
cmp "$TMP/one.jsonl" "$TMP/two.jsonl" && echo same
for i in 1 2 3; do
	SLURM_ARRAY_TASK_ID=$((i - 1)) SLURM_ARRAY_TASK_MIN=0 \
		SLURM_ARRAY_TASK_COUNT=3 \
		ncqsim sweep $two -o "$TMP/part$i.jsonl" --csv | wc -l
done
t ncqsim merge "$TMP/part3.jsonl" "$TMP/part1.jsonl" -o "$TMP/all.jsonl"
t ncqsim merge "$TMP"/part?.jsonl -o "$TMP/all.jsonl" --quiet
cmp "$TMP/one.jsonl" "$TMP/all.jsonl" && echo same
# A cell is the run that its options describe.
ncqsim run $trace -q 16 -e deadline --json | grep '"hash"' | tail -n 1
grep '"queue_depth":"16","elevator":"deadline"' "$TMP/one.jsonl" |
	grep -o '"hash":"[0-9a-f]*"'
t ncqsim sweep --workload randread,count=200 --vary depth=1,8 --reps 4
t ncqsim sweep --workload randread,count=200 --vary workload.bs=4k..64k*4 \
	--vary depth=4,2,1 --zip --metric mib_per_s
# What is wrong, and what would be right.
for bad in 'queue_depth' 'queue_depth=' 'queue_depth=1,,2' 'queue_dept=1' \
	'queue_depth=5..1' 'queue_depth=1..4x' 'queue_depth=1..4*1' \
	'queue_depth=33' 'elevator=kyber' 'from=Q,D' 'host.nothing=1' \
	'workload.bs=4k'; do
	t ncqsim sweep $trace --vary "$bad"
done
t ncqsim sweep $trace --vary depth=1,2 --vary queue_depth=1..3 --zip
t ncqsim sweep $trace --vary depth=1,2 --vary depth=3
t ncqsim sweep $trace --vary depth=1,2 --reps 3
t ncqsim sweep $trace --vary depth=1,2 --shard 4/3
t ncqsim sweep $trace --vary depth=1,2 --metric p98_ms
t ncqsim sweep $trace --replay depth --vary depth=1,2 --resume
t ncqsim merge
t ncqsim merge README.md
