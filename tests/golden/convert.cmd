# A trace in every format that is written, and read again.
trace=traces/samples/randread-qd128
for to in blktrace blktrace8 blkparse fio-iolog disksim csv; do
	ncqsim trace convert $trace --to $to -o "$TMP/x"
	wc -c <"$TMP/x"
	ncqsim trace info "$TMP/x" | head -n 3
done
ncqsim trace convert $trace -o "$TMP/x.txt" && head -n 3 "$TMP/x.txt"
ncqsim trace convert $trace -o "$TMP/x.csv" && head -n 3 "$TMP/x.csv"
# What cannot be.
ncqsim trace convert $trace
ncqsim trace convert $trace --to paper
ncqsim trace convert "$TMP/x.txt" -o "$TMP/x.txt"
ncqsim trace convert
# Every fault, and status 3; none, and 0.
ncqsim trace check $trace
ncqsim trace check tests/bad/traces/text-line/t.txt && echo whole
ncqsim trace check tests/bad/traces/time-reversed | head -n 3
