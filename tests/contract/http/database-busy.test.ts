// A database that gives statements up: with a time limit of its own, as managed ones have.
import { afterAll, beforeAll, expect, test } from "vitest";
import pg from "pg";
import { newShopper } from "../../support/agents/commerce.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());

test("a statement beyond the database's time limit is answered with 503 and Retry-After, and stored when repeated", async () => {
  const { token } = await newShopper(service);
  const name = new URL(service.database.url).pathname.slice(1);
  await service.database.query(`ALTER DATABASE "${name}" SET statement_timeout = '300ms'`);
  // New connections have the limit.
  await service.database.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  const holder = new pg.Client({ connectionString: service.database.url });
  await holder.connect();
  const consent = () =>
    service.call("POST", "/auth/consent-sync", {
      key: token,
      body: { consent_cookie: true, method: "dashboard", consent_id: "busy-1" },
    });
  await holder.query("BEGIN; LOCK TABLE consent_records IN ACCESS EXCLUSIVE MODE");
  const refused = await consent();
  expect([refused.status, refused.json.code]).toEqual([503, "database_unavailable"]);
  expect(refused.headers.get("retry-after")).toBe("2");
  await holder.query("ROLLBACK");
  await holder.end();
  expect((await consent()).json.recorded).toEqual([{ consent_type: "cookie", action: "granted" }]);
});
