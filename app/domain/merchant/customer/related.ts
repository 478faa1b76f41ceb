// What belongs to a customer, each part by the customer's own index, in one statement: tags, ways to sign
// in, linked agents, payment mandates, the last decision on each consent, the newest delivery to each system; and the store's tags
// to choose from.
import type { Columns, CrmTag, IdentityLink, Mandate, OauthGrant } from "../../../db.server.ts";
import { jsonList } from "../../../runtime/database/json-list.ts";
import type { Read } from "../../../runtime/database/read-together.ts";
import { MANDATE_COLUMNS, type MandateStatus } from "../../commerce/mandate.ts";
import { lastDecisions, type DecisionRow } from "../../consent/last-decisions.ts";
import { newestDeliveries, type SystemRow } from "./systems.ts";
import type { AssignedTag } from "../../tags/assignments.ts";

const MAX_AGENTS = 10;
const MAX_MANDATES = 10;
const MAX_KNOWN_TAGS = 500;

/** Times are texts: they come as JSON. */
type AsText<T, Name extends keyof T> = Omit<T, Name> & Record<Name, string>;

export type Related = {
  tags: AsText<AssignedTag, "assigned_at">[];
  links: AsText<Columns<IdentityLink, "provider" | "issuer" | "created_at">, "created_at">[];
  agents: (Columns<OauthGrant, "id" | "client_name"> & {
    created_at: string;
    last_used_at: string | null;
  })[];
  mandates: (Columns<Mandate, "mandate_id" | "currency"> & {
    max_amount: string;
    remaining: string;
    status: MandateStatus;
    expires_at: string;
  })[];
  known_tags: Columns<CrmTag, "slug" | "name">[];
};
export type RelatedRow = Related & Beside;
type Beside = { decisions: DecisionRow[]; deliveries: SystemRow[] };

const RELATED = `
  SELECT
    ${jsonList(`SELECT t.slug, t.name, t.category, m.source, m.assigned_at FROM user_tag_map m
      JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id
      WHERE m.shop = $1 AND m.user_id = $2 ORDER BY m.id`)} AS tags,
    ${jsonList(`SELECT provider, issuer, created_at FROM identity_links
      WHERE shop = $1 AND user_id = $2 ORDER BY created_at`)} AS links,
    ${jsonList(`SELECT id, client_name, created_at, last_used_at FROM oauth_grants
      WHERE shop = $1 AND user_id = $2 AND ended_at IS NULL
      ORDER BY created_at DESC LIMIT ${MAX_AGENTS}`)} AS agents,
    ${jsonList(`SELECT mandate_id, max_amount::text, currency, status, expires_at,
        greatest(0, max_amount - spent_amount - reserved_amount)::numeric(14, 2)::text AS remaining
      FROM (SELECT ${MANDATE_COLUMNS} FROM mandates WHERE shop = $1 AND customer_id = $2) AS own
      ORDER BY created_at DESC LIMIT ${MAX_MANDATES}`)} AS mandates,
    ${jsonList(`SELECT slug, name FROM crm_tags WHERE shop = $1
      ORDER BY lower(name), slug LIMIT ${MAX_KNOWN_TAGS}`)} AS known_tags,
    ${jsonList(lastDecisions("$2"))} AS decisions,
    ${jsonList(newestDeliveries("$3"))} AS deliveries`;

/** `names`: of the customer on the bus. */
export const relatedRead = (userId: number, names: readonly string[]): Read<RelatedRow> => ({
  sql: RELATED,
  values: [userId, names],
});

export function toRelated([row]: readonly RelatedRow[]): Beside & { related: Related } {
  if (!row) throw new Error("a statement without FROM has one row");
  const { decisions, deliveries, ...related } = row;
  return { related, decisions, deliveries };
}
