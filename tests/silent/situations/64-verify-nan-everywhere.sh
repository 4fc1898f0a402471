#!/usr/bin/env bash
# verify where every result is NaN on every input tried has seen nothing.
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

pair 'def f(x): return jnp.sqrt(x - 1e30)' 'def f(x): return 3 * jnp.sqrt(x - 1e30)'
run verify old.py new.py -f f
[ "$code" = 0 ] && ! said '[Nn]a[Nn]' && bad "they differ for x > 1e30, every result compared was NaN: $(head -1 "$out"), exit 0, no note"
well "exit $code: $(head -1 "$out")"
