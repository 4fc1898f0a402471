#!/usr/bin/env bash
# A named file (pre-commit) whose caller does not parse: that the project was not read whole is said.
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
package() {  # pkg/a.py is traced only because pkg/b.py jits it
    mkdir -p pkg && touch pkg/__init__.py && printf '[project]\nname = "x"\n' >pyproject.toml
    printf '%s\n' 'def relu(x):' '    if x > 0:' '        y = x * 2.0' '    else:' '        y = x * 0.5' '    return y' >pkg/a.py
    printf '%s\n' 'import jax' 'from pkg.a import relu' '' 'fast = jax.jit(relu)' >pkg/b.py
}

package; run pkg/a.py --no-cache; said 'traced-if' || bad "the finding is not there to begin with"
echo 'def f(:' >>pkg/b.py
run pkg/a.py --no-cache
[ "$code" != 0 ] || said 'pkg/b.py' || bad "pkg/b.py does not parse: the finding in pkg/a.py is gone, All checks passed, exit 0"
well "pkg/b.py is named"
