// Drop addresses of a store: what is rejected when it is saved, and again when a file is dropped.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createErpClient } from "../../app/integrations/erp.ts";
import { createRetailAnalyticsBClient } from "../../app/integrations/retail-analytics-b.ts";
import {
  createRetailAnalyticsAClient,
  type RetailAnalyticsAClient,
} from "../../app/integrations/retail-analytics-a.ts";
import { OutboundError } from "../../app/runtime/errors.ts";
import { createLog } from "../../app/runtime/log.ts";
import { createOutbound, type Outbound } from "../../app/runtime/outbound/outbound.ts";
import { findAddressProblem, type AddressRules } from "../../app/runtime/tenant-address.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";

let service: Service;
let root: string;
const outbounds: Outbound[] = [];
beforeAll(async () => {
  service = await startService();
  root = mkdtempSync(join(tmpdir(), "retail-drops-"));
  process.env.AWS_ACCESS_KEY_ID = "test-id";
  process.env.AWS_SECRET_ACCESS_KEY = "test-secret";
});
afterAll(async () => {
  for (const outbound of outbounds) await outbound.close();
  await service.stop();
  rmSync(root, { recursive: true, force: true });
});

const rulesOf = (allow: string[], ...archiveUrls: string[]): AddressRules => ({
  allow,
  root,
  archiveUrls: archiveUrls.length > 0 ? archiveUrls : ["s3://our-archive/x"],
});
const KEYS = { accessKeyId: "store-id", secretAccessKey: "store-secret" };

function clientFor(allow: string[]): RetailAnalyticsAClient {
  const outbound = createOutbound({ log: createLog("silent"), allow });
  outbounds.push(outbound);
  return createRetailAnalyticsAClient({ outbound, addressRules: async () => rulesOf(allow) });
}

const REFUSED: [url: string, allow: string[]][] = [
  ["file:/etc/cron.d", []],
  ["file:drops", ["127.0.0.1"]],
  ["file:/srv/other", ["file:/srv/drops"]],
  ["file:/srv/drops-of-others", ["file:/srv/drops"]],
  ["file:/srv/drops/../other", ["file:/srv/drops"]],
  ["s3://bucket/x?endpoint=http://minio.example", []],
  ["s3://bucket/x?endpoint=https://127.0.0.1:9000", []],
  ["s3://bucket/x?endpoint=https://169.254.169.254", []],
  ["s3://bucket/x?endpoint=https://[::1]", []],
  ["s3://bucket/x?endpoint=https://localhost", ["127.0.0.1"]],
  ["s3://bucket/x?endpoint=gopher://x", []],
  ["s3://our-archive/events", []],
  ["s3://our-archive?endpoint=https://s3.example", []],
  ["s3:///x", []],
  ["s3://Our-Archive/x", []],
  ["s3://our%2Darchive/x", []],
  ["s3://our-archive:443/x", []],
  ["s3://our-archive./x", []],
  ["s3://id:key@bucket/x", []],
  ["s3://bucket/x#1?endpoint=https://objects.example", []],
  ["s3://bucket/x?region=eu.evil.example/", []],
  ["s3://bucket?endpoint=https://our-archive.s3.amazonaws.com", []],
  ["s3://bucket?endpoint=https://Our-Archive.s3.amazonaws.com.", []],
  ["s3://bucket?endpoint=https://s3.amazonaws.com/our-archive", []],
  ["s3://bucket?endpoint=https://s3.amazonaws.com/x/../our-archive/", []],
  ["s3://bucket?endpoint=https://s3.amazonaws.com?x", []],
  ["s3://bucket?endpoint=https://s3.amazonaws.com/our-archive%252Fx", []],
  ["s3://bucket?endpoint=https://s3.amazonaws.com/x%255Cour-archive", []],
  ["https://our-archive.s3.amazonaws.com/x?X-Amz-Signature=1", []],
  ["https://our-archive.s3.eu-west-1.amazonaws.com./x", []],
  ["https://s3.amazonaws.com/our-archive/x", []],
  ["https://s3.eu-west-1.amazonaws.com//our-archive/x", []],
  ["https://s3.amazonaws.com/%6Fur-archive/x", []],
  ["https://s3.amazonaws.com/%256Fur-archive/x", []],
  ["https://S3.AMAZONAWS.COM/our-archive", []],
  ["https://s3.amazonaws.com/our-archive%2Fx?X-Amz-Signature=1", []],
  ["https://s3.amazonaws.com/%2Four-archive/x", []],
  ["https://s3.amazonaws.com/%5Cour-archive/x", []],
  ["https://s3.amazonaws.com/x/%252e%252e/our-archive/x", []],
  ["https://s3.amazonaws.com/our-archive/x/..%2F..%2Fy", []],
  ["https://our-archive.s3.amazonaws.com../x", []],
  ["https://our-archive.s3.cn-north-1.amazonaws.com.cn/x", []],
  ["https://s3.eusc-de-east-1.amazonaws.eu/our-archive/x", []],
  ["https://10.0.0.8/drop", []],
  ["http://partner.example/drop", []],
];

const OWN_ARCHIVE = { code: "privateAddress", reason: "must not be the service's own archive" };

describe("an address inside our own network or storage", () => {
  test.each(REFUSED)("is rejected: %s with %j allowed", async (url, allow) => {
    expect(findAddressProblem(url, rulesOf(allow))).toMatchObject({ reason: expect.any(String) });
    const error = await clientFor(allow)
      .drop({ url, shop: SHOP, keys: KEYS }, "e.csv", "x")
      .then(
        () => null,
        (thrown: unknown) => thrown,
      );
    expect(error).toBeInstanceOf(OutboundError);
    expect(error).toMatchObject({ kind: "refused_address", retryable: false });
  });

  test("is rejected for every bucket that is or was the archive's, at each one's endpoint", () => {
    const rules = rulesOf(
      [],
      "s3://deployed-archive/x",
      "s3://saved-archive?endpoint=https://objects.example&region=eu-1",
    );
    for (const url of [
      "s3://deployed-archive/y",
      "s3://saved-archive/y",
      "https://objects.example/saved-archive/y",
      "https://saved-archive.objects.example/y",
    ])
      expect(findAddressProblem(url, rules)).toMatchObject(OWN_ARCHIVE);
    for (const url of [
      "https://partner.example/saved-archive/y",
      "https://objects.example/another/y",
      "s3://saved-archives/y",
    ])
      expect(findAddressProblem(url, rules)).toBeUndefined();
  });

  test.each(["https://s3.eu-west-1.amazonaws.com", "https://s3.eu-west-1.amazonaws.com./"])(
    "is rejected for the archive's bucket at %s also by Amazon's other hosts of it",
    (endpoint) => {
      const rules = rulesOf([], `s3://own-archive?endpoint=${endpoint}&region=eu-west-1`);
      for (const url of [
        "https://s3.amazonaws.com/own-archive/y",
        "https://own-archive.s3.amazonaws.com/y",
        "https://own-archive.s3.dualstack.eu-west-1.amazonaws.com/y",
        "https://own-archive.s3.eu-west-1.amazonaws.com/y",
        "https://own-archive.s3-accelerate.amazonaws.com/y",
      ])
        expect(findAddressProblem(url, rules)).toMatchObject(OWN_ARCHIVE);
      for (const url of [
        "https://partner.s3.eu-west-1.amazonaws.com/drops/own-archive/y",
        "https://s3.eu-west-1.amazonaws.com/partner/own-archive/y",
      ])
        expect(findAddressProblem(url, rules)).toBeUndefined();
    },
  );

  test("is rejected for the archive's own folder, also when folders are allowed", () => {
    const rules = rulesOf(["file"], "file:.data/archive");
    for (const url of [
      "file:.data/archive",
      "file:.data/archive/gdpr",
      `file://${root}/.data/archive/events`,
    ])
      expect(findAddressProblem(url, rules)).toMatchObject(OWN_ARCHIVE);
    expect(findAddressProblem("file:.data/drops", rules)).toBeUndefined();
  });

  test.each([
    "file:/etc",
    "s3://bucket?endpoint=http://10.0.0.1",
    "https://10.0.0.8/x",
    "http://partner.example/x",
  ])("is not saved: %s", async (url) => {
    await service.addTenant(SHOP, { retail_analytics_a_url: null });
    const answer = await service.call("POST", `/config?shop=${SHOP}`, {
      body: { retail_analytics_a_url: url },
    });
    expect(answer).toMatchObject({
      status: 400,
      json: { code: "invalid_request", fields: { retail_analytics_a_url: expect.any(String) } },
    });
    expect(
      (await service.call("GET", `/config?shop=${SHOP}`)).json.config.retail_analytics_a_url,
    ).toBeUndefined();
  });

  const save = (fields: Record<string, unknown>) =>
    service.call("POST", `/config?shop=${SHOP}`, { body: fields });
  const SAVED_KEYS = {
    retail_analytics_a_access_key_id: "store-access-key-id",
    retail_analytics_a_secret_access_key: "store-secret-access-key",
  };

  test.each([
    "https://partner.example/drop?sig=1",
    "s3://bucket/prefix?region=eu-west-1",
    "s3://bucket?endpoint=https://objects.example",
  ])("is saved when it is allowed: %s", async (url) => {
    await service.addTenant(SHOP);
    expect((await save({ ...SAVED_KEYS, retail_analytics_a_url: url })).status).toBe(200);
  });

  test("of a bucket needs the store's own keys: without one it is not saved, nor can a key be removed", async () => {
    const url = { retail_analytics_a_url: "s3://bucket/prefix" };
    const [id, secret] = Object.keys(SAVED_KEYS) as [string, string];
    const nothing = { retail_analytics_a_url: null, [id]: null, [secret]: null };
    await service.addTenant(SHOP, nothing);
    expect(Object.keys((await save(url)).json.fields)).toEqual([id, secret]);
    expect(Object.keys((await save({ ...url, [id]: "store-access-key" })).json.fields)).toEqual([
      secret,
    ]);
    expect((await save({ ...url, ...SAVED_KEYS })).status).toBe(200);
    expect(Object.keys((await save({ [secret]: null })).json.fields)).toEqual([secret]);
    expect((await service.call("GET", `/config?shop=${SHOP}`)).json.config).toMatchObject({
      [id]: "stor****y-id",
      [secret]: "stor****-key",
    });
    expect((await save(nothing)).status).toBe(200);
  });

  test("of the bucket in the platform's saved configuration is not saved", async () => {
    const move = (archive_url: string | null) =>
      service.call("POST", "/platform/config", { body: { archive_url } });
    await service.addTenant(SHOP);
    await move("s3://moved-archive/objects");
    await eventually("the moved archive", async () => {
      const answer = await save({ ...SAVED_KEYS, retail_analytics_a_url: "s3://moved-archive/x" });
      return answer.status === 400 && answer.json.fields.retail_analytics_a_url;
    });
    await move(null);
  });

  test("behind a host name is checked when it is connected to", async () => {
    for (const url of [
      "https://localtest.invalid./x",
      "s3://bucket?endpoint=https://localhost.localdomain",
    ])
      await expect(
        clientFor([]).drop({ url, shop: SHOP, keys: KEYS }, "e.csv", "x"),
      ).rejects.toMatchObject({
        kind: expect.stringMatching(/network|refused_address/),
      });
  });
});

describe("a folder", () => {
  test("of a store is its own subfolder of the address, and a repeat replaces the file", async () => {
    const client = clientFor([`file:${root}/open`]);
    for (const csv of ["first", "second"])
      await client.drop({ url: `file:${root}/open/partner`, shop: SHOP, keys: null }, "e.csv", csv);
    await client.drop(
      { url: "file:open/partner", shop: "other.myshopify.com", keys: KEYS },
      "e.csv",
      "theirs",
    );
    expect(readdirSync(join(root, "open/partner")).sort()).toEqual(["other.myshopify.com", SHOP]);
    expect(readFileSync(join(root, "open/partner", SHOP, "e.csv"), "utf8")).toBe("second");
  });

  test.each(["../e.csv", "/tmp/e.csv", "a/../../e.csv"])(
    "cannot be left by a file's name: %s",
    async (name) => {
      await expect(
        clientFor(["file"]).drop({ url: "file:named", shop: SHOP, keys: KEYS }, name, "x"),
      ).rejects.toThrow();
      expect(existsSync(join(root, "named/e.csv"))).toBe(false);
    },
  );
});

describe("a bucket", () => {
  test("is never written with the service's own credentials", async () => {
    const before = service.sandbox.requests("retailAnalyticsA").length;
    await expect(
      clientFor(["127.0.0.1"]).drop({ url: url(), shop: SHOP, keys: null }, "h.csv", "x"),
    ).rejects.toMatchObject({ kind: "refused_address" });
    expect(service.sandbox.requests("retailAnalyticsA")).toHaveLength(before);
  });

  const objects = () => service.sandbox.retailAnalyticsA.objects();
  const url = () => `s3://crm/daily/?endpoint=${service.sandbox.addresses.retailAnalyticsAUrl}`;

  test("is written by a signed request through our own client", async () => {
    expect(
      await clientFor(["127.0.0.1"]).drop(
        { url: url(), shop: SHOP, keys: KEYS },
        "e.csv",
        "a,b\r\n1,ü\r\n",
      ),
    ).toEqual({ status: 200 });
    expect(objects()["/crm/daily/e.csv"]).toMatchObject({
      body: "a,b\r\n1,ü\r\n",
      contentType: "text/csv; charset=utf-8",
    });
    expect(service.sandbox.requests("retailAnalyticsA").at(-1)?.headers.authorization).toContain(
      "AWS4-HMAC-SHA256 Credential=store-id/",
    );
  });

  test("is written with nothing of the service's own AWS settings", async () => {
    const own = {
      AWS_SESSION_TOKEN: "service-session-token",
      AWS_ENDPOINT_URL: "https://own.example",
      AWS_ENDPOINT_URL_S3: "https://own.example",
      AWS_REGION: "eu-central-1",
      AWS_USE_DUALSTACK_ENDPOINT: "true",
      AWS_USE_FIPS_ENDPOINT: "true",
      AWS_PROFILE: "own-profile",
    };
    Object.assign(process.env, own);
    try {
      await clientFor(["127.0.0.1"]).drop({ url: url(), shop: SHOP, keys: KEYS }, "o.csv", "x");
    } finally {
      for (const name of Object.keys(own)) delete process.env[name];
    }
    expect(objects()["/crm/daily/o.csv"]?.body).toBe("x");
    const { headers } = service.sandbox.requests("retailAnalyticsA").at(-1)!;
    expect(headers.authorization).toMatch(/Credential=store-id\/\d+\/us-east-1\//);
    expect(headers["x-amz-security-token"]).toBeUndefined();
  });

  test.each([
    [403, false],
    [503, true],
    [429, true],
  ])("that answers %i is a retryable failure: %s", async (status, retryable) => {
    service.sandbox.failNext("retailAnalyticsA", {
      status,
      body: "<Error><Code>No</Code></Error>",
    });
    await expect(
      clientFor(["127.0.0.1"]).drop({ url: url(), shop: SHOP, keys: KEYS }, "f.csv", "x"),
    ).rejects.toMatchObject({ status, retryable });
    expect(objects()["/crm/daily/f.csv"]).toBeUndefined();
  });

  const dropped = (answer: { status: number; body?: string; headers?: Record<string, string> }) => {
    service.sandbox.failNext("retailAnalyticsA", answer);
    return clientFor(["127.0.0.1"])
      .drop({ url: url(), shop: SHOP, keys: KEYS }, "r.csv", "x")
      .then(
        () => null,
        (thrown: unknown) => thrown,
      );
  };
  const xml = (code: string, message: string) =>
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message><AWSAccessKeyId>store-id</AWSAccessKeyId></Error>`;

  test("that asks for less is tried again no sooner than it says", async () => {
    expect(
      await dropped({
        status: 503,
        body: xml("SlowDown", "Please reduce your request rate."),
        headers: { "retry-after": "300" },
      }),
    ).toMatchObject({ status: 503, retryAfterMs: 300_000 });
  });

  test.each([
    [
      { status: 403, body: xml("AccessDenied", "Access Denied") },
      "retail_analytics_a answered 403: AccessDenied, Access Denied",
    ],
    [
      { status: 404, body: xml("NoSuchBucket", "It does not exist") },
      "retail_analytics_a answered 404: NoSuchBucket, It does not exist",
    ],
    [
      { status: 301, headers: { "x-amz-bucket-region": "eu-west-2" } },
      "retail_analytics_a answered 301: the bucket is in eu-west-2",
    ],
    [{ status: 403 }, "retail_analytics_a answered 403"],
    [{ status: 500, body: "<html>oops</html>" }, "retail_analytics_a answered 500"],
  ])("that refuses with %j is named with its status and its reason", async (answer, message) => {
    expect(await dropped(answer)).toMatchObject({ status: answer.status, message });
  });

  test("whose answer is the page of a proxy has no file, and is asked again", async () => {
    expect(
      await dropped({
        status: 200,
        body: "<!doctype html><html>Sign in</html>",
        headers: { "content-type": "text/html" },
      }),
    ).toMatchObject({ kind: "malformed", retryable: true });
  });

  test("below a prefix with a space and an umlaut is written there, not below their encoding", async () => {
    const named = url().replace("/daily/", "/my drops/%C3%A4/");
    await clientFor(["127.0.0.1"]).drop({ url: named, shop: SHOP, keys: KEYS }, "s.csv", "x");
    expect(service.sandbox.requests("retailAnalyticsA").at(-1)?.path).toBe(
      "/crm/my%20drops/%C3%A4/s.csv?x-id=PutObject",
    );
  });

  test("that redirects is not followed", async () => {
    service.sandbox.failNext("retailAnalyticsA", {
      status: 307,
      headers: { location: "http://169.254.169.254/" },
    });
    await expect(
      clientFor(["127.0.0.1"]).drop({ url: url(), shop: SHOP, keys: KEYS }, "g.csv", "x"),
    ).rejects.toMatchObject({ status: 307 });
  });
});

test("over https the object is PUT below the address, whose query is kept", async () => {
  const url = `${service.sandbox.addresses.retailAnalyticsAUrl}/in/?sig=s`;
  expect(
    await clientFor(["127.0.0.1"]).drop({ url, shop: SHOP, keys: KEYS }, "e.csv", "x"),
  ).toEqual({
    status: 200,
  });
  expect(service.sandbox.requests("retailAnalyticsA").at(-1)).toMatchObject({
    method: "PUT",
    path: "/in/e.csv?sig=s",
  });
});

test.each([
  "http://127.0.0.1:1/x",
  "https://127.0.0.1:1/x",
  "https://169.254.169.254/latest",
  "https://[::1]/",
  "http://partner.example/",
])("the ERP and the JSON partner are not called at %s either", async (url) => {
  const outbound = createOutbound({ log: createLog("silent"), allow: [] });
  outbounds.push(outbound);
  const erp = { system: "erpsys", baseUrl: url } as const;
  await expect(
    createErpClient({ outbound }).post(erp, {
      path: "/A",
      contentType: "application/json",
      body: "{}",
      idempotencyKey: "k",
    }),
  ).rejects.toMatchObject({ kind: "refused_address" });
  await expect(createErpClient({ outbound }).ping(erp)).rejects.toMatchObject({
    kind: "refused_address",
  });
  await expect(
    createRetailAnalyticsBClient({ outbound }).post({ url, idempotencyKey: "k" }, {}),
  ).rejects.toMatchObject({ kind: "refused_address" });
});
