// shop/redact: every row and object of a store that is not installed goes, in slices, the append-only tables included (the
// database lets exactly this deletion pass). The tenant's record goes last, so that a crash leaves a store that is still
// known. An installed store keeps everything (DECISIONS 15).
import type { Ctx } from "../../context.server.ts";
import type { Database, TenantSql } from "../../runtime/database.ts";
import { SHOP } from "../../integrations/storefront-documents.ts";
import { isAppError, OutboundError } from "../../runtime/errors.ts";
import { KEYS } from "../../runtime/kv.ts";
import { callStorefront } from "../tenants/storefront-admin.ts";
import { findTenant, getTenant, type Tenant } from "../tenants/tenant.ts";
import { tokenState } from "../tenants/directory.ts";
import { eventIdOfPath } from "./erase-outside.ts";
import { AnotherPass, finishPrivacyRequest, type PrivacyRequest } from "./privacy-requests.ts";
import { tenantTables } from "./table-slices.ts";

const ROWS_PER_SLICE = 2_000;
const PATHS_PER_LOOKUP = 500;
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

  // Objects are named after events: they are looked up while the ledger is still there.
  const objects = await deleteObjects(ctx, database, shop);
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

async function deleteObjects(ctx: Ctx, database: Database, shop: string): Promise<number> {
  const paths = await ctx.archive.list("");
  const own = paths.filter((path) => path.split("/").includes(shop));
  const events = paths.filter((path) => path.startsWith("events/"));
  for (let at = 0; at < events.length; at += PATHS_PER_LOOKUP) {
    const batch = events.slice(at, at + PATHS_PER_LOOKUP);
    const rows = await database
      .forTenant(shop)
      .sql<{ event_id: string }>(
        "SELECT event_id FROM event_ledger WHERE shop = $1 AND event_id = ANY($2::text[]) UNION SELECT event_id FROM integration_queue WHERE shop = $1 AND event_id = ANY($2::text[])",
        [batch.map(eventIdOfPath)],
      );
    const ids = new Set(rows.map((row) => row.event_id));
    own.push(...batch.filter((path) => ids.has(eventIdOfPath(path))));
  }
  for (const path of new Set(own)) await ctx.archive.remove(path);
  return new Set(own).size;
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
  // For this transaction only; the triggers of the append-only tables compare it with the row's shop.
  await sql(
    "SELECT set_config('compliance.redacted_shop', shop, true) FROM (SELECT $1::text AS shop) AS named WHERE shop = $1",
  );
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
  return (
    (await sql("SELECT 1 FROM kv WHERE shop = $1 AND key = $2", [KEYS.tenant(request.shop)]))
      .length === 0
  );
}
