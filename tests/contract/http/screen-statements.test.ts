// What each screen of the merchant asks of the database. A statement is a round trip, so a screen that asks
// many is slow wherever the database is not beside it.
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { recordConsent } from "../../../app/domain/consent/record-consent.ts";
import { dataOf, getTenant } from "../../../app/domain/tenants/tenant.ts";
import { connectStore, startTestApp, type TestApp } from "../../support/browser/screens-server.ts";
import { screenAddresses, type KnownRows } from "../../support/screen-addresses.ts";
import { putPerson } from "../../support/storefront/customers.ts";

const SHOP = "counted.myshopify.com";
const MAX_STATEMENTS = 5;
/** The app library rejects other clients. */
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0.0.0 Safari/537.36";

/** What a connection is asked when it is opened. */
const ON_CONNECT = "SELECT pg_backend_pid()";

const furtherAddresses = ({ customerId }: KnownRows): string[] => [
  "/app/customers?q=person77777&tag=rare",
  "/app/customers?q=nobody&tag=unknown",
  `/app/customers/${customerId}?kind=delivery`,
  "/app/customers/changes",
  "/app/agents/activity",
  "/app/consent/banner",
  "/app/consent/insights",
  "/app/segments",
  "/app/settings/brand",
  "/app/settings/agents",
  "/app/settings/integrations",
  "/app/settings/integrations/cms",
  "/app/settings/places",
  "/app/settings/regions",
  "/app/settings/connection",
  "/app/setup",
];

let app: TestApp;
let rows: KnownRows;

beforeAll(async () => {
  app = await startTestApp({ withScreens: true });
  await connectStore(app, SHOP, { fields: { enabled_channels: ["cms", "web_analytics"] } });
  rows = await fillStore();
});
afterAll(() => app?.stop());

/** One thing of each kind, each with everything that a screen then reads beside it. */
async function fillStore(): Promise<KnownRows> {
  const { ctx, database } = app;
  const tenant = await getTenant(ctx, SHOP);
  const gid = "gid://shopify/Customer/77";
  const customerId = await putPerson(database, SHOP, {
    email: "person77777@example.com",
    full_name: "Ada Last77",
    gid,
    country: "IS",
    tags: ["rare"],
  });
  await dataOf(ctx, tenant).transaction((sql) =>
    recordConsent(sql, tenant, [
      {
        userId: customerId,
        method: "banner",
        consentId: "c1",
        consentType: "marketing",
        action: "granted",
      },
    ]),
  );
  const eventId = "event-1";
  const token = "00000000-0000-4000-8000-000000000001";
  const exchange = {
    at: new Date().toISOString(),
    calls: 1,
    request: {
      method: "POST",
      url: "https://cms.example/",
      headers: [],
      body: { text: "{}", bytes: 2, isCut: false },
    },
    response: null,
    failure: "connection refused",
    latency_ms: 5,
  };
  await database.query(
    `WITH row AS (
       INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
         entity_id, status, dead_lettered_at, last_error)
       VALUES ($1, $2, 'erpsys', 'storefront', 'customer.updated', 'customer', $3, 'dead_letter', now(), 'no')
       RETURNING id
     ), attempt AS (
       INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, latency_ms)
       SELECT $1, id, $2, 'erpsys', 1, 'failed', 5 FROM row RETURNING id
     )
     INSERT INTO delivery_exchanges (shop, event_id, attempt_id, token, sealed)
     SELECT $1, $2, id, $4, $5 FROM attempt`,
    [
      SHOP,
      eventId,
      gid,
      token,
      ctx.secrets.seal(`${SHOP}/delivery_exchange/${token}`, JSON.stringify(exchange)),
    ],
  );
  const [request] = await database.query<{ id: number }>(
    `INSERT INTO privacy_requests (shop, kind, delivery_id, state, received_at, due_by, user_ids)
     VALUES ($1, 'data_request', 'd1', 'received', now(), now(), ARRAY[$2::int]) RETURNING id`,
    [SHOP, customerId],
  );
  return { customerId, eventId, requestId: request?.id as number };
}

/** All statements until the whole answer is there, its deferred parts included. */
async function statementsOf(address: string): Promise<string[]> {
  const asked = vi.spyOn(pg.Client.prototype, "query");
  await open(address);
  const texts = asked.mock.calls.map(([first]) => {
    const call = first as unknown as string | { text: string };
    return (typeof call === "string" ? call : call.text).replaceAll(/\s+/g, " ").trim();
  });
  asked.mockRestore();
  return texts.filter((text) => !text.startsWith(ON_CONNECT));
}

async function open(address: string): Promise<void> {
  const [path, query = ""] = address.split("?");
  const token = await app.sandbox.storefront.sessionToken(SHOP);
  const response = await fetch(`${app.url}${path}.data?shop=${SHOP}&${query}`, {
    headers: { authorization: `Bearer ${token}`, "user-agent": BROWSER },
  });
  const body = await response.text();
  expect(response.status, `${address}: ${body.slice(0, 300)}`).toBe(200);
}

test("no screen asks the database more than five statements, when what the store answered is cached", async () => {
  const many: [address: string, statements: string[]][] = [];
  for (const address of [...screenAddresses(rows), ...furtherAddresses(rows)]) {
    await open(address);
    const statements = await statementsOf(address);
    expect(statements.length).toBeGreaterThan(0);
    if (statements.length > MAX_STATEMENTS) many.push([address, statements]);
  }
  expect(many).toEqual([]);
});
