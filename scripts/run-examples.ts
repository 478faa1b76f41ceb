// `npm run examples`: starts a service of its own with an empty demo store, makes the types of the
// client from its OpenAPI document, checks the examples with them, runs each, and stops the service.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

const START_SECONDS = 180;
const root = join(import.meta.dirname, "..");
const examples = join(root, "examples");
const modules = join(root, "node_modules");
const dataDir = mkdtempSync(join(tmpdir(), "customer-identity-examples-"));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

function run(command: string, args: string[], env: Record<string, string> = {}): void {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: "inherit",
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${[command, ...args].join(" ")} ended with ${status}`);
}

const [port, sandboxPort] = [await freePort(), await freePort()];
const url = `http://127.0.0.1:${port}`;
const service = spawn(process.execPath, [join(root, "scripts/start.mjs"), "production"], {
  cwd: root,
  env: {
    ...process.env,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    DATA_DIR: dataDir,
    DEMO: "off",
  },
  stdio: ["ignore", "pipe", "inherit"],
});
let output = "";
service.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
const ended = new Promise<void>((done) => service.once("exit", () => done()));

/** The demo store answers: the service is healthy before the store is installed. */
async function isReady(): Promise<boolean> {
  const answer = await fetch(`${url}/commerce/products?shop=demo-store.myshopify.com`).catch(
    () => null,
  );
  return answer?.status === 200;
}

try {
  const deadline = Date.now() + START_SECONDS * 1_000;
  while (!(await isReady())) {
    if (service.exitCode !== null || Date.now() > deadline)
      throw new Error(`the service did not start:\n${output}`);
    await wait(250);
  }
  const { ADMIN_KEY } = JSON.parse(readFileSync(join(dataDir, "secrets.json"), "utf8")) as {
    ADMIN_KEY: string;
  };
  run(process.execPath, [
    join(modules, "openapi-typescript/bin/cli.js"),
    `${url}/openapi.json`,
    "-o",
    join(examples, "client/openapi.d.ts"),
  ]);
  run(process.execPath, [join(modules, "typescript/bin/tsc"), "--noEmit", "-p", examples]);
  const hasPython = spawnSync("python3", ["--version"]).status === 0;
  for (const file of readdirSync(examples).filter((name) => /\.(ts|py)$/.test(name))) {
    if (file.endsWith(".py") && !hasPython) {
      process.stdout.write(`\n== examples/${file}: left out, there is no python3\n`);
      continue;
    }
    process.stdout.write(`\n== examples/${file}\n`);
    run(file.endsWith(".py") ? "python3" : process.execPath, [join(examples, file)], {
      SERVICE_URL: url,
      ADMIN_KEY,
    });
  }
} finally {
  service.kill("SIGTERM");
  await ended;
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
}
