#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# What README.md shows after "$ ncqsim ..." is what the program prints.  With
# UPDATE set the README is rewritten instead: UPDATE=1 tests/golden/readme.sh
set -u
build=$PWD/${BUILD_DIR:-build/release}
export PATH="$build:$PATH" LC_ALL=C
[ -x "$build/ncqsim" ] || { echo "the program is not built"; exit 77; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
python3 - README.md "$tmp" <<'END'
import os, re, subprocess, sys

readme, tmp = sys.argv[1:]
os.mkdir(tmp + "/in")
for name in ("traces", "models"):
    os.symlink(os.path.abspath(name), f"{tmp}/in/{name}")
text = open(readme).read()
block = re.compile(r"^    \$ (.*)\n((?:    (?!\$ ).*\n|\n(?=    (?!\$ )))*)", re.M)
bad = shown = 0

def check(match):
    global bad, shown
    shown += 1
    out = subprocess.run(match[1], shell=True, cwd=tmp + "/in",
                         capture_output=True, text=True).stdout
    now = "".join("    " + l + "\n" if l else "\n" for l in out.split("\n")[:-1])
    if now != match[2]:
        bad += 1
        if not os.environ.get("UPDATE"):
            print(f"README: {match[1]} now prints\n{now}")
    return f"    $ {match[1]}\n{now}"

updated = block.sub(check, text)
if os.environ.get("UPDATE"):
    if updated != text:
        open(readme, "w").write(updated)
    sys.exit(0)
if shown < 4:
    print(f"README: only {shown} commands found")
sys.exit(bad > 0 or shown < 4)
END
