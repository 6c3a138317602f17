# needs: jansson
# The last word on the command line counts, as option or as --set; and what
# is given by hand counts before all that a result holds.
run="ncqsim run --workload randread,count=300 --depth 16"
show()
{
	python3 -c '
import json, sys
r = json.load(sys.stdin)
c, o = r["configuration"], r["command"]["options"]
print(c["host.queue_depth"], c["run.replay"], c["run.depth"], c["run.beyond"],
      o.get("firmware"), o.get("set"), sep="  ")'
}
t()
{
	echo "\$ $*"
	"$@" --json | show
}
t $run -q 8 --set host.queue_depth=4
t $run --set host.queue_depth=4 -q 8
t $run --depth 3 --set run.depth=5
t $run --set run.beyond=wrap --beyond drop
t $run --beyond drop --set run.beyond=wrap
t $run --set firmware.guard_us=7 --set firmware.policy=look -p sptf:guard_us=9
echo "which policy"
$run -p fcfs --set firmware.policy=sptf | grep firmware
$run -p fcfs --set firmware.policy=sptf --requests "$TMP/a.csv" -o /dev/null
$run -p sptf --requests "$TMP/b.csv" -o /dev/null
cmp "$TMP/a.csv" "$TMP/b.csv"
$run --set host.queue_depth=4 --set firmware.guard_us=7 -e deadline \
	--set elevator.fifo_batch=2 --json -o "$TMP/k.json"
t ncqsim run "$TMP/k.json"
t ncqsim run "$TMP/k.json" -q 1
t ncqsim run "$TMP/k.json" --set host.queue_depth=2 -p sptf:guard_us=9
t ncqsim run "$TMP/k.json" -e noop
t ncqsim run "$TMP/k.json" --set run.depth=2
echo "a result brings no code"
sed 's#"deadline"#"./evil.so"#' "$TMP/k.json" >"$TMP/evil.json"
ncqsim run "$TMP/evil.json"
echo "-> $?"
ncqsim explain "$TMP/evil.json" --at 1s
echo "-> $?"
t ncqsim run "$TMP/evil.json" -e noop
echo "one format"
ncqsim run "$TMP/k.json" --json --csv
echo "-> $?"
