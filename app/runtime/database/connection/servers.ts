// Which of several servers accepts writes now. node-postgres connects to one address; libpq tries
// them in order (target_session_attrs), and so does this, all at once, because a server that is
// gone may not even refuse the connection.
import pg from "pg";
import { parseDatabaseUrl, type Host } from "./address.ts";

export type Servers = {
  /** Whether a server that accepts no writes is to be rejected. */
  isPrimaryWanted: boolean;
  /** The address with its first host alone, as node-postgres reads it. */
  url: string;
  /**
   * The server to connect to: the one that was found last, unless it was lost. Null: the address
   * has one server only.
   */
  find(): Promise<Host | null>;
  /** A connection to it was lost, or it accepts no writes: the next `find` looks again. */
  lose(host: Host | null): void;
};

/** SQLSTATE read_only_sql_transaction: also what a standby answers to a write. */
export const READ_ONLY = "25006";

export class NoPrimaryError extends Error {
  override name = "NoPrimaryError";
  readonly code = READ_ONLY;
}

const LOOK_TIMEOUT_MS = 2_000;
/** How long the others may take once one has answered that it accepts writes. */
const OTHERS_MS = 250;
/** After a look that found none: every request would look again. */
const PAUSE_MS = 50;

export function openServers(url: string): Servers {
  const { hosts, urlOf, isPrimaryWanted } = parseDatabaseUrl(url);
  const [first, ...others] = hosts;
  const about = { isPrimaryWanted, url: urlOf(first) };
  if (others.length === 0) return { ...about, find: async () => null, lose: () => {} };
  let known: Host | null = null;
  let looking: Promise<Host> | null = null;

  async function look(): Promise<Host> {
    try {
      return (known = await findServer(hosts, urlOf, isPrimaryWanted));
    } catch (error) {
      await new Promise((later) => setTimeout(later, PAUSE_MS));
      throw error;
    } finally {
      looking = null;
    }
  }
  return {
    ...about,
    find: async () => known ?? (looking ??= look()),
    lose: (host) => {
      if (known === host) known = null;
    },
  };
}

type Answer = { host: Host; isWritable: boolean; timeline: string };

/**
 * The server that accepts writes. Of two, the one that was promoted last: the other one is a former
 * primary that came back and does not know it.
 */
async function findServer(
  hosts: readonly Host[],
  urlOf: (host: Host) => string,
  isPrimaryWanted: boolean,
): Promise<Host> {
  const answers: Answer[] = [];
  const failures: Error[] = [];
  await new Promise<void>((done) => {
    let left = hosts.length;
    let timer: NodeJS.Timeout | undefined;
    const finish = () => {
      clearTimeout(timer);
      done();
    };
    for (const host of hosts)
      void ask(host, urlOf(host))
        .then(
          (answer) => {
            answers.push(answer);
            if (answer.isWritable) timer ??= setTimeout(finish, OTHERS_MS);
          },
          (error: Error) => failures.push(error),
        )
        .finally(() => {
          left -= 1;
          if (left === 0) finish();
        });
  });
  const [best] = answers
    .filter(({ isWritable }) => isWritable)
    .sort(
      (a, b) =>
        b.timeline.localeCompare(a.timeline) || hosts.indexOf(a.host) - hosts.indexOf(b.host),
    );
  if (best) return best.host;
  const [reader] = hosts.filter((host) => answers.some((answer) => answer.host === host));
  if (reader && !isPrimaryWanted) return reader;
  if (reader) throw new NoPrimaryError("none of the database's servers accepts writes");
  throw failures[0] ?? new NoPrimaryError("none of the database's servers answers");
}

const LOOK = `
  SELECT NOT pg_is_in_recovery() AND NOT current_setting('transaction_read_only')::bool AS is_writable,
    CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS timeline`;

async function ask(host: Host, url: string): Promise<Answer> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: LOOK_TIMEOUT_MS,
    application_name: "customer-identity-service",
  });
  client.on("error", () => {});
  const timer = setTimeout(() => client.connection.stream.destroy(), LOOK_TIMEOUT_MS);
  try {
    await client.connect();
    const { rows } = await client.query<{ is_writable: boolean; timeline: string }>(LOOK);
    return { host, isWritable: rows[0]!.is_writable, timeline: rows[0]!.timeline };
  } finally {
    clearTimeout(timer);
    void client.end().catch(() => {});
  }
}
