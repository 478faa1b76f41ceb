// The webhooks about an installation, late, twice, out of order, and beside a refresh of its token.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { handleWebhook } from "../../../app/domain/customers/webhooks/storefront-webhooks.ts";
import type { InboxItem } from "../../../app/domain/customers/webhooks/webhook-inbox.ts";
import { ensureStorefrontToken } from "../../../app/domain/tenants/storefront/access-token.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { deliver, inboxIsWorked, install, send } from "../../support/storefront/storefront.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ background: true });
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP);
  await install(service);
});

const connection = async () => (await getTenant(service.ctx, SHOP)).connection;
const after = (ms: number) => new Date(Date.now() + ms).toISOString();
const scopesBody = (current: string[]) => JSON.stringify({ id: 1, previous: [], current });
const uninstallBody = JSON.stringify({ id: 954889, myshopify_domain: SHOP });

describe("app/scopes_update", () => {
  const deliverScopes = (current: string[], at: string) =>
    deliver(service, "app-scopes-update", scopesBody(current), { at });

  test("of an earlier change that arrives later changes nothing", async () => {
    await deliverScopes(["read_customers"], after(2_000));
    await deliverScopes(["read_customers", "write_pixels"], after(1_000));
    expect((await connection()).granted_scopes).toEqual(["read_customers"]);
    await deliverScopes(["read_orders"], after(3_000));
    expect((await connection()).granted_scopes).toEqual(["read_orders"]);
  });

  test("of twenty changes that arrive at once is the last one's", async () => {
    const order = Array.from({ length: 20 }, (_, n) => (n * 7) % 20);
    const start = Date.now() + 1_000;
    const timeOf = (n: number) => new Date(start + n).toISOString();
    await Promise.all(
      order.map((n) =>
        send(service, "app-scopes-update", scopesBody([`scope_${n}`]), { at: timeOf(n) }),
      ),
    );
    await inboxIsWorked(service);
    expect((await connection()).granted_scopes).toEqual(["scope_19"]);
  });

  test("from before the installation does not change what the installation granted", async () => {
    const { granted_scopes: granted } = await connection();
    await deliverScopes([], after(-60_000));
    expect((await connection()).granted_scopes).toEqual(granted);
  });
});

describe("app/uninstalled", () => {
  const uninstall = (fields: Partial<InboxItem> = {}): InboxItem => ({
    shop: SHOP,
    id: 1,
    eventId: null,
    deliveryId: "uninstall",
    topic: "app/uninstalled",
    body: uninstallBody,
    triggeredAt: new Date(Date.now() + 1_000),
    receivedAt: new Date(),
    attempts: 0,
    token: "",
    traceParent: null,
    ...fields,
  });

  test("that was read before a refresh of the token ended takes the new token too", async () => {
    const before = await getTenant(service.ctx, SHOP);
    await ensureStorefrontToken(service.ctx, SHOP, { force: true });
    const triggeredAt = new Date(Date.now() + 1_000);
    const handled = await handleWebhook(service.ctx, before, uninstall({ triggeredAt }), {});
    expect(handled).toEqual({ outcome: "done" });
    const { config, connection: now } = await getTenant(service.ctx, SHOP);
    expect(config.storefront_admin_token).toBeUndefined();
    const at = triggeredAt.toISOString();
    // The second one outlasts a new installation.
    expect(now).toMatchObject({ uninstalled_at: at, last_uninstalled_at: at });
  });

  test("that was read before a new installation leaves that alone", async () => {
    const before = await getTenant(service.ctx, SHOP);
    const triggeredAt = new Date();
    await install(service);
    const handled = await handleWebhook(service.ctx, before, uninstall({ triggeredAt }), {});
    expect(handled).toEqual({ outcome: "stale" });
    expect((await connection()).token_state).toBe("valid");
  });

  test("twice, with other webhooks of the store between, leaves no token and calls nothing", async () => {
    await Promise.all([
      send(service, "app-uninstalled", uninstallBody, { at: after(1_000) }),
      send(service, "app-scopes-update", scopesBody(["write_pixels"]), { at: after(900) }),
      send(service, "app-uninstalled", uninstallBody, { at: after(1_000) }),
    ]);
    await inboxIsWorked(service);
    const { config, connection: now } = await getTenant(service.ctx, SHOP);
    expect([config.storefront_admin_token, now.token_state]).toEqual([undefined, undefined]);
  });
});
