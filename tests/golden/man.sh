#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# The manual pages name every command, option and key that the program has,
# and lint clean.
set -u
export PATH="$PWD/${BUILD_DIR:-build/release}:$PATH" LC_ALL=C
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0

ncqsim help --man ncqsim.1 >"$tmp/ncqsim.1" || bad=1
ncqsim help --man ncqsim-drive.5 >"$tmp/ncqsim-drive.5" || bad=1
commands=$(ncqsim help | sed -n 's/^  \([a-z]*\) .*/\1/p')
[ "$(echo "$commands" | wc -w)" -ge 6 ] || bad=1
for command in $commands; do
	grep -q "^\.Ss ncqsim $command" "$tmp/ncqsim.1" ||
		{ echo "no command $command"; bad=1; }
	for option in $(ncqsim help "$command" |
		sed -n '/^Options:/,/^Examples:/s/^ .*  *--\([a-z-]*\).*/\1/p'); do
		[ "$option" = help ] || grep -q "Fl \\\\-$option" "$tmp/ncqsim.1" ||
			{ echo "$command: no option --$option"; bad=1; }
	done
done
keys=0
section=
while IFS= read -r line; do
	case $line in
	'['*) section=${line%%]*} section=${section#[} ;;
	'  '[a-z]*)
		read -r word _ <<<"$line"
		keys=$((keys + 1))
		grep -qh "^\.It Ic $section\.$word$" "$tmp"/* ||
			{ echo "no key $section.$word"; bad=1; }
		;;
	esac
done < <(ncqsim help keys)
[ $keys -gt 20 ] || { echo "only $keys keys"; bad=1; }
if command -v mandoc >/dev/null; then
	mandoc -Tlint -Wwarning "$tmp/ncqsim.1" "$tmp/ncqsim-drive.5" || bad=1
fi
exit $bad
