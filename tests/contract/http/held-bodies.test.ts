// Bodies that never end: the sender of one is unknown until its last byte, and what has arrived is held in memory.
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { MAX_HELD_BYTES } from "../../../app/http/body/held-bodies.ts";
import { rawRequest } from "../../support/raw-request.ts";
import { eventually, SHOP, sign, startService, type Service } from "../../support/service.ts";

const SENT_BYTES = 1_900_000;
/** As many as the limit holds, and these beyond it. */
const BEYOND = 10;
const COUNT = Math.floor(MAX_HELD_BYTES / SENT_BYTES) + BEYOND;

let service: Service;
let open: Socket[] = [];
beforeAll(async () => {
  service = await startService({ env: { TRUST_PROXY_HOPS: "1" } });
  await service.addTenant(SHOP);
});
afterEach(() => {
  for (const socket of open) socket.destroy();
  open = [];
});
afterAll(() => service.stop());

/** `answer`: what has come so far. */
type Half = { answer: () => string; sendRest: () => void };

const NOTE = JSON.stringify({ id: 1, note: "" });
/** A webhook of the largest size. */
const WHOLE = NOTE.replace('""', `"${" ".repeat(2 * 1024 * 1024 - NOTE.length)}"`);

/** Sends most of a body, and not its end. */
async function sendHalf(path: string, client = "192.0.2.1"): Promise<Half> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  open.push(socket);
  let answer = "";
  socket.on("data", (text: Buffer) => (answer += text.toString()));
  socket.on("error", () => {});
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: service.example",
    "Content-Type: application/json",
    `X-Shopify-Shop-Domain: ${SHOP}`,
    `X-Shopify-Hmac-Sha256: ${sign(WHOLE)}`,
    `X-Forwarded-For: ${client}`,
    `Content-Length: ${WHOLE.length}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  await new Promise((sent) => socket.write(WHOLE.slice(0, SENT_BYTES), sent));
  return { answer: () => answer, sendRest: () => void socket.write(WHOLE.slice(SENT_BYTES)) };
}

test.each(["/webhooks/customer-update", "/events/ingest?source=storefront"])(
  "bodies at %s are held up to a limit, beyond which the one that began first is refused; others are served meanwhile",
  async (path) => {
    const sent: Half[] = [];
    for (let n = 0; n < COUNT; n += 1) sent.push(await sendHalf(path));
    const refused = () => sent.filter(({ answer }) => answer() !== "");
    await eventually("the first ones refused", async () => refused().length >= BEYOND);
    expect(sent.indexOf(refused().at(-1) as Half)).toBe(refused().length - 1);
    for (const { answer } of refused()) {
      expect(answer()).toMatch(/^HTTP\/1\.1 503 /);
      expect(answer()).toMatch(/retry-after: 1\r\n/i);
      expect(answer()).toMatch(/connection: close\r\n/i);
      expect(answer()).toContain('"code":"overloaded"');
    }
    const note = "x".repeat(1_000_000);
    const large = await service.webhook("customer-update", JSON.stringify({ id: 1, note }));
    expect(large.status).toBe(200);
  },
);

test("bodies that their senders gave up, or that were refused as too large, make room again", async () => {
  for (let round = 0; round < 2; round += 1) {
    const sent: Half[] = [];
    for (let n = 0; n < COUNT - BEYOND - 2; n += 1)
      sent.push(await sendHalf("/webhooks/customer-update"));
    expect(sent.filter(({ answer }) => answer() !== "")).toEqual([]);
    for (const socket of open) socket.destroy();
    open = [];
    // One that is too large is refused without its end, and counts no longer either.
    for (let n = 0; n < COUNT; n += 1) {
      const chunks = [Buffer.alloc(SENT_BYTES, " "), Buffer.alloc(SENT_BYTES, " ")];
      const headers: [string, string][] = [["Content-Type", "application/json"]];
      const path = "/webhooks/customer-update";
      const { status } = await rawRequest(service.url, path, { method: "POST", headers, chunks });
      expect(status).toBe(413);
    }
  }
});

test("bodies of a client that sends without end are refused before the one of any other client, however long that takes", async () => {
  const slow = await sendHalf("/webhooks/customer-update", "198.51.100.1");
  const sent: Half[] = [];
  for (let n = 0; n < 2 * COUNT; n += 1) sent.push(await sendHalf("/webhooks/customer-update"));
  await eventually(
    "the sender's own refused",
    async () => sent.filter(({ answer }) => answer() !== "").length >= COUNT,
  );
  expect(slow.answer()).toBe("");
  slow.sendRest();
  await eventually("the answer", async () => slow.answer() !== "");
  expect(slow.answer()).toMatch(/^HTTP\/1\.1 200 /);
});
