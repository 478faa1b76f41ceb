// A privacy request arrives: one row for each delivery, sealed before it is stored.
import { hash } from "node:crypto";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, PrivacyRequest as StoredRequest } from "../../../db.server.ts";
import { PLATFORM, type TenantSql } from "../../../runtime/database/database.ts";
import { HOME_REGION } from "../../../runtime/settings.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { hasIdentifier, storeKey, subjectKey, type Subject } from "../subject.ts";
import { sealSubject, type PrivacyKind } from "./privacy-requests.ts";

const DUE_DAYS = 30;
const MAX_DELIVERY_ID_CHARACTERS = 200;

export type Arrival = {
  kind: PrivacyKind;
  deliveryId: string | undefined;
  raw: Buffer;
  subject: Subject;
  externalId: string | null;
  triggeredAt: Date | null;
};

type NewRequest = {
  /** The tenant key of its row: a deleted or unknown store has no rows of its own. */
  home: string;
  deliveryId: string;
  payload: object;
  subjectHmac: string | null;
  state: "received" | "done";
  evidence: { outcome: string } | null;
};

/**
 * An unknown store has no data, and a request may name nobody: these are recorded as finished, without
 * the payload, because the platform expects a 2xx for every valid request.
 */
export function toNewRequest(
  ctx: Ctx,
  shop: string,
  tenant: Tenant | null,
  { kind, deliveryId, raw, subject }: Arrival,
): NewRequest {
  const delivery =
    deliveryId?.slice(0, MAX_DELIVERY_ID_CHARACTERS) ??
    `sha256:${hash("sha256", Buffer.concat([Buffer.from(`${kind}\n`), raw]))}`;
  const atPlatform = {
    home: PLATFORM,
    deliveryId: `${storeKey(ctx, shop).slice(0, 16)}:${kind}:${delivery}`,
    subjectHmac: storeKey(ctx, shop),
  };
  if (kind === "shop_redact")
    return { ...atPlatform, payload: { shop }, state: "received", evidence: null };
  if (!tenant)
    return {
      ...atPlatform,
      payload: {},
      state: "done",
      evidence: { outcome: "the store is not known here" },
    };
  const atStore = {
    home: shop,
    deliveryId: `${kind}:${delivery}`,
    subjectHmac: subjectKey(ctx, shop, subject),
  };
  if (!hasIdentifier(subject))
    return {
      ...atStore,
      payload: {},
      state: "done",
      evidence: { outcome: "the request names nobody" },
    };
  return {
    ...atStore,
    payload: sealSubject(ctx, shop, subject),
    state: "received",
    evidence: null,
  };
}

/** One row per delivery, also when it is repeated. */
export async function receivePrivacyRequest(
  ctx: Ctx,
  shop: string,
  tenant: Tenant | null,
  arrival: Arrival,
): Promise<{ id: number; dueBy: Date; isNew: boolean }> {
  const request = toNewRequest(ctx, shop, tenant, arrival);
  const { sql } = ctx.regions.get(tenant?.region ?? HOME_REGION).forTenant(request.home);
  return insertRequest(sql, request, arrival);
}

/** The same of a known store, in the caller's transaction. */
export async function insertRequest(
  sql: TenantSql,
  request: NewRequest,
  arrival: Arrival,
): Promise<{ id: number; dueBy: Date; isNew: boolean }> {
  const [made] = await sql<Columns<StoredRequest, "id" | "due_by">>(
    `INSERT INTO privacy_requests (shop, kind, delivery_id, external_id, subject_hmac, payload,
      state, triggered_at, due_by, evidence, completed_at)
     VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7, $8,
       clock_timestamp() + make_interval(days => ${DUE_DAYS}), $9::jsonb, CASE WHEN $7 = 'done'
       THEN clock_timestamp() END)
     ON CONFLICT (shop, delivery_id) DO NOTHING RETURNING id, due_by`,
    [
      arrival.kind,
      request.deliveryId,
      arrival.externalId,
      request.subjectHmac,
      JSON.stringify(request.payload),
      request.state,
      arrival.triggeredAt,
      request.evidence && JSON.stringify(request.evidence),
    ],
  );
  if (made) return { id: made.id, dueBy: made.due_by, isNew: true };
  const [known] = await sql<Columns<StoredRequest, "id" | "due_by">>(
    "SELECT id, due_by FROM privacy_requests WHERE shop = $1 AND delivery_id = $2",
    [request.deliveryId],
  );
  if (!known) throw new Error("a privacy request vanished while it was received");
  return { id: known.id, dueBy: known.due_by, isNew: false };
}
