# Recorded service times beside simulated ones.
trace=traces/samples/randread-qd128
ncqsim run $trace --compare | sed -n '/^compared/,$p'
ncqsim run $trace --compare --md | tail -n 6
ncqsim run $trace --compare --csv | grep -c '^recorded\|^simulated\|^compare'
ncqsim run $trace --compare --json | python3 -c '
import json, sys
for pair in json.load(sys.stdin)["compare"]:
    print(pair["name"], pair["recorded"]["count"], pair["simulated"]["count"],
          pair["demerit_ns"])'
