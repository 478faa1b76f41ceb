// The warehouse-management socket (SPEC "WMS event types", DECISIONS 13): references only, no
// personal data.
import { AppError } from "../../runtime/errors.ts";
import { isWarehouseType, WAREHOUSE_EVENT_TYPES } from "../bus/routing.ts";

const FIELDS = [
  "mpn",
  "gtin",
  "sku",
  "serial",
  "location_code",
  "movement",
  "hs_code",
  "country_of_origin",
  "customs_ref",
  "order_ref",
  "rma_ref",
  "carrier_ref",
] as const;
const MOVEMENTS = ["inbound", "outbound", "transfer", "export-cleared", "import-cleared", "return"];
const MAX_LENGTH = 200;

/** Warehouse events have one fixed route; the destinations that the sender names are ignored. */
export const WMS_ROUTE = {
  destinations: ["backend", "archive"],
  priority: 2,
  entityType: "inventory",
} as const;

/**
 * Returns the serial, which is the entity. Throws 400 `personal_data_not_accepted` or
 * `invalid_request`, naming the fields.
 */
export function requireWmsPayload(eventType: string, payload: Record<string, unknown>): string {
  const unlisted = Object.keys(payload).filter(
    (name) => !(FIELDS as readonly string[]).includes(name),
  );
  if (unlisted.length > 0)
    throw new AppError("personal_data_not_accepted", {
      fields: Object.fromEntries(
        unlisted.map((name) => [`payload.${name.slice(0, 80)}`, "is not one of the references"]),
      ),
    });

  const wrong: Record<string, string> = {};
  if (!isWarehouseType(eventType))
    wrong.event_type = `must be one of ${WAREHOUSE_EVENT_TYPES.join(", ")}`;
  for (const [name, value] of Object.entries(payload)) {
    if (typeof value !== "string" || value === "" || value.length > MAX_LENGTH)
      wrong[`payload.${name}`] = `must be a text of 1 to ${MAX_LENGTH} characters`;
  }
  if (payload.serial === undefined) wrong["payload.serial"] = "is missing";
  if (payload.movement !== undefined && !MOVEMENTS.includes(payload.movement as string))
    wrong["payload.movement"] = `must be one of ${MOVEMENTS.join(", ")}`;
  if (eventType === "unit.returned" && payload.rma_ref === undefined)
    wrong["payload.rma_ref"] = "is missing";
  if (eventType !== "unit.returned" && payload.rma_ref !== undefined)
    wrong["payload.rma_ref"] = "belongs to unit.returned alone";
  if (Object.keys(wrong).length > 0) throw new AppError("invalid_request", { fields: wrong });
  return payload.serial as string;
}
