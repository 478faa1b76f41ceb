// The console's event stream and its buttons, with a stand-in for the service.
import { createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startSandbox, type Sandbox } from "../../../app/sandbox/server.ts";
import { CLIENT_ID, CLIENT_SECRET, post, send, SHOP } from "../../sandbox/sandbox-fixture.ts";

const ADMIN_KEY = "console-admin-key-0123456789";
type Event = { name: string; data: any };
type Stream = {
  status: number;
  contentType: string;
  /** The next event of this name that `isIt` accepts, of those that came or will come. */
  next(name: string, isIt?: (data: any) => boolean): Promise<any>;
  text(): string;
  close(): void;
};

/** What the service answers: its webhooks, and its admin endpoints under the key. */
let answer: (path: string, headers: IncomingMessage["headers"]) => { status: number; body: object };
const STATUS = {
  channels: {
    cms: { circuit: "open", last_24h: { delivered: 7, failed: 5, pending: 2 } },
    email: { circuit: "closed", last_24h: { delivered: 1, failed: 0, pending: 0 } },
  },
  dead_letter: { count: 3, oldest: null },
  throughput: { events_per_minute: 1, avg_latency_ms: 1 },
  waiting: {
    cms: {
      next_attempt_at: "2030-01-01T00:02:00.000Z",
      circuit_open_until: "2030-01-01T00:05:00.000Z",
    },
  },
};
const running: typeof answer = (path, { authorization }) =>
  path.startsWith("/admin/") && authorization !== `Bearer ${ADMIN_KEY}`
    ? { status: 401, body: { message: "That admin key is incorrect." } }
    : { status: 200, body: path.startsWith("/admin/events/log") ? { entries: [] } : STATUS };

const service = createServer((incoming, response) => {
  incoming.resume();
  incoming.on("end", () => {
    const { status, body } = answer(incoming.url ?? "", incoming.headers);
    if (status === 0) return response.destroy();
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
});

let sandbox: Sandbox;
const streams: Stream[] = [];
beforeAll(async () => {
  await new Promise<void>((ready) => service.listen(0, "127.0.0.1", ready));
  sandbox = await startSandbox({
    app: {
      url: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
    },
    console: { adminKey: ADMIN_KEY },
    storefront: { lateRepeats: false },
  });
  sandbox.storefront.install(SHOP);
  sandbox.storefront.subscribe(SHOP, "customers/update", `${sandbox.appUrl()}/webhooks/x`);
});
beforeEach(() => {
  answer = running;
});
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
  sandbox.clearFaults();
});
afterAll(async () => {
  await sandbox.stop();
  service.closeAllConnections();
  await new Promise((closed) => service.close(closed));
});

async function listen(headers: Record<string, string> = {}): Promise<Stream> {
  const asked = request(`${sandbox.url}/_control/events`, { headers });
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    asked.on("response", resolve).on("error", reject).end(),
  );
  let text = "";
  const events: Event[] = [];
  let wake = (): void => undefined;
  response.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    const frames = text.split("\n\n").slice(0, -1);
    events.splice(
      0,
      Infinity,
      ...frames.flatMap((frame) => {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
        return name && data ? [{ name, data: JSON.parse(data) as unknown }] : [];
      }),
    );
    wake();
  });
  response.on("error", () => undefined);
  let read = 0;
  const stream: Stream = {
    status: response.statusCode ?? 0,
    contentType: response.headers["content-type"] ?? "",
    async next(name, isIt = () => true) {
      for (;;) {
        for (; read < events.length; read += 1) {
          const event = events[read] as Event;
          if (event.name !== name || !isIt(event.data)) continue;
          read += 1;
          return event.data;
        }
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    text: () => text,
    close: () => asked.destroy(),
  };
  streams.push(stream);
  return stream;
}

const control = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  post(`${sandbox.url}/_control/${path}`, body, headers);
const isState = (state: string) => (snapshot: any) => snapshot.service.state === state;
const systemOf = (snapshot: any, name: string) =>
  snapshot.systems.find(({ system }: { system: string }) => system === name);

describe("the event stream", () => {
  it("begins with the state, and shows what the service's admin endpoints say, never the key", async () => {
    const stream = await listen();
    expect([stream.status, stream.contentType]).toEqual([200, "text/event-stream; charset=utf-8"]);
    expect(await stream.next("world")).toMatchObject({ shop: SHOP, isInstalled: true });
    const snapshot = await stream.next("world", isState("up"));
    expect(snapshot.service).toMatchObject({ pending: 2, deadLetters: 3 });
    expect(systemOf(snapshot, "cms")).toMatchObject({
      circuit: "open",
      waiting: 2,
      nextAttemptAt: "2030-01-01T00:02:00.000Z",
      openUntil: "2030-01-01T00:05:00.000Z",
      mode: "working",
    });
    expect(stream.text()).not.toContain(ADMIN_KEY);
  });

  it("shows each open page a request to a system when it arrives and when it is answered", async () => {
    const [one, other] = [await listen(), await listen()];
    await send("GET", `${sandbox.addresses.erpBaseUrl}/documents?secret=1`, undefined);
    for (const stream of [one, other]) {
      const arrived = await stream.next("pulse");
      expect(arrived).toMatchObject({ from: "service", to: "erp", isAnswered: false });
      expect(await stream.next("pulse")).toMatchObject({ isAnswered: true, status: 401 });
      expect(stream.text()).not.toContain("secret=1");
    }
  });

  it.each([
    ["does not answer", 0, "away"],
    ["starts", 503, "starting"],
    ["refuses the key", 401, "refused"],
  ])("says that the service %s, and that it is back", async (_, status, state) => {
    answer = () => ({ status, body: {} });
    const stream = await listen();
    await send("GET", `${sandbox.addresses.erpBaseUrl}/x`, undefined);
    expect((await stream.next("world", isState(state))).service.pending).toBe(0);
    answer = running;
    expect((await stream.next("world", isState("up"))).service.pending).toBe(2);
  });

  it("is not opened under a foreign host name, nor by a page of another site", async () => {
    const { port } = new URL(sandbox.url);
    expect((await listen({ "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await listen({ host: `rebound.example:${port}` })).status).toBe(403);
  });
});

describe("the switches", () => {
  it.each([
    ["down", 503],
    ["limited", 429],
    ["refuses", 422],
  ])("%s makes every call to that system fail until it works again", async (mode, status) => {
    const ask = async (system: string) =>
      (await send("GET", `${sandbox.url}/${system}/x`, undefined)).status;
    const [erp, mail] = [await ask("erp"), await ask("email")];
    const stream = await listen();
    await control("mode", { system: "erp", mode });
    await stream.next("world", (snapshot) => systemOf(snapshot, "erp").mode === mode);
    expect([await ask("erp"), await ask("erp"), await ask("email")]).toEqual([
      status,
      status,
      mail,
    ]);
    await control("mode", { system: "erp", mode: "working" });
    await stream.next("world", (snapshot) => systemOf(snapshot, "erp").mode === "working");
    expect(await ask("erp")).toBe(erp);
  });

  it("reject what they do not know, and other sites", async () => {
    expect((await control("mode", { system: "erp", mode: "gone" })).status).toBe(400);
    expect((await control("mode", { system: "x", mode: "down" })).status).toBe(400);
    expect((await control("scenario", { scenario: "constructor" })).status).toBe(400);
    for (const path of ["mode", "scenario"])
      expect((await control(path, {}, { origin: "https://elsewhere.example" })).status).toBe(403);
    expect(sandbox.standingFault("erp")).toBeUndefined();
  });
});

describe("a scenario", () => {
  it("runs alone: a second one is rejected until the first has acted", async () => {
    const stream = await listen();
    const both = await Promise.all([
      control("scenario", { scenario: "rename" }),
      control("scenario", { scenario: "rename" }),
    ]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([202, 409]);
    const run = await stream.next("run", ({ isActing }) => !isActing);
    expect(run).toMatchObject({ scenario: "rename", problem: null });
    expect(run.steps).toMatchObject([{ from: "storefront", to: "service", status: 200 }]);
    // A page that is opened later shows the same run.
    expect(await (await listen()).next("run")).toMatchObject({ id: run.id, diff: run.diff });
  });

  it("says that the service did not answer, and works once it does", async () => {
    answer = () => ({ status: 0, body: {} });
    const stream = await listen();
    const isOver = ({ isActing }: { isActing: boolean }) => !isActing;
    const last =
      (await stream.next("world")) && (await control("scenario", { scenario: "rename" }));
    expect(last.status).toBe(202);
    const failed = await stream.next("run", (run) => isOver(run) && run.problem !== null);
    expect(failed.verdict).toEqual({
      tone: "bad",
      text: "The service does not answer: the webhook did not arrive.",
    });
    answer = running;
    await control("scenario", { scenario: "rename" });
    await stream.next("run", (run) => isOver(run) && run.id > failed.id && run.problem === null);
  });

  it("shows an unexpected answer with the service's own reason", async () => {
    answer = (path, headers) =>
      path.startsWith("/.well-known/")
        ? { status: 404, body: { message: "Agents are not allowed here." } }
        : running(path, headers);
    const stream = await listen();
    await control("scenario", { scenario: "agent-buys" });
    const run = await stream.next(
      "run",
      ({ isActing, scenario }) => !isActing && scenario === "agent-buys",
    );
    expect(run.problem).toMatch(/the service answered 404\. Agents are not allowed here\./);
  });
});
