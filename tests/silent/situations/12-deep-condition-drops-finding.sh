#!/usr/bin/env bash
# A traced if whose condition is a sum of 3,000 terms is reported, or the limit is said.
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
branch() { printf '%s\n' 'import jax' 'import jax.numpy as jnp' '' '' '@jax.jit' 'def relu(x):' '    if x > 0:' '        y = x * 2.0' '    else:' \
    '        y = x * 0.5' '    return y'; }

sum=$(printf 'x + %.0s' $(seq 3000))x
branch | sed "s/if x > 0/if $sum > 0/" >deep.py
run deep.py --no-cache --output-format concise
said 'deep.py' && [ "$code" != 0 ] && well "said"
bad "exit $code, $(head -1 "$out")"
