// Firmware of serialized products: the registry says which version a product carries now, the ledger which one each
// shipped unit left with (SPEC "WMS event types").
import { z } from "zod";
import type { TenantSql } from "../../runtime/database.ts";
import type { QueueItem } from "../bus/channel.ts";

export const Firmware = z.object({
  version: z.string().trim().min(1, "is missing").max(100),
  sha256: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[0-9a-f]{64}$/, "must be 64 hex digits"),
});
export const Mpn = z.string().trim().min(1).max(200);

type RegistryRow = { mpn: string; version: string; sha256: string; updated_at: Date };
const toEntry = ({ updated_at: updatedAt, ...row }: RegistryRow) => ({
  ...row,
  updated_at: updatedAt.toISOString(),
});

/** A page in the order of the product numbers. `next` is the one that the following page begins after, null at the end. */
export async function listFirmware(
  sql: TenantSql,
  { after, limit }: { after: string | null; limit: number },
) {
  const rows = await sql<RegistryRow>(
    "SELECT mpn, version, sha256, updated_at FROM firmware_registry WHERE shop = $1 AND ($2::text IS NULL OR mpn > $2) ORDER BY mpn LIMIT $3",
    [after, limit + 1],
  );
  const page = rows.slice(0, limit);
  return {
    firmware: page.map(toEntry),
    next: rows.length > limit ? (page.at(-1)?.mpn ?? null) : null,
  };
}

/** What the product carries from now on; what was shipped before keeps its row. Safe to repeat. */
export async function saveFirmware(
  sql: TenantSql,
  mpn: string,
  { version, sha256 }: z.output<typeof Firmware>,
) {
  const [row] = await sql<RegistryRow>(
    `INSERT INTO firmware_registry (shop, mpn, version, sha256) VALUES ($1, $2, $3, $4)
     ON CONFLICT (shop, mpn) DO UPDATE SET version = excluded.version, sha256 = excluded.sha256, updated_at = now()
     RETURNING mpn, version, sha256, updated_at`,
    [mpn, version, sha256],
  );
  return toEntry(row as RegistryRow);
}

const Shipped = z.looseObject({ mpn: z.string().min(1), serial: z.string().min(1) });

// The version of this moment, copied: the registry goes on. Unique by event, so a repeated delivery adds nothing.
const BIND = `
  INSERT INTO firmware_ledger (shop, serial, mpn, firmware_version, sha256, event_id)
  SELECT $1, $2, r.mpn, r.version, r.sha256, $4 FROM firmware_registry r WHERE r.shop = $1 AND r.mpn = $3
  ON CONFLICT (shop, event_id) DO NOTHING`;

/** On `unit.shipped`: binds the serial to the product's firmware. A product without any is passed over. Safe to repeat. */
export async function recordFirmware(
  sql: TenantSql,
  item: Pick<QueueItem, "eventId">,
  payload: unknown,
): Promise<void> {
  const unit = Shipped.safeParse(payload);
  if (unit.success) await sql(BIND, [unit.data.serial, unit.data.mpn, item.eventId]);
}
