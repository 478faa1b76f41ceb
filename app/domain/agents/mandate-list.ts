// All mandates of a store, newest first, for the merchant: their owners, remaining amounts and agents.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { Columns, Mandate, NullableColumns, StorefrontUser } from "../../db.server.ts";
import { MANDATE_COLUMNS, MANDATE_STATUSES, type MandateStatus } from "../commerce/mandate.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

const text = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .transform((value) => value || undefined)
    .optional()
    .catch(undefined);
export const MandateFilters = z.object({
  status: z.enum(MANDATE_STATUSES).optional().catch(undefined),
  email: text(320),
});
export type MandateFilters = z.output<typeof MandateFilters>;

export type ListedMandate = {
  mandate_id: string;
  customer_id: number;
  email: string | null;
  /** By name, or by client id where the name is unknown; empty: any agent of the person. */
  agents: string[];
  max_amount: string;
  spent_amount: string;
  remaining: string;
  currency: string;
  scope: string;
  usage: "single" | "multi";
  status: MandateStatus;
  created_at: string;
  expires_at: string;
};

type Row = Columns<
  Mandate,
  | "mandate_id"
  | "customer_id"
  | "max_amount"
  | "spent_amount"
  | "currency"
  | "scope"
  | "usage"
  | "created_at"
  | "expires_at"
> &
  NullableColumns<StorefrontUser, "email"> &
  Pick<ListedMandate, "remaining" | "status" | "usage"> & { agents: string[] | null };

// Scans mandates_newest_idx, or the person's own index, until the page is full.
const list = (who: string) => `
  SELECT m.mandate_id, m.customer_id, u.email, m.max_amount, m.spent_amount, greatest(0,
    m.max_amount - m.spent_amount - m.reserved_amount)::numeric(14, 2) AS remaining, m.currency,
    m.scope, m.usage, m.status, m.created_at, m.expires_at,
    (SELECT array_agg(coalesce((SELECT g.client_name FROM oauth_grants g WHERE g.shop = $1
      AND g.user_id = m.customer_id AND g.client_id = c.id ORDER BY g.created_at DESC
      LIMIT 1), c.id)) FROM unnest(m.agent_clients) AS c(id)) AS agents
  FROM (
    SELECT * FROM (SELECT ${MANDATE_COLUMNS} FROM mandates WHERE shop = $1
      AND ($2::timestamptz IS NULL OR (created_at, mandate_id) < ($2::timestamptz, $3::uuid)) ${who}) known
    WHERE ($4::text IS NULL OR status = $4) ORDER BY created_at DESC, mandate_id DESC LIMIT $5
  ) m LEFT JOIN storefront_users u ON u.shop = $1 AND u.id = m.customer_id
    ORDER BY m.created_at DESC, m.mandate_id DESC`;
const LIST = list("");
const LIST_OF_PERSON = list(
  `AND customer_id IN (SELECT id FROM storefront_users WHERE shop = $1 AND lower(email) = $6
    AND status <> 'deleted')`,
);

/** `after`: the end of the previous page. */
export async function listStoreMandates(
  ctx: Ctx,
  tenant: Tenant,
  filters: MandateFilters,
  { limit, after }: { limit: number; after: string | null },
): Promise<{ mandates: ListedMandate[]; next: string | null }> {
  const { sql } = dataOf(ctx, tenant);
  const [at = null, id = null] = after?.split("|") ?? [];
  const values = [at, id, filters.status ?? null, limit + 1];
  const rows =
    filters.email === undefined
      ? await sql<Row>(LIST, values)
      : await sql<Row>(LIST_OF_PERSON, [...values, filters.email.normalize("NFKC").toLowerCase()]);
  const mandates = rows.slice(0, limit).map((row) => ({
    ...row,
    agents: row.agents ?? [],
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }));
  const last = mandates.at(-1);
  return {
    mandates,
    next: rows.length > limit && last ? `${last.created_at}|${last.mandate_id}` : null,
  };
}
