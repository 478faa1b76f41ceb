// shop/redact: every row and object of the store goes, in slices, the append-only tables included (the database lets
// exactly this deletion pass). The tenant's record goes last, so that a crash leaves a store that is still known.
import type { Ctx } from "../../context.server.ts";
import { APPEND_ONLY_TABLES } from "../../runtime/database-roles.ts";
import type { Database, TenantSql } from "../../runtime/database.ts";
import { SHOP } from "../../integrations/storefront-documents.ts";
import { isAppError } from "../../runtime/errors.ts";
import { KEYS } from "../../runtime/kv.ts";
import { callStorefront } from "../tenants/storefront-admin.ts";
import { findTenant, type Tenant } from "../tenants/tenant.ts";
import { tokenState } from "../tenants/directory.ts";
import { AnotherPass, finishPrivacyRequest, type PrivacyRequest } from "./privacy-requests.ts";
import { tenantTables } from "./table-slices.ts";

const ROWS_PER_SLICE = 2_000;
const NEXT_PASS_MS = 500;

export async function redactShop(
  ctx: Ctx,
  database: Database,
  request: PrivacyRequest,
): Promise<void> {
  const { shop } = request;
  const deleted: Record<string, number> = {};
  const finish = (state: "done" | "retained", evidence: object) =>
    finishPrivacyRequest(database.forTenant(request.home).sql, request, state, evidence);
  if (await isInstalledAgain(ctx, database, request))
    return finish("retained", { kept_because: ["the store installed the app again"] });

  const objects = await ctx.archive.ofStore(shop).removeAll();
  const total = await deleteRows(ctx, database, request, deleted);
  if (total === null)
    return finish("retained", {
      deleted,
      archive_objects: objects,
      kept_because: ["the store installed the app again while its data was deleted"],
    });
  if (!(await deleteRecord(ctx, request)))
    return finish("retained", {
      deleted,
      archive_objects: objects,
      kept_because: ["the store installed the app again while its data was deleted"],
    });
  // Rows that a worker wrote while the store was still known.
  if ((await deleteRows(ctx, database, request, deleted)) !== 0)
    throw new AnotherPass(NEXT_PASS_MS);
  await finish("done", { deleted, archive_objects: objects });
}

/** When the platform asked: what was installed after it is another story. */
const askedAt = ({ triggeredAt, receivedAt }: PrivacyRequest): Date =>
  triggeredAt && triggeredAt < receivedAt ? triggeredAt : receivedAt;

/**
 * The signed body names the store and nothing else, so an old one can be sent again for ever: from the second on, a
 * store whose token still works is believed to be installed.
 */
async function isInstalledAgain(
  ctx: Ctx,
  database: Database,
  request: PrivacyRequest,
): Promise<boolean> {
  const tenant = await findTenant(ctx, request.shop);
  if (!tenant) return false;
  if (installedAfter(tenant, askedAt(request))) return true;
  const earlier = await database
    .forTenant(request.home)
    .sql(
      "SELECT 1 FROM privacy_requests p WHERE shop = $1 AND kind = 'shop_redact' AND state IN ('done', 'retained') AND subject_hmac = (SELECT subject_hmac FROM privacy_requests WHERE shop = $1 AND id = $2) LIMIT 1",
      [request.id],
    );
  return earlier.length > 0 && tokenState(tenant) === "valid" && (await answers(ctx, request.shop));
}

const installedAfter = ({ connection }: Tenant, at: Date): boolean =>
  connection.installed_at !== undefined && new Date(connection.installed_at) > at;

async function answers(ctx: Ctx, shop: string): Promise<boolean> {
  try {
    await callStorefront(ctx, shop, { document: SHOP });
    return true;
  } catch (error) {
    if (isAppError(error)) return false;
    throw error;
  }
}

/** One slice per transaction, in every table, until nothing is left; null when the store is installed again meanwhile. */
async function deleteRows(
  ctx: Ctx,
  database: Database,
  request: PrivacyRequest,
  deleted: Record<string, number>,
): Promise<number | null> {
  const { shop } = request;
  let total = 0;
  for (const { name } of await tenantTables(database)) {
    for (let rows = ROWS_PER_SLICE; rows === ROWS_PER_SLICE;) {
      const tenant = await findTenant(ctx, shop);
      if (tenant && installedAfter(tenant, askedAt(request))) return null;
      rows = await database.forTenant(shop).transaction((sql) => deleteSlice(sql, name, shop));
      deleted[name] = (deleted[name] ?? 0) + rows;
      total += rows;
    }
  }
  return total;
}

async function deleteSlice(sql: TenantSql, table: string, shop: string): Promise<number> {
  if ((APPEND_ONLY_TABLES as readonly string[]).includes(table)) {
    // The service's role may not delete there: the database's own function does, while this request is being worked.
    const [answer] = await sql<{ deleted: number }>(
      "SELECT delete_redacted_rows($2, shop, $3) AS deleted FROM (SELECT $1::text AS shop) AS named WHERE shop = $1",
      [table, ROWS_PER_SLICE],
    );
    return answer?.deleted ?? 0;
  }
  const rows = await sql(
    `DELETE FROM "${table}" WHERE shop = $1 AND ctid = ANY(ARRAY(SELECT ctid FROM "${table}" WHERE shop = $1 AND ($2::text IS NULL OR to_jsonb("${table}")->>'key' <> $2) LIMIT ${ROWS_PER_SLICE})) RETURNING 1`,
    [table === "kv" ? KEYS.tenant(shop) : null],
  );
  return rows.length;
}

/** In one statement with its condition: an install at this moment keeps its record. */
async function deleteRecord(ctx: Ctx, request: PrivacyRequest): Promise<boolean> {
  const { sql } = ctx.home.forTenant(request.shop);
  await sql(
    "DELETE FROM kv WHERE shop = $1 AND key = $2 AND coalesce((value#>>'{connection,installed_at}')::timestamptz, '-infinity') <= $3",
    [KEYS.tenant(request.shop), askedAt(request)],
  );
  const isKept =
    (await sql("SELECT 1 FROM kv WHERE shop = $1 AND key = $2", [KEYS.tenant(request.shop)]))
      .length > 0;
  // They are where the record was, whichever region holds the other rows.
  if (!isKept) await sql("DELETE FROM public_hosts WHERE shop = $1");
  return !isKept;
}
