# Mistakes on the command line: one line on standard error, status 2, nothing
# on standard output.
t()
{
	echo "\$ ncqsim $*"
	ncqsim "$@" 2>"$TMP/err" >"$TMP/out"
	echo "-> $? $(cat "$TMP/err")"
	[ -s "$TMP/out" ] && echo "and on standard output: $(cat "$TMP/out")"
}
t rnu
t zzzzzz
t run
t run --wrokload x
t run -z
t run -q
t run --from X
t run --re depth
t run --quiet=yes
t run trace --workload randread
t run --workload randraed
t run --workload randread,bs=5
t run --workload randread,blocks=5
t run --workload randread --compare
t run --workload randread --speed 0
t run --workload randread --requests file.txt
t run --workload randread -q 33
t run --workload randread -q 1.5
t run --workload randread --set queue_depth
t run --workload randread --set queue_depth=3
t run --workload randread --set host.queue_dpeth=3
t run --workload randread --set hots.queue_depth=3
t run --workload randread -d wd3200bjk
t run --workload randread -d no-such-drive
t run --workload randread -e no-such-elevator
t run --workload randread -p no-such-policy
t run --workload randread,offset=100t
t run --workload randread --depth 0
t help queu_depth
t help no such thing
t help run thing
t drive
t drive shwo
t drive show
t drive show one two
t drive list one
t drive list --x
t run --workload randread -e bfq
t trace info
t version one
t completion
t completion tcsh
exit 0
