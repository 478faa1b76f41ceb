// Exports a merchant's customers as a CSV file in the order of ids, in slices, so that memory is
// constant.
import { stringify } from "csv-stringify";
import { pipeline, Readable } from "node:stream";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, StorefrontUser } from "../../../db.server.ts";
import { CONSENT_TYPES, consentColumn } from "../../consent/consent-types.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { selectionOf, type CustomerSelection } from "./customer-selection.ts";

const SLICE = 1_000;
const COLUMNS = [
  "id",
  "email",
  "full_name",
  "first_name",
  "last_name",
  "status",
  "provider",
  "country",
  "language_pref",
  "number_of_orders",
  "amount_spent",
  "email_subscription_status",
  "sms_subscription_status",
  "storefront_customer_gid",
  "email_verified",
  "last_login_at",
  "created_at",
  "updated_at",
] as const;
const HEADER = [...COLUMNS, ...CONSENT_TYPES.map(consentColumn), "tags"];

type Row = Columns<StorefrontUser, (typeof COLUMNS)[number]> & Record<string, unknown>;

/** Gets the number of rows that were read, also when the download was ended before its end. */
type OnEnd = (rows: number) => Promise<void>;

async function* rowsOf(
  ctx: Ctx,
  tenant: Tenant,
  selection: CustomerSelection,
  onEnd: OnEnd,
): AsyncGenerator<Row> {
  const { sql } = dataOf(ctx, tenant);
  const condition = await selectionOf(ctx, tenant, selection, 3);
  const flags = CONSENT_TYPES.map(
    (type) =>
      `coalesce((SELECT c.${consentColumn(type)} FROM user_claims c WHERE c.shop = $1
        AND c.user_id = u.id), false) AS ${consentColumn(type)}`,
  );
  const statement = `
    SELECT ${COLUMNS.map((column) => `u.${column}`).join(", ")}, ${flags.join(", ")},
      (SELECT string_agg(t.slug, ', ' ORDER BY m.id) FROM user_tag_map m
        JOIN crm_tags t ON t.shop = $1 AND t.id = m.tag_id WHERE m.shop = $1 AND m.user_id = u.id) AS tags
    FROM storefront_users u WHERE ${condition.sql} AND u.id > $2 ORDER BY u.id LIMIT ${SLICE}`;
  let count = 0;
  try {
    for (let last = 0; ;) {
      const rows = await sql<Row>(statement, [last, ...condition.values]);
      for (const row of rows) {
        count += 1;
        yield row;
      }
      if (rows.length < SLICE) return;
      last = rows.at(-1)?.id ?? last;
    }
  } finally {
    await onEnd(count);
  }
}

/** Quotes cells that a spreadsheet would run as a formula; the byte order mark declares UTF-8. */
export function exportCustomers(
  ctx: Ctx,
  tenant: Tenant,
  selection: CustomerSelection,
  onEnd: OnEnd = async () => {},
): Readable {
  const table = stringify({
    header: true,
    columns: HEADER,
    bom: true,
    record_delimiter: "windows",
    escape_formulas: true,
    cast: { boolean: (value) => (value ? "true" : "false"), date: (value) => value.toISOString() },
  });
  // Ends the reading when the table is destroyed. Its errors reach the reader of the table.
  return pipeline(Readable.from(rowsOf(ctx, tenant, selection, onEnd)), table, () => {});
}
