// Hosts that a store or a caller named, with a name server that answers as an attacker's does.
import { createServer, type AddressInfo, type Server } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createLog } from "../../../app/runtime/log.ts";
import { createOutbound, type Outbound } from "../../../app/runtime/outbound/outbound.ts";
import { createPublicLookup } from "../../../app/runtime/outbound/public-lookup.ts";
import { startDnsServer, type DnsServer } from "../../support/processes/dns-server.ts";

const HOST = "erp.store.example";
/** Public by its range, and routed nowhere (RFC 3701). */
const NOWHERE = "3ffe::1";

let dns: DnsServer;
let inside: Server;
let connections = 0;
let outbound: Outbound;

beforeAll(async () => {
  dns = await startDnsServer();
  inside = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((ready) => inside.listen(0, "::", ready));
  outbound = createOutbound({ log: createLog("silent"), allow: [], nameServers: [dns.address] });
});
afterAll(async () => {
  await outbound.close();
  await new Promise((closed) => inside.close(closed));
  await dns.stop();
});
beforeEach(() => {
  for (const table of [dns.hosts, dns.aliases, dns.silent]) table.clear();
  dns.asked.length = 0;
  connections = 0;
});

/** For a call to an address that nothing answers from. */
const NO_ANSWER_MS = 300;

/** What a call to the host ended with. */
async function failureOf(host = HOST, timeoutMs = 4_000): Promise<string> {
  const url = `https://${host}:${(inside.address() as AddressInfo).port}/`;
  try {
    await outbound.call({ system: "erp", url, isTenantAddress: true, timeoutMs });
    return "answered";
  } catch (error) {
    return (error as { kind: string }).kind;
  }
}

const lookUp = (host: string) =>
  new Promise<unknown>((resolve) => {
    createPublicLookup([dns.address])(host, { all: true }, (error, found) =>
      resolve(error ? error.code : found),
    );
  });

describe("a name", () => {
  test.each([
    ["loopback", ["127.0.0.1"]],
    ["loopback of both families", ["127.0.0.1", "::1"]],
    ["an IPv4 address inside an IPv6 one", ["::ffff:127.0.0.1"]],
    ["NAT64 of loopback", ["64:ff9b::7f00:1"]],
    ["private networks", ["10.0.0.1", "192.168.1.1", "fd00::1", "169.254.169.254"]],
    ["many addresses", Array.from({ length: 60 }, (_, n) => `127.0.0.${n + 1}`)],
  ])("that resolves to %s is refused", async (_, addresses) => {
    dns.hosts.set(HOST, addresses);
    expect(await failureOf()).toBe("refused_address");
    expect(connections).toBe(0);
  });

  test("that is another name of a private one is refused, over several steps too", async () => {
    dns.hosts.set("inside.store.example", ["127.0.0.1"]);
    dns.aliases.set(HOST, "first.store.example");
    dns.aliases.set("first.store.example", "inside.store.example");
    expect(await failureOf()).toBe("refused_address");
    dns.aliases.set("first.store.example", "localhost");
    dns.hosts.set("localhost", ["127.0.0.1"]);
    expect(await failureOf()).toBe("refused_address");
    expect(connections).toBe(0);
  });

  test("of public and private addresses is called at its public ones only", async () => {
    const private_ = Array.from({ length: 20 }, (_, n) => `127.0.0.${n + 1}`);
    dns.hosts.set(HOST, [...private_, "8.8.8.8", "::1", NOWHERE, "::ffff:10.0.0.1"]);
    expect(await lookUp(HOST)).toEqual([
      { address: "8.8.8.8", family: 4 },
      { address: NOWHERE, family: 6 },
    ]);
    dns.hosts.set(HOST, ["127.0.0.1", "::1", NOWHERE]);
    expect(["network", "timeout"]).toContain(await failureOf(HOST, NO_ANSWER_MS));
    expect(connections).toBe(0);
  });

  test("that changes from a public to a private address is refused from then on", async () => {
    let answers = 0;
    dns.hosts.set(HOST, () => ((answers += 1) <= 2 ? [NOWHERE] : ["127.0.0.1", "::1"]));
    expect(["network", "timeout"]).toContain(await failureOf(HOST, NO_ANSWER_MS));
    for (let call = 0; call < 3; call += 1) expect(await failureOf()).toBe("refused_address");
    expect(connections).toBe(0);
  });

  test.each(["localhost", "LOCALHOST.", "x.localhost"])(
    "that means this machine is refused without asking a server: %s",
    async (host) => {
      expect(await failureOf(host)).toBe("refused_address");
      expect([dns.asked, connections]).toEqual([[], 0]);
    },
  );

  test("without an address, and one whose server refuses, cannot be reached", async () => {
    expect(await lookUp("unknown.example")).toBe("ENOTFOUND");
    dns.hosts.set(HOST, []);
    expect(await lookUp(HOST)).toBe("ENODATA");
    expect(await failureOf()).toBe("network");
  });
});

test("names whose server is silent hold up no other name, and no call beyond its time limit", async () => {
  const ended: string[] = [];
  const silent = Array.from({ length: 40 }, async (_, n) => {
    dns.silent.add(`${n}.silent.example`);
    const kind = await failureOf(`${n}.silent.example`);
    ended.push(kind);
    return kind;
  });
  dns.hosts.set(HOST, ["127.0.0.1"]);
  for (let call = 0; call < 5; call += 1) expect(await failureOf()).toBe("refused_address");
  expect(await failureOf("0.silent.example", NO_ANSWER_MS)).toBe("timeout");
  expect(ended).toEqual([]);
  expect(new Set(await Promise.all(silent))).toEqual(new Set(["timeout"]));
});

test("a name whose server knows one family only, and is silent about the other, has its addresses", async () => {
  dns.silent.add(`AAAA ${HOST}`);
  dns.hosts.set(HOST, ["8.8.8.8"]);
  expect(await lookUp(HOST)).toEqual([{ address: "8.8.8.8", family: 4 }]);
});
