// One JSON line per event, without secrets or personal data.
import { describe, expect, test } from "vitest";
import { createLog, type Log } from "../../../app/runtime/log.ts";
import { processorMs } from "../../support/processor-time.ts";

function capture(
  write: (log: Log) => void,
  level = "info",
): { lines: Record<string, unknown>[]; text: string } {
  const written: string[] = [];
  write(createLog(level, { write: (line) => void written.push(line) }));
  return {
    lines: written.map((line) => JSON.parse(line) as Record<string, unknown>),
    text: written.join(""),
  };
}

describe("a line", () => {
  test("has the event, the time, and all given fields", () => {
    const { lines } = capture((log) =>
      log.info("delivery.attempted", {
        shop: "a.myshopify.com",
        ms: 12,
        status: 200,
        big: 9_007_199_254_740_993n,
        at: new Date(0),
        destinations: ["cms"],
      }),
    );
    expect(lines).toEqual([
      expect.objectContaining({
        event: "delivery.attempted",
        shop: "a.myshopify.com",
        ms: 12,
        status: 200,
        big: "9007199254740993",
        destinations: ["cms"],
      }),
    ]);
  });

  test("of level error has the stack, of level warn none", () => {
    const { lines } = capture((log) => {
      log.error("request.failed", new TypeError("x is not a function"), { request_id: "1" });
      log.warn("outbound.failed", { reason: "timeout" });
      log.error("request.failed", "a thrown text");
    });
    expect(lines[0]).toMatchObject({
      event: "request.failed",
      error: "x is not a function",
      stack: expect.stringContaining("TypeError"),
      request_id: "1",
      level: 50,
    });
    expect(lines[1]).not.toHaveProperty("stack");
    expect(lines[2]).toMatchObject({ error: "a thrown text" });
  });

  test("keeps the first 20,000 characters of a text, and costs little for 2 MB of one", () => {
    const begunAt = processorMs();
    const { lines } = capture((log) =>
      log.warn("outbound.failed", { reason: `${"a".repeat(2_000_000)}@` }),
    );
    expect(processorMs() - begunAt).toBeLessThan(500);
    expect(lines[0]?.reason).toBe(`${"a".repeat(20_000)} (1980001 more)`);
  });

  test("below the configured level is not written", () => {
    expect(capture((log) => log.info("a.done"), "warn").lines).toEqual([]);
    expect(capture((log) => log.error("a.failed", new Error("x")), "silent").lines).toEqual([]);
  });

  test("includes the fields of its child logger", () => {
    expect(
      capture((log) => log.with({ shop: "a", admin_key: "visible" }).info("b.done")).lines,
    ).toEqual([expect.objectContaining({ shop: "a", event: "b.done", admin_key: "[redacted]" })]);
  });
});

describe("never logged", () => {
  const names = [
    "storefront_admin_token",
    "accessToken",
    "client_secret",
    "password",
    "password_hash",
    "Authorization",
    "cookie",
    "set-cookie",
    "email_api_key",
    "apiKey",
    "admin_key",
    "ADMIN_KEY",
    "credentials",
    "hmac_signature",
    "email",
    "phone",
    "first_name",
    "lastName",
    "full_name",
    "body",
    "payload",
  ];
  test.each(names)("is the value of a field named %s, at any depth", (name) => {
    const { text } = capture((log) => {
      log.info("a.done", { [name]: "visible-1" });
      log.warn("a.done", {
        inner: {
          [name]: "visible-2",
          deeper: { deep: { deepest: { bottom: { [name]: "visible-3" } } } },
        },
      });
      log.info("a.done", { list: [{ [name]: "visible-4" }, [{ [name]: { x: "visible-5" } }]] });
      log.error("a.done", new Error("x"), { [name]: ["visible-6"] });
    });
    expect(text).not.toContain("visible-");
  });

  test.each([
    [
      "an answer that repeats it",
      (log: Log) =>
        log.info("a.done", {
          reason: 'cms answered 400: {"message":"Bob.Biller+x@store.example is taken"}',
        }),
    ],
    [
      "an error's message and stack",
      (log: Log) => log.error("a.failed", new Error("duplicate key: bob.biller+x@store.example")),
    ],
    ["a list", (log: Log) => log.info("a.done", { fields: ["bob.biller+x@store.example"] })],
    [
      "an address with a name",
      (log: Log) => log.info("a.done", { sender: "Bob <bob.biller+x@store.example>" }),
    ],
    [
      "a query",
      (log: Log) =>
        log.info("a.done", { url: "https://x.example/?email=bob.biller%2Bx%40store.example" }),
    ],
  ])("is an email address, not even in %s", (_, write) => {
    expect(capture(write).text.toLowerCase()).not.toMatch(/biller.*store\.example/);
  });

  test("is a bearer token in an error's message", () => {
    expect(
      capture((log) =>
        log.error("a.failed", new Error("request with Authorization: Bearer visible-key failed")),
      ).text,
    ).not.toContain("visible-key");
  });

  test("but a host, a gid, a package at a version and a database's address without user stay readable", () => {
    const fields = {
      host: "erp.example:8443",
      gid: "gid://shopify/Customer/1",
      library: "pg@8.23.1",
      address: "postgres://db.example/main",
    };
    expect(capture((log) => log.info("a.done", fields)).lines[0]).toMatchObject(fields);
  });
});

test("an object that contains itself does not crash the service", () => {
  const circle: Record<string, unknown> = { name: "x" };
  circle.self = circle;
  expect(capture((log) => log.info("a.done", { circle })).lines).toHaveLength(1);
});
