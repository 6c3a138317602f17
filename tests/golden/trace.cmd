# A bundled capture: looked into, replayed in every format.
trace=traces/samples/randread-qd128
ncqsim trace info $trace
ncqsim trace info $trace --json
ncqsim run $trace
ncqsim run $trace --md -q 1 -e deadline
ncqsim run $trace --csv --speed 0.1
ncqsim run $trace --replay depth --depth 4 --set seek.aam_percent=150
# Any way to name it gives the same.
for name in $trace/randread-qd128 $trace/randread-qd128.blktrace.1 \
	"$trace/randread-qd128.blktrace.1 $trace/randread-qd128.blktrace.0"; do
	ncqsim run $name --json | python3 -c '
import json, sys
r = json.load(sys.stdin)
print(r["input"]["records"], r["input"]["hash"], r["result"]["hash"])'
done
