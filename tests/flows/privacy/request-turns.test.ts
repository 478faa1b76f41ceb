// Which privacy request is worked next, also while thousands of a bulk erasure wait, and what an attempt leaves in it.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  claimInTurns,
  finishPrivacyRequest,
  postponePrivacyRequest,
  type PrivacyRequest,
} from "../../../app/domain/compliance/requests/privacy-requests.ts";
import { erasedStep, recordSteps } from "../../../app/domain/compliance/requests/request-steps.ts";
import { requestForMerchant } from "../../../app/domain/compliance/requests/merchant-requests.ts";
import { requestByHand } from "../../../app/domain/compliance/board/request-actions.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { dataRequestBody, privacy, redactBody, shopBody } from "../../support/privacy.ts";
import { putPerson } from "../../support/storefront/customers.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let claim: (limit: number) => Promise<PrivacyRequest[]>;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());
beforeEach(async () => {
  await service.database.truncate();
  for (const shop of [SHOP, OTHER_SHOP]) await service.addTenant(shop);
  claim = claimInTurns(service.ctx.home);
});

const RUN = "0b5c1c1e-6c0f-4b43-9f58-0d1c2e3f4a5b";

/** One request of a bulk erasure, as the run makes it, and `count - 1` like it. */
async function addBulk(shop: string, count: number): Promise<void> {
  const { query } = service.database;
  const userId = await putPerson(service.database, shop, { email: `bulk@${shop}` });
  const tenant = await getTenant(service.ctx, shop);
  await requestForMerchant(service.ctx, tenant, service.ctx.home.forTenant(shop).sql, {
    kind: "customer_redact",
    userId,
    runId: RUN,
  });
  await query(
    `INSERT INTO privacy_requests (shop, kind, delivery_id, payload, due_by)
     SELECT shop, kind, replace(delivery_id, '-' || $2, '-' || ($2::int + n)), payload, due_by
     FROM privacy_requests, generate_series(1, $3::int - 1) AS n WHERE shop = $1`,
    [shop, userId, count],
  );
}

/** Claims one and finishes it. */
async function workNext(): Promise<string> {
  const [request] = await claim(1);
  if (!request) return "none";
  const { sql } = service.ctx.home.forTenant(request.home);
  await finishPrivacyRequest(sql, request, { state: "done", evidence: {} });
  return `${request.isByHand ? "by hand" : request.kind} of ${request.shop}`;
}
async function workMany(count: number): Promise<string[]> {
  const worked: string[] = [];
  while (worked.length < count) worked.push(await workNext());
  return worked;
}
const askFor = async (path: Parameters<typeof privacy>[1], raw: string, shop: string) =>
  expect((await privacy(service, path, raw, { shop })).status).toBe(200);

test("requests of the platform are worked before the hundreds of a bulk erasure that came earlier, also the same store's", async () => {
  await addBulk(SHOP, 500);
  await askFor("customer-redact", redactBody({ email: "a@x.example" }, OTHER_SHOP), OTHER_SHOP);
  await askFor("data-request", dataRequestBody({ email: "b@x.example" }), SHOP);
  await askFor("shop-redact", shopBody(OTHER_SHOP), OTHER_SHOP);
  expect((await workMany(3)).sort()).toEqual(
    [
      `customer_redact of ${OTHER_SHOP}`,
      `data_request of ${SHOP}`,
      `shop_redact of ${OTHER_SHOP}`,
    ].sort(),
  );
  expect(await workNext()).toBe(`by hand of ${SHOP}`);
});

test("the bulk erasures of two stores take turns, however many the first has", async () => {
  await addBulk(SHOP, 300);
  expect(await workMany(2)).toEqual([`by hand of ${SHOP}`, `by hand of ${SHOP}`]);
  await addBulk(OTHER_SHOP, 2);
  expect(await workMany(5)).toEqual([
    `by hand of ${OTHER_SHOP}`,
    `by hand of ${SHOP}`,
    `by hand of ${OTHER_SHOP}`,
    `by hand of ${SHOP}`,
    `by hand of ${SHOP}`,
  ]);
});

test("two stores' requests of the platform take turns", async () => {
  for (const at of [1, 2, 3, 4])
    await askFor("customer-redact", redactBody({ email: `a${at}@x.example` }), SHOP);
  await askFor("customer-redact", redactBody({ email: "b@x.example" }, OTHER_SHOP), OTHER_SHOP);
  expect(await workMany(2)).toContain(`customer_redact of ${OTHER_SHOP}`);
});

test("a request that a merchant makes for one customer does not wait for the store's own bulk erasure", async () => {
  await addBulk(SHOP, 300);
  const { id } = await requestByHand(service.ctx, await getTenant(service.ctx, SHOP), {
    kind: "data_request",
    email: "one@x.example",
    typed: "",
  });
  expect((await claim(1)).map((request) => request.id)).toEqual([id]);
});

test("a request that failed often is tried again within six hours, and has failed once its day is over", async () => {
  await askFor("customer-redact", redactBody({ email: "a@x.example" }), SHOP);
  await service.database.query("UPDATE privacy_requests SET attempts = 20");
  const attempt = async () => {
    const [request] = await claim(1);
    return postponePrivacyRequest(service.ctx.home, request as PrivacyRequest, "cms: timeout");
  };
  expect(await attempt()).toBe("received");
  expect(
    await service.database.query(
      `SELECT attempts, last_error, next_attempt_at <= now() + interval '6 hours' AS is_soon
        FROM privacy_requests`,
    ),
  ).toEqual([{ attempts: 21, last_error: "cms: timeout", is_soon: true }]);
  await service.database.query(
    "UPDATE privacy_requests SET next_attempt_at = now(), due_by = now() - interval '1 second'",
  );
  expect(await attempt()).toBe("failed");
});

test("what a pass has erased stays in its step when a later pass finds less, or nothing", async () => {
  await askFor("customer-redact", redactBody({ email: "a@x.example" }), SHOP);
  const [request] = (await claim(1)) as [PrivacyRequest];
  const { sql } = service.ctx.home.forTenant(SHOP);
  for (const count of [0, 2, 1, 0])
    await recordSteps(service.ctx, sql, request, { cms: erasedStep(count) });
  const [row] = await service.database.query("SELECT steps FROM privacy_requests");
  expect(row?.steps.cms).toMatchObject({ outcome: "erased", count: 2 });
});
