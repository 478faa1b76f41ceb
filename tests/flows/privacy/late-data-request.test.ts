// A data request that waited, as for an archive that was away, until its person was erased.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  insertRequest,
  toNewRequest,
} from "../../../app/domain/compliance/requests/receive-request.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import {
  ADA,
  findEverywhere,
  redact,
  seedPersonEverywhere,
  settled,
  startPrivacyService,
} from "../../support/privacy.ts";
import { customerPayload } from "../../support/storefront/payloads.ts";
import { deliver } from "../../support/storefront/storefront.ts";
import { SHOP, type Service } from "../../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startPrivacyService();
  await service.addTenant(SHOP, { support_email: "privacy@test-store.example" });
});
afterAll(() => service.stop());

/** Received, and not worked before `workNow`. */
async function requestForLater(subject: { gid?: string; email?: string; phone?: string }) {
  const { ctx } = service;
  const arrival = {
    kind: "data_request" as const,
    deliveryId: randomUUID(),
    raw: Buffer.alloc(0),
    subject,
    externalId: null,
    triggeredAt: null,
  };
  const request = toNewRequest(ctx, SHOP, await getTenant(ctx, SHOP), arrival);
  return ctx.home.forTenant(SHOP).transaction(async (sql) => {
    const { id } = await insertRequest(sql, request, arrival);
    await sql(
      `UPDATE privacy_requests SET next_attempt_at = clock_timestamp() + interval '1 hour'
        WHERE shop = $1 AND id = $2`,
      [id],
    );
    return id;
  });
}

const workNow = (id: number) => settled(service, id, { isHurried: true });

it("stores no identifier of the person again", async () => {
  await seedPersonEverywhere(service, SHOP);
  const subjects = [
    { gid: ADA.gid, email: ADA.email, phone: ADA.phone },
    { email: ADA.email },
    { phone: ADA.phone },
  ];
  const ids: number[] = [];
  for (const subject of subjects) ids.push(await requestForLater(subject));
  await redact(service, ADA);
  const words = [ADA.email, ADA.id, ADA.phone, "Lovelace"];
  const left = await findEverywhere(service, words);
  for (const id of ids) expect((await workNow(id)).state).toBe("done");
  expect(await findEverywhere(service, words)).toEqual(left);
});

it("stores no identifier of a person again whom the store had deleted before the erasure", async () => {
  const late = {
    id: "5001",
    gid: "gid://shopify/Customer/5001",
    email: "late@example.com",
  };
  await deliver(
    service,
    "customer-create",
    customerPayload({
      id: late.id,
      admin_graphql_api_id: JSON.stringify(late.gid),
      email: JSON.stringify(late.email),
    }),
  );
  await deliver(service, "customers-delete", JSON.stringify({ id: Number(late.id) }));
  const id = await requestForLater({ gid: late.gid, email: late.email });
  await redact(service, late);
  expect((await workNow(id)).state).toBe("done");
  expect(await findEverywhere(service, [late.gid, late.email])).toEqual([]);
});

it("names a person without an account, who was not erased", async () => {
  const guest = { gid: "gid://shopify/Customer/55", email: "guest@example.com" };
  const id = await requestForLater(guest);
  expect((await workNow(id)).state).toBe("done");
  const file = await service.ctx.archive.ofStore(SHOP).get(`gdpr/${SHOP}/${id}.json`);
  expect(JSON.parse(file?.toString("utf8") ?? "{}").person).toEqual({
    storefront_customer_gid: guest.gid,
    email: guest.email,
    phone: null,
  });
});
