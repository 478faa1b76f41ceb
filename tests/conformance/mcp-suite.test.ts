// The official suite of MCP against the service, in both versions that /mcp speaks. The suite drops the
// query of an address, so that the store is found by its host.
import { spawn } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MCP_SUITE } from "../../scripts/protocol-sources.ts";
import { seedProducts } from "../support/agents/checkout.ts";
import { SHOP, startService, type Service } from "../support/service.ts";

/** Scenarios that do not apply, by name, and why. docs/agents.md repeats the reasons. */
const NOT_OURS: [names: RegExp, why: string][] = [
  [/^tools-call-/, "calls tools of the suite's own (test_…)"],
  [/^(elicitation-|input-required-)/, "our tools ask the shopper nothing while they run"],
  [/^(resources-(read|templates)|prompts-get)-/, "reads resources and prompts of the suite's own"],
  [/^json-schema-2020-12$/, "looks for a tool of the suite's own"],
  [/^http-custom-header-/, "no tool of ours takes arguments from headers"],
  [/^resources-(un)?subscribe$/, "resources do not change while a client is there"],
  [/^logging-set-level$/, "the service sends clients no log"],
  [/^completion-complete$/, "arguments are not completed"],
  [/^tasks-/, "the extension for tasks is not offered: a call ends with its answer"],
];

type Check = {
  id: string;
  status: string;
  errorMessage?: string;
  details?: { untestable?: boolean };
};

let service: Service;
let url: string;
let folder: string;
const isReady = existsSync(MCP_SUITE);
beforeAll(async () => {
  if (!isReady) return;
  folder = mkdtempSync(join(tmpdir(), "customer-identity-mcp-"));
  service = await startService();
  await seedProducts(service);
  const { port } = new URL(service.url);
  const origin = `http://localhost:${port}`;
  // A deployed store's own host is an allowed origin by itself, under https.
  await service.addTenant(SHOP, {
    public_hosts: [`localhost:${port}`],
    allowed_origins: [origin],
  });
  url = `${origin}/mcp`;
});
afterAll(async () => {
  if (!isReady) return;
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Scenario to its checks. */
async function runSuite(version: string): Promise<Map<string, Check[]>> {
  const output = join(folder, version);
  const entry = join(MCP_SUITE, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
  const args = ["server", "--url", url, "--requirements", version, "-o", output];
  const suite = spawn(process.execPath, [entry, ...args], { cwd: folder, stdio: "ignore" });
  await new Promise((ended) => suite.once("exit", ended));
  return new Map(
    globSync("*/checks.json", { cwd: output }).map((file) => [
      basename(join(file, "..")).replace(/^server-(.*)-\d{4}-\d\d-\d\dT.*$/, "$1"),
      JSON.parse(readFileSync(join(output, file), "utf8")) as Check[],
    ]),
  );
}

describe.skipIf(!isReady)("the suite of MCP", () => {
  it.each(["2025-11-25", "2026-07-28"])(
    "%s fails nothing but what asks for what we do not offer",
    async (version) => {
      const scenarios = await runSuite(version);
      const failedIn = (checks: Check[]) =>
        checks.filter(({ status, details }) => status === "FAILURE" && !details?.untestable);
      const isOurs = (name: string) => !NOT_OURS.some(([names]) => names.test(name));
      const ours = [...scenarios].filter(([name]) => isOurs(name));
      const passed = ours.flatMap(([, checks]) => checks).filter((one) => one.status === "SUCCESS");
      process.stdout.write(
        `MCP suite ${version}: ${ours.length} scenarios apply, ${passed.length} checks passed, ${scenarios.size - ours.length} scenarios do not apply\n`,
      );
      expect(passed.length).toBeGreaterThan(5);
      expect(
        ours.flatMap(([name, checks]) =>
          failedIn(checks).map(({ id, errorMessage }) => [name, id, errorMessage]),
        ),
      ).toEqual([]);
    },
  );
});
