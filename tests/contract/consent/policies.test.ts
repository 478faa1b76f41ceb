import { hash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
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
  expect(await stored()).toEqual([
    { shop: SHOP, version: "v1", locale: "en", sha256: hash("sha256", text), body: text },
  ]);
});

it("answers 409 for another text under the same version and changes nothing; another language or store may have its own", async () => {
  const before = await stored();
  const answer = await publish({ version: "v1", body: "Another." });
  expect([answer.status, answer.json.code]).toEqual([409, "conflict"]);
  expect(await stored()).toEqual(before);
  expect((await publish({ version: "v1", locale: "fr", body: "Autre." })).status).toBe(200);
  expect((await publish({ version: "v1", body: "Theirs." }, OTHER_SHOP)).status).toBe(200);
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
