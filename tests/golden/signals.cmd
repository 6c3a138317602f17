# A signal while waiting for input, and a reader that goes away.
mkfifo "$TMP/fifo"
t()
{
	signal=$1
	shift
	"$@" &
	sleep 0.5
	kill -"$signal" $!
	wait $!
	echo "$signal -> $?"
}
sleep 4 | t INT ncqsim run - --format blkparse
t TERM ncqsim run "$TMP/fifo"
sleep 4 >"$TMP/fifo" &
t TERM ncqsim run "$TMP/fifo" -o "$TMP/result"
t HUP ncqsim run --workload randread,count=1000000000 -o "$TMP/whole"
kill %1
{ sleep 0.2; ncqsim run --workload randread,count=9 --json; } | true
echo "-> ${PIPESTATUS[0]}"
{ sleep 0.2; ncqsim help keys; } | true
echo "-> ${PIPESTATUS[0]}"
ls "$TMP"
