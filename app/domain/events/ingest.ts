// Stores an event: its marker, its ledger row and one queue row per destination commit together. A
// marker alone would lose the event for seven days, rows alone would duplicate it. Concurrent
// arrivals share a commit.
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import type { Database } from "../../runtime/database/database.ts";
import {
  createGroupCommit,
  isRowFault,
  type GroupCommit,
} from "../../runtime/database/group-commit.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { isDeadlock, isUniqueViolation } from "../../runtime/database/postgres-errors.ts";
import { activeTraceParent } from "../../runtime/telemetry/tracing.ts";
import { identityKey, inboxEventId } from "../customers/webhooks/delivery-identity.ts";
import { ARCHIVE_CHANNEL, BACKEND_CHANNEL, findChannel } from "../bus/channel.ts";
import { ledgerMark, subjectMarks } from "../bus/ledger-subjects.ts";
import { isOpenTo, isWarehouseEvent } from "../bus/routing.ts";
import { busFlags } from "../tenants/bus-phase.ts";
import { dataOf, assertCurrentInRegion, StaleTenantError, type Tenant } from "../tenants/tenant.ts";
import type { Envelope } from "./envelope.ts";
import { ingestQuery, type Arriving, type Webhook } from "./ingest-statement.ts";

export type Ingested =
  | { outcome: "accepted"; event_id: string; queued: number; destinations: string[] }
  | { outcome: "duplicate"; event_id: string };

/** What holds the event already: an earlier event, or a delivery to `/webhooks/*`. */
type ExistingEvent = { known_event_id: string | null; known_delivery_id: string | null };
type Stored = ExistingEvent & { is_stale: boolean; is_accepted: boolean };
type NotTaken = ExistingEvent & { place: number; is_stale: boolean };

const MAX_WAITING = 5_000;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

type Intake = { group: GroupCommit<Arriving, Stored>; bytes: number };
const intakes = new WeakMap<Database, Intake>();

/**
 * Resolves once the event is committed, now or earlier. `isLocal`: never forwarded to a remote
 * backend. Throws `overloaded`, and StaleTenantError when the tenant changed since it was read:
 * then nothing was stored.
 */
export async function ingest(
  ctx: Ctx,
  tenant: Tenant,
  envelope: Envelope,
  { webhook = null, isLocal = false }: { webhook?: Webhook | null; isLocal?: boolean } = {},
): Promise<Ingested> {
  const database = ctx.regions.get(tenant.region);
  await assertCurrentInRegion(ctx, tenant);
  const intake = intakeOf(database);
  const arriving = toStorable(() =>
    ctx.config.BACKEND_BASE_URL && !isLocal && envelope.destinations.length > 0
      ? toRemote(ctx, tenant, envelope, webhook)
      : toLocal(ctx, tenant, envelope, webhook),
  );
  const bytes = arriving.payload.length + (webhook?.body.length ?? 0);
  if (intake.group.size >= MAX_WAITING || intake.bytes + bytes > MAX_WAITING_BYTES)
    throw new AppError("overloaded", { headers: { "Retry-After": "1" } });
  intake.bytes += bytes;
  try {
    const stored = await intake.group.add(arriving);
    if (stored.is_stale) throw new StaleTenantError();
    if (stored.is_accepted)
      return {
        outcome: "accepted",
        event_id: envelope.event_id,
        queued: envelope.destinations.length,
        destinations: envelope.destinations,
      };
    return { outcome: "duplicate", event_id: await knownEventId(ctx, tenant, envelope, stored) };
  } catch (error) {
    // Another program wrote rows with this event id without a ledger entry: they belong to the same
    // event.
    if (isUniqueViolation(error)) return { outcome: "duplicate", event_id: envelope.event_id };
    throw isRowFault(error) ? unstorable() : error;
  } finally {
    intake.bytes -= bytes;
  }
}

/** JSON that no column can hold: a lone surrogate, or too many levels. */
const unstorable = () =>
  new AppError("malformed_body", { message: "The payload holds something that cannot be stored." });

function toStorable<T>(build: () => T): T {
  try {
    return build();
  } catch (error) {
    throw error instanceof RangeError ? unstorable() : error;
  }
}

/** SPEC pushes to this channel at once at this priority or a more urgent one. */
const PUSHED_CHANNEL = "web_analytics";
const MAX_PUSHED_PRIORITY = 2;

/**
 * The destinations that SPEC's ingest serves at once, also with a remote backend. Its callback for
 * one of them finds the row.
 */
function servedAtOnce(ctx: Ctx, tenant: Tenant, { destinations, priority }: Envelope): string[] {
  const isPushed =
    priority <= MAX_PUSHED_PRIORITY &&
    !busFlags(tenant).isArchiveOnly &&
    isOpenTo(ctx, tenant, PUSHED_CHANNEL);
  return destinations.filter(
    (name) => name === ARCHIVE_CHANNEL || (name === PUSHED_CHANNEL && isPushed),
  );
}

/**
 * With a remote backend one row sends the whole event there. The backend creates the other
 * deliveries and calls back for each.
 */
function toRemote(ctx: Ctx, tenant: Tenant, envelope: Envelope, webhook: Webhook | null): Arriving {
  const { idempotency_key: _, ...message } = envelope;
  const channels = servedAtOnce(ctx, tenant, envelope);
  return {
    tenant,
    envelope,
    webhook,
    ...storedForm(ctx, tenant, envelope, JSON.stringify(message)),
    channels: [BACKEND_CHANNEL, ...channels],
    archiveOnly: [],
    waiting: waitingOf(ctx, envelope, webhook, channels),
  };
}

function toLocal(ctx: Ctx, tenant: Tenant, envelope: Envelope, webhook: Webhook | null): Arriving {
  const isWarehouse = isWarehouseEvent(envelope.source, envelope.event_type);
  const isOnlyArchived = busFlags(tenant).isArchiveOnly && !isWarehouse;
  const archiveOnly = envelope.destinations.filter(
    (channel) => isOnlyArchived || !isOpenTo(ctx, tenant, channel),
  );
  const sent = envelope.destinations.filter((channel) => !archiveOnly.includes(channel));
  return {
    tenant,
    envelope,
    webhook,
    ...storedForm(ctx, tenant, envelope, JSON.stringify(envelope.payload)),
    channels: null,
    archiveOnly,
    waiting: waitingOf(ctx, envelope, webhook, sent),
  };
}

/**
 * The channels that read the customer, whom the webhook's work is about to change. That work
 * releases their rows.
 */
function waitingOf(
  ctx: Ctx,
  envelope: Envelope,
  webhook: Webhook | null,
  channels: string[],
): string[] {
  if (webhook === null || envelope.entity_type !== "customer") return [];
  return channels.filter((channel) => findChannel(ctx, channel)?.waitsForWebhook);
}

const storedForm = (ctx: Ctx, tenant: Tenant, envelope: Envelope, payload: string) => ({
  payload,
  subjects: subjectMarks(ctx, tenant.shop, `${envelope.entity_id}\n${payload}`),
  mark: ledgerMark(ctx, tenant.shop, envelope.entity_id),
  traceParent: activeTraceParent(),
});

function intakeOf(database: Database): Intake {
  const known = intakes.get(database);
  if (known) return known;
  const intake: Intake = {
    group: createGroupCommit((batch) => storeAll(database, batch)),
    bytes: 0,
  };
  intakes.set(database, intake);
  return intake;
}

/**
 * One statement for the batch. When the batch contains an event twice, the first is stored and the
 * second is its duplicate.
 */
async function storeAll(database: Database, batch: Arriving[]): Promise<Stored[]> {
  const firsts = new Map<string, number>();
  const sameAs = batch.map(({ envelope: e, webhook }, index) => {
    const names = [
      `${e.tenant_shop} key ${e.idempotency_key}`,
      `${e.tenant_shop} id ${e.event_id}`,
      ...(webhook ? [identityKey(e.tenant_shop, webhook)] : []),
    ];
    const first = names.map((name) => firsts.get(name)).find((at) => at !== undefined) ?? index;
    for (const name of names) firsts.set(name, first);
    return first;
  });
  const indexes = sameAs.flatMap((first, index) => (first === index ? [index] : []));
  const rows = await store(
    database,
    indexes.map((index) => batch[index] as Arriving),
  );
  const stored = new Map(rows.map((row, at) => [indexes[at] as number, row]));
  return sameAs.map((first, index) => {
    const row = stored.get(first) as Stored;
    return first === index
      ? row
      : {
          is_stale: row.is_stale,
          is_accepted: false,
          known_delivery_id: row.known_delivery_id,
          known_event_id: row.is_accepted
            ? (batch[first] as Arriving).envelope.event_id
            : row.known_event_id,
        };
  });
}

async function store(database: Database, events: Arriving[]): Promise<Stored[]> {
  const { name, text, values } = ingestQuery(database.region, events);
  const run = () => database.acrossTenants<NotTaken>(text, values, name);
  // Sorted inserts make a deadlock rare. It rolls back the whole batch, so one retry is safe.
  const notTaken = await run().catch((error: unknown) =>
    isDeadlock(error) ? run() : Promise.reject(error),
  );
  const stored: Stored[] = events.map(() => ({
    is_stale: false,
    is_accepted: true,
    known_event_id: null,
    known_delivery_id: null,
  }));
  for (const { place, ...why } of notTaken) stored[place] = { ...why, is_accepted: false };
  return stored;
}

async function knownEventId(
  ctx: Ctx,
  tenant: Tenant,
  envelope: Envelope,
  known: ExistingEvent,
): Promise<string> {
  if (known.known_event_id) return known.known_event_id;
  if (known.known_delivery_id)
    return inboxEventId(
      tenant.shop,
      known.known_delivery_id,
      envelope.entity_type === "order" ? "order" : "whole",
    );
  // A concurrent transaction inserted the marker while our statement waited for it. The statement's
  // snapshot does not show it; a new read does.
  const [row] = await dataOf(ctx, tenant).sql<{ event_id: string }>(
    "SELECT value #>> '{}' AS event_id FROM kv WHERE shop = $1 AND key = $2",
    [KEYS.event(envelope.idempotency_key)],
  );
  return row?.event_id ?? envelope.event_id;
}
