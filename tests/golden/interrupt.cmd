# SIGINT in the middle: what is whole is written and marked.
ncqsim run --workload randread,count=1000000000 --json \
	-o "$TMP/result.json" --requests "$TMP/requests.csv" &
sleep 1
kill -INT $!
wait $!
echo "-> $?"
python3 - "$TMP/result.json" "$TMP/requests.csv" <<'END'
import json, sys
result = json.load(open(sys.argv[1]))
lines = open(sys.argv[2]).read()
print(result["complete"], result["result"]["requests"] > 0)
print(lines.endswith("\n"), lines.count("\n") - 1 == result["result"]["requests"])
END
ls "$TMP"
