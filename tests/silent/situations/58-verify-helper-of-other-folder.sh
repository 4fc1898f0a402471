#!/usr/bin/env bash
# verify OLD NEW in two checkouts: each version uses the helper beside it.
# 0: the tool behaves well; 1: it is silent or misleading.
set -u
SCANLINT=${SCANLINT:-scanlint}
work=$(mktemp -d) || exit 1
trap 'chmod -R u+rwX "$work" 2>/dev/null; rm -rf "$work"' EXIT
mkdir "$work/p" "$work/home" && cd "$work/p" || exit 1
export HOME="$work/home" XDG_CONFIG_HOME="$work/home"
unset SCANLINT_CACHE_DIR GITHUB_STEP_SUMMARY
out=$work/out err=$work/err code=0
run() { timeout "${limit:-60}" "$SCANLINT" "$@" >"$out" 2>"$err"; code=$?; }
said() { grep -qE -- "$1" "$out" "$err"; }
well() { echo "ok: $*"; exit 0; }
bad() { echo "bad: $*"; exit 1; }
skip() { echo "skip: $*"; exit 0; }
command -v "$SCANLINT" >/dev/null || bad "there is no $SCANLINT"

mkdir old new
echo 'def scale(x): return x' >old/helper.py; echo 'def scale(x): return 2 * x' >new/helper.py
for side in old new; do printf 'from helper import scale\n\n\ndef f(x):\n    return scale(x) + 1\n' >$side/model.py; done
run verify old/model.py new/model.py -f f
case $code in 1 | 2 | 3) well "exit $code: $(head -1 "$out")";; esac
bad "x + 1 against 2 * x + 1: $(head -1 "$out"), exit $code - both took new/helper.py"
