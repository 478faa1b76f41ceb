// The shape of the inventory (data-sets.ts). Its names are keys of the privacy page's texts.
import type { Kept } from "./retention-settings.ts";

export type People = "shoppers" | "visitors" | "staff" | "none";

/** The rows or objects that a rule deletes. */
export type Aged =
  | "delivered_events"
  | "delivery_attempts"
  | "delivery_exchanges"
  | "delivery_counts"
  | "hourly_delivery_counts"
  | "banner_counts"
  | "processed_webhooks"
  | "archived_messages"
  | "finished_tag_runs"
  | "refused_customers"
  | "finished_requests"
  | "accesses"
  | "agent_calls"
  | "data_exports"
  | "canceled_checkouts"
  | "completed_checkouts"
  | "expired_mandates"
  | "ended_grants"
  | "used_tokens";

/**
 * What ends the rows that no rule deletes.
 *
 * account: the account is deleted or redacted.   store: the store's data is deleted.
 * log: append-only, deleted with the store.      settled: processed, delivered or replayed.
 * expiry: each key's own time.                   passing: the step that wrote it.
 */
export type End = "account" | "store" | "log" | "settled" | "expiry" | "passing";

/**
 * Rows beyond their retention. `table`, `column` and `where` are parts of a statement.
 *
 * region: every store at once, by a block range index; the days are fixed.
 * id: store by store, in the order of ids, which is the order of time.
 * store: store by store, where a store has few rows.
 */
export type RowRule = { rows: Aged; column: string; where: string } & (
  { sweep: "region"; after: number } | { sweep: "id" | "store"; after: Kept }
);

export type StoredTable = {
  holds: string;
  people: readonly People[];
  rules?: readonly RowRule[];
  /** Null: every row has a rule. */
  end: End | null;
};

/** Objects of the archive below the store's root. */
export type StoredObjects = {
  /** `{channel}` and `{date}` stand for one folder each. */
  path: string;
  holds: string;
  people: readonly People[];
  rule?: { objects: Aged; after: Kept };
  end: End | null;
};

export type DataSet = {
  tables: Readonly<Record<string, StoredTable>>;
  objects?: readonly StoredObjects[];
};
