# Everything for people fits 80 columns.
{
	ncqsim help
	for command in run trace 'trace info' drive 'drive list' 'drive show' \
		'drive check' help version completion; do
		ncqsim $command --help
	done
	ncqsim version
	ncqsim drive list
	ncqsim drive show seagate-exos-x18
	ncqsim trace info traces/samples/randread-qd128
	ncqsim run traces/samples/randread-qd128
	ncqsim run --workload randrw,count=3000,rate_iops=1000 -q 1
	ncqsim run --workload write,bs=1m,count=300
} >"$TMP/all"
wc -l <"$TMP/all" | awk '{ print ($1 > 300 ? "enough" : "too few") }'
awk 'length > 80 { print length ": " $0 }' "$TMP/all"
grep -n '[[:blank:]]$' "$TMP/all"
exit 0
