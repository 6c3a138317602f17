# needs: jansson
# A decision of the firmware, by time and by request, and what cannot be asked.
say() { echo "\$ ncqsim explain $*"; ncqsim explain "$@" 2>&1; status=$?; [ $status = 0 ] || echo "-> $status"; echo; }
trace=traces/samples/randread-qd128
load="--workload randread,bs=4k,size=32g,count=500 --depth 8"
say $trace -e deadline -q 8 --at 39.4ms
say $load -d maxtor-7b300s0 --request 17
say $load -d maxtor-7b300s0 --request 17 -p fcfs
say $load -d maxtor-7b300s0 --at 0.5s -p sptf-aged
say $load --at 0.5s -p c-look:window=3
say $load --at 1s -p sptf:age_limit_ms=60
say --workload read,bs=64k,count=100 --depth 4 --at 20ms -p sptf:stream_first=yes
say --workload randread,bs=4k,count=500,cmdprio_percentage=30 --depth 8 --at 0.45s --set host.ncq_prio=yes
say $load -q 1 --at 1s --json
# A result names the run; the choice is the same.
ncqsim run $trace -q 8 --compare --json --quiet -o "$TMP/run.json"
ncqsim explain "$TMP/run.json" --request 40 -o "$TMP/a"
ncqsim explain $trace -q 8 --request 40 -o "$TMP/b"
cmp "$TMP/a" "$TMP/b" && echo the same
# The time after the last choice is the last choice; before the first, the first.
for at in 0 100s 100; do
	ncqsim explain $load --at $at 2>&1 | head -n 1
done
say $trace
say $trace --at 1ms --request 3
say $trace --request 100000
say $trace --at noon
say --at 1
