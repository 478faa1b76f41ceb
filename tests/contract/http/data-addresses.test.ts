// Remix serves a page's data at the page's address plus `.data`. Endpoints answer at their own
// address only.
import { dirname } from "node:path/posix";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadRoutes } from "../../../app/http/route-table.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { ADMIN_KEY, SHOP, startService, type Service } from "../../support/service.ts";

const AGENT = "Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0.0.0 Safari/537.36";
let service: Service;
beforeAll(async () => {
  service = await startService({ withScreens: true });
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());

const SPELLINGS = [
  (path: string) => `${path}.data`,
  (path: string) => `${path}.DATA`,
  (path: string) => `/${path}.data`,
  (path: string) => `${path.toUpperCase()}.data`,
  (path: string) => `${path}.data/`,
  (path: string) => `${path}%2Edata`,
  (path: string) => `/x/..${path}.data`,
  (path: string) => path.replace(/[a-z]/, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
];

it("an endpoint answers at no other spelling of its address, with any key", async () => {
  const { all } = await loadRoutes();
  const answered: string[] = [];
  // Where the last segment is a parameter, `1.data` is one of its values: the endpoint answers that
  // there is no such thing.
  const open = all.filter(({ path }) => /:\w+$/.test(path)).map(({ path }) => dirname(path));
  const fixed = all.filter(({ path }) => !/:\w+$/.test(path));
  for (const path of fixed.map((route) => route.path.replaceAll(/:\w+/g, "1")))
    for (const spell of SPELLINGS)
      for (const method of ["GET", "POST"]) {
        const answer = await rawRequest(service.url, `${spell(path)}?shop=${SHOP}`, {
          method,
          headers: [
            ["User-Agent", AGENT],
            ["Authorization", `Bearer ${ADMIN_KEY}`],
            ["Content-Type", "application/json"],
          ],
          ...(method === "POST" && { chunks: ["{}"] }),
        });
        // A value of a parameter beside it, which takes other methods.
        if (answer.status === 405 && open.includes(dirname(path))) continue;
        if (answer.status !== 404 || answer.headers["x-remix-response"])
          answered.push(`${method} ${spell(path)}: ${answer.status}`);
      }
  expect(answered).toEqual([]);
}, 120_000);

it("a screen's data is still at its address plus `.data`", async () => {
  const answer = await rawRequest(service.url, "/setup.data", {
    headers: [
      ["User-Agent", AGENT],
      ["Authorization", `Bearer ${ADMIN_KEY}`],
    ],
  });
  expect([answer.status, answer.headers["content-type"]]).toEqual([200, "text/x-script"]);
});
