#!/usr/bin/env bash
# Two projects with a package of one name in one run: what one run over each reports, or a word.
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

for p in one two; do mkdir -p $p/src/lib; touch $p/pyproject.toml $p/src/lib/__init__.py; done
echo 'def relu(x): return x' >one/src/lib/act.py
printf '%s\n' 'def relu(x):' '    if x > 0:' '        y = x * 2.0' '    else:' '        y = x * 0.5' '    return y' >two/src/lib/act.py
printf '%s\n' 'import jax' 'from lib.act import relu' '' 'fast = jax.jit(relu)' >two/src/lib/main.py
run two; [ "$code" = 1 ] || bad "the finding is not there to begin with"
run .
[ "$code" != 0 ] || said 'lib' || bad "\`two\` alone: 1 finding; \`.\`: $(head -1 "$out"), exit 0 - \`lib\` means one/src/lib everywhere"
well "it is reported, or said"
