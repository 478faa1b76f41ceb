// Which addresses lead to one database. An address does not say it (a name and its number, a pooler), and neither
// does the identifier of a server, which a copy of its files has too: so a lock is taken through one address and
// looked for through the other. Sessions of one database see each other's locks, and no others.
import { randomInt } from "node:crypto";
import type pg from "pg";
import { clientOf } from "../connection/client.ts";
import type { OwnerConnection } from "./owner-connection.ts";

/** An advisory lock that no one else takes: two random numbers. */
type Key = readonly [number, number];

const MAX_LOCK_NUMBER = 2 ** 31 - 1;
const makeKey = (): Key => [randomInt(MAX_LOCK_NUMBER), randomInt(MAX_LOCK_NUMBER)];

/** Until the transaction ends: behind a pooler, a session's lock would stay on a shared connection. */
const TAKE = "SELECT pg_advisory_xact_lock($1, $2)";
const LOOK = `
  SELECT k.at::int - 1 AS at FROM unnest($1::int[], $2::int[]) WITH ORDINALITY AS k(one, other, at)
  WHERE EXISTS (SELECT 1 FROM pg_locks l WHERE l.locktype = 'advisory' AND l.objsubid = 2
    AND l.classid = k.one::oid AND l.objid = k.other::oid
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
  ORDER BY k.at`;
const keysOf = (keys: readonly Key[]) => [keys.map(([one]) => one), keys.map(([, other]) => other)];

export async function isSameDatabase(
  one: OwnerConnection,
  other: OwnerConnection,
): Promise<boolean> {
  const key = makeKey();
  return one.transaction(async () => {
    await one.query(TAKE, key);
    return (await other.query(LOOK, keysOf([key]))).length > 0;
  });
}

export type CellAddress = {
  cell: string;
  /** The name of the setting that contains the address. */
  setting: string;
  url: string;
};

const CONNECT_TIMEOUT_MS = 5_000;

/** The pairs of addresses of different cells that lead to one database. One that does not answer is left out. */
export async function findSharedDatabases(
  addresses: readonly CellAddress[],
): Promise<[CellAddress, CellAddress][]> {
  const sessions = (await Promise.all(addresses.map(open))).filter((session) => session !== null);
  try {
    const keys = sessions.map(({ key }) => key);
    const seen = await Promise.all(
      sessions.map(({ client }) => client.query<{ at: number }>(LOOK, keysOf(keys))),
    );
    return seen.flatMap(({ rows }, at) =>
      rows
        .filter((row) => row.at < at)
        .map((row): [CellAddress, CellAddress] => [
          (sessions[row.at] as Session).address,
          (sessions[at] as Session).address,
        ])
        .filter(([one, other]) => one.cell !== other.cell),
    );
  } catch {
    return [];
  } finally {
    await Promise.all(sessions.map(({ client }) => client.end().catch(() => {})));
  }
}

type Session = { address: CellAddress; client: pg.Client; key: Key };

async function open(address: CellAddress): Promise<Session | null> {
  const key = makeKey();
  const client = clientOf(address.url, {
    application_name: "customer-identity-service",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  try {
    await client.connect();
    await client.query("BEGIN");
    await client.query(TAKE, [...key]);
    return { address, client, key };
  } catch {
    await client.end().catch(() => {});
    return null;
  }
}
