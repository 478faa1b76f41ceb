// Archiving what the archive missed beside other workers and an erasure: what happens between the steps of one pass.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { archiveMissedMessages } from "../../../app/domain/bus/missed-messages.ts";
import type { Ctx } from "../../../app/context.server.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

const EVENT = "11111111-1111-4111-8111-111111111111";
let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(() => service?.stop());

const query = (sql: string, values: unknown[] = []) => service.database.query(sql, values);

beforeEach(async () => {
  await query("DELETE FROM integration_queue");
  await query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type, entity_id, payload,
      transformed_payload, delivery_config, priority, max_retries, status, updated_at)
     VALUES ($1, $2, 'cms', 'manual', 'customer.updated', 'customer', '1', '{}',
      '{"name":"Ada","id":9007199254740993}', '{"method":"POST"}', 3, 3, 'delivered', now() - interval '1 second')`,
    [SHOP, EVENT],
  );
});

/** One pass; `meanwhile` runs when the object is written and its row is not marked yet. */
async function archive(meanwhile: () => Promise<unknown> = async () => {}): Promise<void> {
  const archive: Ctx["archive"] = {
    ofStore(shop) {
      const store = service.ctx.archive.ofStore(shop);
      return {
        ...store,
        async put(...args) {
          await store.put(...args);
          await meanwhile();
        },
      };
    },
  };
  await archiveMissedMessages({ ...service.ctx, archive }, service.ctx.home);
}

const makeDue = () =>
  query("UPDATE integration_queue SET updated_at = now() - interval '1 second'");
const stored = async (): Promise<string | null> => {
  const today = new Date().toISOString().slice(0, 10);
  const object = await service.ctx.archive.ofStore(SHOP).get(`events/cms/${today}/${EVENT}.json`);
  return object && object.toString("utf8");
};
const isArchived = async () =>
  (await query("SELECT archived_at IS NOT NULL AS archived FROM integration_queue"))[0]?.archived;

test("a message is archived, and its row is marked", async () => {
  await archive();
  expect([await isArchived(), await stored()]).toEqual([true, expect.stringContaining("Ada")]);
});

test("the object stays when another worker archives the same message meanwhile", async () => {
  // A pass through the stores takes longer than its rows are reserved while the archive is silent.
  await archive(async () => {
    await makeDue();
    await archive();
  });
  expect([await isArchived(), await stored()]).toEqual([true, expect.stringContaining("Ada")]);
});

test.each([
  ["erased", "transformed_payload = NULL, delivery_config = NULL, archived_at = now()"],
  ["erased, with the mark to come", "transformed_payload = NULL, delivery_config = NULL"],
])("no object outlives a message that is %s meanwhile", async (_, changes) => {
  await archive(() => query(`UPDATE integration_queue SET ${changes}`));
  expect(await stored()).toBeNull();
});

test("no object outlives a row that is deleted meanwhile", async () => {
  await archive(() => query("DELETE FROM integration_queue"));
  expect(await stored()).toBeNull();
});

test.each([
  ["before it is marked", "archived_at"],
  ["after another worker marked it", "now()"],
])("a name that is masked in a message %s is not in the archive", async (_, archivedAt) => {
  await archive(() =>
    query(
      `UPDATE integration_queue SET transformed_payload = '{"name":"redacted"}', archived_at = ${archivedAt}`,
    ),
  );
  expect(await stored()).toBeNull();
  await makeDue();
  await archive();
  expect([await isArchived(), await stored()]).toEqual([
    true,
    expect.stringContaining('"name":"redacted"'),
  ]);
});
