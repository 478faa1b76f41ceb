// One card per channel: whether it is enabled, its last day, missing settings, and its last problem.
import type { Ctx } from "../../context.server.ts";
import type { Columns, DeliveryAttempt, Kv } from "../../db.server.ts";
import { KEYS } from "../../runtime/database/kv.ts";
import { readBusStatus } from "../bus/log/bus-status.ts";
import { ARCHIVE_CHANNEL, BACKEND_CHANNEL } from "../bus/channel.ts";
import { countDeadLetters } from "../bus/log/dead-letter-list.ts";
import { toFailure, type Failure } from "../bus/log/failure-kind.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { findMissing, type Missing } from "./channel-settings.ts";

export type ChannelCard = {
  name: string;
  state: "on" | "paused" | "off";
  paused_until: string | null;
  delivered: number;
  failed: number;
  waiting: number;
  dead: number;
  missing: Missing[];
  can_be_tested: boolean;
  last_failure: (Failure & { at: string }) | null;
};

/** Always enabled, without settings of the merchant. */
const OUR_OWN: ReadonlySet<string> = new Set([ARCHIVE_CHANNEL, BACKEND_CHANNEL]);

export async function readChannelCards(ctx: Ctx, tenant: Tenant): Promise<ChannelCard[]> {
  const { sql } = dataOf(ctx, tenant);
  const channels = ctx.channels.filter(({ name }) => !OUR_OWN.has(name));
  const names = channels.map(({ name }) => name);
  const [status, dead, circuits, failures] = await Promise.all([
    readBusStatus(ctx, tenant),
    countDeadLetters(ctx, tenant),
    sql<Columns<Kv, "key"> & { until: Date }>(
      `SELECT key, (value->>'open_until')::timestamptz AS until FROM kv WHERE shop = $1
        AND key = ANY($2::text[]) AND (value->>'open_until')::timestamptz > clock_timestamp()`,
      [names.map(KEYS.circuit)],
    ),
    // One read of the failures' index per channel.
    sql<Columns<DeliveryAttempt, "channel" | "error" | "http_status" | "created_at">>(
      `SELECT f.channel, f.error, f.http_status, f.created_at FROM unnest($2::text[]) AS c(name)
       CROSS JOIN LATERAL (SELECT channel, error, http_status, created_at FROM delivery_attempts
         WHERE shop = $1 AND channel = c.name AND status = 'failed' ORDER BY id DESC LIMIT 1) f`,
      [names],
    ),
  ]);
  return channels.map((channel): ChannelCard => {
    const { name } = channel;
    const day = status.channels[name]?.last_24h;
    const until =
      circuits.find(({ key }) => key === KEYS.circuit(name))?.until.toISOString() ?? null;
    const last = failures.find((failure) => failure.channel === name);
    const isOn = channel.isEnabled(tenant);
    return {
      name,
      state: !isOn ? "off" : until ? "paused" : "on",
      paused_until: isOn ? until : null,
      delivered: day?.delivered ?? 0,
      failed: day?.failed ?? 0,
      waiting: day?.pending ?? 0,
      dead: dead.get(name) ?? 0,
      missing: isOn ? [] : findMissing(tenant, name),
      can_be_tested: isOn && channel.isDestination && channel.probe !== undefined,
      last_failure: last ? { ...toFailure(last), at: last.created_at.toISOString() } : null,
    };
  });
}
