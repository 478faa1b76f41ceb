// The failover drill: the primary dies under load, its standby is promoted, and everything that was
// acknowledged is counted. None of the service's processes is restarted.
import { startSandbox } from "../../../app/sandbox/server.ts";
import { systemRandom } from "../../../app/runtime/clock.ts";
import { ensureServiceRole } from "../../../app/runtime/embedded-postgres/role.ts";
import { startErpReceiver, ERP_FIELDS } from "../bus/erp-receiver.ts";
import { rows } from "../processes/embedded-postgres.ts";
import { startServer } from "../processes/child.ts";
import {
  APP_SECRET,
  ADMIN_KEY,
  CLIENT_ID,
  eventually,
  RETURN_ORIGIN,
  SHOP,
  testEnvironment,
} from "../service.ts";
import { startConsents, startEvents, type Sent } from "./load.ts";
import type { ReplicatedPostgres } from "./replicated-postgres.ts";

export type DrillOptions = {
  eventsPerSecond: number;
  consentsPerSecond: number;
  /** Acknowledged events before the primary is killed, and after the promotion. */
  events: number;
  /** Refused events before the promotion. */
  refusals: number;
};

export type Count = {
  acknowledged: number;
  /** Acknowledged and not found afterwards. */
  lost: number;
  /** Stored although the caller got no acknowledgement: its answer was lost. */
  unacknowledged: number;
  stored: number;
  /** Stored more than once. */
  repeated: number;
  statuses: Record<string, number>;
};

export type DrillResult = {
  events: Count;
  consents: Count;
  delivered: number;
  /** Rows that used up an attempt, or are no longer waiting for one. */
  undelivered: number;
  /** Received again by the destination, with the same idempotency key. */
  receivedAgain: number;
  /** The consent log is one chain without a gap. */
  isChainWhole: boolean;
  /** From the call that promotes the standby until it accepts writes. */
  promotionMs: number;
  /** From then until a caller has its 202. */
  firstAcknowledgementMs: number;
  /** Events that were sent after the promotion and refused. */
  refusedAfterPromotion: number;
  hasEnded: boolean;
};

const PATIENCE_MS = 60_000;

export async function runDrill(
  postgres: ReplicatedPostgres,
  { eventsPerSecond, consentsPerSecond, events: wanted, refusals }: DrillOptions,
): Promise<DrillResult> {
  const role = new URL(await ensureServiceRole(postgres.primary.url, systemRandom));
  const serviceUrl = postgres.url.replace(
    /\/\/[^@]*@/,
    () => `//${role.username}:${role.password}@`,
  );
  const sandbox = await startSandbox({
    app: { url: "http://127.0.0.1:1", clientId: CLIENT_ID, clientSecret: APP_SECRET },
  });
  const erp = await startErpReceiver();
  const service = await startServer({
    ...testEnvironment(sandbox, serviceUrl),
    DIRECT_DATABASE_URL: postgres.url,
    BASE_URL: "https://service.example",
  });
  try {
    const configured = await fetch(`${service.url}/config?shop=${SHOP}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${ADMIN_KEY}` },
      body: JSON.stringify({
        ...ERP_FIELDS,
        erp_base_url: erp.url,
        auth_redirect_origin: RETURN_ORIGIN,
      }),
    });
    if (configured.status !== 200) throw new Error(await configured.text());

    const events = startEvents(service.url, eventsPerSecond);
    const consents = startConsents(service.url, consentsPerSecond);
    const untilAcknowledged = (count: number) =>
      eventually(
        "acknowledgements",
        () => events.acknowledged().length >= count && consents.acknowledged().length > 0,
        PATIENCE_MS,
      );
    await untilAcknowledged(wanted);
    await postgres.killPrimary();
    const killedAt = performance.now();
    await eventually(
      "refusals",
      () => events.sent.filter(({ begunAt }) => begunAt > killedAt).length >= refusals,
      PATIENCE_MS,
    );
    const promotingAt = performance.now();
    await postgres.promote();
    const promotedAt = performance.now();
    await untilAcknowledged(events.acknowledged().length + wanted);
    await Promise.all([events.stop(), consents.stop()]);

    type Row = { event_id: string; status: string; retry_count: number };
    const queue = await eventually(
      "everything delivered",
      async () => {
        const all = (await rows(
          postgres.standby.url,
          "SELECT event_id, status, retry_count FROM integration_queue WHERE channel = 'erpsys'",
        )) as Row[];
        return all.every(({ status, retry_count: n }) => status === "delivered" || n > 0) && all;
      },
      PATIENCE_MS,
    );
    const log = (await rows(
      postgres.standby.url,
      "SELECT visitor_id, seq::int AS seq FROM consent_records WHERE visitor_id IS NOT NULL ORDER BY seq",
    )) as { visitor_id: string; seq: number }[];
    const delivered = new Set(
      queue.filter(({ status, retry_count: n }) => status === "delivered" && n === 0).map(idOf),
    );
    const received = new Set(erp.received);
    const firstAcknowledgementMs =
      Math.min(
        ...events
          .acknowledged()
          .filter(({ endedAt }) => endedAt > promotedAt)
          .map(({ endedAt }) => endedAt),
      ) - promotedAt;
    return {
      events: count(events.sent, queue.map(idOf)),
      consents: count(
        consents.sent,
        log.map(({ visitor_id: id }) => id),
      ),
      delivered: [...delivered].filter((id) => received.has(id)).length,
      undelivered: queue.filter((row) => !delivered.has(idOf(row))).length,
      receivedAgain: erp.twice(),
      isChainWhole: log.every(({ seq }, at) => seq === at + 1),
      promotionMs: promotedAt - promotingAt,
      firstAcknowledgementMs,
      refusedAfterPromotion: events.sent.filter(
        ({ begunAt, status }) => begunAt > promotedAt && status === 503,
      ).length,
      hasEnded: service.hasEnded(),
    };
  } finally {
    service.signal("SIGKILL");
    await service.ended;
    await Promise.all([sandbox.stop(), erp.stop()]);
  }
}

const idOf = ({ event_id: id }: { event_id: string }) => id;

function count(sent: readonly Sent[], stored: readonly string[]): Count {
  const acknowledged = sent.filter(({ status }) => status === 200 || status === 202);
  const known = new Set(stored);
  const statuses: Record<string, number> = {};
  for (const { status } of sent) statuses[status] = (statuses[status] ?? 0) + 1;
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter(({ id }) => !known.has(id)).length,
    unacknowledged: known.size - acknowledged.filter(({ id }) => known.has(id)).length,
    stored: known.size,
    repeated: stored.length - known.size,
    statuses,
  };
}
