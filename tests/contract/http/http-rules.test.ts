// Rules of every endpoint: the error shape, body limits, methods, paths.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rawRequest } from "../../support/raw-request.ts";
import { ADMIN_KEY, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const TENANT_KEY = "tenant-key-of-the-other-store";
const MIB = 1024 * 1024;
let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP, { admin_key: TENANT_KEY });
});
afterAll(() => service.stop());

const CONFIG = `/config?shop=${SHOP}`;
const savedBrand = async () =>
  (await service.call("GET", CONFIG)).json.config.brand_name as string | undefined;

describe("an error", () => {
  type Case = [
    status: number,
    title: string,
    code: string,
    method: string,
    path: string,
    options?: Parameters<Service["call"]>[2],
  ];
  const cases: Case[] = [
    [400, "BadRequest", "malformed_json", "POST", CONFIG, { body: "{" }],
    [400, "BadRequest", "invalid_request", "POST", CONFIG, { body: { consent_mode: "loud" } }],
    [401, "Unauthorized", "unauthorized", "GET", CONFIG, { key: "wrong-key-0123456789" }],
    [
      403,
      "Forbidden",
      "forbidden",
      "POST",
      `/admin/provision-region?shop=${OTHER_SHOP}`,
      { body: { region: "default" }, key: TENANT_KEY },
    ],
    [404, "NotFound", "not_found", "GET", "/admin/nothing-here"],
    [404, "NotFound", "unknown_tenant", "GET", "/config?shop=unknown-store.myshopify.com"],
    [405, "MethodNotAllowed", "method_not_allowed", "DELETE", CONFIG],
    [
      413,
      "PayloadTooLarge",
      "payload_too_large",
      "POST",
      CONFIG,
      { body: `{"brand_name":"${"x".repeat(MIB)}"}` },
    ],
    [
      415,
      "UnsupportedMediaType",
      "unsupported_media_type",
      "POST",
      CONFIG,
      { body: "brand_name=x", headers: { "Content-Type": "application/x-www-form-urlencoded" } },
    ],
    [502, "BadGateway", "token_refresh_failed", "POST", `/admin/storefront-refresh?shop=${SHOP}`],
  ];

  test.each(cases)(
    "%i is titled %s with a code, a readable message and the request id (%s)",
    async (status, title, code, method, path, options) => {
      const answer = await service.call(method, path, options);
      expect(answer.status).toBe(status);
      expect(answer.json).toMatchObject({
        error: title,
        code,
        message: expect.stringMatching(/^[A-Z].*\.$/s),
        request_id: answer.headers.get("x-request-id"),
      });
      expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(answer.headers.get("cache-control")).toBe("no-store");
    },
  );

  test("names the invalid fields, each with its reason", async () => {
    const answer = await service.call("POST", CONFIG, {
      body: { consent_mode: "loud", password_iterations: 5 },
    });
    expect(answer.json.fields).toEqual({
      consent_mode: expect.any(String),
      password_iterations: expect.any(String),
    });
  });

  test.each([CONFIG, "/platform/config"])(
    "names a setting called __proto__ as unknown, like any other (%s)",
    async (path) => {
      const answer = await service.call("POST", path, { body: '{"__proto__":{"brand_name":"x"}}' });
      expect([answer.status, answer.json.code]).toEqual([400, "unknown_fields"]);
      expect(Object.entries(answer.json.fields)).toEqual([["__proto__", "is not a known field"]]);
    },
  );

  test("of our own is a 500 without stack, statement or table, logged once with its stack", async () => {
    await service.database.query("ALTER TABLE delivery_attempts RENAME TO hidden_attempts");
    try {
      const answer = await service.call("GET", `/admin/events/log?shop=${SHOP}`);
      expect(answer.status).toBe(500);
      expect(answer.json).toEqual({
        error: "InternalError",
        code: "internal_error",
        message: expect.any(String),
        request_id: expect.any(String),
      });
      expect(answer.text).not.toMatch(/delivery_attempts|select|prisma|\.ts/i);
      const lines = service.logged.filter(
        (line) => line.event === "request.failed" && line.request_id === answer.json.request_id,
      );
      expect(lines).toHaveLength(1);
      expect(lines[0]?.stack).toEqual(expect.stringContaining("at "));
    } finally {
      await service.database.query("ALTER TABLE hidden_attempts RENAME TO delivery_attempts");
    }
  });

  test.each(["%00", "%EF%BF%BD", "%F0%9F%92%A5"])(
    "is never caused by an unusual character in a search (%s)",
    async (sign) => {
      const log = await service.call("GET", `/admin/events/log?shop=${SHOP}&channel=a${sign}`);
      const tenants = await service.call("GET", `/admin/tenants?region=a${sign}`);
      for (const { status } of [log, tenants]) expect([200, 400]).toContain(status);
    },
  );

  test("tells the caller that a text contains a character that cannot be stored", async () => {
    const answer = await service.call("POST", CONFIG, { body: { brand_name: "a\u0000b" } });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toBe("BadRequest");
  });

  test("half a surrogate pair in a body is stored as the replacement character; whole ones and backslashes are stored as sent", async () => {
    const text = "\\ud800a\\udc00\\ud800 \\ud83d\\ude00 \\\\ud800";
    const stored = "\ufffda\ufffd\ufffd \u{1f600} \\ud800";
    expect(
      (
        await service.call("POST", `/config?shop=${OTHER_SHOP}`, {
          body: `{"brand_name":"${text}"}`,
        })
      ).status,
    ).toBe(200);
    expect((await service.call("GET", `/config?shop=${OTHER_SHOP}`)).json.config.brand_name).toBe(
      stored,
    );
  });
});

describe("every response", () => {
  test("has its own X-Request-Id and X-Content-Type-Options: nosniff", async () => {
    const [one, two] = [await service.call("GET", "/health"), await service.call("GET", "/health")];
    expect(one.headers.get("x-request-id")).not.toBe(two.headers.get("x-request-id"));
    expect(one.headers.get("x-content-type-options")).toBe("nosniff");
  });
});

describe("a JSON body", () => {
  const post = (chunks: (string | Buffer)[], type = "application/json") =>
    rawRequest(service.url, CONFIG, {
      method: "POST",
      headers: [
        ["Authorization", `Bearer ${ADMIN_KEY}`],
        ["Content-Type", type],
        ["Transfer-Encoding", "chunked"],
      ],
      chunks,
    });

  test("that is not UTF-8 is rejected and nothing is stored", async () => {
    const answer = await post([
      Buffer.concat([Buffer.from('{"brand_name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    ]);
    expect([answer.status, answer.json.code]).toEqual([400, "malformed_body"]);
    expect(await savedBrand()).toBeUndefined();
  });

  test.each(["[]", '"text"', "5", "null", "true"])("must be an object (%s)", async (body) => {
    const answer = await service.call("POST", CONFIG, { body });
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
  });

  test("may declare its charset", async () => {
    expect((await post(['{"locale":"en"}'], "Application/JSON; charset=utf-8")).status).toBe(200);
  });

  test.each(["text/plain", "application/jsonp", "multipart/form-data; boundary=x"])(
    "of another content type is rejected: %s",
    async (type) => {
      expect((await post(['{"brand_name":"other"}'], type)).status).toBe(415);
      expect(await savedBrand()).toBeUndefined();
    },
  );

  test("may have exactly 1 MiB", async () => {
    const start = '{"locale":"en"}';
    expect((await post([start, " ".repeat(MIB - start.length)])).status).toBe(200);
  });

  test("above 1 MiB is rejected, with a Content-Length or chunked", async () => {
    const text = `{"brand_name":"big"${" ".repeat(MIB)}}`;
    expect((await service.call("POST", CONFIG, { body: text })).status).toBe(413);
    expect((await post([text.slice(0, 600_000), text.slice(600_000)])).status).toBe(413);
    expect(await savedBrand()).toBeUndefined();
  });

  test("that is too large is answered before the rest of it arrives", async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => service.call("POST", CONFIG, { body: " ".repeat(8 * MIB) })),
    );
    expect(answers.map(({ status }) => status)).toEqual([413, 413, 413, 413, 413]);
  });

  test("is not read before the caller has sent a key", async () => {
    expect((await service.call("POST", CONFIG, { body: "{", key: null })).status).toBe(401);
  });
});

describe("a method", () => {
  test.each(["DELETE", "PUT", "PATCH", "PROPFIND"])(
    "that a path does not have (%s) answers 405 with the allowed ones",
    async (method) => {
      const answer = await rawRequest(service.url, CONFIG, {
        method,
        headers: [["Authorization", `Bearer ${ADMIN_KEY}`]],
      });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe("GET, POST, HEAD, OPTIONS");
    },
  );

  test("HEAD answers like GET, without the body", async () => {
    const [get, head] = [
      await service.call("GET", "/openapi.json"),
      await service.call("HEAD", "/openapi.json"),
    ];
    expect(head.status).toBe(200);
    expect(head.text).toBe("");
    for (const name of ["content-type", "content-length"])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    expect((await service.call("HEAD", CONFIG, { key: null })).status).toBe(401);
  });

  test("HEAD of a path without GET answers 405", async () => {
    expect((await service.call("HEAD", "/webhooks/customer-update")).status).toBe(405);
  });
});

describe("a path", () => {
  test("below the API that matches nothing answers a JSON 404 for every method", async () => {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const answer = await service.call(method, "/events/nothing");
      expect([answer.status, answer.json?.error]).toEqual([404, "NotFound"]);
    }
  });

  test("outside the API that matches nothing is answered by the screens and not with JSON", async () => {
    expect((await service.call("GET", "/nothing-here")).json).toBeUndefined();
  });

  test("is the same with a trailing slash", async () => {
    expect((await service.call("GET", "/health/")).status).toBe(200);
    expect((await service.call("GET", `/config/?shop=${SHOP}`, { key: null })).status).toBe(401);
    expect((await service.call("GET", "/health//")).status).toBe(404);
  });

  test("that begins with two slashes is a path and never another host", async () => {
    for (const path of [
      "//elsewhere.example/auth/install",
      `//elsewhere.example/config?shop=${SHOP}`,
    ]) {
      const answer = await rawRequest(service.url, path);
      expect(answer.status).toBe(404);
      expect(answer.headers.location).toBeUndefined();
    }
  });

  test("that is malformed is rejected without a 500", async () => {
    for (const path of [
      "/webhooks/%E0%A4%A",
      "/config?shop=%E0%A4%A",
      "http://elsewhere.example/config",
    ]) {
      const answer = await rawRequest(service.url, path, {
        headers: [["Authorization", `Bearer ${ADMIN_KEY}`]],
      });
      expect([path, Math.floor(answer.status / 100)]).toEqual([path, 4]);
    }
  });
});

// The screens' router would match these endpoints too, without their rate limits and path checks.
test.each([
  "/Commerce/products",
  "/COMMERCE/orders",
  "/x/../commerce/products",
  "/./commerce/products",
  "/%63ommerce/products",
  "/%43ONFIG",
  "//commerce/products",
  "/\\commerce/products",
  "/AUTH/login",
])("an endpoint has one address: %s is none", async (path) => {
  const { status, json } = await rawRequest(service.url, `${path}?shop=${SHOP}`, {
    method: "POST",
    headers: [["Content-Type", "application/json"]],
  });
  expect({ status, code: json?.code }).toEqual({ status: 404, code: "not_found" });
});
