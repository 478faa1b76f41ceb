// Firmware of serialized products: the registry contains the current version of each product, the
// ledger the version of each shipped unit (SPEC "WMS event types").
import { z } from "zod";
import type { FirmwareRegistry, TenantData, TenantPrisma, TenantSql } from "../../db.server.ts";
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

const toEntry = ({ mpn, version, sha256, updated_at: updatedAt }: FirmwareRegistry) => ({
  mpn,
  version,
  sha256,
  updated_at: updatedAt.toISOString(),
});

/**
 * One page in the order of the product numbers. `next` is the cursor of the following page, null at
 * the end.
 */
export async function listFirmware(
  prisma: TenantPrisma,
  { after, limit }: { after: string | null; limit: number },
) {
  const rows = await prisma.firmwareRegistry.findMany({
    where: after === null ? {} : { mpn: { gt: after } },
    orderBy: { mpn: "asc" },
    take: limit + 1,
  });
  const page = rows.slice(0, limit);
  return {
    firmware: page.map(toEntry),
    next: rows.length > limit ? (page.at(-1)?.mpn ?? null) : null,
  };
}

/**
 * Sets the product's current version; units that were shipped earlier keep theirs. Safe to repeat.
 */
export async function saveFirmware(
  { shop, prisma }: TenantData,
  mpn: string,
  { version, sha256 }: z.output<typeof Firmware>,
) {
  const row = await prisma.firmwareRegistry.upsert({
    where: { shop_mpn: { shop, mpn } },
    create: { shop, mpn, version, sha256 },
    update: { version, sha256 },
  });
  return toEntry(row);
}

const Shipped = z.looseObject({ mpn: z.string().min(1), serial: z.string().min(1) });

// Copies the current version, because the registry changes later. Unique by event, so a repeated
// delivery adds nothing.
const BIND = `
  INSERT INTO firmware_ledger (shop, serial, mpn, firmware_version, sha256, event_id)
  SELECT $1, $2, r.mpn, r.version, r.sha256, $4 FROM firmware_registry r WHERE r.shop = $1 AND r.mpn = $3
  ON CONFLICT (shop, event_id) DO NOTHING`;

/**
 * On `unit.shipped`: binds the serial to the product's firmware. Skips a product without a version.
 * Safe to repeat.
 */
export async function recordFirmware(
  sql: TenantSql,
  item: Pick<QueueItem, "eventId">,
  payload: unknown,
): Promise<void> {
  const unit = Shipped.safeParse(payload);
  if (unit.success) await sql(BIND, [unit.data.serial, unit.data.mpn, item.eventId]);
}
