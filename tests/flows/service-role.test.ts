// The service with a role that cannot change the schema: everything from a sign-up to the deletion
// of a store works. (Every test here runs with that role; this one checks it explicitly.)
import { afterAll, beforeAll, expect, test } from "vitest";
import { signUp } from "../contract/identity/people.ts";
import { ingest, order } from "../support/bus/events.ts";
import { privacy, redactBody, shopBody } from "../support/privacy.ts";
import { eventually, RETURN_ORIGIN, SHOP, startService, type Service } from "../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());

const settled = (kind: string) =>
  eventually(
    `the ${kind}`,
    async () => {
      const [row] = await service.database.query(
        `SELECT state, last_error, evidence FROM privacy_requests WHERE kind = $1
          AND state IN ('done', 'retained', 'failed')`,
        [kind],
      );
      return row as { state: string; last_error: string | null; evidence: object } | undefined;
    },
    20_000,
  );

test("the service's role owns nothing and cannot change the schema", async () => {
  const [role] = await service.ctx.home.acrossTenants(
    `SELECT rolsuper OR rolcreaterole OR rolbypassrls AS is_strong,
      has_schema_privilege(current_schema(), 'CREATE') AS may_create,
       EXISTS (SELECT 1 FROM pg_class WHERE pg_has_role(relowner, 'MEMBER')) AS owns FROM pg_roles
         WHERE rolname = current_user`,
  );
  expect(role).toEqual({ is_strong: false, may_create: false, owns: false });
  for (const statement of [
    "ALTER TABLE consent_records DISABLE TRIGGER ALL",
    "DELETE FROM event_ledger",
    "TRUNCATE consent_records",
  ])
    await expect(service.ctx.home.acrossTenants(statement)).rejects.toThrow(
      /must be owner|permission denied/,
    );
});

test("a shopper signs up, consents, and is erased; the consent log stays valid", async () => {
  const person = await signUp(service);
  const consent = await service.call("POST", `/auth/consent-sync?shop=${SHOP}`, {
    body: { consent_cookie: true, method: "banner" },
    key: person.token,
    headers: { Origin: RETURN_ORIGIN },
  });
  expect(consent.status).toBe(200);
  await privacy(service, "customer-redact", redactBody({ email: person.email }));
  expect(await settled("customer_redact")).toMatchObject({ state: "done", last_error: null });
  expect(
    await service.database.query("SELECT 1 FROM storefront_users WHERE email = $1", [person.email]),
  ).toEqual([]);
  const verified = await service.call("GET", `/admin/consent/verify?shop=${SHOP}`);
  expect(verified.json).toMatchObject({ ok: true, problems: [] });
  expect(verified.json.rows).toBeGreaterThan(2);
});

test("events are ingested and delivered, and the scheduled run completes", async () => {
  const { status, json } = await ingest(service, order({ destinations: ["archive"] }));
  expect(status).toBe(202);
  await eventually("the delivery", async () => {
    const rows = await service.database.query(
      "SELECT 1 FROM integration_queue WHERE event_id = $1 AND status = 'delivered'",
      [json.event_id],
    );
    return rows.length === 1;
  });
  const run = await service.call("POST", "/admin/scheduled-run");
  expect(run.json.report).toMatchObject({ state: "finished", errors: [], errors_total: 0 });
});

test("a store that uninstalls is deleted with its append-only rows", async () => {
  await privacy(service, "shop-redact", shopBody());
  expect(await settled("shop_redact")).toMatchObject({
    state: "done",
    evidence: {
      deleted: { consent_records: expect.any(Number), event_ledger: expect.any(Number) },
    },
  });
  for (const table of ["consent_records", "event_ledger", "storefront_users", "kv"])
    expect(await service.database.query(`SELECT 1 FROM ${table} WHERE shop = $1`, [SHOP])).toEqual(
      [],
    );
});
