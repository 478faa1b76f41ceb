// What a browser learns about https: a service with a public https address is never asked by http again.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadRoutes } from "../../../app/http/route-table.ts";
import { createListener } from "../../../app/http/serve.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

const A_YEAR = "max-age=31536000";
const PATHS = [
  "/health",
  `/embed/footer?shop=${SHOP}`,
  `/config?shop=${SHOP}`,
  "/admin/nothing-here",
  "/a-page",
  "/setup?signature=stray",
];

let service: Service;
let publicService: Server;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
  publicService = createServer(
    createListener({
      ctx: { ...service.ctx, baseUrl: "https://service.example" },
      routes: await loadRoutes(),
      screens: { handle: (_request, response) => void response.writeHead(200, {}).end("a page") },
    }),
  ).listen(0, "127.0.0.1");
  await once(publicService, "listening");
});
afterAll(async () => {
  publicService.close();
  await service.stop();
});

test.each(PATHS)(
  "a browser must use https after any response of a service at an https address: %s",
  async (path) => {
    const { port } = publicService.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    expect(answer.headers.get("strict-transport-security")).toBe(A_YEAR);
  },
);

test("a service at an http address demands nothing", async () => {
  for (const path of PATHS) {
    const answer = await fetch(service.url + path);
    expect(answer.headers.get("strict-transport-security")).toBeNull();
  }
});
