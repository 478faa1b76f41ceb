// `npm run conformance [-- --from <folder>]`: holds the agents' protocols against the published schemas
// and the official suites. Schemas and suites are fetched at pinned versions (protocol-sources.ts);
// what cannot be had is left out, with a sentence.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fetchSources, MCP_SUITE, MCP_SUITE_VERSION, TCK_PYTHON } from "./protocol-sources.ts";

const root = join(import.meta.dirname, "..");
const TCK_PACKAGES = [
  "pytest==9.1.1",
  "pytest-asyncio==1.4.0",
  "httpx==0.28.1",
  "grpcio==1.84.0",
  "protobuf==7.36.2",
  "googleapis-common-protos==1.75.5",
  "jsonschema==4.25.1",
  "Jinja2==3.1.6",
];

/** The last line of what a failed command printed; null when it worked. */
function run(command: string, args: readonly string[]): string | null {
  const { status, error, stderr } = spawnSync(command, args, { encoding: "utf8" });
  if (status === 0) return null;
  return error?.message ?? stderr.trim().split("\n").at(-1) ?? "it failed";
}

function installMcpSuite(): string | null {
  if (existsSync(MCP_SUITE)) return null;
  const spec = `@modelcontextprotocol/conformance@${MCP_SUITE_VERSION}`;
  const quiet = ["--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  const problem = run("npm", ["install", ...quiet, "--prefix", MCP_SUITE, spec]);
  if (problem) rmSync(MCP_SUITE, { recursive: true, force: true });
  return problem && `The suite of MCP could not be installed: ${problem}`;
}

function installTckPython(): string | null {
  if (existsSync(TCK_PYTHON)) return null;
  const folder = join(TCK_PYTHON, "../..");
  const problem =
    run("python3", ["-m", "venv", folder]) ??
    run(TCK_PYTHON, ["-m", "pip", "install", "--quiet", ...TCK_PACKAGES]);
  if (problem) rmSync(folder, { recursive: true, force: true });
  return problem && `Python's packages for the kit of A2A could not be installed: ${problem}`;
}

const at = process.argv.indexOf("--from");
const left = [
  ...fetchSources(at < 0 ? undefined : process.argv[at + 1]),
  installMcpSuite(),
  installTckPython(),
].filter((sentence) => sentence !== null);
const { status } = spawnSync(
  process.execPath,
  [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--config",
    "tests/conformance/vitest-config.ts",
  ],
  { cwd: root, stdio: "inherit" },
);
for (const sentence of left) process.stdout.write(`Left out: ${sentence}\n`);
process.exit(status ?? 1);
