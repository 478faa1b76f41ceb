// shop/redact: deletes every row and object of a store that is not installed, in slices, including
// the append-only tables (the database allows exactly this deletion). The tenant's record is
// deleted last, so that the store is still known after a crash. An installed store keeps everything
// (DECISIONS 15).
import type { Ctx } from "../../../context.server.ts";
import { APPEND_ONLY_TABLES } from "../../../runtime/database/roles.ts";
import { PLATFORM, type Database, type TenantSql } from "../../../runtime/database/database.ts";
import { SHOP } from "../../../integrations/storefront/documents.ts";
import { isAppError, OutboundError } from "../../../runtime/errors.ts";
import { KEYS, platformKeysOf } from "../../../runtime/database/kv-keys.ts";
import { callAdminApi } from "../../tenants/storefront/admin-api.ts";
import { cancelMove, findOpenMove } from "../../tenants/moves/move-record.ts";
import { findTenant, getTenant, type Tenant } from "../../tenants/tenant.ts";
import { isConnected } from "../../tenants/store-access.ts";
import {
  Reschedule,
  finishPrivacyRequest,
  type PrivacyRequest,
} from "../requests/privacy-requests.ts";
import {
  erasedStep,
  recordSteps,
  type StepName,
  type StepResult,
} from "../requests/request-steps.ts";
import { storeKey } from "../subject.ts";
import { tenantTables } from "./table-slices.ts";

const ROWS_PER_SLICE = 2_000;
const NEXT_PASS_MS = 500;

export async function redactShop(
  ctx: Ctx,
  database: Database,
  request: PrivacyRequest,
): Promise<void> {
  const { shop } = request;
  const { record, finish } = progressOf(ctx, database, request);
  const cell = (await findTenant(ctx, shop))?.region ?? database.region;
  if (cell !== database.region) {
    await forward(ctx, database, request, cell);
    return finish("done", { outcome: `worked in the cell ${cell}, where the store is` });
  }
  if (await isUninstallWaiting(database, shop)) throw new Reschedule(NEXT_PASS_MS);
  const installedAt = (await findTenant(ctx, shop))?.connection.installed_at;
  const reason = await findReasonToKeep(ctx, database, request);
  if (reason !== null) {
    await record({ archive: KEPT, tables: KEPT, record: KEPT });
    return finish("retained", { kept_because: [reason] });
  }

  const move = await findOpenMove(ctx, shop);
  if (move) {
    // One that can no longer be cancelled ends by itself, and the rows are then in the other cell.
    await cancelMove(ctx, move.id).catch(() => {});
    throw new Reschedule(NEXT_PASS_MS);
  }
  const isKept = (tenant: Tenant) => tenant.connection.installed_at !== installedAt;
  await deleteStore(ctx, database, request, isKept);
}

/** What a request's screen and its proof read of the work. */
function progressOf(ctx: Ctx, database: Database, request: PrivacyRequest) {
  const { sql } = database.forTenant(request.home);
  return {
    record: (steps: Partial<Record<StepName, StepResult>>) => recordSteps(ctx, sql, request, steps),
    finish: (state: "done" | "retained", evidence: object) =>
      finishPrivacyRequest(sql, request, { state, evidence }),
  };
}

/** Deletes objects, rows and the record. `isKept`: the app was installed again meanwhile. */
async function deleteStore(
  ctx: Ctx,
  database: Database,
  request: PrivacyRequest,
  isKept: (tenant: Tenant) => boolean,
): Promise<void> {
  const { shop } = request;
  const { record, finish } = progressOf(ctx, database, request);
  const objects = await ctx.archive.ofStore(shop).removeAll();
  await record({ archive: erasedStep(objects) });
  const deleted: Record<string, number> = {};
  const total = await deleteRows(ctx, database, shop, { deleted, isKept });
  const isDeleted = total !== null && (await deleteRecord(ctx, request));
  await record({ tables: erasedStep(rowsOf(deleted)), record: isDeleted ? erasedStep(1) : KEPT });
  if (!isDeleted)
    return finish("retained", {
      deleted,
      archive_objects: objects,
      kept_because: [`${INSTALLED_AGAIN} while its data was deleted`],
    });
  // Rows that a worker wrote while the store was still known.
  if ((await deleteRows(ctx, database, shop, { deleted, isKept })) !== 0)
    throw new Reschedule(NEXT_PASS_MS);
  await finish("done", { deleted, archive_objects: objects });
}

/** The store moved after the request arrived. Safe to repeat: the request keeps its delivery id. */
async function forward(
  ctx: Ctx,
  database: Database,
  request: PrivacyRequest,
  cell: string,
): Promise<void> {
  const { id: _, ...row } = await database
    .forTenant(request.home)
    .prisma.privacyRequest.findFirstOrThrow({ where: { id: request.id } });
  await ctx.regions
    .get(cell)
    .forTenant(request.home)
    .prisma.privacyRequest.createMany({
      data: [
        {
          ...row,
          payload: row.payload as object,
          steps: {},
          evidence: undefined,
          state: "received",
          attempt_token: null,
          locked_until: null,
        },
      ],
      skipDuplicates: true,
    });
}

const KEPT: StepResult = { outcome: "kept" };

const rowsOf = (deleted: Record<string, number>): number =>
  Object.values(deleted).reduce((sum, rows) => sum + rows, 0);

/**
 * Whether an uninstall webhook of the store is still in the inbox: until it is processed the record
 * shows an installed store.
 */
async function isUninstallWaiting(database: Database, shop: string): Promise<boolean> {
  const waiting = await database.forTenant(shop).prisma.webhookInbox.findFirst({
    select: { id: true },
    where: { topic: "app/uninstalled", status: { in: ["pending", "processing"] } },
  });
  return waiting !== null;
}

/** The time of the platform's request: a later installation is not affected. */
const askedAt = ({ triggeredAt, receivedAt }: PrivacyRequest): Date =>
  triggeredAt && triggeredAt < receivedAt ? triggeredAt : receivedAt;

/**
 * Why the store counts as installed; null when it does not. A request is valid only for a store
 * that is not installed, and its signed body can be replayed forever. Throws OutboundError when the
 * platform's API does not answer.
 */
async function findReasonToKeep(
  ctx: Ctx,
  database: Database,
  request: PrivacyRequest,
): Promise<string | null> {
  const tenant = await findTenant(ctx, request.shop);
  if (!tenant) return null;
  if (isInstalledAgain(tenant, request)) {
    const isOfLater = await isOfLaterUninstall(ctx, database, tenant, request);
    if (!isOfLater) return INSTALLED_AGAIN;
  }
  return (await isTokenAnswered(ctx, tenant)) ? "the app is installed: the token answers" : null;
}

const INSTALLED_AGAIN = "the store installed the app again";

/** By our own record: installed after the request, or after the last known uninstall. */
function isInstalledAgain({ connection }: Tenant, request: PrivacyRequest): boolean {
  if (connection.installed_at === undefined) return false;
  const installedAt = new Date(connection.installed_at);
  const uninstalled = connection.uninstalled_at ?? connection.last_uninstalled_at;
  return (
    installedAt > askedAt(request) ||
    (uninstalled !== undefined && installedAt > new Date(uninstalled))
  );
}

/** The platform asks 48 hours after an uninstall, and repeats what was not answered for some hours. */
const ASKED_WITHIN_MS = 72 * 60 * 60_000;

/**
 * Whether the request can only be about an uninstall after the last installation, which is not known here because its
 * webhook was lost. Not for a repeated request: it may be an old one that somebody sends again.
 */
async function isOfLaterUninstall(
  ctx: Ctx,
  database: Database,
  { shop, connection }: Tenant,
  { id, home, receivedAt }: PrivacyRequest,
): Promise<boolean> {
  const installedAt = new Date(connection.installed_at as string).getTime();
  if (receivedAt.getTime() - installedAt < ASKED_WITHIN_MS) return false;
  const earlier = await database.forTenant(home).prisma.privacyRequest.count({
    where: { kind: "shop_redact", subject_hmac: storeKey(ctx, shop), id: { lt: id } },
  });
  return earlier === 0;
}

/**
 * The platform rejects the token of a deleted store, and of a store whose uninstall webhook was
 * lost.
 */
const NOT_INSTALLED: ReadonlySet<number | undefined> = new Set([401, 404]);

async function isTokenAnswered(ctx: Ctx, tenant: Tenant): Promise<boolean> {
  if (!isConnected(tenant)) return false;
  try {
    await callAdminApi(ctx, tenant.shop, { document: SHOP });
    return true;
  } catch (error) {
    // For an app error the record shows whether the token was rejected, or only this kind of token.
    if (isAppError(error)) return isConnected(await getTenant(ctx, tenant.shop));
    if (!(error instanceof OutboundError)) throw error;
    // The platform rejects a token before it reads the call.
    if (error.kind === "graphql") return true;
    if (error.retryable) throw error;
    return !NOT_INSTALLED.has(error.status);
  }
}

/**
 * One slice per transaction, in every table, until nothing is left; null when the store was
 * installed again meanwhile.
 */
async function deleteRows(
  ctx: Ctx,
  database: Database,
  shop: string,
  { deleted, isKept }: { deleted: Record<string, number>; isKept(tenant: Tenant): boolean },
): Promise<number | null> {
  let total = 0;
  for (const { name } of await tenantTables(database)) {
    for (let rows = ROWS_PER_SLICE; rows >= ROWS_PER_SLICE;) {
      const tenant = await findTenant(ctx, shop);
      if (tenant && isKept(tenant)) return null;
      rows = await database.forTenant(shop).transaction((sql) => deleteSlice(sql, name, shop));
      deleted[name] = (deleted[name] ?? 0) + rows;
      total += rows;
    }
  }
  return total;
}

async function deleteSlice(sql: TenantSql, table: string, shop: string): Promise<number> {
  if ((APPEND_ONLY_TABLES as readonly string[]).includes(table)) {
    // The service's role has no DELETE right there: the database's own function deletes, while this
    // request is running.
    const [answer] = await sql<{ deleted: number }>(
      `SELECT delete_redacted_rows($2, shop, $3) AS deleted FROM (SELECT $1::text AS shop) AS named
        WHERE shop = $1`,
      [table, ROWS_PER_SLICE],
    );
    return answer?.deleted ?? 0;
  }
  // The condition stands outside too: rows of two partitions have the same ctid.
  const isErased = `shop = $1 AND ($2::text IS NULL OR to_jsonb("${table}")->>'key' <> $2)`;
  const rows = await sql(
    `DELETE FROM "${table}" WHERE ${isErased} AND ctid = ANY(ARRAY(SELECT ctid FROM "${table}"
      WHERE ${isErased} LIMIT ${ROWS_PER_SLICE})) RETURNING 1`,
    [table === "kv" ? KEYS.tenant(shop) : null],
  );
  return rows.length;
}

/** One statement with its condition: a concurrent installation keeps its record. */
async function deleteRecord(ctx: Ctx, request: PrivacyRequest): Promise<boolean> {
  const { sql, prisma } = ctx.home.forTenant(request.shop);
  await sql(
    `DELETE FROM kv WHERE shop = $1 AND key = $2
      AND coalesce((value#>>'{connection,installed_at}')::timestamptz, '-infinity') <= $3`,
    [KEYS.tenant(request.shop), askedAt(request)],
  );
  const isKept = (await prisma.kv.count({ where: { key: KEYS.tenant(request.shop) } })) > 0;
  // These rows are in the region of the record, whichever region holds the other rows.
  if (!isKept) {
    await prisma.publicHost.deleteMany();
    await ctx.home
      .forTenant(PLATFORM)
      .prisma.kv.deleteMany({ where: { key: { in: platformKeysOf(request.shop) } } });
  }
  return !isKept;
}
