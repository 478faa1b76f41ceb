// Channel `backend`: the built-in backend applies the event to its own tables; a remote one
// (BACKEND_BASE_URL) receives the whole event and calls /events/deliver for each destination. A
// store's destination list cannot disable it.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database/database.ts";
import type { EnqueueRequest } from "../../integrations/backend.ts";
import {
  BACKEND_CHANNEL,
  PermanentFailure,
  type Channel,
  type DeliveryResult,
  type QueueItem,
} from "../bus/channel.ts";
import { OWN_FAILURES } from "../bus/log/own-failures.ts";
import { recordFirmware } from "../events/firmware.ts";
import { recordReturn } from "../events/return-cases.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

type Change = (sql: TenantSql, item: QueueItem, payload: unknown) => Promise<void>;

/**
 * The handlers of warehouse events by type, for any sender; all other events are only recorded in
 * the ledger.
 */
const APPLIED: Record<string, Change> = {
  "unit.shipped": recordFirmware,
  "unit.returned": recordReturn,
};

/** The payload that ingest stores for a remote backend: SPEC's whole request. */
const Handover = z.looseObject({
  event_id: z.string(),
  destinations: z.array(z.string()),
  payload: z.record(z.string(), z.unknown()),
});

const isHandover = (item: QueueItem, payload: unknown): payload is EnqueueRequest => {
  const read = Handover.safeParse(payload);
  return read.success && read.data.event_id === item.eventId;
};

export const backendChannel: Channel = {
  name: BACKEND_CHANNEL,
  needs: [],
  isInternal: true,
  credentialsKey: null,
  marketing: false,
  requiresConsent: null,
  isDestination: true,
  isEnabled: () => true,
  transform(_ctx, _tenant, item) {
    const config = isHandover(item, item.payload)
      ? { method: "POST", endpoint: "/integration-enqueue", credentials_key: "BACKEND_API_KEY" }
      : { method: "APPLY", endpoint: "backend", credentials_key: null };
    return Promise.resolve({ transformed_payload: item.payload, delivery_config: config });
  },
  async deliver(ctx, tenant, item, { transformed_payload: payload }) {
    if (isHandover(item, payload)) return handOver(ctx, tenant, item, payload);
    const isApplied = await apply(ctx, tenant, item, payload);
    return {
      httpStatus: null,
      ...(!isApplied && { skipped: `${item.eventType} changes nothing in the built-in backend` }),
    };
  },
};

async function apply(
  ctx: Ctx,
  tenant: Tenant,
  item: QueueItem,
  payload: unknown,
): Promise<boolean> {
  const change = Object.hasOwn(APPLIED, item.eventType) ? APPLIED[item.eventType] : undefined;
  if (!change) return false;
  await dataOf(ctx, tenant).transaction((sql) => change(sql, item, payload));
  return true;
}

async function handOver(
  ctx: Ctx,
  tenant: Tenant,
  item: QueueItem,
  request: EnqueueRequest,
): Promise<DeliveryResult> {
  const {
    BACKEND_BASE_URL: baseUrl,
    BACKEND_API_KEY: apiKey,
    BACKEND_WORKSPACE_ID: workspaceId,
  } = ctx.config;
  // Accepted while a remote backend was configured: its other destinations have no rows here, so
  // the event must not count as delivered.
  if (!baseUrl || !apiKey)
    throw new PermanentFailure(
      OWN_FAILURES.notSet.text(
        "the event was accepted for a remote backend, and BACKEND_BASE_URL or BACKEND_API_KEY",
      ),
    );
  // Firmware and returns are always recorded here: the backend's own callback for this destination
  // finds this row.
  if (request.destinations.includes(BACKEND_CHANNEL))
    await apply(ctx, tenant, item, request.payload);
  const { status } = await ctx.backend.enqueue(
    { baseUrl, apiKey, workspaceId, about: { shop: item.shop, event_id: item.eventId } },
    request,
  );
  return { httpStatus: status };
}
