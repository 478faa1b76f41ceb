// The mail before the legal deadline of privacy requests that are not done.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { mailDueRequests } from "../../../app/domain/compliance/requests/due-mail.ts";
import { runScheduledNow } from "../../../app/domain/scheduled-run/scheduled-run.ts";
import { TENANT_STEPS } from "../../../app/domain/scheduled-run/steps.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

const [DESK, OTHER_DESK] = ["privacy@test-store.example", "privacy@other.example"];
const DAY = 86_400_000;
let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP, { privacy_emails: [DESK], locale: "es", brand_name: "Kestrel" });
  await service.addTenant(OTHER_SHOP, { privacy_emails: [OTHER_DESK] });
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.query("DELETE FROM privacy_requests");
  await service.database.query("DELETE FROM kv WHERE key = 'due_requests_mailed'");
});

let requests = 0;

/** A request that no worker takes up. */
async function addRequest(dueInDays: number, state = "received", shop = SHOP): Promise<Date> {
  const dueBy = new Date(Date.now() + dueInDays * DAY);
  await service.database.query(
    `INSERT INTO privacy_requests (shop, kind, delivery_id, state, due_by, next_attempt_at)
      VALUES ($1, 'customer_redact', $2, $3, $4, now() + interval '100 days')`,
    [shop, `due-${(requests += 1)}`, state, dueBy],
  );
  return dueBy;
}

const mailDue = async (laterDays = 0, shop = SHOP) =>
  mailDueRequests(
    { ...service.ctx, clock: { now: () => new Date(Date.now() + laterDays * DAY) } },
    await getTenant(service.ctx, shop),
  );

test("the scheduled run mails the store whose unfinished requests are due within a week, with their number, the first deadline and a link", async () => {
  const first = await addRequest(3, "failed");
  await addRequest(6.9);
  await addRequest(5, "running");
  await addRequest(8);
  await addRequest(2, "done");
  await addRequest(2, "retained");
  await addRequest(-1, "failed");
  await addRequest(20, "received", OTHER_SHOP);
  const steps = TENANT_STEPS.filter(({ name }) => name === "privacy_deadlines");
  expect(await runScheduledNow(service.ctx, { steps })).toMatchObject({
    steps: { privacy_deadlines: { done: 1, counts: { mailed: 3 } } },
  });
  const mail = await eventually("the mail", () =>
    service.sandbox.email.mailsTo(DESK).find(({ text }) => text?.includes("una semana: 3. ")),
  );
  expect(mail.subject).toBe("Pronto vencen solicitudes de privacidad de Kestrel");
  const day = new Intl.DateTimeFormat("es", { dateStyle: "long", timeZone: "UTC" });
  expect(mail.text).toContain("vencen en una semana: 3. ");
  expect(mail.text).toContain(day.format(first));
  expect(mail.text).toMatch(/https?:\/\/\S+\/apps\/\S+\/app\/privacy/);
  await runScheduledNow(service.ctx, { steps });
  expect(service.sandbox.email.mailsTo(OTHER_DESK)).toEqual([]);
});

test("every request is mailed once, however often the run looks", async () => {
  await addRequest(6);
  await addRequest(7.5);
  expect(await mailDue()).toBe(1);
  expect(await mailDue()).toBe(0);
  expect(await mailDue(0.4)).toBe(0);
  expect(await mailDue(0.6)).toBe(1);
  expect(await mailDue(1)).toBe(0);
  expect(await mailDue(9)).toBe(0);
});

test("runs at once send one mail", async () => {
  await addRequest(6);
  const counts = await Promise.all([mailDue(), mailDue(), mailDue()]);
  expect(counts.sort()).toEqual([0, 0, 1]);
});

test("a store that names nobody is mailed at the address that its mails come from", async () => {
  const shop = "nobody-named.myshopify.com";
  await service.addTenant(shop, {
    email_api_key: "store-mail-key-0123456789",
    email_from: "Alone <hello@alone.example>",
  });
  await addRequest(6, "received", shop);
  expect(await mailDue(0, shop)).toBe(1);
  await eventually("the mail", () => service.sandbox.email.mailsTo("hello@alone.example")[0]);
});

test("a store without a mail provider gets the mail once it has one", async () => {
  await addRequest(6);
  const tenant = await getTenant(service.ctx, SHOP);
  const mute = { ...tenant, config: { ...tenant.config, email_api_key: undefined } };
  expect(await mailDueRequests(service.ctx, mute)).toBe(0);
  expect(await mailDue()).toBe(1);
});
