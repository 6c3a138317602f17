# Nothing that is written replaces what is read, or is written twice.
cp models/drives/wd3200bjkt.ini "$TMP/d.ini"
cp tests/golden/files.cmd "$TMP/kept"
run="ncqsim run --workload randread,count=50"
t()
{
	"$@"
	echo "-> $?"
}
t $run -d "$TMP/d.ini" -o "$TMP/d.ini"
t $run -d "$TMP/d.ini" -e all -o "$TMP/d.ini"
t $run --requests "$TMP/x.csv" -o "$TMP/./x.csv"
t $run --blktrace "$TMP/p" -o "$TMP/p.blktrace.0"
ln -s d.ini "$TMP/d.csv"
t $run -d "$TMP/d.ini" --requests "$TMP/d.csv"
$run --json -o "$TMP/r.json"
t ncqsim explain --workload randread,count=9 --at 1s -d "$TMP/d.ini" \
	-o "$TMP/d.ini"
t $run --json -o "$TMP/new.json" --requests "$TMP/new.csv"
cmp models/drives/wd3200bjkt.ini "$TMP/d.ini"
# What has no effect is refused.
t $run --depth 4 --replay timed
t $run --speed 2
t ncqsim run --workload randread,count=0
t ncqsim run --workload randread,size=0
ls "$TMP"
