/** The extension: one language client for all folders, started again when its interpreter changes. */

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, TransportKind } from "vscode-languageclient/node";
import { answers, commandArguments, serverCommand, serverSettings } from "./server";

let client: LanguageClient | undefined;

/** What the user has set; a default that nobody chose is left to the project's configuration. */
function chosen(key: string): unknown {
  const found = vscode.workspace.getConfiguration("scanlint").inspect(key);
  return found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
}

function activeUri(): string | undefined {
  return vscode.window.activeTextEditor?.document.uri.toString();
}

async function start(): Promise<void> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const interpreter = vscode.workspace.getConfiguration("scanlint").get<string>("interpreter", "");
  const run = { ...serverCommand(interpreter, folders), transport: TransportKind.stdio };
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
  context.subscriptions.push(
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
