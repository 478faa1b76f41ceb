// One connection as the owner of the schema, past any pooler: for what the service's own role may not do
// (publications, subscriptions, triggers).
import pg from "pg";
import { clientOf } from "../connection/client.ts";

export type OwnerConnection = {
  query<R extends pg.QueryResultRow = pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
  ): Promise<R[]>;
  /** One transaction; the statements of `query` belong to it until `work` is done. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** `text` representations are compared between databases, so that every setting they depend on is fixed. */
const OPENING =
  "SET timezone = 'UTC'; SET datestyle = 'ISO, YMD'; SET intervalstyle = 'postgres'; SET extra_float_digits = 1; SET bytea_output = 'hex'; SET statement_timeout = 0";

/** A pooler gives each transaction another session, and keeps none of what a move sets in its own. */
export class OwnerBehindPooler extends Error {}

/** Throws OwnerBehindPooler. */
export async function connectAsOwner(url: string): Promise<OwnerConnection> {
  // A lost connection fails the next statement.
  const client = clientOf(url, {
    application_name: "store-moves",
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  await client.connect();
  try {
    if (client.isPooled) throw new OwnerBehindPooler("the address leads to a pooler");
    await client.query(OPENING);
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
  const query: OwnerConnection["query"] = async <R extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ) => (await client.query<R>(text, [...values])).rows;
  return {
    query,
    async transaction(work) {
      await client.query("BEGIN");
      try {
        const result = await work();
        await client.query("COMMIT");
        return result;
      } catch (error) {
        await client.query("ROLLBACK").catch(() => {});
        throw error;
      }
    },
    close: () => client.end().catch(() => {}),
  };
}

export const quoteName = (name: string): string => pg.escapeIdentifier(name);
export const quoteText = (text: string): string => pg.escapeLiteral(text);
