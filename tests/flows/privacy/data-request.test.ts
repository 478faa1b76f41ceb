import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { replay } from "../../../app/domain/bus/dead-letters/requeue-dead-letters.ts";
import { findBoardRequest } from "../../../app/domain/compliance/board/request-list.ts";
import { finishMailedLate } from "../../../app/domain/compliance/export/data-request.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { recordConsent } from "../../../app/domain/consent/record-consent.ts";
import { runStep } from "../../support/processes/scheduled-step.ts";
import {
  ADA,
  dataRequestBody,
  privacy,
  settled,
  seedPersonEverywhere,
  redact,
} from "../../support/privacy.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
const MERCHANT = "privacy@test-store.example";

beforeAll(async () => {
  service = await startService({
    background: true,
    env: { ADMIN_EMAILS: "operator@service.example" },
  });
  await service.addTenant(SHOP, { support_email: MERCHANT, locale: "fr" });
  await service.addTenant(OTHER_SHOP);
  const userId = await seedPersonEverywhere(service, SHOP);
  await seedPersonEverywhere(service, OTHER_SHOP, { ...ADA, name: "Other Lovelace" });
  await service.ctx.home
    .forTenant(SHOP)
    .transaction((sql) =>
      recordConsent(sql, { connection: {} }, [
        { userId, consentType: "tos", action: "granted", method: "signup", consentId: "c" },
      ]),
    );
});
afterAll(() => service.stop());

const mailTo = (address: string) =>
  eventually(`a mail to ${address}`, () => service.sandbox.email.mailsTo(address).at(-1));
const linkIn = (text: string | null) =>
  new URL(/https?:\/\/\S+\/gdpr\/export\?\S+/.exec(text ?? "")?.[0] ?? "");

describe("customers/data_request", () => {
  it("exports everything stored about the person, without secrets, hashes or other people's data", async () => {
    await service.database.query(
      "UPDATE mandates SET expires_at = now() - interval '1 day' WHERE shop = $1",
      [SHOP],
    );
    const { json } = await privacy(
      service,
      "data-request",
      dataRequestBody({ id: ADA.id, email: ADA.email }),
    );
    const request = await settled(service, json.request_id);
    expect(request).toMatchObject({
      state: "done",
      payload: {},
      evidence: {
        mailed: "support_email",
        archive: `${SHOP}/gdpr/${SHOP}/${json.request_id}.json`,
      },
    });
    const raw =
      (
        await service.ctx.archive.ofStore(SHOP).get(`gdpr/${SHOP}/${json.request_id}.json`)
      )?.toString("utf8") ?? "";
    const document = JSON.parse(raw);
    expect(document.request).toMatchObject({
      id: json.request_id,
      store: SHOP,
      data_request_id: "9999",
      orders_requested: ["gid://shopify/Order/299938"],
    });
    expect(document.accounts).toMatchObject([
      {
        email: ADA.email,
        full_name: ADA.name,
        storefront_customer_gid: ADA.gid,
        phone_number_known: true,
      },
    ]);
    expect(request.evidence.exported).toEqual({
      accounts: 1,
      claims: 1,
      extras: 1,
      consent_records: 1,
      tags: 1,
      sign_ins: 1,
      agents: 1,
      mandates: 1,
      checkouts: 2,
      agent_calls: 1,
      bulk_changes_refused: 1,
      returns: 1,
      accesses: 1,
      deliveries: 2,
      events: 0,
    });
    expect(
      document.deliveries.map(({ entity_type: type }: { entity_type: string }) => type).sort(),
    ).toEqual(["customer", "order"]);
    expect(document.mandates).toMatchObject([{ status: "expired" }]);
    expect(document.orders_seen).toEqual(["gid://shopify/Order/299938"]);
    for (const secret of [
      "password",
      "pbkdf2",
      "secret-signature",
      "secret-proof",
      "sealed",
      "phone_hash",
      "name_hash",
      "token",
      "prev_hash",
      "Other Lovelace",
      OTHER_SHOP,
    ])
      expect(raw).not.toContain(secret);
    const [{ phone_hash: hash }] = await service.database.query(
      "SELECT phone_hash FROM storefront_users WHERE shop = $1",
      [SHOP],
    );
    expect(raw).not.toContain(hash);
  });

  it("mails the merchant a link in the store's language that opens a page and returns the file once", async () => {
    const mail = await mailTo(MERCHANT);
    expect(mail.subject).toContain("a demandé ses données");
    const [request] = await service.database.query(
      "SELECT id, due_by FROM privacy_requests WHERE shop = $1",
      [SHOP],
    );
    const due = new Intl.DateTimeFormat("fr", { dateStyle: "long", timeZone: "UTC" });
    expect(mail.text).toContain(`demande ${request?.id}`);
    expect(mail.text).toContain(due.format(request?.due_by));
    expect(`${mail.text}${mail.html}`).not.toMatch(/lovelace|7946/i);
    const link = linkIn(mail.text);
    const path = link.pathname + link.search;
    for (let time = 0; time < 2; time += 1) {
      const page = await service.call("GET", path, { key: null });
      expect([page.status, page.text.includes("<form")]).toEqual([200, true]);
    }
    const wrong = path.replace(SHOP, OTHER_SHOP);
    expect((await service.call("GET", wrong, { key: null })).status).toBe(400);
    const form = {
      body: new URLSearchParams({ token: link.searchParams.get("token") ?? "" }).toString(),
      key: null,
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    };
    const presses = await Promise.all(
      [1, 2, 3].map(() => service.call("POST", `/gdpr/export?shop=${SHOP}`, form)),
    );
    expect(presses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    const file = presses.find(({ status }) => status === 200) as (typeof presses)[0];
    expect([file.json.accounts[0].email, file.headers.get("cache-control")]).toEqual([
      ADA.email,
      "no-store",
    ]);
    expect(file.headers.get("content-disposition")).toMatch(
      /^attachment; filename="customer-data-\d+\.json"$/,
    );
    expect((await service.call("POST", `/gdpr/export?shop=${SHOP}`, form)).status).toBe(400);
    expect((await service.call("GET", path, { key: null })).status).toBe(400);
  });

  it("returns the file to the operator by key, and never another store's file", async () => {
    const [{ id }] = await service.database.query(
      "SELECT id FROM privacy_requests WHERE shop = $1",
      [SHOP],
    );
    expect(
      (await service.call("GET", `/admin/privacy-export/${id}?shop=${SHOP}`)).json.accounts[0]
        .email,
    ).toBe(ADA.email);
    expect(
      (await service.call("GET", `/admin/privacy-export/${id}?shop=${OTHER_SHOP}`)).status,
    ).toBe(404);
  });

  it("records both downloads in the access log, with the person's account", async () => {
    const [{ id }] = await service.database.query(
      "SELECT id FROM storefront_users WHERE shop = $1",
      [SHOP],
    );
    expect(
      await service.database.query(
        `SELECT actor_kind, actor_id, user_id, place FROM access_log WHERE shop = $1
          AND action = 'exported' ORDER BY id`,
        [SHOP],
      ),
    ).toEqual([
      { actor_kind: "link", actor_id: null, user_id: id, place: "POST /gdpr/export" },
      {
        actor_kind: "operator",
        actor_id: "platform_key",
        user_id: id,
        place: "GET /admin/privacy-export/:id",
      },
    ]);
  });

  it("mails the store's own address without a support address, and the operators without either", async () => {
    const first = await privacy(
      service,
      "data-request",
      dataRequestBody({ email: "nobody@example.com" }, OTHER_SHOP),
      { shop: OTHER_SHOP },
    );
    expect(await settled(service, first.json.request_id)).toMatchObject({
      state: "done",
      evidence: { mailed: "admin_emails", exported: { accounts: 0 } },
    });
    await mailTo("operator@service.example");
    const grant = service.sandbox.storefront.install(OTHER_SHOP);
    await service.call("POST", `/config?shop=${OTHER_SHOP}`, {
      body: {
        storefront_admin_token: grant.access_token,
        storefront_refresh_token: grant.refresh_token,
        storefront_token_expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      },
    });
    const second = await privacy(
      service,
      "data-request",
      dataRequestBody({ email: "nobody@example.com" }, OTHER_SHOP),
      { shop: OTHER_SHOP },
    );
    expect(await settled(service, second.json.request_id)).toMatchObject({
      state: "done",
      evidence: { mailed: "store_email" },
    });
  });

  it("mails every recipient that the store chose, and not its support address", async () => {
    const chosen = ["privacy@other.example", "desk@other.example"];
    await service.call("POST", `/config?shop=${OTHER_SHOP}`, {
      body: { privacy_emails: chosen, support_email: "help@other.example" },
    });
    const { json } = await privacy(
      service,
      "data-request",
      dataRequestBody({ email: "nobody@example.com" }, OTHER_SHOP),
      { shop: OTHER_SHOP },
    );
    expect(await settled(service, json.request_id)).toMatchObject({
      state: "done",
      evidence: { mailed: "privacy_emails" },
    });
    for (const address of chosen) await mailTo(address);
    expect(service.sandbox.email.mailsTo("help@other.example")).toEqual([]);
  });

  it("reports a failed mail: the export exists and the request has failed", async () => {
    const mute = await startService({ background: true, env: { EMAIL_API_KEY: "" } });
    await mute.addTenant(SHOP);
    await seedPersonEverywhere(mute, SHOP);
    const { json } = await privacy(mute, "data-request", dataRequestBody({ email: ADA.email }));
    expect(await settled(mute, json.request_id)).toMatchObject({
      state: "failed",
      last_error: "no_email_provider",
      evidence: { exported: { accounts: 1 } },
    });
    expect(
      await mute.ctx.archive.ofStore(SHOP).get(`gdpr/${SHOP}/${json.request_id}.json`),
    ).not.toBeNull();
    await mute.stop();
  });

  it("stays open while the mail with the link waits, and is done when the mail is delivered", async () => {
    // Each of the two mails fails once: more failures would pause the channel.
    service.sandbox.failNext("email", { status: 503 }, 2);
    const { json } = await privacy(
      service,
      "data-request",
      dataRequestBody({ email: "nobody@example.com" }, OTHER_SHOP),
      { shop: OTHER_SHOP },
    );
    const held = await eventually("both mails have failed and are held", async () => {
      const rows = await service.database.query(
        `UPDATE integration_queue SET next_attempt_at = now() + interval '1 hour'
          WHERE event_type = 'mail.data_export' AND entity_id = $1 AND status = 'pending'
          AND retry_count > 0 RETURNING id`,
        [String(json.request_id)],
      );
      return rows.length === 2 ? rows : undefined;
    });
    const [waiting] = await service.database.query(
      "SELECT state, completed_at, steps FROM privacy_requests WHERE id = $1",
      [json.request_id],
    );
    expect(["received", "running"]).toContain(waiting?.state);
    expect(waiting).toMatchObject({ completed_at: null, steps: { mail: { outcome: "queued" } } });

    await service.database.query(
      "UPDATE integration_queue SET next_attempt_at = now() WHERE id = ANY($1::bigint[])",
      [held.map(({ id }) => id)],
    );
    expect(await settled(service, json.request_id)).toMatchObject({
      state: "done",
      steps: { mail: { outcome: "mailed", count: 2 } },
      evidence: { mailed: "privacy_emails" },
    });
  });

  it("fails when the mail provider refuses every mail, its proof says so, and it is done once replays deliver one and no other is open", async () => {
    service.sandbox.failNext("email", { status: 401 }, 1_000);
    const { json } = await privacy(
      service,
      "data-request",
      dataRequestBody({ email: "nobody@example.com" }, OTHER_SHOP),
      { shop: OTHER_SHOP },
    );
    const request = await settled(service, json.request_id);
    service.sandbox.clearFaults();
    expect(request).toMatchObject({
      state: "failed",
      last_error: "mail_refused",
      steps: { mail: { outcome: "not_mailed" } },
      evidence: { mailed: "nobody", archive: expect.stringContaining("gdpr/") },
    });
    const tenant = await getTenant(service.ctx, OTHER_SHOP);
    expect(await findBoardRequest(service.ctx, tenant, json.request_id)).toMatchObject({
      problem: { kind: "mail_refused" },
      has_export: true,
      steps: [{ state: "done" }, { state: "done" }, { name: "mail", state: "failed" }],
    });
    expect(await finishMailedLate(service.ctx, tenant)).toBe(0);

    const mails = await service.database.query<{ event_id: string }>(
      "SELECT event_id FROM integration_queue WHERE event_type = 'mail.data_export' AND entity_id = $1",
      [String(json.request_id)],
    );
    const [held, replayed] = mails.map(({ event_id: id }) => id) as [string, string];
    await service.database.query(
      `UPDATE integration_queue SET status = 'pending', next_attempt_at = now() + interval '1 hour'
        WHERE event_id = $1`,
      [held],
    );
    await replay(service.ctx, tenant, [replayed]);
    await eventually("a delivered mail", async () => {
      const [mail] = await service.database.query<{ status: string }>(
        "SELECT status FROM integration_queue WHERE event_id = $1",
        [replayed],
      );
      return mail?.status === "delivered";
    });
    expect(await finishMailedLate(service.ctx, tenant)).toBe(0);
    await service.database.query(
      "UPDATE integration_queue SET next_attempt_at = now() WHERE event_id = $1",
      [held],
    );
    await eventually("a finished request", async () => {
      await runStep(service.ctx, tenant, "dead_letters");
      return (await settled(service, json.request_id)).state === "done";
    });
    const late = await settled(service, json.request_id);
    expect(late).toMatchObject({
      state: "done",
      last_error: null,
      steps: { mail: { outcome: "mailed", count: mails.length } },
    });
    const { sha256, ...evidence } = late.evidence as { sha256: string; mailed: string };
    expect(evidence.mailed).not.toBe("nobody");
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it("is undone by a redaction: the export is deleted too", async () => {
    await redact(service, { id: ADA.id });
    expect(
      (await service.objects.list("")).filter((path) => path.includes(`gdpr/${SHOP}/`)),
    ).toEqual([]);
  });
});
