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

it("a policy is kept under its version and language with the hash of its exact text; the same again is fine", async () => {
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

it("another text under the same version is 409 and changes nothing; another language or store is free to have its own", async () => {
  const before = await stored();
  const answer = await publish({ version: "v1", body: "Another." });
  expect([answer.status, answer.json.code]).toEqual([409, "conflict"]);
  expect(await stored()).toEqual(before);
  expect((await publish({ version: "v1", locale: "fr", body: "Autre." })).status).toBe(200);
  expect((await publish({ version: "v1", body: "Theirs." }, OTHER_SHOP)).status).toBe(200);
});

it("two different texts at once: one is kept, the other told so", async () => {
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
])("%j is 400 and nothing is kept", async (body) => {
  const before = await stored();
  expect((await publish(body)).json.code).toBe("invalid_request");
  expect(await stored()).toEqual(before);
});

it("without an admin key of the store it is 401, for an unknown store 404", async () => {
  const ada = await signUp(service);
  const before = await stored();
  for (const key of [null, ada.token, "wrong-key-0123456789"])
    expect((await publish({ version: "v3", body: "x" }, SHOP, key)).status).toBe(401);
  expect((await publish({ version: "v3", body: "x" }, "nobody.myshopify.com")).status).toBe(404);
  expect(await stored()).toEqual(before);
});
