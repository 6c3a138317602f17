# Several elevators on the same input, side by side.
trace=traces/samples/randread-qd128
t() { echo "\$ $*"; "$@" 2>&1; echo "-> $?"; }
t ncqsim run $trace -e all
t ncqsim run $trace -e noop,cfq:slice_idle=0,quantum=8 --md
t ncqsim run $trace -e all --set host.kernel=modern --csv -o "$TMP/all.csv"
grep 'iops\|figure' "$TMP/all.csv"
t ncqsim run --workload randread,count=500 -e noop,deadline
# A pipe is read once; each result is the one that a run alone gives.
ncqsim run - -e deadline,noop --json --quiet <$trace/randread-qd128.blktrace.0 \
	>"$TMP/both.json"
for e in deadline noop; do
	ncqsim run - -e $e --json --quiet <$trace/randread-qd128.blktrace.0
done >"$TMP/alone.json"
grep '"hash"' "$TMP/both.json" | tr -d ' ,' >"$TMP/a"
grep '"hash"' "$TMP/alone.json" | tr -d ' ,' >"$TMP/b"
cmp "$TMP/a" "$TMP/b" && echo same
t ncqsim run $trace -e noop,,cfq
t ncqsim run $trace -e noop,kyber
t ncqsim run $trace -e all --requests "$TMP/r.csv"
t ncqsim run $trace -e all -o "$(ls $trace/*blktrace.0 | head -n 1)"
