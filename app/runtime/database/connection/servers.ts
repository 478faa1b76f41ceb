// Which of several servers accepts writes now. node-postgres connects to one address; libpq tries
// them in order (target_session_attrs), and so does this, all at once, because a server that is
// gone may not even refuse the connection.
import pg from "pg";
import { READ_ONLY } from "../postgres-errors.ts";
import { parseDatabaseUrl, type DatabaseAddress, type Host } from "./address.ts";
import {
  keyOf,
  promotionsOf,
  TIMELINE_COLUMNS,
  toTimeline,
  type Promotions,
  type Timeline,
  type TimelineRow,
} from "./promotions.ts";

export type Servers = {
  /** Whether a server that accepts no writes is to be rejected. */
  isPrimaryWanted: boolean;
  /** The address with its first host alone, as node-postgres reads it. */
  url: string;
  /** Null: the address has one server only. */
  promotions: Promotions | null;
  /**
   * The server to connect to: the one that was found last, unless it was lost, or another one was
   * promoted. Null: the address has one server only.
   */
  find(): Promise<Host | null>;
  /** A connection to it was lost, or it accepts no writes: the next `find` looks again. */
  lose(host: Host | null): void;
};

export class NoPrimaryError extends Error {
  override name = "NoPrimaryError";
  readonly code = READ_ONLY;
}

export class FormerPrimaryError extends NoPrimaryError {
  override name = "FormerPrimaryError";
  constructor() {
    super("the database's server was its primary until another one was promoted");
  }
}

const LOOK_TIMEOUT_MS = 2_000;
/** How long the others may take once the primary has answered. */
const OTHERS_MS = 250;
/** Pause after a look that found no primary: without it every request would look again. */
const PAUSE_MS = 50;

const WATCH_EVERY_MS = 3_000;
/** How often a former primary that goes on is named in the log. */
const NAME_AGAIN_MS = 60_000;

export function openServers(url: string): Servers {
  const address = parseDatabaseUrl(url);
  const { hosts, urlOf, isPrimaryWanted } = address;
  const [first, ...others] = hosts;
  const about = { isPrimaryWanted, url: urlOf(first) };
  if (others.length === 0)
    return { ...about, promotions: null, find: async () => null, lose: () => {} };
  const promotions = promotionsOf(hosts);
  let known: Answer | null = null;
  let looking: Promise<Answer> | null = null;

  async function look(): Promise<Answer> {
    try {
      return (known = await findServer(address, promotions));
    } catch (error) {
      await new Promise((later) => setTimeout(later, PAUSE_MS));
      throw error;
    } finally {
      looking = null;
    }
  }
  return {
    ...about,
    promotions,
    async find() {
      if (known && isFormer(known, promotions)) known = null;
      return (known ?? (await (looking ??= look()))).host;
    },
    lose: (host) => {
      if (known?.host === host) known = null;
    },
  };
}

/**
 * Looks every few seconds whether a server was promoted while the one before it goes on: connections to that one
 * are then ended. Calls `onFormer` with the name of one that still accepts writes. Addresses of one server, and
 * those that have the servers of another, are passed over.
 */
export function watchPromotions(
  urls: readonly (string | undefined)[],
  onFormer: (server: string) => void,
): { stop(): void } {
  const addresses = new Map(
    urls
      .filter((url) => url !== undefined)
      .map(parseDatabaseUrl)
      .filter(({ hosts }) => hosts.length > 1)
      .map((address) => [keyOf(address.hosts), address]),
  );
  const namedAt = new Map<string, number>();
  const name = (server: string) => {
    if (performance.now() - (namedAt.get(server) ?? -Infinity) < NAME_AGAIN_MS) return;
    namedAt.set(server, performance.now());
    onFormer(server);
  };
  const timers = [...addresses.values()].map((address) => {
    let looking: Promise<void> | null = null;
    return setInterval(() => {
      looking ??= lookAround(address, name).finally(() => (looking = null));
    }, WATCH_EVERY_MS).unref();
  });
  return { stop: () => timers.forEach((timer) => clearInterval(timer)) };
}

async function lookAround(
  { hosts, urlOf }: DatabaseAddress,
  onFormer: (server: string) => void,
): Promise<void> {
  const promotions = promotionsOf(hosts);
  const asked = await Promise.allSettled(hosts.map((host) => ask(host, urlOf(host))));
  const answers = asked.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  noteTimelines(answers, promotions);
  for (const answer of answers)
    if (answer.isWritable && isFormer(answer, promotions))
      onFormer(`${answer.host.host}:${answer.host.port}`);
}

/** The timeline is null at a standby. */
type Answer = { host: Host; isWritable: boolean; timeline: Timeline | null };

const isFormer = ({ timeline }: Answer, promotions: Promotions): boolean =>
  timeline !== null && promotions.isFormer(timeline);

function noteTimelines(answers: readonly Answer[], promotions: Promotions): void {
  for (const { isWritable, timeline } of answers)
    if (isWritable && timeline) promotions.note(timeline);
}

/**
 * The server that accepts writes, unless it is a former primary that goes on, or came back, and does not know it.
 * A process that has not worked with the cluster yet waits for the answers of all.
 */
async function findServer(address: DatabaseAddress, promotions: Promotions): Promise<Answer> {
  const { hosts, isPrimaryWanted } = address;
  const { answers, failures } = await askAll(address, promotions);
  noteTimelines(answers, promotions);
  const usable = answers
    .filter((answer) => !isFormer(answer, promotions))
    .sort((a, b) => hosts.indexOf(a.host) - hosts.indexOf(b.host));
  const [best] = usable
    .filter(({ isWritable }) => isWritable)
    .sort((a, b) => numberOf(b) - numberOf(a));
  if (best) return best;
  const [reader] = usable;
  if (reader && !isPrimaryWanted) return reader;
  if (usable.length < answers.length) throw new FormerPrimaryError();
  if (reader) throw new NoPrimaryError("none of the database's servers accepts writes");
  throw failures[0] ?? new NoPrimaryError("none of the database's servers answers");
}

/** What came until all have answered or failed, or the time of the others is over. */
async function askAll(
  { hosts, urlOf }: DatabaseAddress,
  promotions: Promotions,
): Promise<{ answers: Answer[]; failures: Error[] }> {
  const answers: Answer[] = [];
  const failures: Error[] = [];
  let stopWaiting = () => {};
  const othersAreLate = new Promise<void>((resolve) => (stopWaiting = resolve));
  let timer: NodeJS.Timeout | undefined;
  const asking = hosts.map(async (host) => {
    try {
      const answer = await ask(host, urlOf(host));
      answers.push(answer);
      const { isWritable, timeline } = answer;
      if (isWritable && timeline && promotions.isCurrent(timeline))
        timer ??= setTimeout(stopWaiting, OTHERS_MS);
    } catch (error) {
      failures.push(error as Error);
    }
  });
  await Promise.race([Promise.all(asking), othersAreLate]);
  clearTimeout(timer);
  return { answers, failures };
}

const numberOf = ({ timeline }: Answer): number => timeline?.number ?? 0;

const LOOK = `
  SELECT NOT pg_is_in_recovery() AND NOT current_setting('transaction_read_only')::bool AS is_writable,
    ${TIMELINE_COLUMNS}`;

type Look = TimelineRow & { is_writable: boolean };

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
    const [row] = (await client.query<Look>(LOOK)).rows as [Look];
    return { host, isWritable: row.is_writable, timeline: toTimeline(row) };
  } finally {
    clearTimeout(timer);
    void client.end().catch(() => {});
  }
}
