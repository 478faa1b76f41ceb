// Where a file of the storefront may be read: its addresses come in the platform's answers.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createStorefrontClient } from "../../../app/integrations/storefront/storefront-client.ts";
import { createLog } from "../../../app/runtime/log.ts";
import { createOutbound, type Outbound } from "../../../app/runtime/outbound/outbound.ts";

const SHOP = "first-shop.myshopify.com";
const servers: Server[] = [];
let outbound: Outbound | undefined;

afterEach(async () => {
  await outbound?.close();
  for (const server of servers.splice(0)) server.close();
});

async function listen(): Promise<string> {
  const server = createServer((_, answer) => answer.end('{"id":"1"}\n{"id":"2"}\n'));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function read(store: string, url: string): Promise<string[]> {
  outbound = createOutbound({ log: createLog("silent"), allow: [] });
  const client = createStorefrontClient({ outbound, urlTemplate: `${store}/{shop}` });
  const lines: string[] = [];
  for await (const line of client.bulkLines(SHOP, url, AbortSignal.timeout(5_000)))
    lines.push(line);
  return lines;
}

test("a bulk file beside the store's own address is read, also where the operator's address is a private one", async () => {
  const store = await listen();
  expect(await read(store, `${store}/files/customers.jsonl`)).toEqual(['{"id":"1"}', '{"id":"2"}']);
});

test("a bulk file at another private address is never asked for", async () => {
  const [store, other] = [await listen(), await listen()];
  await expect(read(store, `${other}/files/customers.jsonl`)).rejects.toMatchObject({
    kind: "refused_address",
  });
});
