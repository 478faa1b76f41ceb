// What a move takes along: every table with a column `shop`, from the database's own catalog, so that a new
// table is never forgotten, and of a table the rows that belong to the cell.
import {
  quoteName,
  quoteText,
  type OwnerConnection,
} from "../../../runtime/database/cells/owner-connection.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";

/** Tables whose rows stay where they are: those of the home database, and each cell's own. */
const STAYING_TABLES: ReadonlySet<string> = new Set(["public_hosts", "store_moves", "held_stores"]);

/** Rows of a move's own: passed through to show how far the copy is. */
export const MARK_KEY = KEYS.moveMark;

export type MovedTable = { name: string; sequences: string[] };
type CatalogRow = MovedTable & { identifies: string[] | null };

const CATALOG = `
  SELECT c.relname AS name,
    (SELECT array_agg(a.attname::text) FROM pg_index i JOIN pg_attribute a
      ON a.attrelid = c.oid AND a.attnum = ANY(i.indkey) WHERE i.indrelid = c.oid AND i.indisprimary) AS identifies,
    array_remove(array_agg(pg_get_serial_sequence(quote_ident(n.nspname) || '.' || quote_ident(c.relname),
      a.attname)), NULL) AS sequences
  FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND EXISTS (SELECT 1 FROM pg_attribute s
    WHERE s.attrelid = c.oid AND s.attname = 'shop' AND NOT s.attisdropped)
  GROUP BY c.oid, c.relname, n.nspname ORDER BY c.relname`;

/**
 * Throws for a table whose key lacks the columns of its filter: in a publication, every UPDATE of such a table
 * would fail, of any store.
 */
export async function readMovedTables(connection: OwnerConnection): Promise<MovedTable[]> {
  const rows = await connection.query<CatalogRow>(CATALOG);
  return rows
    .filter(({ name }) => !STAYING_TABLES.has(name))
    .map(({ name, sequences, identifies }) => {
      for (const column of name === "kv" ? ["shop", "key"] : ["shop"])
        if (!identifies?.includes(column))
          throw new Error(`the primary key of ${name} must contain ${column}`);
      return { name, sequences };
    });
}

/**
 * The condition of the store's rows that move. A store's record stays at home, and leases are held by processes
 * that work on the old rows. `of` is a prefix such as `NEW.`; the text is a constant, as publications and
 * triggers need it.
 */
export function movedRows(table: string, shop: string, of = ""): string {
  const isOfStore = `${of}shop = ${quoteText(shop)}`;
  return table === "kv"
    ? `${isOfStore} AND ${of}key <> ${quoteText(KEYS.tenant(shop))} AND ${of}key !~~ 'lease:%'`
    : isOfStore;
}

/** Keys that are not needed after a move, beside those that stay. */
const PASSING_KEYS =
  "AND key !~ '^rate:' AND (expires_at IS NULL OR expires_at > clock_timestamp())";

/** A table with rows of the store; null when there is none. */
export async function findRows(
  connection: OwnerConnection,
  tables: readonly MovedTable[],
  shop: string,
): Promise<string | null> {
  const looks = tables.map(
    ({ name }) => `SELECT ${quoteText(name)} AS name WHERE EXISTS (SELECT 1 FROM ${quoteName(name)}
      WHERE ${movedRows(name, shop)} ${name === "kv" ? PASSING_KEYS : ""})`,
  );
  const [row] = await connection.query<{ name: string }>(`${looks.join(" UNION ALL ")} LIMIT 1`);
  return row?.name ?? null;
}

const ROWS_PER_SLICE = 5_000;

/**
 * Deletes the store's rows here, until a pass over all tables finds none: deleting a row may write another.
 * `check` is called before each slice, and throws to stop. Returns the number of deleted rows.
 */
export async function deleteMovedRows(
  connection: OwnerConnection,
  tables: readonly MovedTable[],
  shop: string,
  check: () => Promise<void>,
): Promise<number> {
  let total = 0;
  for (;;) {
    let inPass = 0;
    for (const { name } of tables) inPass += await deleteRowsOf(connection, name, shop, check);
    if (inPass === 0) return total;
    total += inPass;
  }
}

/** Deletes in slices, each in a transaction of its own. */
async function deleteRowsOf(
  connection: OwnerConnection,
  table: string,
  shop: string,
  check: () => Promise<void>,
): Promise<number> {
  // The condition stands outside too: rows of two partitions have the same ctid.
  const isMoved = movedRows(table, shop);
  const deleteSlice = `
    WITH deleted AS (DELETE FROM ${quoteName(table)} WHERE ${isMoved} AND ctid = ANY(ARRAY(
      SELECT ctid FROM ${quoteName(table)} WHERE ${isMoved} LIMIT ${ROWS_PER_SLICE})) RETURNING 1)
    SELECT count(*)::int AS rows FROM deleted`;
  let total = 0;
  for (;;) {
    await check();
    const deleted = await connection.transaction(async () => {
      await workOn(connection, shop);
      const [row] = await connection.query<{ rows: number }>(deleteSlice);
      return row?.rows ?? 0;
    });
    total += deleted;
    if (deleted < ROWS_PER_SLICE) return total;
  }
}

/** Lets this transaction write the store's rows here, past the barrier and the append-only tables. */
export async function workOn(connection: OwnerConnection, shop: string): Promise<void> {
  await connection.query(
    "SELECT set_config('store_moves.working_on', $1, true), set_config('compliance.redacted_shop', $1, true)",
    [shop],
  );
}

/** How far a sequence is set beyond the source's: more than a cell takes while it is being set. */
const SEQUENCE_MARGIN = 10_000;

type SequenceState = { name: string; last: number };

async function readSequences(
  connection: OwnerConnection,
  tables: readonly MovedTable[],
): Promise<Map<string, number>> {
  const names = tables.flatMap(({ sequences }) => sequences);
  const rows = await connection.query<SequenceState>(
    "SELECT name, coalesce(pg_sequence_last_value(name::regclass), 0) AS last FROM unnest($1::text[]) AS s(name)",
    [names],
  );
  return new Map(rows.map(({ name, last }) => [name, last]));
}

/**
 * Sets the target's sequences beyond the source's, so that a new row never takes the id of a moved one. They
 * only grow: the other stores of the target go on taking numbers meanwhile.
 */
export async function raiseSequences(
  source: OwnerConnection,
  target: OwnerConnection,
  tables: readonly MovedTable[],
): Promise<void> {
  const [theirs, ours] = await Promise.all([
    readSequences(source, tables),
    readSequences(target, tables),
  ]);
  for (const [name, last] of theirs)
    if ((ours.get(name) ?? 0) < last + SEQUENCE_MARGIN)
      await target.query("SELECT setval($1::regclass, $2)", [name, last + 2 * SEQUENCE_MARGIN]);
}

/** Whether every sequence of the target is beyond the source's. */
export async function areSequencesBeyond(
  source: OwnerConnection,
  target: OwnerConnection,
  tables: readonly MovedTable[],
): Promise<boolean> {
  const [theirs, ours] = await Promise.all([
    readSequences(source, tables),
    readSequences(target, tables),
  ]);
  return [...theirs].every(([name, last]) => (ours.get(name) ?? 0) >= last);
}
