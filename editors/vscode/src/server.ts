/** How the server is started, and what it is told: nothing here needs VS Code. */

import * as fs from "node:fs";
import * as path from "node:path";

export interface Command {
  command: string;
  args: string[];
}

const FORWARDED = ["verify", "select", "extendSelect", "level", "ignore", "python", "verifyTimeout"] as const;

/** The command of the server: the interpreter that is set, else one of a folder's `.venv`, else what is on the path. */
export function serverCommand(
  interpreter: string,
  folders: readonly string[],
  platform: NodeJS.Platform = process.platform,
  exists: (file: string) => boolean = fs.existsSync,
): Command {
  if (interpreter) {
    return { command: interpreter, args: ["-m", "scanlint", "lsp"] };
  }
  const [bin, suffix] = platform === "win32" ? ["Scripts", ".exe"] : ["bin", ""];
  for (const folder of folders) {
    const own = path.join(folder, ".venv", bin, `scanlint${suffix}`);
    if (exists(own)) {
      return { command: own, args: ["lsp"] };
    }
  }
  return { command: "scanlint", args: ["lsp"] };
}

/** A command line of scanlint, run by what the server is run by. */
export function commandLine(server: Command, ...words: string[]): Command {
  return { command: server.command, args: [...server.args.slice(0, -1), ...words] };
}

/** What the server is answered when it asks for sections of the settings. */
export function answers(items: readonly { section?: string }[], get: (key: string) => unknown): unknown[] {
  return items.map((item) => (item.section === "scanlint" ? serverSettings(get) : null));
}

/** The settings that the server knows: those that the user has set, by the same names. */
export function serverSettings(get: (key: string) => unknown): Record<string, unknown> {
  const said = FORWARDED.map((key) => [key, get(key)] as const);
  return Object.fromEntries(said.filter(([, value]) => value !== undefined && value !== null && value !== ""));
}

/** The arguments of a command: from the palette it is given none, and means the text that is being edited. */
export function commandArguments(given: unknown[], active: string | undefined): unknown[] {
  return given.length === 0 && active !== undefined ? [active] : given;
}
