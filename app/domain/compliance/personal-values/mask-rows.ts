// Rows that have a person's name or phone number and name no customer by an address or id. Whose they
// are is not certain: only these values are replaced, and everything else stays. A row that names a
// customer is that customer's; when the customer is the person, the erasure has emptied it before.
import type { Database, TenantSql } from "../../../runtime/database/database.ts";
import { findEmailAddresses } from "../../../runtime/email-addresses.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import { FOREIGN_NUMBER_SOURCES } from "../../bus/foreign-numbers.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import type { KnownSubject } from "../subject.ts";
import { tableSlices } from "../erasure/table-slices.ts";
import {
  foldName,
  foldPhone,
  MASK,
  maskValues,
  namesCustomer,
  parseDocument,
  type PersonValues,
} from "./person-values.ts";
import { digitsPattern, nameBounds, type Spelling } from "./spellings.ts";

type Source = {
  key: "id" | "key";
  keyType: "bigint" | "text";
  /** Columns with a JSON document. */
  documents: readonly string[];
  documentType: "jsonb" | "text";
  /** An id that may itself be a phone number. */
  entityId: string;
  eventId: string;
  /** SQL of the system whose customer numbers the row's documents contain. */
  source: string;
  /** Whether the row names a customer outside its documents. */
  isOfCustomer: string;
  /** Whether a worker holds the row. */
  isHeld: string;
  /** What else an update sets. */
  also: string;
};

const SOURCES = {
  integration_queue: {
    key: "id",
    keyType: "bigint",
    documents: ["payload", "transformed_payload", "delivery_config"],
    documentType: "jsonb",
    entityId: "entity_id",
    eventId: "event_id",
    source: "source",
    // A number of the ERP is no customer that anybody here could tell from the person.
    isOfCustomer: `entity_type = 'customer' AND (entity_id LIKE 'gid://%' OR entity_id LIKE '%@%'
      OR (entity_id ~ '^[0-9]+$' AND source <> ALL('{${[...FOREIGN_NUMBER_SOURCES].join(",")}}')))`,
    isHeld: "status IN ('processing', 'ready') AND locked_until > clock_timestamp()",
    // The error of a failed delivery may quote the value.
    also: `, updated_at = clock_timestamp(), last_error = CASE WHEN status = 'delivered' OR last_error IS NULL
      THEN last_error ELSE '${MASK}' END`,
  },
  webhook_inbox: {
    key: "id",
    keyType: "bigint",
    documents: ["body"],
    documentType: "text",
    entityId: "NULL::text",
    eventId: "event_id",
    source: "'storefront'",
    isOfCustomer: "topic LIKE 'customers/%'",
    isHeld: "status = 'processing' AND locked_until > clock_timestamp()",
    also: ", last_error = NULL",
  },
  kv: {
    key: "key",
    keyType: "text",
    documents: ["value"],
    documentType: "jsonb",
    entityId: "NULL::text",
    eventId: "NULL::text",
    source: "'backend'",
    isOfCustomer: "value ? 'user_id'",
    isHeld: "false",
    also: ", version = version + 1",
  },
} as const satisfies Record<string, Source>;

type Table = keyof typeof SOURCES;
type Row = {
  key: string;
  documents: (string | null)[];
  entity_id: string | null;
  event_id: string | null;
  source: string;
  is_of_customer: boolean | null;
  is_held: boolean | null;
};

/** Rows are read whole, and some are large. */
const ROWS_PER_READ = 100;

/** The person's values, and how to tell whose a row is. */
export type Search = {
  database: Database;
  shop: string;
  values: PersonValues;
  names: { begins: Spelling; ends: Spelling }[];
  digits: string | null;
  /** Null: nothing else of the person is known, and the phone number alone says whose a row is. */
  storeAddresses: ReadonlySet<string> | null;
};

export function searchFor(database: Database, tenant: Tenant, known: KnownSubject): Search {
  const { shop, config } = tenant;
  const phones = known.phones.map(foldPhone).filter((digits) => digits !== null);
  const isIdentified = [known.userIds, known.gids, known.emails].some((ids) => ids.length > 0);
  return {
    database,
    shop,
    values: { names: new Set(known.names.map(foldName)), phones: new Set(phones) },
    names: known.names.map(nameBounds),
    digits: phones.length > 0 ? phones.map(digitsPattern).join("|") : null,
    storeAddresses: isIdentified
      ? new Set(
          findEmailAddresses(
            [
              config.support_email,
              config.email_from,
              ...(config.privacy_emails ?? []),
              ...(config.alert_emails ?? []),
            ].join(" "),
          ).map((address) => address.toLowerCase()),
        )
      : null,
  };
}

export type FoundRows = {
  rows: { table: Table; keys: string[] }[];
  eventIds: string[];
  /** A worker could write back what it read before. */
  isHeld: boolean;
};

/** The rows that `maskRows` would change. */
export async function findRows(search: Search): Promise<FoundRows> {
  const found: FoundRows = { rows: [], eventIds: [], isHeld: false };
  if (search.values.names.size + search.values.phones.size === 0) return found;
  for (const table of Object.keys(SOURCES) as Table[])
    for await (const keys of findCandidates(search, table)) {
      const rows = (await readRows(search, table, keys)).filter(
        (row) => maskRow(search, row) !== null,
      );
      if (rows.length > 0) found.rows.push({ table, keys: rows.map(({ key }) => key) });
      found.eventIds.push(...rows.flatMap(({ event_id: id }) => id ?? []));
      found.isHeld ||= rows.some((row) => row.is_held);
    }
  return found;
}

/** Returns the number of changed rows by table. */
export async function maskRows(
  search: Search,
  { rows: found }: FoundRows,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { table, keys } of found)
    for (const row of await readRows(search, table, keys)) {
      const masked = maskRow(search, row);
      if (masked === null) continue;
      await writeRow(search, table, row, masked);
      counts[table] = (counts[table] ?? 0) + 1;
    }
  return counts;
}

/** Rows whose text contains the values somewhere, in bounded lists. One pass over the table. */
async function* findCandidates(
  { database, shop, names, digits }: Search,
  table: Table,
): AsyncGenerator<string[]> {
  const { key, documents, entityId }: Source = SOURCES[table];
  const { sql } = database.forTenant(shop);
  const texts = documents.map((column) => `${column}::text`).join(", ");
  const allNames = [
    names.map(({ begins }) => begins.pattern),
    names.map(({ ends }) => ends.pattern),
    names.map(({ begins }) => begins.like),
    names.map(({ ends }) => ends.like),
  ];
  for await (const slice of tableSlices(database, shop, table, 8)) {
    const rows = await sql<{ key: string }>(
      `SELECT ${key}::text AS key FROM ${table},
        LATERAL (SELECT concat_ws(E'\\n', ${entityId}, ${texts}) AS words OFFSET 0) AS texts,
        LATERAL (SELECT lower(words COLLATE "C") AS lowered OFFSET 0) AS letters
       WHERE shop = $1 AND ${key}::text <> $2
         AND (EXISTS (SELECT 1 FROM unnest($3::text[], $4::text[], $5::text[], $6::text[])
             AS name(begins, ends, begins_like, ends_like)
           WHERE lowered LIKE begins_like AND lowered LIKE ends_like AND words ~* begins AND words ~* ends)
           OR ($7::text IS NOT NULL AND words ~* $7))
         AND ${slice.condition}`,
      [KEYS.tenant(shop), ...allNames, digits, ...slice.values],
    );
    for (let at = 0; at < rows.length; at += ROWS_PER_READ)
      yield rows.slice(at, at + ROWS_PER_READ).map((row) => row.key);
  }
}

function readRows(
  { database, shop }: Search,
  table: Table,
  keys: readonly string[],
): Promise<Row[]> {
  const source: Source = SOURCES[table];
  return database.forTenant(shop).sql<Row>(
    `SELECT ${source.key}::text AS key,
      ARRAY[${source.documents.map((column) => `${column}::text`).join(", ")}] AS documents,
      ${source.entityId} AS entity_id, ${source.eventId} AS event_id,
      ${source.source} AS source, (${source.isOfCustomer}) AS is_of_customer, (${source.isHeld}) AS is_held
     FROM ${table} WHERE shop = $1 AND ${source.key} = ANY($2::${source.keyType}[])`,
    [keys],
  );
}

type Masked = { documents: (string | null)[]; entityId: string | null };

/** The row without the person's values; null when it has none, or is another customer's. */
function maskRow({ values, storeAddresses }: Search, row: Row): Masked | null {
  const documents = row.documents.map((text) => (text === null ? undefined : parseDocument(text)));
  const isOfOther =
    storeAddresses !== null &&
    (row.is_of_customer ||
      documents.some((one) =>
        namesCustomer(one, {
          storeAddresses,
          hasForeignNumbers: FOREIGN_NUMBER_SOURCES.has(row.source),
        }),
      ));
  if (isOfOther) return null;
  const counts = documents.map((document) => maskValues(document, values));
  const digits = row.entity_id?.startsWith("+") ? foldPhone(row.entity_id) : null;
  const isPhone = digits !== null && values.phones.has(digits);
  if (!isPhone && counts.every((count) => count === 0)) return null;
  return {
    documents: row.documents.map((text, at) =>
      counts[at] === 0 ? text : JSON.stringify(documents[at]),
    ),
    entityId: isPhone ? MASK : row.entity_id,
  };
}

/** A row that changed meanwhile stays as it is, for the next pass. */
async function writeRow(
  { database, shop }: Search,
  table: Table,
  row: Row,
  { documents, entityId }: Masked,
): Promise<void> {
  const source: Source = SOURCES[table];
  const sql: TenantSql = database.forTenant(shop).sql;
  const sets = source.documents.map(
    (column, at) => `${column} = $${4 + at}::text::${source.documentType}`,
  );
  const isSame = source.documents.map(
    (column, at) => `${column}::text IS NOT DISTINCT FROM ($3::text[])[${at + 1}]`,
  );
  const id = source.entityId === "entity_id" ? [entityId] : [];
  if (id.length > 0) sets.push(`entity_id = $${4 + documents.length}`);
  await sql(
    `UPDATE ${table} SET ${sets.join(", ")}${source.also}
     WHERE shop = $1 AND ${source.key} = $2::text::${source.keyType} AND ${isSame.join(" AND ")}
       AND NOT coalesce(${source.isHeld}, false)`,
    [row.key, row.documents, ...documents, ...id],
  );
}
