// Calls to outside systems: tenants' addresses, and failing systems.
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { OutboundError } from "../../../app/runtime/errors.ts";
import { createLog } from "../../../app/runtime/log.ts";
import { parseAnswer } from "../../../app/runtime/outbound/answers.ts";
import {
  createOutbound,
  type Outbound,
  type OutboundCall,
} from "../../../app/runtime/outbound/outbound.ts";

let server: Server;
let port: number;
let answer: RequestListener;
let received: string[];
let lines: Record<string, unknown>[];
let outbound: Outbound;

beforeAll(async () => {
  server = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    request.resume();
    answer(request, response);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  port = (server.address() as AddressInfo).port;
  outbound = createOutbound({
    log: createLog("info", {
      write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    }),
    allow: [],
  });
});
afterAll(async () => {
  await outbound.close();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});
beforeEach(() => {
  [received, lines] = [[], []];
  answer = (_, response) => response.end("ok");
});

const call = (fields: Partial<OutboundCall> = {}) =>
  outbound.call({ system: "erp", url: `http://127.0.0.1:${port}/x`, timeoutMs: 300, ...fields });

async function failure(promise: Promise<unknown>): Promise<OutboundError> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OutboundError);
  return error as OutboundError;
}

describe("an address that a tenant configured", () => {
  const hosts = (at: string) => [
    `http://127.0.0.1:${at}`,
    `https://127.0.0.1:${at}`,
    `https://localhost:${at}`,
    `https://2130706433:${at}`,
    `https://0x7f000001:${at}`,
    `https://0x7f.0.0.1:${at}`,
    `https://017700000001:${at}`,
    `https://127.1:${at}`,
    `https://0:${at}`,
    `https://[::1]:${at}`,
    `https://[::]:${at}`,
    `https://[::ffff:127.0.0.1]:${at}`,
    `https://[::ffff:7f00:1]:${at}`,
    `https://[::127.0.0.1]:${at}`,
    `https://[64:ff9b::7f00:1]:${at}`,
    "https://169.254.169.254/latest/meta-data",
    "https://[fd00:ec2::254]/",
    "https://10.0.0.1",
    "https://172.16.0.1",
    "https://192.168.0.1",
    "https://100.64.0.1",
    "https://[fe80::1]",
    "https://[fec0::1]",
    "https://[3fff::1]",
    "https://[::ffff:10.0.0.1]",
    "https://224.0.0.1",
    "https://255.255.255.255",
    "http://erp.example",
  ];
  test.each(hosts("PORT"))(
    "is refused when it is not https or resolves to this machine or a private network: %s",
    async (address) => {
      const error = await failure(
        call({ url: address.replace("PORT", String(port)), isTenantAddress: true }),
      );
      expect([error.kind, error.retryable, error.countsForCircuit]).toEqual([
        "refused_address",
        false,
        false,
      ]);
      expect(received).toEqual([]);
      expect(lines).toEqual([
        expect.objectContaining({ event: "outbound.failed", kind: "refused_address" }),
      ]);
    },
  );

  test.each(["host", "host:port"])(
    "is called when the deployment lists its %s, and no other port or host with it",
    async (form) => {
      const allowed = createOutbound({
        log: createLog("silent"),
        allow: [form === "host" ? "127.0.0.1" : `127.0.0.1:${port}`],
      });
      const get = (url: string) => allowed.call({ system: "erp", url, isTenantAddress: true });
      expect((await get(`http://127.0.0.1:${port}/x`)).text).toBe("ok");
      expect((await failure(get(`http://localhost:${port}/x`))).kind).toBe("refused_address");
      if (form === "host:port")
        expect((await failure(get(`http://127.0.0.1:${port + 1}/x`))).kind).toBe("refused_address");
      await allowed.close();
    },
  );

  test("is not followed to a redirect", async () => {
    const allowed = createOutbound({ log: createLog("silent"), allow: [`127.0.0.1:${port}`] });
    answer = (_, response) =>
      response.writeHead(302, { Location: `http://127.0.0.1:${port}/secret` }).end();
    const error = await failure(
      allowed.call({ system: "erp", url: `http://127.0.0.1:${port}/start`, isTenantAddress: true }),
    );
    expect([error.kind, error.status]).toEqual(["status", 302]);
    expect(received).toEqual(["GET /start"]);
    await allowed.close();
  });

  test("with an unknown host name is a retryable failure", async () => {
    const error = await failure(
      call({ url: "https://does-not-exist.invalid/x", isTenantAddress: true, timeoutMs: 3_000 }),
    );
    expect(["network", "timeout"]).toContain(error.kind);
    expect(error.retryable).toBe(true);
  });
});

describe("a system that", () => {
  test("does not answer costs no more than the timeout", async () => {
    answer = () => {};
    const error = await failure(call());
    expect([error.kind, error.retryable, error.countsForCircuit]).toEqual(["timeout", true, true]);
  });

  test("starts its response and never ends it costs no more either", async () => {
    answer = (_, response) => void response.writeHead(200).write("half");
    expect((await failure(call())).kind).toBe("timeout");
  });

  test("sends its response byte by byte costs no more either", async () => {
    answer = (_, response) => {
      const drip = setInterval(() => response.write("."), 20);
      response.on("close", () => clearInterval(drip));
    };
    expect((await failure(call())).kind).toBe("timeout");
  });

  test("closes the connection before, within or instead of its response is unreachable", async () => {
    const lost: RequestListener[] = [
      (request) => request.socket.destroy(),
      (_, response) =>
        response
          .writeHead(200, { "Content-Length": "100" })
          .write("half", () => response.destroy()),
      (request) => request.socket.resetAndDestroy(),
    ];
    for (answer of lost) {
      const error = await failure(call());
      expect([error.kind, error.retryable]).toEqual(["network", true]);
    }
  });

  // HTTP/2 would keep the connection after the timeout: one that a firewall has dropped without a word is then used
  // by every later call too.
  test.each([true, false])(
    "speaks HTTP/2 is called by HTTP/1.1, where a call that times out ends its connection (a tenant's: %s)",
    async (isTenantAddress) => {
      let hello = "";
      const listener = createTcpServer((socket) => {
        socket.on("error", () => {});
        socket.once("data", (bytes) => {
          hello = bytes.toString("latin1");
          socket.destroy();
        });
      });
      await new Promise<void>((ready) => listener.listen(0, "127.0.0.1", ready));
      const { port: tlsPort } = listener.address() as AddressInfo;
      const allowed = createOutbound({ log: createLog("silent"), allow: ["127.0.0.1"] });
      const url = `https://127.0.0.1:${tlsPort}/x`;
      await failure(allowed.call({ system: "erp", url, isTenantAddress }));
      expect(hello).toContain("\x08http/1.1");
      expect(hello).not.toContain("\x02h2");
      await allowed.close();
      await new Promise((closed) => listener.close(closed));
    },
  );

  test("refuses connections is unreachable", async () => {
    expect((await failure(call({ url: "http://127.0.0.1:1/x" }))).kind).toBe("network");
  });

  test("answers without end is read up to the limit and no further", async () => {
    let sent = 0;
    answer = (_, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536))) sent += 65_536;
      };
      response.on("drain", more);
      more();
    };
    const { text } = await call({ maxAnswerBytes: 100_000, timeoutMs: 5_000 });
    expect(text.length).toBeLessThanOrEqual(100_000);
    expect(sent).toBeLessThan(50_000_000);
  });

  test("answers as much as is read is read whole, and one byte more is cut", async () => {
    answer = (_, response) => response.end("x".repeat(100));
    const whole = await call({ maxAnswerBytes: 100 });
    expect([whole.text.length, whole.isCut]).toEqual([100, undefined]);
    expect((await call({ maxAnswerBytes: 99 })).isCut).toBe(true);
  });

  test("answers something other than JSON is malformed, with its own status when that is an error", async () => {
    answer = (_, response) => response.end("<html>");
    const ok = await call();
    expect(() => parseAnswer("erp", ok)).toThrow("not JSON");
    expect(parseAnswer("erp", { ...ok, text: '{"a":1}' })).toEqual({ a: 1 });
    for (const [given, status] of [
      [200, 502],
      [503, 503],
    ])
      expect(() => parseAnswer("erp", { ...ok, status: given as number })).toThrow(
        expect.objectContaining({ kind: "malformed", status }),
      );
  });

  test.each(["null", "1", '"x"', "true"])(
    "answers JSON that is neither object nor list is malformed: %s",
    async (text) => {
      answer = (_, response) => response.end(text);
      const ok = await call();
      expect(() => parseAnswer("erp", ok)).toThrow("not JSON");
    },
  );

  test.each([
    [400, false, false],
    [401, false, false],
    [404, false, false],
    [408, true, false],
    [422, false, false],
    [423, true, false],
    [429, true, true],
    [500, true, true],
    [503, true, true],
    [301, true, false],
    [307, true, false],
  ])(
    "answers %i: retryable %s, counts for its circuit %s",
    async (status, retryable, countsForCircuit) => {
      answer = (_, response) => response.writeHead(status).end("reason");
      const error = await failure(call());
      expect({
        kind: error.kind,
        status: error.status,
        retryable: error.retryable,
        countsForCircuit: error.countsForCircuit,
        body: error.body,
      }).toEqual({ kind: "status", status, retryable, countsForCircuit, body: "reason" });
    },
  );
});

describe("a credential that the call sent", () => {
  const repeated = async (fields: Partial<OutboundCall>, body: string): Promise<string> => {
    answer = (_, response) => response.writeHead(401).end(body);
    return (await failure(call({ method: "POST", ...fields }))).body ?? "";
  };
  const basic = Buffer.from("crm:pa/ss").toString("base64");

  test.each<[string, Partial<OutboundCall>, string]>([
    ["of a bearer header", { headers: { Authorization: "Bearer abc-123-def" } }, "abc-123-def"],
    ["of a header of any name", { headers: { "X-Odd": "abc-123-def" } }, "abc-123-def"],
    ["of a basic header, as sent", { headers: { Authorization: `Basic ${basic}` } }, basic],
    ["of a basic header, decoded", { headers: { Authorization: `Basic ${basic}` } }, "pa/ss"],
    ["escaped for JSON", { headers: { Authorization: `Basic ${basic}` } }, String.raw`pa\/ss`],
    ["escaped for an address", { headers: { Authorization: `Basic ${basic}` } }, "pa%2Fss"],
    ["escaped for HTML", { headers: { "X-Api-Key": 'k&1"<2>' } }, "k&amp;1&quot;&lt;2&gt;"],
    ["of a cookie", { headers: { Cookie: "a=1; session=abc-123-def" } }, "abc-123-def"],
    ["of the query", { url: "/x?api_secret=abc-123-def" }, "abc-123-def"],
    ["of the path", { url: "/services/T0AbCdEf1GhIjKlMn2Op/x" }, "T0AbCdEf1GhIjKlMn2Op"],
    [
      "of a token grant's form",
      { body: "client_id=a&client_secret=abc%2F123", exchangesCredentials: true },
      "abc/123",
    ],
  ])("is taken out of the error: %s", async (_, { url = "/x", ...fields }, secret) => {
    const body = await repeated(
      { ...fields, url: `http://127.0.0.1:${port}${url}` },
      `${secret} is wrong, and ${secret}`,
    );
    expect(body).toBe("<hidden> is wrong, and <hidden>");
  });

  test("is taken out also where the error's text ends within it", async () => {
    const key = "k".repeat(500);
    const body = await repeated(
      { headers: { Authorization: `Bearer ${key}` } },
      `${"x".repeat(1_800)}${key}`,
    );
    expect(body).toBe(`${"x".repeat(1_800)}<hidden>`);
  });

  test("and one of another system's are known by their names, and the rest of the error stays", async () => {
    expect(await repeated({}, '{"message":"no plant 1000","client_secret":"abc"}')).toBe(
      '{"message":"no plant 1000","client_secret":"<hidden>"}',
    );
  });

  test("stays in a response that is no error", async () => {
    answer = (_, response) => response.end('{"slug":"abc-123"}');
    const ok = await call({ url: `http://127.0.0.1:${port}/x?slug=abc-123` });
    expect(ok.text).toBe('{"slug":"abc-123"}');
  });
});

describe("Retry-After", () => {
  const after = async (value: string): Promise<number | undefined> => {
    answer = (_, response) => response.writeHead(429, { "Retry-After": value }).end();
    return (await failure(call())).retryAfterMs;
  };

  test("is parsed in seconds and as a date", async () => {
    expect(await after("120")).toBe(120_000);
    // As the storefront platform writes it.
    expect(await after("2.0")).toBe(2_000);
    expect(await after("0.5")).toBe(500);
    const ms = (await after(new Date(Date.now() + 90_000).toUTCString())) ?? 0;
    expect(ms).toBeGreaterThan(85_000);
    expect(ms).toBeLessThanOrEqual(90_000);
  });

  test("as a date counts from the response's own date, whatever this machine's clock says", async () => {
    const sentAt = Date.parse("2001-01-01T00:00:00Z");
    answer = (_, response) =>
      response
        .writeHead(429, {
          Date: new Date(sentAt).toUTCString(),
          "Retry-After": new Date(sentAt + 90_000).toUTCString(),
        })
        .end();
    expect((await failure(call())).retryAfterMs).toBe(90_000);
  });

  test.each(["0", "0.0", "-5", "2.", ".5", "soon", "", "1e9x", new Date(0).toUTCString()])(
    "that is invalid is ignored: %s",
    async (value) => {
      expect(await after(value)).toBeUndefined();
    },
  );
});

describe("the log of a call", () => {
  test("has system, host, status and time, and neither path, query, headers nor body", async () => {
    answer = (_, response) => response.end("visible-answer");
    await call({
      url: `http://127.0.0.1:${port}/visible-path?api_secret=visible-query`,
      method: "POST",
      headers: { Authorization: "Bearer visible-key" },
      body: "visible-body",
      about: { event_id: "e1" },
    });
    answer = () => {};
    await failure(
      call({
        url: `http://user:visible-password@127.0.0.1:${port}/visible-path`,
        body: "visible-body",
        method: "POST",
      }),
    );
    expect(lines[0]).toMatchObject({
      event: "outbound.called",
      system: "erp",
      method: "POST",
      host: `127.0.0.1:${port}`,
      status: 200,
      ms: expect.any(Number),
      event_id: "e1",
    });
    expect(lines[1]).toMatchObject({ event: "outbound.failed", kind: "timeout" });
    expect(JSON.stringify(lines)).not.toContain("visible-");
  });
});

describe("the lines of a response", () => {
  const read = async (signal: AbortSignal, onLine = () => {}, query = "") => {
    const found: string[] = [];
    const url = `http://127.0.0.1:${port}/x${query}`;
    for await (const line of outbound.lines({ system: "erp", url, signal })) {
      found.push(line);
      onLine();
    }
    return found;
  };

  test("are whole across chunks, the last one also without an end", async () => {
    answer = (_, response) => {
      response.write("one\ntw");
      setImmediate(() => response.end("o\n\nthree"));
    };
    expect(await read(new AbortController().signal)).toEqual(["one", "two", "three"]);
  });

  test("that are refused are an error without what the address proves", async () => {
    answer = (_, response) => response.writeHead(403).end("no access with abc-123-def");
    const error = await failure(read(new AbortController().signal, undefined, "?x=abc-123-def"));
    expect(error).toMatchObject({ kind: "status", status: 403 });
    expect(error.body).toContain("no access");
    expect(error.body).not.toContain("abc-123-def");
  });

  test("end with the signal while the rest drips a blank at a time", async () => {
    const over = new AbortController();
    let dripping: NodeJS.Timeout | undefined;
    answer = (_, response) => {
      response.write("one\ntwo\nthr");
      dripping = setInterval(() => response.write(" "), 5);
    };
    const found = read(over.signal, () => setImmediate(() => over.abort()));
    expect(await found).toEqual(["one", "two"]);
    clearInterval(dripping);
  });

  test("end with the signal also before the first byte", async () => {
    const over = new AbortController();
    answer = () => over.abort();
    expect(await read(over.signal)).toEqual([]);
    expect(await read(AbortSignal.abort())).toEqual([]);
  });
});

test("calls reuse a kept-alive connection", async () => {
  const own = createOutbound({ log: createLog("silent"), allow: [] });
  const ports = new Set<number | undefined>();
  answer = (request, response) => {
    ports.add(request.socket.remotePort);
    response.end("ok");
  };
  for (let round = 0; round < 20; round += 1)
    await own.call({ system: "erp", url: `http://127.0.0.1:${port}/x` });
  // The next call may start while the last one is still being returned to the pool.
  expect(ports.size).toBeLessThanOrEqual(2);
  await own.close();
});
