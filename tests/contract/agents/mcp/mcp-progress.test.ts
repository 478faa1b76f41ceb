// Progress of tool calls that wait for a slow storefront, for clients that ask for it.
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { CART_API, newPayer, sentAs, seedProducts } from "../../../support/agents/checkout.ts";
import type { Shopper } from "../../../support/agents/commerce.ts";
import { eventually, SHOP, startService, type Service } from "../../../support/service.ts";

let service: Service;
let shopper: Shopper;
let camera: string;
beforeAll(async () => {
  service = await startService();
  ({ camera } = await seedProducts(service));
  shopper = await newPayer(service);
});
afterEach(() => service.sandbox.clearFaults());
afterAll(() => service.stop());

const BOTH = "application/json, text/event-stream";
/** Longer than the second after which a client hears of progress. */
const SLOW = { delayMs: 1_300, match: CART_API };

type Call = {
  accept?: string;
  token?: unknown;
  key?: string;
  name?: string;
  bearer?: string | null;
};
const send = (
  { accept = BOTH, token = "p-1", key = randomUUID(), name = "create_checkout", bearer }: Call,
  signal?: AbortSignal,
) =>
  fetch(`${service.url}/mcp?shop=${SHOP}`, {
    method: "POST",
    ...(signal && { signal }),
    headers: {
      "Content-Type": "application/json",
      Accept: accept,
      Origin: `https://${SHOP}`,
      ...(bearer !== null && { Authorization: `Bearer ${bearer ?? shopper.token}` }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 7,
      method: "tools/call",
      params: {
        ...(token !== null && { _meta: { progressToken: token } }),
        name,
        arguments:
          name === "create_checkout"
            ? {
                meta: { "idempotency-key": key },
                checkout: { line_items: [{ item: { id: camera }, quantity: 1 }] },
              }
            : { catalog: { query: "camera" } },
      },
    }),
  });
const eventsIn = (text: string): any[] =>
  text
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => JSON.parse(event.replace(/^event: message\ndata: /, "")));

it("a slow call streams progress and its answer to a client that asked for it, and one JSON document to others", async () => {
  service.sandbox.failNext("storefront", SLOW, 4);
  service.sandbox.failNext("storefront", { hang: 1_300, match: /\/admin\/api\// }, 10);
  const [streamed, jsonOnly, without, odd, failed] = await Promise.all([
    send({}),
    send({ accept: "application/json" }),
    send({ token: null }),
    send({ token: { not: "a token" } }),
    send({ name: "search_catalog", token: 12 }),
  ]);
  expect([streamed.status, streamed.headers.get("content-type")]).toEqual([
    200,
    "text/event-stream; charset=utf-8",
  ]);
  expect(streamed.headers.get("access-control-allow-origin")).toBe(`https://${SHOP}`);
  expect(streamed.headers.get("x-request-id")).toBeTruthy();
  // A proxy in front does not keep the events until the end.
  expect(streamed.headers.get("x-accel-buffering")).toBe("no");
  const events = eventsIn(await streamed.text());
  expect(events[0]).toEqual({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: "p-1", progress: 1, message: expect.any(String) },
  });
  expect(events.at(-1)).toMatchObject({
    id: 7,
    result: { structuredContent: { ucp: { status: "success" }, continue_url: expect.any(String) } },
  });

  for (const answer of [jsonOnly, without, odd]) {
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    expect(answer.headers.get("content-length")).toBeTruthy();
  }
  expect((await jsonOnly.json()).result.structuredContent.ucp.status).toBe("success");

  const [first, ...rest] = eventsIn(await failed.text());
  expect(first.params).toMatchObject({ progressToken: 12, progress: 1 });
  expect(rest.at(-1)).toMatchObject({ id: 7, error: { data: { code: expect.any(String) } } });
});

it("a call that does not wait or is not allowed is one JSON document with its HTTP status", async () => {
  const quick = await send({});
  expect(quick.headers.get("content-type")).toMatch(/^application\/json/);
  const stranger = await send({ bearer: null });
  expect([stranger.status, stranger.headers.get("www-authenticate")]).toEqual([
    401,
    expect.stringContaining("Bearer"),
  ]);
});

it("a call whose client leaves during the stream and asks again is done once", async () => {
  const before = sentAs(service, "CartCreate").length;
  service.sandbox.failNext("storefront", SLOW);
  const key = randomUUID();
  const leaving = new AbortController();
  const response = await send({ key }, leaving.signal);
  expect(response.headers.get("content-type")).toMatch(/event-stream/);
  leaving.abort();
  const again = await eventually("the first call ended", async () => {
    const answer = await send({ key });
    return answer.status === 200 && (await answer.json());
  });
  expect(again.result.structuredContent.ucp.status).toBe("success");
  expect(sentAs(service, "CartCreate")).toHaveLength(before + 1);
});
