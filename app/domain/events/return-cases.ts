// Return cases: the units that were returned under an RMA (SPEC "WMS event types",
// `/commerce/returns/{rma}`).
import { z } from "zod";
import type { TenantSql } from "../../runtime/database/database.ts";
import { PermanentFailure, type QueueItem } from "../bus/channel.ts";

const Returned = z.looseObject({
  rma_ref: z.string().min(1),
  serial: z.string().min(1),
  mpn: z.string().optional(),
  order_ref: z.string().optional(),
});

// One statement under the row's lock, so that two concurrent units are both kept. Serial and time
// identify a unit, so a repeated delivery changes nothing. A case beyond `open` keeps its status.
const RECEIVE = `
  INSERT INTO return_cases AS c (shop, rma, order_id, status, units)
  SELECT $1, $2, $3, 'received', jsonb_build_array(jsonb_build_object('serial', $4::text, 'mpn',
    $5::text, 'received_at', $6::text))
  ON CONFLICT (shop, rma) DO UPDATE SET
    units = c.units || excluded.units,
    order_id = coalesce(c.order_id, excluded.order_id),
    status = CASE WHEN c.status = 'open' THEN excluded.status ELSE c.status END,
    updated_at = now()
  WHERE NOT c.units @> excluded.units`;

/**
 * On `unit.returned`: adds the unit to its RMA and opens the case for the first unit. Safe to
 * repeat.
 */
export async function recordReturn(
  sql: TenantSql,
  item: Pick<QueueItem, "occurredAt">,
  payload: unknown,
): Promise<void> {
  const unit = Returned.safeParse(payload);
  if (!unit.success) throw new PermanentFailure("a returned unit needs rma_ref and serial");
  const { rma_ref: rma, serial, mpn = null, order_ref: orderRef = null } = unit.data;
  await sql(RECEIVE, [rma, orderRef, serial, mpn, item.occurredAt.toISOString()]);
}
