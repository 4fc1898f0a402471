#!/usr/bin/env bash
# A pattern of assume-traced that names nothing is noted, with -q too.
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

loop >good.py; printf '[tool.scanlint]\nassume-traced = ["mypkg.*"]\n' >pyproject.toml
run . -q; said 'mypkg' && well "noted"
bad "not noted"
