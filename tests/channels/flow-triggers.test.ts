// The triggers that Shopify Flow receives, from the change to the simulated platform.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { enqueue } from "../../app/domain/bus/enqueue.ts";
import { callAdminApi } from "../../app/domain/tenants/storefront/admin-api.ts";
import { FLOW_TRIGGER_RECEIVE } from "../../app/integrations/storefront/documents.ts";
import { putKey } from "../../app/runtime/database/kv.ts";
import { KEYS } from "../../app/runtime/database/kv-keys.ts";
import { ingest, order } from "../support/bus/events.ts";
import {
  eventually,
  OTHER_SHOP,
  SHOP,
  sign,
  startService,
  type Service,
} from "../support/service.ts";
import { addToCatalog } from "../support/storefront/tag-catalog.ts";
import { taggedStore, type Person, type TaggedStore } from "../support/storefront/tagged-store.ts";

let service: Service;
let store: TaggedStore;
let ada: Person;

beforeAll(async () => {
  service = await startService({ background: true });
  store = taggedStore(service);
  await store.install(SHOP, {
    flow_enabled: true,
    erp_base_url: service.sandbox.addresses.erpBaseUrl,
    erp_defaults: { bukrs: "1000", vkorg: "1000", vtweg: "10" },
  });
  await store.install(OTHER_SHOP);
  await addToCatalog(service, ["spring", "autumn"]);
  ada = await store.signUp(SHOP, "ada@example.com");
});
afterAll(() => service.stop());

/** What arrived since the call: the trigger and its values without the id of the change. */
async function arriving(change: () => Promise<unknown>): Promise<[string, object][]> {
  const before = service.sandbox.storefront.flowTriggers(SHOP).length;
  await change();
  await store.delivered();
  const all = service.sandbox.storefront.flowTriggers(SHOP);
  return all
    .slice(0, all.length - before)
    .toReversed()
    .map(({ handle, payload }) => [
      handle,
      Object.fromEntries(Object.entries(payload).filter(([key]) => key !== "Change id")),
    ]);
}
const idOf = ({ gid }: Person) => gid.slice(gid.lastIndexOf("/") + 1);
const customer = () => ({ customer_id: idOf(ada) });

const sql = () => service.ctx.home.forTenant(SHOP).sql;
/** An event for Flow alone. */
const send = (eventType: string, payload: Record<string, unknown>, eventId: string) =>
  enqueue(sql(), {
    eventId,
    source: "backend",
    eventType,
    entityType: "customer",
    entityId: String(ada.id),
    payload: { user_id: ada.id, ...payload },
    occurredAt: new Date(),
    destinations: ["flow"],
  });
/** The platform's own request to forget the customer, worked to its end. */
const redact = async ({ gid }: Person) => {
  const raw = `{"shop_domain":"${SHOP}","customer":{"id":${gid.slice(gid.lastIndexOf("/") + 1)}}}`;
  const headers = {
    "X-Shopify-Hmac-SHA256": sign(raw),
    "X-Shopify-Shop-Domain": SHOP,
    "X-Shopify-Webhook-Id": randomUUID(),
  };
  await service.call("POST", "/gdpr/customer-redact", { body: raw, key: null, headers });
  await eventually(
    "the request to be fulfilled",
    async () =>
      (await service.database.query("SELECT 1 FROM privacy_requests WHERE completed_at IS NULL"))
        .length === 0,
  );
};
/** Every dead letter was filed, which is when the alerts and triggers are enqueued. */
const filed = () =>
  eventually(
    "the dead letters to be filed",
    async () =>
      (
        await service.database.query(
          `SELECT 1 FROM integration_queue WHERE status IN ('pending', 'processing', 'ready')
            OR (status = 'dead_letter' AND archived_at IS NULL)`,
        )
      ).length === 0,
  );

describe("a store that switched Flow on", () => {
  test("gets the consents of a sign-up once the store has the customer", async () => {
    let eve!: Person;
    const triggers = await arriving(async () => {
      eve = await store.signUp(SHOP, "eve@example.com");
    });
    const types = triggers
      .filter(([handle]) => handle === "consent-changed")
      .map(([, values]) => values as Record<string, unknown>)
      .map((values) => [values["Consent type"], values.Decision, values.customer_id]);
    expect(types).toHaveLength(2);
    expect(types).toEqual(
      expect.arrayContaining([
        ["tos", "granted", idOf(eve)],
        ["privacy", "granted", idOf(eve)],
      ]),
    );
  });

  test("gets one trigger for each tag that changed, and none for a change without effect", async () => {
    expect(await arriving(() => store.change(ada, { add: ["spring", "autumn"] }))).toEqual([
      ["tag-added", { ...customer(), Tag: "spring" }],
      ["tag-added", { ...customer(), Tag: "autumn" }],
    ]);
    expect(
      await arriving(() => store.change(ada, { add: ["spring"], remove: ["autumn"] })),
    ).toEqual([["tag-removed", { ...customer(), Tag: "autumn" }]]);
    expect(await arriving(() => store.change(ada, { add: ["spring"] }))).toEqual([]);
    const ids = service.sandbox.storefront
      .flowTriggers(SHOP)
      .map(({ payload }) => payload["Change id"]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("gets a change of consents, and the tag that follows from it", async () => {
    const triggers = await arriving(() =>
      service.call("POST", "/auth/consent-sync", {
        body: { consent_marketing: true, method: "dashboard" },
        key: ada.token,
      }),
    );
    expect(triggers).toContainEqual([
      "consent-changed",
      { ...customer(), "Consent type": "marketing", Decision: "granted", Method: "dashboard" },
    ]);
  });

  test("gets no trigger for what an action of a workflow changed, so that it cannot start itself", async () => {
    const bea = await store.signUp(SHOP, "bea@example.com");
    await store.change(bea, { add: ["spring"] });
    await store.delivered();
    const body = JSON.stringify({
      shopify_domain: SHOP,
      action_run_id: randomUUID(),
      handle: "remove-tag",
      properties: { customer_id: idOf(bea), tag: "spring" },
    });
    const headers = { "X-Shopify-Hmac-SHA256": sign(body) };
    const triggers = await arriving(async () => {
      const answer = await service.call("POST", "/flow/actions/remove-tag", {
        body,
        key: null,
        headers,
      });
      expect(answer.json).toEqual({ ok: true, outcome: "changed" });
    });
    expect(triggers).toEqual([]);
    expect(await store.held(bea)).toEqual([]);
  });

  test("gets a failed delivery of another system, and none about its own", async () => {
    service.sandbox.failNext("erp", { status: 400 });
    let eventId = "";
    const triggers = await arriving(async () => {
      eventId = (await ingest(service, order({ destinations: ["erpsys"] }))).json.event_id;
      await filed();
    });
    expect(triggers).toEqual([
      ["delivery-dead", { System: "erpsys", "Event id": eventId, "Event type": "order.created" }],
    ]);
    service.sandbox.failNext("storefront", { status: 400, match: "/graphql.json" });
    expect(
      await arriving(async () => {
        const dead = { channel: "cms", event_id: "e", event_type: "t" };
        await send("delivery.dead", { dead }, randomUUID());
        await filed();
      }),
    ).toEqual([]);
  });

  test("that answers without a result has the trigger, and is not sent it again", async () => {
    const eventId = randomUUID();
    const body = { data: { flowTriggerReceive: null } };
    service.sandbox.failNext("storefront", { status: 200, body, match: "/graphql.json" });
    await send("customer.tags_changed", { tags_added: ["spring"] }, eventId);
    await store.delivered();
    expect(
      await service.database.query(
        "SELECT status, retry_count FROM integration_queue WHERE event_id = $1",
        [eventId],
      ),
    ).toEqual([{ status: "delivered", retry_count: 0 }]);
  });

  test("is not sent again what a worker that died may have sent, and is sent what comes after it", async () => {
    const eventId = randomUUID();
    await putKey(sql(), KEYS.flowProgress(eventId), { next: 1, begunBy: 0 }, 60);
    const tags = ["first", "begun", "after"];
    const triggers = await arriving(() =>
      send("customer.tags_changed", { tags_added: tags }, eventId),
    );
    expect(triggers).toEqual([["tag-added", { ...customer(), Tag: "after" }]]);
  });

  test("gets the erasure of a customer once, without the customer", async () => {
    const bob = await store.signUp(SHOP, "bob@example.com");
    const triggers = await arriving(() =>
      service.call("DELETE", "/auth/me", { body: { password: "correct horse" }, key: bob.token }),
    );
    expect(triggers.filter(([handle]) => handle === "customer-erased")).toEqual([
      ["customer-erased", { "Account id": String(bob.id) }],
    ]);
    expect(await arriving(() => redact(bob))).toEqual([]);
  });
});

test("a store that did not switch Flow on has no row for it", async () => {
  const eve = await store.signUp(OTHER_SHOP, "eve@example.com");
  await service.call("POST", `/ucp/tags?shop=${OTHER_SHOP}`, {
    body: { add: ["newsletter_subscribed"] },
    key: eve.token,
  });
  await store.delivered();
  expect(
    await service.database.query(
      "SELECT 1 FROM integration_queue WHERE shop = $1 AND channel = 'flow'",
      [OTHER_SHOP],
    ),
  ).toEqual([]);
});

describe("the simulated platform", () => {
  const receive = async (handle: string, payload: unknown) => {
    const { flowTriggerReceive } = await callAdminApi<{
      flowTriggerReceive: { userErrors: { message: string }[] };
    }>(service.ctx, SHOP, { document: FLOW_TRIGGER_RECEIVE, variables: { handle, payload } });
    return flowTriggerReceive.userErrors.map(({ message }) => message).join();
  };
  const fine = { customer_id: "5", Tag: "vip", "Change id": "c" };

  test.each([
    ["an unknown handle", "no-such-trigger", fine, /Invalid handle/],
    ["a missing field", "tag-added", { customer_id: "5", Tag: "vip" }, /missing.*Change id/],
    ["a field of the wrong type", "tag-added", { ...fine, Tag: 5 }, /Type mismatch.*Tag/],
    ["a gid for a customer", "tag-added", { ...fine, customer_id: "gid://x/1" }, /customer_id/],
    ["an unknown field", "tag-added", { ...fine, email: "a@b.example" }, /Unknown field.*email/],
    ["a large payload", "tag-added", { ...fine, Tag: "x".repeat(50_000) }, /50000 bytes/],
  ])("refuses %s", async (_, handle, payload, message) => {
    expect(await receive(handle, payload)).toMatch(message);
  });
});
