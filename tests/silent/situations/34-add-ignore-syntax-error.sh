#!/usr/bin/env bash
# --add-ignore that cannot silence a finding says which are left.
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

echo 'def f(:' >broken.py
run --add-ignore broken.py
[ "$code" != 0 ] || said 'broken.py|SCN900|left|remain' || bad "$(head -1 "$out"), exit 0: the syntax error is not mentioned"
well "said"
