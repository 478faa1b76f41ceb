import { hash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { listPolicies } from "../../../app/domain/consent/policies.ts";
import { putInForce, versionsOf } from "../../../app/domain/consent/policy-versions.ts";
import { dataOf, getTenant } from "../../../app/domain/tenants/tenant.ts";
import { signUp, startConsentService, type ConsentService } from "../../support/consent.ts";
import { OTHER_SHOP, SHOP } from "../../support/service.ts";

let service: ConsentService;
beforeAll(async () => {
  service = await startConsentService();
});
afterAll(() => service.stop());

const publish = (body: unknown, shop = SHOP, key?: string | null) =>
  service.call("POST", `/admin/consent/policies?shop=${shop}`, {
    body,
    ...(key !== undefined && { key }),
  });
const stored = () =>
  service.database.query(
    "SELECT shop, version, locale, sha256, body FROM consent_policies ORDER BY 1, 2, 3",
  );

it("stores a policy under its version and language with the SHA-256 of its exact text; repeating it is safe", async () => {
  const text = "We keep it.\r\n\u{1f36a}";
  for (const _ of [1, 2]) {
    const answer = await publish({ version: "v1", body: text });
    expect([answer.status, answer.json]).toEqual([
      200,
      { ok: true, version: "v1", locale: "en", sha256: hash("sha256", text) },
    ]);
  }
  expect((await stored()).filter(({ version }) => version === "v1")).toEqual([
    { shop: SHOP, version: "v1", locale: "en", sha256: hash("sha256", text), body: text },
  ]);
});

it("answers 409 for another text under the same version and changes nothing; another language or store may have its own", async () => {
  await publish({ version: "taken", body: "The first." });
  const before = await stored();
  const answer = await publish({ version: "taken", body: "Another." });
  expect([answer.status, answer.json.code]).toEqual([409, "conflict"]);
  expect(await stored()).toEqual(before);
  expect((await publish({ version: "taken", locale: "fr", body: "Autre." })).status).toBe(200);
  expect((await publish({ version: "taken", body: "Theirs." }, OTHER_SHOP)).status).toBe(200);
});

it("of two different texts at once stores one and answers 409 to the other", async () => {
  const answers = await Promise.all(
    ["One.", "Two."].map((body) => publish({ version: "race", body })),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
});

it.each([
  {},
  { version: "v2" },
  { version: "", body: "x" },
  { version: "v2", body: "" },
  { version: "v2", body: "x", locale: "english" },
  { version: 2, body: "x" },
  { version: "x".repeat(81), body: "x" },
])("answers 400 for %j and stores nothing", async (body) => {
  const before = await stored();
  expect((await publish(body)).json.code).toBe("invalid_request");
  expect(await stored()).toEqual(before);
});

it("answers 401 without the store's admin key and 404 for an unknown store", async () => {
  const ada = await signUp(service);
  const before = await stored();
  for (const key of [null, ada.token, "wrong-key-0123456789"])
    expect((await publish({ version: "v3", body: "x" }, SHOP, key)).status).toBe(401);
  expect((await publish({ version: "v3", body: "x" }, "nobody.myshopify.com")).status).toBe(404);
  expect(await stored()).toEqual(before);
});

it("shows shoppers the text of the version in force as plain text, from a link on the page of their choices, and no other version", async () => {
  const shop = "readers.myshopify.com";
  await service.addTenant(shop, { brand_name: "Readers", locale: "es" });
  const get = (path: string) => service.call("GET", path, { key: null });
  const choices = () => get(`/embed/compliance?shop=${shop}&locale=fr`);
  const read = (locale = "fr") => get(`/embed/policy?shop=${shop}&locale=${locale}`);
  const setVersion = (version: string) =>
    service.call("POST", `/config?shop=${shop}`, { body: { consent_policy_version: version } });
  await publish({ version: "next", body: "Not yet." }, shop);
  await setVersion("unwritten");
  expect((await choices()).text).toContain("<bdi>unwritten</bdi></small>");
  expect((await read()).status).toBe(404);

  const body = `<h2>Nous gardons</h2><p>Votre nom &amp; <img src=x onerror=alert(1)>rien.</p><script>alert(1)</script>`;
  await publish({ version: "2026 <b>", locale: "fr", body }, shop);
  await publish({ version: "2026 <b>", locale: "es", body: "Guardamos <poco>." }, shop);
  await setVersion("2026 <b>");
  const link = /<a href="([^"]+)"[^>]*><bdi>2026 &#60;b&#62;<\/bdi><\/a>/.exec(
    (await choices()).text,
  );
  const url = new URL((link?.[1] ?? "").replaceAll("&#38;", "&"));
  expect(url.origin).toBe(new URL(service.url).origin);
  const page = await get(url.pathname + url.search);
  expect([
    page.status,
    page.headers.get("content-type"),
    page.headers.get("cache-control"),
  ]).toEqual([200, "text/html; charset=utf-8", "no-cache"]);
  expect(page.text).toContain('<html lang="fr">');
  expect(page.text).toMatch(/lang="fr" dir="auto">Nous gardons\n+Votre nom &#38; rien\.<\/div>/i);
  expect(page.text).not.toMatch(/<script|onerror|<img/);
  expect(page.text).not.toContain("Not yet");
  expect((await read("de")).text).toContain('lang="es" dir="auto">Guardamos &#60;poco&#62;.</div>');
  expect((await get(`/embed/policy?shop=${OTHER_SHOP}`)).status).toBe(404);
});

it("a version with spaces around its name cannot be put in force, because the setting has none", async () => {
  const { ctx } = service;
  expect((await publish({ version: " spaced ", body: "We keep it." })).status).toBe(200);
  expect((await publish({ version: "plain", body: "We keep it." })).status).toBe(200);
  const tenant = await getTenant(ctx, SHOP);
  const offered = versionsOf(await listPolicies(dataOf(ctx, tenant).sql));
  expect(offered).toContain("plain");
  expect(offered.filter((version) => version.includes("spaced"))).toEqual([]);
  await expect(putInForce(ctx, tenant, { version: " spaced " })).rejects.toMatchObject({
    code: "not_found",
  });
});
