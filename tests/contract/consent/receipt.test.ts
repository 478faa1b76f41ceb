import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  logOf,
  signUp,
  startConsentService,
  syncAs,
  type ConsentService,
  type Person,
} from "../../support/consent.ts";
import { OTHER_SHOP, SHOP } from "../../support/service.ts";

let service: ConsentService;
let ada: Person;
beforeAll(async () => {
  service = await startConsentService();
  await service.addTenant(SHOP, {
    brand_name: "Ada's",
    privacy_url: "https://shop.example/privacy",
    support_email: "help@shop.example",
  });
  await service.call("POST", `/admin/consent/policies?shop=${SHOP}`, {
    body: { version: "v1", body: "The text." },
  });
  ada = await signUp(service);
  await syncAs(
    service,
    ada,
    {
      consent_cookie: true,
      consent_marketing: false,
      consent_id: "r-1",
      consent_version: "v1",
      source_page: "https://shop.example/a?b",
      timestamp: "then",
    },
    { headers: { "Sec-GPC": "1" } },
  );
});
afterAll(() => service.stop());

const receipt = (id: string, person: Person | null = ada, shop = SHOP) =>
  service.call("GET", `/ucp/consent-receipt/${id}?shop=${shop}`, { key: person?.token ?? null });

describe("a consent receipt", () => {
  it("contains person, time, decision, policy, method and chain position exactly as stored", async () => {
    const rows = (await logOf(service, ada)).filter((row) => row.consent_id === "r-1");
    const answer = await receipt("r-1");
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      consentReceiptID: "r-1",
      version: "ISO/IEC TS 27560:2023",
      consentTimestamp: rows[0]?.created_at.toISOString(),
      collectionMethod: "banner",
      piiPrincipalId: expect.stringMatching(/^[0-9a-f]{32,}$/),
      piiControllers: [{ name: "Ada's", domain: SHOP, email: "help@shop.example" }],
      policyUrl: "https://shop.example/privacy",
      policyVersion: "v1",
      policyHash: hash("sha256", "The text."),
      sourcePage: "https://shop.example/a",
      globalPrivacyControl: true,
      services: rows.map((row) => ({
        purpose: row.consent_type,
        action: row.action,
        outcome: row.action === "granted" ? "granted" : "declined",
        clientTime: "then",
        chain: { seq: Number(row.seq), hash: row.hash, previous: row.prev_hash },
      })),
    });
  });

  it("names the person by a pseudonym, never by id or address", async () => {
    const { text, json } = await receipt("r-1");
    expect(text).not.toContain(ada.email);
    expect(json.piiPrincipalId).not.toBe(String(ada.id));
  });

  it("of another person, of another store and unknown answers the same 404", async () => {
    const [bob, stranger] = [await signUp(service), await signUp(service, {}, OTHER_SHOP)];
    for (const answer of [
      await receipt("r-1", bob),
      await receipt("r-1", stranger, OTHER_SHOP),
      await receipt("nothing"),
      await receipt("r-1'%20OR%201=1--"),
    ])
      expect([answer.status, answer.json.code]).toEqual([404, "not_found"]);
  });

  it("with a shared consent_id contains the caller's rows only", async () => {
    const bob = await signUp(service);
    await syncAs(service, bob, { consent_a2a: true, consent_id: "r-1" });
    expect(
      (await receipt("r-1", bob)).json.services.map(({ purpose }: { purpose: string }) => purpose),
    ).toEqual(["a2a"]);
    expect(
      (await receipt("r-1")).json.services.map(({ purpose }: { purpose: string }) => purpose),
    ).toEqual(["cookie", "marketing"]);
  });

  it("requires a session of this store: 401", async () => {
    const stranger = await signUp(service, {}, OTHER_SHOP);
    expect((await receipt("r-1", null)).status).toBe(401);
    expect((await receipt("r-1", stranger)).status).toBe(401);
  });
});
