// Exports a merchant's customers as a CSV file in the order of ids, in slices, so that memory is
// constant.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, StorefrontUser } from "../../../db.server.ts";
import { toCsvLine, type CsvValue } from "../../../runtime/text/csv.ts";
import { CONSENT_TYPES, consentColumn } from "../../consent/consent-types.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { selectionOf, type CustomerSelection } from "../bulk/selection.ts";

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

type Row = Columns<StorefrontUser, (typeof COLUMNS)[number]> & Record<string, CsvValue>;

/**
 * A slice of lines at a time. The byte order mark declares UTF-8. `onEnd` gets the number of rows
 * that were read, also when the download was ended before its end.
 */
export async function* exportCustomers(
  ctx: Ctx,
  tenant: Tenant,
  selection: CustomerSelection,
  onEnd: (rows: number) => Promise<void> = async () => {},
): AsyncGenerator<string> {
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
    yield `\ufeff${toCsvLine(HEADER)}`;
    for (let last = 0; ;) {
      const rows: Row[] = await sql<Row>(statement, [last, ...condition.values]);
      count += rows.length;
      if (rows.length > 0)
        yield rows.map((row) => toCsvLine(HEADER.map((column) => row[column] ?? null))).join("");
      if (rows.length < SLICE) return;
      last = rows.at(-1)?.id ?? last;
    }
  } finally {
    await onEnd(count);
  }
}
