// Changes that shoppers and the service make while the store has revoked the app's access, or has uninstalled
// the app: they wait, and reach the store once it is connected again.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ensureStorefrontToken } from "../../app/domain/tenants/storefront/access-token.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { letRetriesComeDue } from "../support/bus/queue.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";
import { inboxIsWorked, install, send } from "../support/storefront/storefront.ts";
import { taggedStore, type Person, type TaggedStore } from "../support/storefront/tagged-store.ts";

let service: Service;
let store: TaggedStore;
let ada: Person;
let email: string;
let people = 0;

beforeAll(async () => {
  service = await startService({ background: true });
  store = taggedStore(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  await store.install(SHOP);
  // The sandbox's store remembers its customers.
  email = `ada-${(people += 1)}@example.com`;
  ada = await store.signUp(SHOP, email);
  await service.database.query("UPDATE storefront_users SET email_verified = true");
  await decideMarketing(true);
  await store.delivered();
  await store.announce(ada.gid);
});

const callsOfSystems = () =>
  (["cms", "analytics", "profilePlatform"] as const).map(
    (system) => service.sandbox.requests(system).length,
  );
const scheduledRun = async () => {
  const { json } = await service.call("POST", "/admin/scheduled-run");
  await store.delivered();
  return json.report;
};
/** All that the store has not got. A row that a worker has in hand is put off in a moment. */
const arePutOff = () =>
  eventually("the deliveries were put off", async () => {
    const rows = await service.database.query(
      `SELECT status = 'pending' AND next_attempt_at > now() + interval '1 minute' AS is_put_off
        FROM integration_queue WHERE channel = 'storefront' AND status <> 'delivered'`,
    );
    return rows.length > 0 && rows.every(({ is_put_off: isPutOff }) => isPutOff);
  });
const alerts = () =>
  service.database.query("SELECT 1 FROM integration_queue WHERE event_type = 'mail.dead_letter'");
const customer = () => store.customerOf(SHOP, email);
const connection = async () => (await getTenant(service.ctx, SHOP)).connection;
const rowsOfStore = () =>
  service.database.query(
    "SELECT status, last_error FROM integration_queue WHERE channel = 'storefront' AND status <> 'delivered'",
  );

async function revokeAccess(): Promise<void> {
  service.sandbox.storefront.revokeRefreshToken(SHOP);
  service.sandbox.storefront.expireAccessTokens(SHOP);
  await expect(ensureStorefrontToken(service.ctx, SHOP, { force: true })).rejects.toThrow();
  expect((await connection()).token_state).toBe("reauth_required");
}

async function uninstall(): Promise<void> {
  await service.sandbox.storefront.uninstall(SHOP, { silent: true });
  await send(service, "app-uninstalled", JSON.stringify({ id: 1, myshopify_domain: SHOP }), {
    at: new Date(Date.now() + 1_000).toISOString(),
  });
  await inboxIsWorked(service);
  expect((await connection()).uninstalled_at).toBeDefined();
}

const assign = (body: object) =>
  service.call("POST", `/admin/tags/assign?shop=${SHOP}`, {
    body: { email, ...body },
  });
const decideMarketing = (isGranted: boolean) =>
  service.call("POST", "/auth/consent-sync", {
    key: ada.token,
    body: { consent_marketing: isGranted, method: "account" },
  });

describe.each([
  ["revoked the app's access", revokeAccess],
  ["uninstalled the app", uninstall],
])("while the store has %s", (_, lose) => {
  it("a withdrawn consent to marketing and a tag wait, and reach the store after a new install", async () => {
    expect(customer()?.emailMarketingState).toBe("SUBSCRIBED");
    await lose();
    const calls = service.sandbox.requests("storefront").length;

    expect((await decideMarketing(false)).status).toBe(200);
    const assigned = await assign({ add: ["vip"] });
    expect([assigned.status, assigned.json.channels.storefront]).toEqual([200, "queued"]);
    // A worker that read the store before its new install would put a row off after it.
    await arePutOff();
    const waiting = { status: "pending", last_error: null };
    expect(await rowsOfStore()).toEqual([waiting, waiting]);
    expect(service.sandbox.requests("storefront")).toHaveLength(calls);
    expect(customer()?.emailMarketingState).toBe("SUBSCRIBED");

    await install(service);
    await letRetriesComeDue(service.database);
    await eventually("the store has both", () => {
      const { tags = [], emailMarketingState } = customer() ?? {};
      return tags.includes("vip") && emailMarketingState === "UNSUBSCRIBED";
    });
    await store.delivered();
    expect(await rowsOfStore()).toEqual([]);
  });

  it("a delivery that began before waits too, and is no failure that the merchant is alarmed about", async () => {
    service.sandbox.failNext("storefront", { status: 503 }, 50);
    await assign({ add: ["vip"] });
    service.sandbox.clearFaults();
    await lose();
    await letRetriesComeDue(service.database);
    await arePutOff();
    expect(await alerts()).toEqual([]);
  });

  it("a delivery that failed when the access was lost is sent again, and waits with the others", async () => {
    // Many, because work in the background also calls the store.
    service.sandbox.failNext("storefront", { status: 422 }, 50);
    await assign({ add: ["vip"] });
    expect(await rowsOfStore()).toMatchObject([{ status: "dead_letter" }]);
    service.sandbox.clearFaults();
    await lose();
    await service.database.query(
      "UPDATE integration_queue SET dead_lettered_at = now() - interval '2 hours'",
    );
    await service.call("POST", "/admin/scheduled-run");
    await arePutOff();
  });

  it("what has waited for 30 days is a failed delivery that says what to do", async () => {
    await lose();
    await assign({ add: ["vip"] });
    await service.database.query(
      `UPDATE integration_queue SET next_attempt_at = now(), created_at = now() - interval '31 days'
        WHERE channel = 'storefront' AND status = 'pending'`,
    );
    await eventually("it failed", async () => {
      const rows = await rowsOfStore();
      return rows.length > 0 && rows.every(({ status }) => status === "dead_letter");
    });
    expect((await rowsOfStore())[0].last_error).toContain("Install the app again");
  });
});

describe("after an uninstall", () => {
  it("the scheduled run syncs no customer and changes no tag, and goes on after a new install", async () => {
    await uninstall();
    await service.database.query(
      "UPDATE storefront_users SET tags_due_at = now() - interval '1 day', amount_spent = 5000, cms_hash = NULL",
    );
    const calls = callsOfSystems();
    expect((await scheduledRun()).errors).toEqual([]);
    expect(callsOfSystems()).toEqual(calls);

    await install(service);
    expect((await scheduledRun()).errors).toEqual([]);
    const after = callsOfSystems();
    expect(after.map((count, index) => count > (calls[index] as number))).toEqual(
      calls.map(() => true),
    );
  });

  it("a token that the operator saves ends it", async () => {
    await uninstall();
    const { access_token: token } = service.sandbox.storefront.install(SHOP);
    await service.call("POST", `/config?shop=${SHOP}`, { body: { storefront_admin_token: token } });
    expect(await connection()).not.toHaveProperty("uninstalled_at");
  });

  it("a failed delivery is kept, and nobody is mailed about it", async () => {
    await uninstall();
    service.sandbox.failNext("cms", { status: 422 });
    await assign({ add: ["vip"] });
    await eventually("it was looked at", async () => {
      const rows = await service.database.query(
        "SELECT alerted_at FROM integration_queue WHERE channel = 'cms' AND status = 'dead_letter'",
      );
      return rows.length > 0 && rows.every(({ alerted_at: at }) => at !== null);
    });
    expect(await alerts()).toEqual([]);
  });
});
