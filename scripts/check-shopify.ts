// Has the real Shopify CLI build the app and check the theme extension, offline and without an account:
// `npm run check:shopify`. The CLI is fetched when needed, because it is too large to be a dependency.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const CLI = "@shopify/cli@4.8.2";
const CHECKS = [
  ["app", "build", "--skip-dependencies-installation"],
  ["app", "build", "--skip-dependencies-installation", "--config", "dev"],
  ["theme", "check", "--path", "extensions/consent-footer", "--fail-level", "suggestion"],
];

const folder = mkdtempSync(join(tmpdir(), "customer-identity-cli-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const env = {
  ...process.env,
  CI: "1",
  SHOPIFY_CLI_NO_ANALYTICS: "1",
  // The CLI keeps its settings here, and not in the home folder.
  XDG_CONFIG_HOME: folder,
  // The CLI runs its programs with the `node` it finds.
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
};

const install = spawnSync("npm", ["install", "--no-save", "--prefix", folder, CLI], {
  encoding: "utf8",
  shell: process.platform === "win32",
});
if (install.status !== 0) {
  const isOffline = /ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ENETUNREACH/.test(install.stderr);
  process.stderr.write(`${install.stderr}\n${CLI} could not be installed; nothing was checked.\n`);
  process.exit(isOffline ? 0 : 1);
}
for (const check of CHECKS) {
  const cli = join(folder, "node_modules/@shopify/cli/bin/run.js");
  process.stdout.write(`shopify ${check.join(" ")}\n`);
  const { status } = spawnSync(process.execPath, [cli, ...check], { env, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
