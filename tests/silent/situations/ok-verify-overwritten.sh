#!/usr/bin/env bash
# verify sees a function that is defined, assigned, imported or wrapped anew below.
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
top='import jax
import jax.numpy as jnp

'
pair() { printf '%s\n' "$top$1" >old.py; printf '%s\n' "$top$2" >new.py; }

echo 'def f(x): return x * 7' >other.py
for tail in 'def f(x): return x * 2' 'f = lambda x: x * 2' 'from other import f' 'f = (lambda g: lambda x: 2 * g(x))(f)'; do
    pair 'def f(x): return x + 1' "def f(x): return x + 1
$tail"
    limit=12 run verify old.py new.py -f f
    [ "$code" = 2 ] && skip "no jax here"
    [ "$code" = 1 ] || bad "$tail: exit $code"
done
well "all four are refuted"
