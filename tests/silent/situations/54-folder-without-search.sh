#!/usr/bin/env bash
# A named file in a folder that may not be entered: a message, and the other files are reported.
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
branch() { printf '%s\n' 'import jax' 'import jax.numpy as jnp' '' '' '@jax.jit' 'def relu(x):' '    if x > 0:' '        y = x * 2.0' '    else:' \
    '        y = x * 0.5' '    return y'; }
plain() {  # as a user whom permissions bind
    if [ "$(id -u)" = 0 ]; then
        command -v setpriv >/dev/null || skip "root without setpriv is bound by no permission"
        timeout 25 setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-dac_override,-dac_read_search "$SCANLINT" "$@" >"$out" 2>"$err"
    else
        timeout 25 "$SCANLINT" "$@" >"$out" 2>"$err"
    fi
    code=$?
}

loop >good.py; mkdir sub; branch >sub/branch.py; chmod 0 sub
plain sub/branch.py good.py --output-format concise
said 'bug in scanlint' && bad "exit $code: a traceback, called a bug; good.py is not reported"
said 'good.py:8' && [ "$code" = 2 ] || bad "exit $code, $(head -1 "$out")"
well "good.py is reported, sub/branch.py said"
