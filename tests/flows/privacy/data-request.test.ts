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
/** The request for Ada's data, and the file that it made. */
let request: Record<string, any>;
let file: string;
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
  await service.database.query(
    "UPDATE mandates SET expires_at = now() - interval '1 day' WHERE shop = $1",
    [SHOP],
  );
  request = await settled(service, await askFor({ id: ADA.id, email: ADA.email }));
  const path = `gdpr/${SHOP}/${request.id}.json`;
  file = (await service.ctx.archive.ofStore(SHOP).get(path))?.toString("utf8") ?? "";
});
afterAll(() => service.stop());

/** The platform asks for a person's data. Resolves with the id of the request. */
const askFor = async (who: { id?: string; email?: string }, shop = SHOP): Promise<number> =>
  (await privacy(service, "data-request", dataRequestBody(who, shop), { shop })).json.request_id;
/** The same for a person whom the store does not know. */
const askForNobody = (shop: string) => askFor({ email: "nobody@example.com" }, shop);
let stores = 0;
const newStore = async (fields: Record<string, unknown> = {}): Promise<string> => {
  const shop = `store-${(stores += 1)}.myshopify.com`;
  await service.addTenant(shop, fields);
  return shop;
};

const mailTo = (address: string) =>
  eventually(`a mail to ${address}`, () => service.sandbox.email.mailsTo(address).at(-1));
const linkIn = (text: string | null) =>
  new URL(/https?:\/\/\S+\/gdpr\/export\?\S+/.exec(text ?? "")?.[0] ?? "");

/** The button on the page of a mail's link. */
const press = (link: URL, shop = SHOP) =>
  service.call("POST", `/gdpr/export?shop=${shop}`, {
    body: new URLSearchParams({ token: link.searchParams.get("token") ?? "" }).toString(),
    key: null,
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
  });
const TWO_ADDRESSES = ["privacy@store.example", "office@store.example"];

describe("customers/data_request", () => {
  it("exports everything stored about the person, without secrets, hashes or other people's data", async () => {
    expect(request).toMatchObject({
      state: "done",
      payload: {},
      evidence: {
        mailed: "support_email",
        archive: `${SHOP}/gdpr/${SHOP}/${request.id}.json`,
      },
    });
    const document = JSON.parse(file);
    expect(document.request).toMatchObject({
      id: Number(request.id),
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
      expect(file).not.toContain(secret);
    const [{ phone_hash: hash }] = await service.database.query(
      "SELECT phone_hash FROM storefront_users WHERE shop = $1",
      [SHOP],
    );
    expect(file).not.toContain(hash);
  });

  it("mails the merchant a link in the store's language that opens a page and returns the file once", async () => {
    const mail = await mailTo(MERCHANT);
    expect(mail.subject).toContain("a demandé ses données");
    const due = new Intl.DateTimeFormat("fr", { dateStyle: "long", timeZone: "UTC" });
    expect(mail.text).toContain(`demande ${request.id}`);
    expect(mail.text).toContain(due.format(request.due_by));
    expect(`${mail.text}${mail.html}`).not.toMatch(/lovelace|7946/i);
    const link = linkIn(mail.text);
    const path = link.pathname + link.search;
    for (let time = 0; time < 2; time += 1) {
      const page = await service.call("GET", path, { key: null });
      expect([page.status, page.text.includes("<form")]).toEqual([200, true]);
    }
    const wrong = path.replace(SHOP, OTHER_SHOP);
    expect((await service.call("GET", wrong, { key: null })).status).toBe(400);
    const presses = await Promise.all([1, 2, 3].map(() => press(link)));
    expect(presses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    const download = presses.find(({ status }) => status === 200) as (typeof presses)[0];
    expect([download.json.accounts[0].email, download.headers.get("cache-control")]).toEqual([
      ADA.email,
      "no-store",
    ]);
    expect(download.headers.get("content-disposition")).toMatch(
      /^attachment; filename="customer-data-\d+\.json"$/,
    );
    expect((await press(link)).status).toBe(400);
    expect((await service.call("GET", path, { key: null })).status).toBe(400);
  });

  it("returns the file to the operator by key, and never another store's file", async () => {
    const read = (shop: string) =>
      service.call("GET", `/admin/privacy-export/${request.id}?shop=${shop}`);
    expect((await read(SHOP)).json.accounts[0].email).toBe(ADA.email);
    expect((await read(OTHER_SHOP)).status).toBe(404);
  });

  it("records both downloads in the access log, with the person's account", async () => {
    const shop = await newStore({ support_email: "desk@store.example" });
    const id = await seedPersonEverywhere(service, shop);
    const { id: requestId } = await settled(service, await askFor({ email: ADA.email }, shop));
    await press(linkIn((await mailTo("desk@store.example")).text), shop);
    await service.call("GET", `/admin/privacy-export/${requestId}?shop=${shop}`);
    expect(
      await service.database.query(
        `SELECT actor_kind, actor_id, user_id, place FROM access_log WHERE shop = $1
          AND action = 'exported' ORDER BY id`,
        [shop],
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
    const shop = await newStore();
    expect(await settled(service, await askForNobody(shop))).toMatchObject({
      state: "done",
      evidence: { mailed: "admin_emails", exported: { accounts: 0 } },
    });
    await mailTo("operator@service.example");
    const grant = service.sandbox.storefront.install(shop);
    await service.call("POST", `/config?shop=${shop}`, {
      body: {
        storefront_admin_token: grant.access_token,
        storefront_refresh_token: grant.refresh_token,
        storefront_token_expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      },
    });
    expect(await settled(service, await askForNobody(shop))).toMatchObject({
      state: "done",
      evidence: { mailed: "store_email" },
    });
  });

  it("mails every recipient that the store chose, and not its support address", async () => {
    const chosen = ["privacy@other.example", "desk@other.example"];
    const shop = await newStore({ privacy_emails: chosen, support_email: "help@other.example" });
    expect(await settled(service, await askForNobody(shop))).toMatchObject({
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
    const shop = await newStore({ privacy_emails: TWO_ADDRESSES });
    // Each of the two mails fails once: more failures would pause the channel.
    service.sandbox.failNext("email", { status: 503 }, 2);
    const id = await askForNobody(shop);
    const held = await eventually("both mails have failed and are held", async () => {
      const rows = await service.database.query(
        `UPDATE integration_queue SET next_attempt_at = now() + interval '1 hour'
          WHERE event_type = 'mail.data_export' AND entity_id = $1 AND status = 'pending'
          AND retry_count > 0 RETURNING id`,
        [String(id)],
      );
      return rows.length === 2 ? rows : undefined;
    });
    const [waiting] = await service.database.query(
      "SELECT state, completed_at, steps FROM privacy_requests WHERE id = $1",
      [id],
    );
    expect(["received", "running"]).toContain(waiting?.state);
    expect(waiting).toMatchObject({ completed_at: null, steps: { mail: { outcome: "queued" } } });

    await service.database.query(
      "UPDATE integration_queue SET next_attempt_at = now() WHERE id = ANY($1::bigint[])",
      [held.map(({ id }) => id)],
    );
    expect(await settled(service, id)).toMatchObject({
      state: "done",
      steps: { mail: { outcome: "mailed", count: 2 } },
      evidence: { mailed: "privacy_emails" },
    });
  });

  it("fails when the mail provider refuses every mail, its proof says so, and it is done once replays deliver one and no other is open", async () => {
    const shop = await newStore({ privacy_emails: TWO_ADDRESSES });
    service.sandbox.failNext("email", { status: 401 }, 1_000);
    const id = await askForNobody(shop);
    const refused = await settled(service, id);
    service.sandbox.clearFaults();
    expect(refused).toMatchObject({
      state: "failed",
      last_error: "mail_refused",
      steps: { mail: { outcome: "not_mailed" } },
      evidence: { mailed: "nobody", archive: expect.stringContaining("gdpr/") },
    });
    const tenant = await getTenant(service.ctx, shop);
    expect(await findBoardRequest(service.ctx, tenant, id)).toMatchObject({
      problem: { kind: "mail_refused" },
      has_export: true,
      steps: [{ state: "done" }, { state: "done" }, { name: "mail", state: "failed" }],
    });
    expect(await finishMailedLate(service.ctx, tenant)).toBe(0);

    const mails = await service.database.query<{ event_id: string }>(
      "SELECT event_id FROM integration_queue WHERE event_type = 'mail.data_export' AND entity_id = $1",
      [String(id)],
    );
    const [held, replayed] = mails.map((mail) => mail.event_id) as [string, string];
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
      return (await settled(service, id)).state === "done";
    });
    const late = await settled(service, id);
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
    const shop = await newStore({ support_email: "undo@store.example" });
    await seedPersonEverywhere(service, shop);
    await settled(service, await askFor({ id: ADA.id }, shop));
    const exports = async () =>
      (await service.objects.list("")).filter((path) => path.includes(`gdpr/${shop}/`));
    expect(await exports()).not.toEqual([]);
    await redact(service, { id: ADA.id }, shop);
    expect(await exports()).toEqual([]);
  });
});
