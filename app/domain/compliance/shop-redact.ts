// shop/redact: every row and object of a store that is not installed goes, in slices, the append-only tables included (the
// database lets exactly this deletion pass). The tenant's record goes last, so that a crash leaves a store that is still
// known. An installed store keeps everything (DECISIONS 15).
import type { Ctx } from "../../context.server.ts";
import { APPEND_ONLY_TABLES } from "../../runtime/database-roles.ts";
import type { Database, TenantSql } from "../../runtime/database.ts";
import { SHOP } from "../../integrations/storefront-documents.ts";
import { isAppError, OutboundError } from "../../runtime/errors.ts";
import { KEYS } from "../../runtime/kv.ts";
import { callStorefront } from "../tenants/storefront-admin.ts";
import { findTenant, getTenant, type Tenant } from "../tenants/tenant.ts";
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
  if (await isUninstallWaiting(database, shop)) throw new AnotherPass(NEXT_PASS_MS);
  const reason = await findReasonToKeep(ctx, request);
  if (reason !== null) return finish("retained", { kept_because: [reason] });

  const objects = await ctx.archive.ofStore(shop).removeAll();
  const total = await deleteRows(ctx, database, request, deleted);
  if (total === null)
    return finish("retained", {
      deleted,
      archive_objects: objects,
      kept_because: [`${INSTALLED_AGAIN} while its data was deleted`],
    });
  if (!(await deleteRecord(ctx, request)))
    return finish("retained", {
      deleted,
      archive_objects: objects,
      kept_because: [`${INSTALLED_AGAIN} while its data was deleted`],
    });
  // Rows that a worker wrote while the store was still known.
  if ((await deleteRows(ctx, database, request, deleted)) !== 0)
    throw new AnotherPass(NEXT_PASS_MS);
  await finish("done", { deleted, archive_objects: objects });
}

/** Whether the store's uninstall was received and not worked yet: until then its record says that it is installed. */
async function isUninstallWaiting(database: Database, shop: string): Promise<boolean> {
  const rows = await database
    .forTenant(shop)
    .sql(
      "SELECT 1 FROM webhook_inbox WHERE shop = $1 AND topic = 'app/uninstalled' AND status IN ('pending', 'processing') LIMIT 1",
    );
  return rows.length > 0;
}

/** When the platform asked: what was installed after it is another story. */
const askedAt = ({ triggeredAt, receivedAt }: PrivacyRequest): Date =>
  triggeredAt && triggeredAt < receivedAt ? triggeredAt : receivedAt;

/**
 * Why the store counts as installed; null when it does not. A request is for a store that is not installed, and its signed
 * body can be sent again for ever. Throws OutboundError when the platform does not say.
 */
async function findReasonToKeep(ctx: Ctx, request: PrivacyRequest): Promise<string | null> {
  const tenant = await findTenant(ctx, request.shop);
  if (!tenant) return null;
  if (isInstalledAgain(tenant, request)) return INSTALLED_AGAIN;
  return (await isTokenAnswered(ctx, tenant)) ? "the app is installed: the token answers" : null;
}

const INSTALLED_AGAIN = "the store installed the app again";

/** By our own record: installed after the request, or after the last uninstall that we know of. */
function isInstalledAgain({ connection }: Tenant, request: PrivacyRequest): boolean {
  if (connection.installed_at === undefined) return false;
  const installedAt = new Date(connection.installed_at);
  const uninstalled = connection.uninstalled_at ?? connection.last_uninstalled_at;
  return (
    installedAt > askedAt(request) ||
    (uninstalled !== undefined && installedAt > new Date(uninstalled))
  );
}

/** The platform refuses the token of a store that is gone, and of one that uninstalled the app without our hearing of it. */
const NOT_INSTALLED: ReadonlySet<number | undefined> = new Set([401, 404]);

async function isTokenAnswered(ctx: Ctx, tenant: Tenant): Promise<boolean> {
  if (tokenState(tenant) !== "valid") return false;
  try {
    await callStorefront(ctx, tenant.shop, { document: SHOP });
    return true;
  } catch (error) {
    // Of an app error the record says whether the token was refused, or only this kind of token.
    if (isAppError(error)) return tokenState(await getTenant(ctx, tenant.shop)) === "valid";
    if (!(error instanceof OutboundError) || error.retryable) throw error;
    return !NOT_INSTALLED.has(error.status);
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
      if (tenant && isInstalledAgain(tenant, request)) return null;
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
