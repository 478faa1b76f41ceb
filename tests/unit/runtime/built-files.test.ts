// The built files as a browser asks for them.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serveBuiltFiles } from "../../../app/http/screens/built-files.ts";

let folder: string;
let server: Server;
const unreadable: string[] = [];
const get = (path: string) =>
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
    headers: { "Accept-Encoding": "br" },
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "built-files-"));
  await mkdir(join(folder, "assets"));
  for (const name of ["a.js", "b.js", "b.js.br"])
    await writeFile(join(folder, "assets", name), "export {};");
  const serve = await serveBuiltFiles(folder, ({ message }) => unreadable.push(message));
  server = createServer((incoming, response) =>
    serve(incoming, response, () => response.writeHead(204).end()),
  );
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
});
afterAll(async () => {
  await new Promise((closed) => server.close(closed));
  await rm(folder, { recursive: true });
});

test("a file that can no longer be read ends its request and not the process", async () => {
  await rm(join(folder, "assets", "b.js.br"));
  await expect(get("/assets/b.js").then((response) => response.text())).rejects.toThrow();
  expect(unreadable).toEqual([expect.stringContaining("ENOENT")]);
  const response = await get("/assets/a.js");
  expect([response.status, await response.text()]).toEqual([200, "export {};"]);
});

test("an asset that is not there is answered by 404 and kept by no cache; another path is passed on", async () => {
  const missing = await get("/assets/gone.js");
  expect([missing.status, missing.headers.get("cache-control")]).toEqual([404, "no-store"]);
  expect((await get("/app")).status).toBe(204);
});
