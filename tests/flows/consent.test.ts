import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, RETURN_ORIGIN, SHOP, startService, type Service } from "../support/service.ts";

let service: Service;
let token: string;
beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP);
  const signedUp = await service.call("POST", `/auth/signup?shop=${SHOP}`, {
    body: {
      email: "ada@example.com",
      password: "correct horse",
      consent_tos: true,
      consent_privacy: true,
    },
    key: null,
  });
  token = signedUp.json.token;
});
afterAll(() => service.stop());

describe("a signed-in person decides", () => {
  it("one row per changed flag, none for a retry, one for the opposite, and the chain is valid", async () => {
    const send = (body: object) =>
      service.call("POST", "/auth/consent-sync", {
        body: { method: "banner", ...body },
        key: token,
      });
    const first = await send({ consent_cookie: true, consent_tos: true, consent_id: "c1" });
    expect(first.json).toEqual({
      ok: true,
      consent_id: "c1",
      recorded: [{ consent_type: "cookie", action: "granted" }],
      pending_confirmation: false,
    });
    expect((await send({ consent_cookie: true, consent_id: "c1" })).json.recorded).toEqual([]);
    expect((await send({ consent_cookie: false, consent_id: "c1" })).json.recorded).toEqual([
      { consent_type: "cookie", action: "revoked" },
    ]);
    const history = await service.call("GET", "/ucp/consent-history?limit=2", { key: token });
    expect(
      history.json.records.map(
        (row: { action: string; consent_type: string }) => `${row.consent_type} ${row.action}`,
      ),
    ).toEqual(["cookie revoked", "cookie granted"]);
    expect(
      (await service.call("GET", "/ucp/consent-receipt/c1", { key: token })).json.services,
    ).toHaveLength(2);
    expect((await service.call("GET", `/admin/consent/verify?shop=${SHOP}`)).json).toEqual({
      ok: true,
      rows: 4,
      problems: [],
    });
  });
});

it("a decision is sent to analytics with the session of the browser it was made in", async () => {
  await service.call("POST", "/auth/consent-sync", {
    body: { method: "banner", consent_cookie: true, ga_session_id: "1732150000" },
    key: token,
  });
  const pushed = () =>
    service.sandbox.analytics
      .hits()
      .map(
        ({ body }) =>
          (body as { events: { name: string; params: Record<string, unknown> }[] }).events[0],
      );
  await eventually("the push", () =>
    pushed().find((event) => event?.params.session_id === "1732150000"),
  );
  expect(pushed().find((event) => event?.params.session_id === "1732150000")).toMatchObject({
    name: "consent_update",
    params: { consent_cookie: "granted", consent_method: "banner" },
  });
  expect(service.sandbox.analytics.violations()).toEqual([]);
});

describe("a submitted email address", () => {
  it("changes nothing until the owner of the mailbox confirms", async () => {
    const answer = await service.call("POST", `/auth/consent-sync?shop=${SHOP}`, {
      body: {
        method: "newsletter_form",
        form_type: "newsletter",
        email: "ada@example.com",
        consent_marketing: true,
      },
      key: null,
      headers: { Origin: RETURN_ORIGIN },
    });
    expect(answer.json).toMatchObject({
      ok: true,
      pending_confirmation: true,
      recorded: [{ consent_type: "newsletter", action: "granted" }],
    });
    expect((await service.call("GET", "/auth/me", { key: token })).json.consents.marketing).toBe(
      false,
    );
    const mail = await eventually("the mail", () =>
      service.sandbox.email
        .mailsTo("ada@example.com")
        .find(({ subject }) => subject.startsWith("Confirm your choice")),
    );
    const link = new URL(/http\S+/.exec(mail.text ?? "")?.[0] ?? "");
    expect(
      (
        await service.call("POST", `/auth/consent-confirm${link.search}`, {
          body: { token: link.searchParams.get("token") },
          key: null,
        })
      ).status,
    ).toBe(200);
    expect((await service.call("GET", "/auth/me", { key: token })).json.consents.marketing).toBe(
      true,
    );
  });
});
