// Has the real Shopify CLI build the app and check the theme extension, offline and without an account:
// `npm run check:shopify`.
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { installTool } from "./install-tool.ts";

const CHECKS = [
  ["app", "build", "--skip-dependencies-installation"],
  ["app", "build", "--skip-dependencies-installation", "--config", "dev"],
  ["theme", "check", "--path", "extensions/consent-footer", "--fail-level", "suggestion"],
];

const folder = installTool("@shopify/cli@4.8.2");
const env = {
  ...process.env,
  CI: "1",
  SHOPIFY_CLI_NO_ANALYTICS: "1",
  // The CLI keeps its settings here, and not in the home folder.
  XDG_CONFIG_HOME: folder,
  // The CLI runs its programs with the `node` it finds.
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
};
for (const check of CHECKS) {
  const cli = join(folder, "node_modules/@shopify/cli/bin/run.js");
  process.stdout.write(`shopify ${check.join(" ")}\n`);
  const { status } = spawnSync(process.execPath, [cli, ...check], { env, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
