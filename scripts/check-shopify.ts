// Has the real Shopify CLI build the app and check the theme extension, offline and without an account, and
// checks the UI extensions with the vendor's own types: `npm run check:shopify`.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { installTool } from "./install-tool.ts";
import { isUiElementsCurrent } from "./write-ui-elements.ts";

const CHECKS = [
  ["app", "build", "--skip-dependencies-installation"],
  ["app", "build", "--skip-dependencies-installation", "--config", "dev"],
  ["theme", "check", "--path", "extensions/consent-footer", "--fail-level", "suggestion"],
];

function installPackages(cwd: string): void {
  process.once("exit", () => {
    for (const made of ["node_modules", "dist", "shopify.d.ts", "manifest.json"])
      rmSync(join(cwd, made), { recursive: true, force: true });
  });
  const quiet = ["--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", ["install", ...quiet], { cwd, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

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
// The CLI would install the root's packages as well: those of the extensions are enough to build them.
for (const name of readdirSync("extensions"))
  if (existsSync(join("extensions", name, "package.json")))
    installPackages(join("extensions", name));
for (const name of readdirSync("extensions")) {
  const project = join("extensions", name);
  if (!existsSync(join(project, "tsconfig.json"))) continue;
  process.stdout.write(`types of ${project}\n`);
  const types = ["node_modules/typescript/bin/tsc", "--noEmit", "-p", project];
  const { status } = spawnSync(process.execPath, types, { stdio: "inherit" });
  if (status !== 0) process.exit(1);
  if (isUiElementsCurrent(project)) continue;
  process.stderr.write(
    `Run \`node scripts/write-ui-elements.ts ${project}\`: the vendor's elements changed.\n`,
  );
  process.exit(1);
}
for (const check of CHECKS) {
  const cli = join(folder, "node_modules/@shopify/cli/bin/run.js");
  process.stdout.write(`shopify ${check.join(" ")}\n`);
  const { status } = spawnSync(process.execPath, [cli, ...check], { env, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
