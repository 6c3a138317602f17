# Traces that cannot be read: one line, status 3, no report; what is whole
# stays usable with --lenient.
t()
{
	echo "\$ ncqsim $*" | sed "s#$TMP#TMP#g"
	ncqsim "$@" 2>"$TMP/err" >"$TMP/out"
	echo "-> $?"
	cat "$TMP/err"
	head -n 1 "$TMP/out"
}
sample=traces/samples/randread-qd128/randread-qd128.blktrace.0
: >"$TMP/empty"
head -c 10000 $sample >"$TMP/cut.blktrace.0"
{ head -c 9600 $sample; echo garbage in the middle; tail -c +9600 $sample; } \
	>"$TMP/garbage.blktrace.0"
mkdir "$TMP/folder"
echo 'Dear diary' >"$TMP/text"
t run no-such-trace
t run "$TMP/empty"
t run "$TMP/folder"
t run "$TMP/text"
t run "$TMP/cut"
t run "$TMP/cut" --lenient
t run "$TMP/garbage"
t run "$TMP/garbage" --lenient
t run "$TMP/cut" --format no-such-format
t run $sample -d teaching
t run $sample -d teaching --beyond drop
t run $sample -d teaching --beyond wrap
t run $sample -d teaching --beyond scale
t run $sample --device 8
t run $sample --device 9,9
t trace info "$TMP/cut"
t trace info "$TMP/cut" --lenient
t run $sample --device 9,9 --from D
t run "$TMP/cut" --lenient --blktrace "$TMP/cut"
t run "$TMP/cut" --lenient -o "$TMP/cut.blktrace.0"
cmp -n 10000 $sample "$TMP/cut.blktrace.0" && echo untouched
