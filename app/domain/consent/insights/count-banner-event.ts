// Counts what pages report of the banner. Events of a store share a commit: while one statement runs, the next
// ones gather, and each answer waits for its COMMIT. So nothing that was answered is lost, by a stop or by a
// kill; what a killed process had not answered yet was not counted, and pages do not repeat it.
import type { Ctx } from "../../../context.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import type { TenantSql } from "../../../db.server.ts";
import { createGroupCommit, type GroupCommit } from "../../../runtime/database/group-commit.ts";
import { timeZoneOf, todayIn } from "../../tenants/storefront/time-zone.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { BANNER_STEPS, type BannerEvent, type BannerStep } from "./banner-event.ts";

/**
 * Adds a batch to a day's rows, by default to the store's today. Sorted, so that two processes lock the rows in one order. Not safe
 * to repeat: a batch whose COMMIT is unknown fails, and is not counted again.
 */
const ADD_COUNTS = `INSERT INTO banner_days AS d (shop, day, dimension, version, value, ${BANNER_STEPS.join(", ")})
  SELECT $1, coalesce($9::date, ${todayIn("$10")}), n.* FROM unnest($2::text[], $3::int[], $4::text[], $5::int[], $6::int[], $7::int[], $8::int[])
    AS n(dimension, version, value, ${BANNER_STEPS.join(", ")})
  ORDER BY n.dimension, n.version, n.value
  ON CONFLICT (shop, day, dimension, version, value) DO UPDATE SET
    ${BANNER_STEPS.map((step) => `${step} = d.${step} + excluded.${step}`).join(", ")}`;

type Counted = Pick<BannerEvent, "version"> & { dimension: string; value: string } & Record<
    BannerStep,
    number
  >;

// By the tenant object, not by its name: a store that moved gets a new writer.
const writers = new WeakMap<Tenant, GroupCommit<BannerEvent, true>>();

/** Resolves after the COMMIT. Throws `invalid_request` for a banner that the store never published. */
export async function countBannerEvent(
  ctx: Ctx,
  tenant: Tenant,
  event: BannerEvent,
): Promise<void> {
  if (event.version > (tenant.connection.banner_version ?? 0))
    throw new AppError("invalid_request", { fields: { version: "was never published" } });
  const writer =
    writers.get(tenant) ??
    createGroupCommit<BannerEvent, true>((batch) => addToday(ctx, tenant, batch), {
      flushers: 1,
    });
  writers.set(tenant, writer);
  await writer.add(event);
}

async function addToday(ctx: Ctx, tenant: Tenant, batch: BannerEvent[]): Promise<true[]> {
  await addBannerCounts(dataOf(ctx, tenant).sql, tenant, batch);
  return batch.map(() => true);
}

/** `day`: as `2026-11-23`; null for today. */
export async function addBannerCounts(
  sql: TenantSql,
  tenant: Pick<Tenant, "connection">,
  batch: readonly BannerEvent[],
  day: string | null = null,
): Promise<void> {
  const rows = [...sumUp(batch).values()];
  await sql(ADD_COUNTS, [
    rows.map(({ dimension }) => dimension),
    rows.map(({ version }) => version),
    rows.map(({ value }) => value),
    ...BANNER_STEPS.map((step) => rows.map((row) => row[step])),
    day,
    timeZoneOf(tenant),
  ]);
}

function sumUp(batch: readonly BannerEvent[]): Map<string, Counted> {
  const rows = new Map<string, Counted>();
  for (const { step, version, region, device, language } of batch)
    for (const [dimension, value] of Object.entries({ all: "", region, device, language })) {
      const key = `${dimension} ${version} ${value}`;
      const row = rows.get(key) ?? {
        dimension,
        version,
        value,
        shown: 0,
        accepted: 0,
        refused: 0,
        customised: 0,
      };
      row[step] += 1;
      rows.set(key, row);
    }
  return rows;
}
