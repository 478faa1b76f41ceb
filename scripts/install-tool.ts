// Installs a command-line tool that is too large to be a dependency into a folder that is removed at
// the end of the process.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Returns the folder. Ends the process when the tool cannot be installed: without a network with
 * code 0 and a sentence, otherwise with 1.
 */
export function installTool(packageAndVersion: string): string {
  const folder = mkdtempSync(join(tmpdir(), "customer-identity-tool-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const install = spawnSync(
    "npm",
    ["install", "--no-save", "--no-audit", "--no-fund", "--prefix", folder, packageAndVersion],
    { encoding: "utf8", shell: process.platform === "win32" },
  );
  if (install.status !== 0) {
    const isOffline = /ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ENETUNREACH/.test(install.stderr);
    process.stderr.write(
      `${install.stderr}\n${packageAndVersion} could not be installed; nothing was checked.\n`,
    );
    process.exit(isOffline ? 0 : 1);
  }
  return folder;
}
