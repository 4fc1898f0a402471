/** The extension: one language client for all folders, started again when its interpreter changes. */

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, TransportKind } from "vscode-languageclient/node";
import { answers, commandArguments, commandLine, serverCommand, serverSettings } from "./server";

let client: LanguageClient | undefined;

/** What the user has set; a default that nobody chose is left to the project's configuration. */
function chosen(key: string): unknown {
  const found = vscode.workspace.getConfiguration("scanlint").inspect(key);
  return found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
}

function activeUri(): string | undefined {
  return vscode.window.activeTextEditor?.document.uri.toString();
}

function server() {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  return serverCommand(vscode.workspace.getConfiguration("scanlint").get<string>("interpreter", ""), folders);
}

/** Run a command line of scanlint on the first folder, where its output is seen; resolves with its exit code. */
async function runTask(name: string, ...words: string[]): Promise<number | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) {
    void vscode.window.showInformationMessage("scanlint: no folder is open.");
    return undefined;
  }
  const { command, args } = commandLine(server(), ...words);
  const execution = new vscode.ProcessExecution(command, args, { cwd: folder.uri.fsPath });
  const task = new vscode.Task({ type: "process" }, folder, name, "scanlint", execution);
  return new Promise((resolve) => {
    const ended = vscode.tasks.onDidEndTaskProcess(({ execution: { task: done }, exitCode }) => {
      if (done.source === "scanlint" && done.name === name) {
        ended.dispose();
        resolve(exitCode);
      }
    });
    void vscode.tasks.executeTask(task);
  });
}

async function openReport(context: vscode.ExtensionContext): Promise<void> {
  await vscode.workspace.fs.createDirectory(context.globalStorageUri);
  const file = vscode.Uri.joinPath(context.globalStorageUri, "report.html");
  const code = await runTask("report", "report", "--html", file.fsPath, ".");
  if (code === 0 || code === 1) {
    await vscode.env.openExternal(file);
  }
}

async function start(): Promise<void> {
  const run = { ...server(), transport: TransportKind.stdio };
  const options: LanguageClientOptions = {
    documentSelector: [
      { language: "python", scheme: "file" },
      { language: "python", scheme: "vscode-notebook-cell" },
    ],
    initializationOptions: serverSettings(chosen),
    middleware: {
      executeCommand: (command, given, next) => next(command, commandArguments(given, activeUri())),
      workspace: {
        configuration: (params) => answers(params.items, chosen),
        didChangeConfiguration: async () => {
          await client?.sendNotification("workspace/didChangeConfiguration", {
            settings: { scanlint: serverSettings(chosen) },
          });
        },
      },
    },
    synchronize: {
      configurationSection: "scanlint",
      fileEvents: vscode.workspace.createFileSystemWatcher("**/{*.py,pyproject.toml}"),
    },
  };
  client = new LanguageClient("scanlint", "scanlint", { run, debug: run }, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const said = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(
      `scanlint cannot be started with \`${run.command}\`: ${said}. Install it there (\`pip install 'scanlint[lsp]'\`), or set scanlint.interpreter.`,
    );
  }
}

async function restart(): Promise<void> {
  await deactivate();
  await start();
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const status = vscode.window.createStatusBarItem("scanlint", vscode.StatusBarAlignment.Right);
  status.name = "scanlint";
  status.text = "$(checklist) scanlint";
  status.tooltip = "Show the log of scanlint";
  status.command = "scanlint.showLog";
  status.show();
  context.subscriptions.push(
    status,
    vscode.commands.registerCommand("scanlint.checkWorkspace", () => runTask("check", "check", ".")),
    vscode.commands.registerCommand("scanlint.verifySinceHead", () => runTask("verify", "verify", "--since", "HEAD")),
    vscode.commands.registerCommand("scanlint.openReport", () => openReport(context)),
    vscode.commands.registerCommand("scanlint.restart", restart),
    vscode.commands.registerCommand("scanlint.showLog", () => client?.outputChannel.show()),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("scanlint.interpreter")) {
        await restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}
