// The merchant's list of privacy requests: its order, what needs the merchant, and its actions.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  markHandedOver,
  retryRequest,
} from "../../../app/domain/compliance/board/request-actions.ts";
import {
  findBoardRequest,
  listBoard,
  RequestFilters,
} from "../../../app/domain/compliance/board/request-list.ts";
import { getTenant, type Tenant } from "../../../app/domain/tenants/tenant.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let tenant: Tenant;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
  tenant = await getTenant(service.ctx, SHOP);
});
afterAll(() => service.stop());
beforeEach(() => service.database.query("DELETE FROM privacy_requests"));

type Row = {
  state: string;
  /** Days from now. */
  due?: number;
  kind?: "data_request" | "customer_redact";
  problem?: string;
};

async function addRequest({ state, due = 30, kind = "customer_redact", problem }: Row) {
  const [row] = await service.database.query<{ id: number }>(
    `INSERT INTO privacy_requests (shop, kind, delivery_id, state, due_by, attempts, last_error,
      payload, evidence, locked_until)
     VALUES ($1, $2, gen_random_uuid(), $3, now() + make_interval(days => $4), 1, $5, $6,
      '{"archive": "gdpr/x"}', now() + interval '1 hour') RETURNING id`,
    [
      SHOP,
      kind,
      state,
      due,
      problem ?? null,
      JSON.stringify({ sealed: service.ctx.secrets.seal(`${SHOP}/privacy`, "{}") }),
    ],
  );
  return row!.id;
}

const list = async (filters: object = {}, limit = 100, before: number | null = null) =>
  listBoard(service.ctx, tenant, RequestFilters.parse(filters), { limit, before });

test("a request that is worked on offers no retry, and a retry from an older page says that it is worked on", async () => {
  const id = await addRequest({ state: "running" });
  expect(await findBoardRequest(service.ctx, tenant, id)).toMatchObject({ can_retry: false });
  await expect(retryRequest(service.ctx, tenant, id)).rejects.toMatchObject({
    code: "conflict",
    fields: { state: "running" },
  });
});

test("a retry or a hand-over from an older page says that the request is done already", async () => {
  const id = await addRequest({ state: "done", kind: "data_request" });
  for (const action of [retryRequest, markHandedOver])
    await expect(action(service.ctx, tenant, id)).rejects.toMatchObject({
      code: "conflict",
      fields: { state: "done" },
    });
});
