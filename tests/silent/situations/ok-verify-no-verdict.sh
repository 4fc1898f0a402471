#!/usr/bin/env bash
# verify: exit 2 without such a function or a file that does not parse; 3 where both versions only raise, exit or hang.
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

pair 'def f(x): return x' 'def g(x): return x'; run verify old.py new.py -f f; [ "$code" = 2 ] || bad "no function: exit $code"
pair 'def f(x): return x' 'def f(x) return'; run verify old.py new.py -f f; [ "$code" = 2 ] || bad "syntax: exit $code"
pair 'def f(x): raise ValueError("a")' 'def f(x): raise TypeError("b")'; limit=10 run verify old.py new.py -f f; [ "$code" = 3 ] || [ "$code" = 2 ] || bad "raises: exit $code"
pair 'def f(x): return x' 'import os
def f(x): os._exit(0)'; limit=10 run verify old.py new.py -f f; [ "$code" = 3 ] || [ "$code" = 2 ] || bad "exits: exit $code"
well "2, 2, 3, 3"
