# A full disk, a closed pipe, a folder that is not there: status 4, and what
# was there before stays.
t()
{
	"$@" 2>"$TMP/err" >"$TMP/out"
	echo "-> $? $(cat "$TMP/err")"
}
run="ncqsim run --workload randread,count=200 --quiet"
t $run -o /dev/full
t bash -c "$run >/dev/full"
t bash -c "ncqsim help >/dev/full"
t $run -o "$TMP/no/such/folder"
t $run -o "$TMP"
ln -s /dev/full "$TMP/full.csv"
t $run --requests "$TMP/full.csv"
t bash -c "trap '' PIPE; { sleep 0.2; $run; } | true; exit \${PIPESTATUS[0]}"
echo before >"$TMP/kept.csv"
t bash -c "ulimit -f 8; $run --requests $TMP/kept.csv"
cat "$TMP/kept.csv"
ls "$TMP"
