// Restate: its server with an SDK service behind it. An event is sent with a delay, so that, as with the
// others, it is stored and not yet processed. DATA_DIR is the server's storage.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createServer } from "node:http";
import { endpoint, service } from "@restatedev/restate-sdk";
import { Agent, request } from "undici";
import { listen } from "./post-to-add.js";

const freePort = () =>
  new Promise((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });
const [node, ingress, admin, own] = [
  await freePort(),
  await freePort(),
  await freePort(),
  await freePort(),
];
const binary = createRequire(
  createRequire(import.meta.url).resolve("@restatedev/restate-server/package.json"),
).resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`);
const server = spawn(
  binary,
  ["--no-logo", "--listen-mode", "tcp", "--bind-address", `127.0.0.1:${node}`],
  {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...process.env,
      RESTATE_BASE_DIR: process.env.DATA_DIR,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_LOG_FILTER: "error",
      DO_NOT_TRACK: "1",
    },
  },
);
const end = () => {
  server.kill("SIGKILL");
  process.exit(0);
};
process.stdin.on("end", end).resume();
process.on("SIGTERM", end);
await endpoint()
  .bind(service({ name: "events", handlers: { take: async () => {} } }))
  .listen(own);
const dispatcher = new Agent({ keepAliveTimeout: 30_000 });
const post = async (url, body) => {
  const answer = await request(url, {
    method: "POST",
    dispatcher,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`restate answered ${answer.statusCode}: ${text}`);
};
const until = async (work) => {
  for (
    const deadline = Date.now() + 30_000;
    ;
    await new Promise((again) => setTimeout(again, 100))
  ) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
};
await until(() =>
  post(`http://127.0.0.1:${admin}/deployments`, { uri: `http://127.0.0.1:${own}`, force: true }),
);
const add = (event) => post(`http://127.0.0.1:${ingress}/events/take/send?delay=1h`, event);
await until(() => add({ first: true }));
listen(add);
