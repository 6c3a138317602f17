# needs: jansson
# A result runs again, bit for bit; with an option it runs differently; one
# that no longer fits is refused.
ncqsim run --workload randread,count=300 -q 4 --depth 16 \
	--set seek.aam_percent=150 --json -o "$TMP/first.json"
echo "-> $?"
ncqsim run "$TMP/first.json" --json -o "$TMP/again.json"
echo "-> $?"
cmp "$TMP/first.json" "$TMP/again.json" && echo same
ncqsim run "$TMP/first.json" --set host.queue_depth=1 --json |
	python3 -c '
import json, sys
print(json.load(sys.stdin)["command"])'
sed 's/\("aam_percent"\|seek.aam_percent\)": "150"/\1": "151"/' \
	"$TMP/first.json" >"$TMP/config.json"
ncqsim run "$TMP/config.json"
echo "-> $?"
sed 's/"hash": "..../"hash": "0000/' "$TMP/first.json" >"$TMP/hash.json"
ncqsim run "$TMP/hash.json" -o /dev/null
echo "-> $?"
echo '{ "schema": "other" }' >"$TMP/other.json"
ncqsim run "$TMP/other.json"
echo "-> $?"
echo '{ "schema": ' >"$TMP/cut.json"
ncqsim run "$TMP/cut.json"
echo "-> $?"
