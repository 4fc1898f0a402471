import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { StreamMessageReader, StreamMessageWriter, createMessageConnection } from "vscode-jsonrpc/node";
import { answers, commandArguments, commandLine, serverCommand, serverSettings } from "../src/server";

test("a command of the palette means the text that is being edited", () => {
  assert.deepEqual(commandArguments([], "file:///a.py"), ["file:///a.py"]);
  assert.deepEqual(commandArguments(["file:///b.py", { line: 1 }], "file:///a.py"), ["file:///b.py", { line: 1 }]);
  assert.deepEqual(commandArguments([], undefined), []);
});

test("an interpreter that is set goes before all else", () => {
  assert.deepEqual(serverCommand("/py", ["/a"], "linux", () => true), { command: "/py", args: ["-m", "scanlint", "lsp"] });
});

test("the first folder with an environment gives its scanlint", () => {
  const own = path.join("/b", ".venv", "bin", "scanlint");
  assert.deepEqual(serverCommand("", ["/a", "/b"], "linux", (file) => file === own), { command: own, args: ["lsp"] });
});

test("on Windows it stands elsewhere", () => {
  const { command } = serverCommand("", ["C:"], "win32", () => true);
  assert.match(command, /\.venv.Scripts.scanlint\.exe$/);
});

test("without an environment it is what is on the path", () => {
  assert.deepEqual(serverCommand("", ["/a"], "linux", () => false), { command: "scanlint", args: ["lsp"] });
});

test("a command line is run by what the server is run by", () => {
  const own = { command: "/py", args: ["-m", "scanlint", "check", "."] };
  assert.deepEqual(commandLine(serverCommand("/py", []), "check", "."), own);
  assert.deepEqual(commandLine(serverCommand("", []), "check"), { command: "scanlint", args: ["check"] });
});

test("only what was set is told", () => {
  const set: Record<string, unknown> = { verify: "off", python: "", ignore: null, interpreter: "/py", select: ["SCN1"] };
  assert.deepEqual(serverSettings((key) => set[key]), { verify: "off", select: ["SCN1"] });
});

test("the server is told nothing that is not its own", () => {
  const set: Record<string, unknown> = { verify: "on-save", interpreter: "/py" };
  assert.deepEqual(answers([{ section: "scanlint" }, { section: "python" }], (key) => set[key]), [{ verify: "on-save" }, null]);
});

const manifest = JSON.parse(fs.readFileSync("package.json", "utf8"));

test("each setting of the manifest is forwarded, or is the affair of the client", () => {
  const declared = Object.keys(manifest.contributes.configuration.properties).map((key) => key.replace("scanlint.", ""));
  const told = Object.keys(serverSettings(() => 1));
  assert.deepEqual(declared.filter((key) => !told.includes(key)), ["interpreter", "trace.server"]);
  assert.deepEqual(told.filter((key) => !declared.includes(key)), []);
});

const python = process.env["SCANLINT_TEST_PYTHON"];

test("the command starts a server that finds a loop", { skip: !python && "SCANLINT_TEST_PYTHON is not set" }, async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "scanlint-vscode-"));
  const file = path.join(folder, "loop.py");
  const text = "import jax\n\n\n@jax.jit\ndef f(x):\n    while x > 0:\n        x = x - 1\n    return x\n";
  fs.writeFileSync(file, text);
  const { command, args } = serverCommand(python ?? "", [folder]);
  const server = spawn(command, args, { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  const connection = createMessageConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  const found = new Promise<string[]>((resolve) => {
    connection.onNotification("textDocument/publishDiagnostics", (told: { diagnostics: { code: string }[] }) => {
      if (told.diagnostics.length) {
        resolve(told.diagnostics.map((diagnostic) => diagnostic.code));
      }
    });
  });
  connection.onRequest("workspace/configuration", (params: { items: { section?: string }[] }) =>
    answers(params.items, (key) => ({ verify: "off", interpreter: python })[key]),
  );
  connection.onNotification("window/showMessage", (told: { message: string }) => assert.fail(told.message));
  connection.listen();
  const root = pathToFileURL(folder).href;
  await connection.sendRequest("initialize", {
    processId: process.pid,
    rootUri: root,
    workspaceFolders: [{ uri: root, name: "x" }],
    capabilities: { workspace: { configuration: true }, textDocument: { publishDiagnostics: { relatedInformation: true } } },
    initializationOptions: serverSettings((key) => (key === "verify" ? "off" : undefined)),
  });
  await connection.sendNotification("initialized", {});
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri: pathToFileURL(file).href, languageId: "python", version: 1, text },
  });
  assert.deepEqual(await found, ["traced-while"]);
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  await ended;
  connection.dispose();
  fs.rmSync(folder, { recursive: true });
});
