// Exports a merchant's customers as a CSV file in the order of ids.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, StorefrontUser } from "../../../db.server.ts";
import { toCsvLine, type CsvValue } from "../../../runtime/text/csv.ts";
import { slicedCsv } from "../../../runtime/text/sliced-csv.ts";
import { CONSENT_TYPES, consentColumn } from "../../consent/consent-types.ts";
import { readWhereStoreIs } from "../../tenants/reading.ts";
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

/** The byte order mark declares UTF-8. `onEnd`: see slicedCsv. */
export async function* exportCustomers(
  ctx: Ctx,
  tenant: Tenant,
  selection: CustomerSelection,
  onEnd?: (rows: number) => Promise<void>,
): AsyncGenerator<string> {
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
  yield* slicedCsv<Row>({
    head: `\ufeff${toCsvLine(HEADER)}`,
    sliceSize: SLICE,
    readAfter: (last) =>
      readWhereStoreIs(ctx, tenant, (at) =>
        dataOf(ctx, at).sql<Row>(statement, [last?.id ?? 0, ...condition.values]),
      ),
    toValues: (row) => HEADER.map((column) => row[column] ?? null),
    ...(onEnd && { onEnd }),
  });
}
