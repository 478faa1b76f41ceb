// What every endpoint has in common: the error shape, bodies and their bounds, methods, paths.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rawRequest } from "../support/raw-request.ts";
import { ADMIN_KEY, OTHER_SHOP, SHOP, startService, type Service } from "../support/service.ts";

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
    "%i is titled %s with a code, a message for a person and the id of the request (%s)",
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

  test("names the fields that are wrong, each with its reason", async () => {
    const answer = await service.call("POST", CONFIG, {
      body: { consent_mode: "loud", password_iterations: 5 },
    });
    expect(answer.json.fields).toEqual({
      consent_mode: expect.any(String),
      password_iterations: expect.any(String),
    });
  });

  test("of our own is a 500 that shows no stack, no statement and no table, and is logged once with its stack", async () => {
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
    "never comes from a strange character in a search (%s)",
    async (sign) => {
      const log = await service.call("GET", `/admin/events/log?shop=${SHOP}&channel=a${sign}`);
      const tenants = await service.call("GET", `/admin/tenants?region=a${sign}`);
      for (const { status } of [log, tenants]) expect([200, 400]).toContain(status);
    },
  );

  test("tells a caller that a text holds a character that cannot be stored", async () => {
    const answer = await service.call("POST", CONFIG, { body: { brand_name: "a\u0000b" } });
    expect(answer.status).toBe(400);
    expect(answer.json.error).toBe("BadRequest");
  });

  test("half a character in a body is stored as the replacement character, and whole ones and backslashes as they are", async () => {
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

describe("every answer", () => {
  test("carries its own X-Request-Id, and no browser may guess its type", async () => {
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

  test("that is not UTF-8 is refused and nothing is stored", async () => {
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

  test("may say its charset", async () => {
    expect((await post(['{"locale":"en"}'], "Application/JSON; charset=utf-8")).status).toBe(200);
  });

  test.each(["text/plain", "application/jsonp", "multipart/form-data; boundary=x"])(
    "of another content type is refused: %s",
    async (type) => {
      expect((await post(['{"brand_name":"other"}'], type)).status).toBe(415);
      expect(await savedBrand()).toBeUndefined();
    },
  );

  test("may hold exactly 1 MiB", async () => {
    const start = '{"locale":"en"}';
    expect((await post([start, " ".repeat(MIB - start.length)])).status).toBe(200);
  });

  test("of more than 1 MiB is refused, whether its length is announced or it comes in pieces", async () => {
    const text = `{"brand_name":"big"${" ".repeat(MIB)}}`;
    expect((await service.call("POST", CONFIG, { body: text })).status).toBe(413);
    expect((await post([text.slice(0, 600_000), text.slice(600_000)])).status).toBe(413);
    expect(await savedBrand()).toBeUndefined();
  });

  test("that is too large is answered even when far more of it is on its way", async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => service.call("POST", CONFIG, { body: " ".repeat(8 * MIB) })),
    );
    expect(answers.map(({ status }) => status)).toEqual([413, 413, 413, 413, 413]);
  });

  test("is not looked at before the caller has shown a key", async () => {
    expect((await service.call("POST", CONFIG, { body: "{", key: null })).status).toBe(401);
  });
});

describe("a method", () => {
  test.each(["DELETE", "PUT", "PATCH", "PROPFIND"])(
    "that a path does not have (%s) is 405 with the ones it has",
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

  test("HEAD of a path without GET is 405", async () => {
    expect((await service.call("HEAD", "/webhooks/customer-update")).status).toBe(405);
  });
});

describe("a path", () => {
  test("below the API that nothing answers is a JSON 404, for every method", async () => {
    for (const method of ["GET", "POST", "OPTIONS"]) {
      const answer = await service.call(method, "/events/nothing");
      expect([answer.status, answer.json?.error]).toEqual([404, "NotFound"]);
    }
  });

  test("elsewhere is left to the pages", async () => {
    expect((await service.call("GET", "/nothing-here")).json).toBeUndefined();
  });

  test("means the same with a slash at its end", async () => {
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

  test("that cannot be read is refused without a 500", async () => {
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

// The screens' router would find these endpoints too: past their limits by address, and past what is asked of their path.
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
