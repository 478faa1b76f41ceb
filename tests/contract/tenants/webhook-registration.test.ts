// A store for which the platform refuses webhooks, or answers late: the app opens and works, Home says
// which and why, and the scheduled run brings the store in line.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { runScheduledNow } from "../../../app/domain/scheduled-run/scheduled-run.ts";
import { TENANT_STEPS } from "../../../app/domain/scheduled-run/steps.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { readWebhooksState } from "../../../app/domain/tenants/connection-state.ts";
import {
  registerWebhooks,
  registrationRequests,
} from "../../../app/domain/tenants/storefront/webhook-registration.ts";
import {
  API_TOPICS,
  MANIFEST_TOPICS,
} from "../../../app/domain/tenants/storefront/webhook-topics.ts";
import type { Fault } from "../../../app/sandbox/faults.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { signUp } from "../identity/people.ts";
import { install } from "../../support/storefront/storefront.ts";
import { around } from "../../support/storefront/synced-store.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  service.sandbox.clearFaults();
  service.sandbox.storefront.ensureShop(SHOP);
  await service.sandbox.storefront.uninstall(SHOP, { silent: true });
  service.sandbox.storefront.withholdData(SHOP, []);
});

const names = API_TOPICS.map(({ name }) => name);
const total = names.length;
const home = () => readWebhooksState(service.ctx, SHOP);
/** The platform's own failure, which it answers with HTTP 200. */
const serverFault = (code: string): Fault => ({
  status: 200,
  body: { errors: [{ message: "Internal error", extensions: { code } }] },
});
const scheduledRun = () =>
  runScheduledNow(service.ctx, { steps: TENANT_STEPS.filter(({ name }) => name === "webhooks") });

test("when the platform refuses every topic, the app is installed and works, Home names each with its reason, and a later run registers them", async () => {
  service.sandbox.storefront.withholdData(SHOP, ["customers"]);
  // The one topic without customer data.
  const reason = "This app is not approved for protected customer data";
  service.sandbox.storefront.refuseTopic(SHOP, "shop/update", reason);
  await install(service);
  const state = await home();
  expect(state).toMatchObject({ state: "known", registered: 0, total, missing: names });
  const refused = state.state === "known" ? state.refused : [];
  expect(refused?.map(({ topic }) => topic)).toEqual(names);
  expect(refused?.every(({ reason }) => reason.includes("protected customer data"))).toBe(true);
  expect((await signUp(service)).answer.status).toBe(201);

  await scheduledRun();
  expect(await home()).toMatchObject({ registered: 0 });
  service.sandbox.storefront.withholdData(SHOP, []);
  service.sandbox.storefront.refuseTopic(SHOP, "shop/update", null);
  await scheduledRun();
  expect(await home()).toEqual({ state: "known", registered: total, total, missing: [] });
});

test("when the platform answers every topic late, all are registered", async () => {
  service.sandbox.failNext("storefront", { delayMs: 120, match: "2026-07/graphql" }, Infinity);
  await install(service);
  service.sandbox.clearFaults();
  expect(await home()).toMatchObject({ registered: total, missing: [] });
});

test("two processes that register one store at once get every topic, and Home reports none as refused", async () => {
  const scope = service.ctx.config.SCOPES.join(",");
  const { access_token: token } = service.sandbox.storefront.install(SHOP, { scope });
  await service.addTenant(SHOP, { storefront_admin_token: token });
  const results = await Promise.all([1, 2].map(() => registerWebhooks(service.ctx, SHOP)));
  expect(results.map(({ refused }) => refused)).toEqual([[], []]);
  expect((await getTenant(service.ctx, SHOP)).connection.refused_webhooks).toBeUndefined();
  expect(await home()).toEqual({ state: "known", registered: total, total, missing: [] });
});

test.each<[string, Record<string, unknown>]>([
  ["without data", {}],
  ["without the list", { shop: { name: "A store" } }],
  ["with an empty list", { webhookSubscriptions: {} }],
])("an answer %s of the registered ones keeps none from being registered", async (_, data) => {
  const restore = around(service, (_call, { document }) => {
    if (document.startsWith("query WebhookSubscriptions"))
      service.sandbox.failNext("storefront", { status: 200, body: { data } });
  });
  await install(service);
  restore();
  service.sandbox.clearFaults();
  expect(await home()).toMatchObject({ registered: total, missing: [] });
});

test.each([null, "the-same"])(
  "a list whose pages never end, with the cursor %s, is read once, and every topic is registered",
  async (endCursor) => {
    let pages = 0;
    const restore = around(service, (_call, { document }) => {
      if (!document.startsWith("query WebhookSubscriptions")) return;
      pages += 1;
      if (pages > 10) throw new Error("it is read without end");
      const pageInfo = { hasNextPage: true, endCursor };
      const body = { data: { webhookSubscriptions: { nodes: [], pageInfo } } };
      service.sandbox.failNext("storefront", { status: 200, body });
    });
    await install(service);
    restore();
    expect(await home()).toMatchObject({ registered: total, missing: [] });
  },
);

test("a list that fails of a registered store reports no topic as refused", async () => {
  await install(service);
  const restore = around(service, (_call, { document }) => {
    if (document.startsWith("query WebhookSubscriptions"))
      service.sandbox.failNext("storefront", serverFault("INTERNAL_SERVER_ERROR"));
  });
  await expect(registerWebhooks(service.ctx, SHOP)).rejects.toThrow("failed at the call");
  restore();
  service.sandbox.clearFaults();
  expect(await home()).toEqual({ state: "known", registered: total, total, missing: [] });
});

test("a topic whose answer has no result keeps no other from being registered, and Home says so", async () => {
  const restore = around(service, (_call, { variables }) => {
    if (variables?.topic === "CUSTOMERS_CREATE")
      service.sandbox.failNext("storefront", {
        status: 200,
        body: { data: { shop: { name: "A store" } } },
      });
  });
  await install(service);
  restore();
  expect(await home()).toMatchObject({
    missing: ["customers/create"],
    refused: [{ topic: "customers/create", reason: "The platform answered without a result." }],
  });
});

test("a topic without an answer keeps no other from being registered, and Home says so until the next run", async () => {
  const restore = around(service, (_call, { variables }) => {
    if (variables?.topic === "CUSTOMERS_UPDATE")
      service.sandbox.failNext("storefront", { reset: true });
  });
  await install(service);
  restore();
  expect(await home()).toMatchObject({
    registered: total - 1,
    missing: ["customers/update"],
    refused: [{ topic: "customers/update", reason: expect.stringMatching(/^No answer: /) }],
  });
  await scheduledRun();
  expect(await home()).toEqual({ state: "known", registered: total, total, missing: [] });
});

test.each(["INTERNAL_SERVER_ERROR", "TIMEOUT"])(
  "topics at which the platform fails (%s) keep no other from being registered, however many they are, and Home says so until the next run",
  async (code) => {
    const failing = API_TOPICS.slice(1, 6);
    const restore = around(service, (_call, { variables }) => {
      if (failing.some(({ graphqlTopic }) => graphqlTopic === variables?.topic))
        service.sandbox.failNext("storefront", serverFault(code));
    });
    await install(service);
    restore();
    expect(await home()).toMatchObject({
      registered: total - failing.length,
      missing: failing.map(({ name }) => name),
      refused: failing.map(({ name }) => ({
        topic: name,
        reason: "the storefront failed at the call: Internal error",
      })),
    });
    await scheduledRun();
    expect(await home()).toEqual({ state: "known", registered: total, total, missing: [] });
  },
);

test.each<[string, Fault]>([
  ["fails at", serverFault("INTERNAL_SERVER_ERROR")],
  ["does not answer", { reset: true }],
])(
  "a subscription of an earlier version whose deletion the platform %s keeps nothing else from being stored",
  async (_, fault) => {
    await install(service);
    const obsolete = MANIFEST_TOPICS[0]!;
    service.sandbox.storefront.subscribe(
      SHOP,
      obsolete.graphqlTopic,
      `${service.ctx.baseUrl}/webhooks/${obsolete.slug}`,
    );
    const restore = around(service, (_call, { document }) => {
      if (document.includes("webhookSubscriptionDelete"))
        service.sandbox.failNext("storefront", fault);
    });
    await registrationRequests.add(service.ctx, SHOP);
    expect(await registerWebhooks(service.ctx, SHOP)).toMatchObject({ removed: 0, refused: [] });
    restore();
    expect(await registrationRequests.isOpen(service.ctx, SHOP)).toBe(false);
    expect(await registerWebhooks(service.ctx, SHOP)).toMatchObject({ removed: 1 });
  },
);

test("a platform that stops answering is not asked for every topic, and the install still succeeds", async () => {
  service.sandbox.failNext("storefront", { status: 503, match: "2026-07/graphql" }, Infinity);
  await install(service);
  await expect(registerWebhooks(service.ctx, SHOP)).rejects.toMatchObject({ status: 503 });
  service.sandbox.clearFaults();
  await scheduledRun();
  expect(await home()).toMatchObject({ registered: total });
});
