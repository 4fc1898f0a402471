#!/usr/bin/env bash
# A link to itself stands beside a file with a finding: the file is checked all the same.
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
loop() { printf '%s\n' 'import jax' 'import jax.numpy as jnp' '' '' '@jax.jit' 'def simulate(x, ys):' '    out = []' '    for y in ys:' \
    '        x = jnp.sin(x) * 0.9 + jnp.cos(y) * jnp.exp(-x * x) + jnp.tanh(y + x)' '        out.append(x)' '    return jnp.stack(out)'; }

loop >good.py; ln -s ring.py ring.py
run .
said 'good.py:8' || bad "a link to itself hides all its siblings: exit $code, $(head -1 "$out")"
[ "$code" != 0 ] || bad "exit 0"
well "good.py is reported beside a link to itself"
