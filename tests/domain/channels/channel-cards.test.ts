// The destination cards: state, reason, and last problem.
import { afterAll, beforeAll, expect, test } from "vitest";
import { channels } from "../../../app/domain/channels/index.ts";
import { readChannelCards, type ChannelCard } from "../../../app/domain/channels/channel-cards.ts";
import { findMissing } from "../../../app/domain/channels/channel-settings.ts";
import { TENANT_FIELDS } from "../../../app/domain/tenants/tenant-config.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { storeFields } from "../../support/bus/channels.ts";
import { addRows, openCircuit } from "../../support/bus/queue.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

const tenantWith = async (shop: string, fields: Record<string, unknown>) => {
  await service.addTenant(shop, fields);
  return getTenant(service.ctx, shop);
};
const cardsOf = async (shop: string): Promise<Map<string, ChannelCard>> =>
  new Map(
    (await readChannelCards(service.ctx, await getTenant(service.ctx, shop))).map((card) => [
      card.name,
      card,
    ]),
  );

test("the settings named as missing are those that disable a channel, for every channel", async () => {
  const full = await tenantWith("full-store.myshopify.com", storeFields(service.sandbox));
  for (const channel of channels.filter(
    ({ name }) => !["storefront", "archive", "backend"].includes(name),
  )) {
    expect([channel.name, channel.isEnabled(full), findMissing(full, channel.name)]).toEqual([
      channel.name,
      true,
      [],
    ]);
    for (const field of Object.keys(TENANT_FIELDS) as (keyof typeof TENANT_FIELDS)[]) {
      if (field === "enabled_channels") continue;
      const without = {
        ...full,
        config: {
          ...full.config,
          [field]: typeof full.config[field] === "boolean" ? false : undefined,
        },
      };
      const missing = findMissing(without, channel.name);
      expect([channel.name, field, missing]).toEqual([
        channel.name,
        field,
        channel.isEnabled(without) ? [] : [field],
      ]);
    }
    const left = { ...full, config: { ...full.config, enabled_channels: ["archive"] } };
    expect([channel.name, findMissing(left, channel.name)]).toEqual([
      channel.name,
      channel.isEnabled(left) ? [] : ["left_out"],
    ]);
  }
});

test("a card shows state, the last day, pending rows, dead letters, and the last problem without its text", async () => {
  await tenantWith(SHOP, {});
  await addRows(service.database, { shop: SHOP, channel: "cms", count: 3, dueInSeconds: 600 });
  const [dead] = await addRows(service.database, { shop: SHOP, channel: "cms" });
  await service.database.query(
    "UPDATE integration_queue SET status = 'dead_letter', dead_lettered_at = now() WHERE id = $1",
    [dead],
  );
  await service.database.query(
    `INSERT INTO channel_minutes (shop, channel, minute, delivered, failed, latency_ms_sum)
      VALUES ($1, 'cms', date_trunc('minute', now()), 40, 2, 9)`,
    [SHOP],
  );
  await service.database.query(
    `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, http_status,
      latency_ms, error) VALUES ($1, 1, 'a', 'cms', 1, 'failed', 503, 1, 'old'), ($1, 1, 'a', 'cms',
      2, 'failed', 401, 1, 'ada@example.com'), ($1, 1, 'a', 'cms', 3, 'delivered', 200, 1, NULL)`,
    [SHOP],
  );
  await openCircuit(service.database, SHOP, "cms");
  const cards = await cardsOf(SHOP);
  expect(cards.get("cms")).toMatchObject({
    state: "paused",
    paused_until: expect.any(String),
    delivered: 40,
    failed: 2,
    waiting: 3,
    dead: 1,
    missing: [],
    can_be_tested: true,
    last_failure: { kind: "access_refused", http_status: 401 },
  });
  expect(cards.get("erpsys")).toMatchObject({
    state: "off",
    missing: ["erp_base_url"],
    can_be_tested: false,
    last_failure: null,
  });
  expect(cards.get("storefront")).toMatchObject({ state: "off", missing: ["store_connection"] });
  expect([...cards.keys()]).not.toContain("archive");
  expect(JSON.stringify([...cards.values()])).not.toContain("ada@example.com");
});
