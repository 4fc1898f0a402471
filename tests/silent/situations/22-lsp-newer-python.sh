#!/usr/bin/env bash
# In an editor a file that is not checked (newer Python) is said not to be.
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
talk() {  # talk FILE: open it in an editor; prints diagnostics and messages
    cat >"$work/talk.py" <<'END'
import json, os, pathlib, subprocess, sys, threading, time
process = subprocess.Popen([os.environ.get("SCANLINT", "scanlint"), "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
said = []
def send(message):
    data = json.dumps({"jsonrpc": "2.0", **message}).encode()
    process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
    process.stdin.flush()
def listen():
    while True:
        length = 0
        while (line := process.stdout.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if not length:
            return
        message = json.loads(process.stdout.read(length))
        if "id" in message and "method" in message:
            send({"id": message["id"], "result": [{}] if "configuration" in message["method"] else None})
        elif message.get("method") in ("textDocument/publishDiagnostics", "window/showMessage"):
            said.append(message)
threading.Thread(target=listen, daemon=True).start()
here, file = pathlib.Path.cwd(), pathlib.Path(sys.argv[1]).resolve()
send({"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": here.as_uri(), "capabilities": {"textDocument": {"publishDiagnostics": {}}}, "workspaceFolders": [{"uri": here.as_uri(), "name": "p"}]}})
send({"method": "initialized", "params": {}})
send({"method": "textDocument/didOpen", "params": {"textDocument": {"uri": file.as_uri(), "languageId": "python", "version": 1, "text": file.read_text()}}})
end = time.time() + 15
while time.time() < end and not said:
    time.sleep(0.1)
time.sleep(2)
for message in said:
    params = message["params"]
    print(message["method"], params.get("message") or [d.get("code") for d in params.get("diagnostics", [])])
if not said:
    print("nothing came")
process.terminate()
process.wait()
END
    python3 "$work/talk.py" "$1" >"$out" 2>"$err"
    said 'nothing came' && skip "no language server (scanlint[lsp])"
}
export SCANLINT

{ branch; echo 'x = t"{1}"'; } >new.py
talk new.py
said 'traced-if|showMessage|syntax' && well "said"
bad "the file is not checked: an empty list of diagnostics, as for a clean file"
