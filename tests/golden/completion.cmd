# The completion scripts parse, and the one for bash completes.
ncqsim completion bash >"$TMP/bash" && bash -n "$TMP/bash" && echo bash parses
for shell in zsh fish; do
	ncqsim completion $shell >"$TMP/$shell"
	if command -v $shell >/dev/null; then
		$shell -n "$TMP/$shell" || echo "$shell does not parse"
	fi
done
. "$TMP/bash"
complete_words()
{
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_ncqsim
	echo "$* -> ${COMPREPLY[*]}"
}
cd "$TMP"
complete_words ncqsim d
complete_words ncqsim drive s
complete_words ncqsim run --re
complete_words ncqsim run --from ''
complete_words ncqsim run -d wd3
complete_words ncqsim drive show wd3
complete_words ncqsim completion ''
complete_words ncqsim help v
