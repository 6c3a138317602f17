# needs: jansson
# Results side by side; what is asserted of them decides the exit status.
trace=traces/samples/randread-qd128
for e in noop deadline; do
	ncqsim run $trace -e $e --quiet --json -o "$TMP/$e.json" \
		--requests "$TMP/$e.requests.csv"
done
t() { echo "\$ $*"; "$@" 2>&1; echo "-> $?"; }
t ncqsim compare "$TMP/noop.json" "$TMP/deadline.json" |
	grep -v '^  [AB]  read'
t ncqsim compare "$TMP/noop.json" "$TMP/noop.json" | grep -v ' x1.000$'
for so in 'iops > 300' 'B.iops >= 1.02*A.iops' \
	'(A.bios + B.bios) / 2 == bios' 'p99_s < 4' 'A.p99_ms >= A.p99_us/1000'; do
	ncqsim compare "$TMP/noop.json" "$TMP/deadline.json" --assert "$so" \
		>/dev/null
	echo "-> $?"
done
for not in 'iops > 380' 'B.iops >= 1.2*A.iops' 'errors != 0' \
	'p99_ms <' 'p98_ms < 3' 'C.iops > 3' \
	'iops' 'iops > 3)' '(iops > 3' ''; do
	ncqsim compare "$TMP/noop.json" "$TMP/deadline.json" --assert "$not" \
		2>&1 >/dev/null
	echo "-> $?"
done
t ncqsim compare
t ncqsim compare README.md
