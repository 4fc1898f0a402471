#!/usr/bin/env bash
# Same size, same time, other content; a damaged index; a caller that changes: the cache hides nothing.
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
package() {  # pkg/a.py is traced only because pkg/b.py jits it
    mkdir -p pkg && touch pkg/__init__.py && printf '[project]\nname = "x"\n' >pyproject.toml
    printf '%s\n' 'def relu(x):' '    if x > 0:' '        y = x * 2.0' '    else:' '        y = x * 0.5' '    return y' >pkg/a.py
    printf '%s\n' 'import jax' 'from pkg.a import relu' '' 'fast = jax.jit(relu)' >pkg/b.py
}

echo 'x = 1' >a.py; touch -d 2020-01-01 a.py; run . ; [ "$code" = 0 ] || bad "clean"
loop >a.py; touch -d 2020-01-01 a.py; run .; [ "$code" = 1 ] || bad "changed content, old time: exit $code"
for f in .scanlint_cache/*.index; do echo junk >"$f"; done; run .; [ "$code" = 1 ] || bad "damaged: exit $code"
package; run pkg; [ "$code" = 1 ] || bad "package"
sed -i '$d' pkg/b.py; run pkg; [ "$code" = 0 ] || bad "caller gone"
echo 'fast = jax.jit(relu)' >>pkg/b.py; run pkg; [ "$code" = 1 ] || bad "caller back: exit $code"
well "nothing is hidden"
