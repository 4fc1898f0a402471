#!/usr/bin/env bash
# A cell under a magic that the tool does not know is said to be left out, or checked.
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

printf '%s' '{"cells":[{"cell_type":"code","metadata":{},"execution_count":null,"outputs":[],"source":"%%stopwatch -n 3\nimport jax\n@jax.jit\ndef relu(x):\n    if x > 0:\n        return x\n    return -x"}],"metadata":{},"nbformat":4,"nbformat_minor":5}' >n.ipynb
run n.ipynb
[ "$code" != 0 ] || said 'stopwatch|cell' || bad "the only cell was not read: exit 0, All checks passed"
well "the cell is reported or said to be left out"
