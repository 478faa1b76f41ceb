// A sync whose process is killed repeatedly while a worker delivers what it imports.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { SyncResult } from "../../app/domain/customers/sync/catch-up.ts";
import { endChildren, startChild, type Child } from "../support/processes/child.ts";
import {
  eventually,
  SHOP,
  startService,
  testEnvironment,
  type Service,
} from "../support/service.ts";
import {
  installStore,
  putCustomers,
  queued,
  secondsAgo,
  setWatermark,
  storefrontCalls,
  syncState,
} from "../support/storefront/synced-store.ts";

const CUSTOMERS = 500;
const PAGE = 10;
/** The numbers of imported customers at which the process is killed. */
const KILL_AT = [20, 80, 160];
let service: Service;

beforeEach(async () => {
  service = await startService({ background: true });
  await installStore(service);
});
afterEach(async () => {
  await endChildren();
  await service.stop();
});

const startSync = (): Child =>
  startChild("tests/support/processes/sync-child.ts", {
    ...testEnvironment(service.sandbox, service.database.serviceUrl),
    BASE_URL: service.url,
    SYNC_SHOP: SHOP,
    SYNC_PAGE_SIZE: String(PAGE),
  });
const countUsers = async () =>
  (
    await service.database.query<{ n: number }>("SELECT count(*)::int AS n FROM storefront_users")
  )[0]?.n ?? 0;

/**
 * Expires the dead holder's lease, and waits until its last transaction ends. Returns how many
 * processes held it.
 */
const endLease = async () =>
  (
    await service.database.query(
      `UPDATE kv SET expires_at = clock_timestamp() WHERE key = 'lease:sync_customers'
        AND expires_at > clock_timestamp() RETURNING key`,
    )
  ).length;

async function finish(): Promise<SyncResult> {
  const [, result] = await startSync().line("its result", /^finished (.*)$/, 60_000);
  return JSON.parse(result as string) as SyncResult;
}

it.each(["pages", "bulk"])(
  "by %s: every customer exists exactly once, and every effect happens exactly once",
  async (mode) => {
    const gids = putCustomers(service, CUSTOMERS, (index) => secondsAgo(200 + index));
    if (mode === "pages") await setWatermark(service, secondsAgo(3_600));
    service.sandbox.failNext("storefront", { delayMs: 30 }, Infinity);

    let here = 0;
    for (const target of KILL_AT) {
      const child = startSync();
      await eventually(`${target} customers`, async () => (await countUsers()) >= target);
      child.signal("SIGKILL");
      expect(await child.ended).toBeNull();
      expect(await endLease()).toBe(1);
      here = await countUsers();
      expect(here).toBeLessThan(CUSTOMERS);
      // A page commits completely or not at all, together with the cursor of the next run.
      expect(here % PAGE).toBe(0);
      expect((await syncState(service)).mode).toBe(mode);
    }
    expect(await finish()).toMatchObject({
      outcome: "done",
      counts: { created: CUSTOMERS - here, updated: 0, failed: 0 },
    });
    const once = { cms: CUSTOMERS, profile_platform: CUSTOMERS, web_analytics: CUSTOMERS };
    expect(await queued(service)).toEqual(once);
    if (mode === "bulk") expect(storefrontCalls(service, "BulkOperationRun")).toBe(1);
    // A repeated run changes nothing.
    expect(await finish()).toMatchObject({
      outcome: "done",
      counts: { created: 0, updated: 0, failed: 0 },
    });
    expect(await queued(service)).toEqual(once);

    const users = await service.database.query<{ gid: string }>(
      "SELECT storefront_customer_gid AS gid FROM storefront_users",
    );
    expect(users.map(({ gid }) => gid).sort()).toEqual([...gids].sort());
    await eventually(
      "everything delivered",
      async () =>
        (
          await service.database.query(
            "SELECT 1 FROM integration_queue WHERE status <> 'delivered' LIMIT 1",
          )
        ).length === 0,
      60_000,
    );
    const { analytics, cms, profilePlatform } = service.sandbox;
    expect(
      cms
        .items()
        .map(({ fieldData }) => String(fieldData["storefront-customer-id"]))
        .sort(),
    ).toEqual([...gids].sort());
    const counted = analytics
      .hits()
      .map(
        ({ body }) =>
          (body as { events: { params: { event_id: string } }[] }).events[0]?.params.event_id,
      );
    const profiled = profilePlatform.messages().map(({ entity }) => entity._id);
    expect([counted, profiled].map((list) => [list.length, new Set(list).size])).toEqual([
      [CUSTOMERS, CUSTOMERS],
      [CUSTOMERS, CUSTOMERS],
    ]);
    expect(service.sandbox.requests("email")).toEqual([]);
  },
  120_000,
);
