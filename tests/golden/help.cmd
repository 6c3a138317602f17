# What a newcomer meets first: no arguments, help, version of the interface.
t() { echo "\$ ncqsim $*"; ncqsim "$@" 2>&1; echo "-> $?"; }
t
t help
t --help
t run --help
t help trace
t help trace info
t help drive
t drive show -h
t help help
t completion --help
for name in elevators policies deadline sptf; do
	ncqsim help $name
done
