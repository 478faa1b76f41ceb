// Firmware of serialized products: the registry says which version a product carries now, the ledger which one each
// shipped unit left with (SPEC "WMS event types").
import { z } from "zod";
import type { TenantSql } from "../../runtime/database.ts";
import type { QueueItem } from "../bus/channel.ts";

const Shipped = z.looseObject({ mpn: z.string().min(1), serial: z.string().min(1) });

// The version of this moment, copied: the registry goes on. Unique by event, so a repeated delivery adds nothing.
const BIND = `
  INSERT INTO firmware_ledger (shop, serial, mpn, firmware_version, sha256, event_id)
  SELECT $1, $2, r.mpn, r.version, r.sha256, $4 FROM firmware_registry r WHERE r.shop = $1 AND r.mpn = $3
  ON CONFLICT (shop, event_id) DO NOTHING`;

/** On `unit.shipped`: binds the serial to the product's firmware. A product without any is passed over. Safe to repeat. */
export async function recordFirmware(sql: TenantSql, item: Pick<QueueItem, "eventId">, payload: unknown): Promise<void> {
  const unit = Shipped.safeParse(payload);
  if (unit.success) await sql(BIND, [unit.data.serial, unit.data.mpn, item.eventId]);
}
