#!/usr/bin/env bash
# Where a file could not be read, the report does not end with All checks passed.
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

echo 'x = 1' >clean.py; ln -s nowhere gone.py
run .
said 'All checks passed' && bad "exit $code, and on standard output: All checks passed"
well "it does not claim that all passed"
