#!/usr/bin/env bash
# Processes that are killed: exit 2, every file that they had is named.
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

for i in $(seq 60); do { loop; for j in $(seq 700); do printf '\n\ndef h%s(a, b):\n    return jnp.sin(a) + b * %s\n' $j $j; done; } >f$i.py; done
timeout 25 "$SCANLINT" . -j 2 --no-cache --output-format concise >"$out" 2>"$err" & outer=$!
for i in $(seq 100); do
    tool=$(pgrep -P $outer | head -1); worker=$([ -n "$tool" ] && pgrep -P "$tool" | head -1); [ -n "$worker" ] && break; sleep 0.1
done
[ -n "${worker:-}" ] || skip "no worker was started (one processor?)"
sleep 0.3; kill -9 "$worker" 2>/dev/null || skip "too quick"
wait $outer; code=$?
found=$(grep -c SCN102 "$out"); lost=$(grep -c 'ended a process' "$err")
[ "$code" = 2 ] && [ "$lost" -gt 0 ] && [ $((found + lost)) -ge 60 ] && well "$found reported, $lost named, exit 2"
[ "$found" = 60 ] && well "all were reported all the same"
bad "exit $code: $found reported, $lost named"
