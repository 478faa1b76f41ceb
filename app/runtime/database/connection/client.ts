// A connection to the database: to the server that accepts writes, in UTC, and without any state
// that a pooler in transaction mode would lose or mix up. No startup `options`: a pooler refuses
// them.
import type { Socket } from "node:net";
import pg from "pg";
import { isDiskFull, READ_ONLY } from "../postgres-errors.ts";
import { TIMELINE_COLUMNS, toTimeline, type Timeline, type TimelineRow } from "./promotions.ts";
import { FormerPrimaryError, NoPrimaryError, openServers, type Servers } from "./servers.ts";

type Options = pg.ClientConfig & {
  servers: Servers;
  /** A statement was refused because the server accepts no writes. */
  onReadOnly?: () => void;
  /** A statement was refused because the server's disk is full. */
  onDiskFull?: (reason: string) => void;
};

type About = { pid: number; zone: string; is_read_only: boolean } & TimelineRow;

const aboutWith = (columns: string) =>
  `SELECT pg_backend_pid() AS pid, current_setting('TimeZone') AS zone,
  pg_is_in_recovery() OR current_setting('transaction_read_only')::bool AS is_read_only, ${columns}`;
const ABOUT = aboutWith("NULL AS system, NULL AS timeline");
const ABOUT_ONE_OF_SEVERAL = aboutWith(TIMELINE_COLUMNS);

const ABOUT_TIMEOUT_MS = 5_000;
/** How long a server may take to answer the goodbye. */
const CLOSE_WITHIN_MS = 1_000;

const UTC: ReadonlySet<string> = new Set(["UTC", "Etc/UTC", "GMT", "Etc/GMT", "UCT"]);

/** Untyped members of the library's client. */
type Internals = {
  processID: number;
  getStartupConf(): Record<string, string>;
};
const internals = pg.Client.prototype as unknown as Internals;

export class DatabaseClient extends pg.Client {
  /**
   * Behind a pooler, which gives each transaction any of its server connections: the process id
   * that it tells is not the server's. Known once connected.
   */
  isPooled = false;
  readonly #servers: Servers;

  constructor(options: Options) {
    super(options);
    this.#servers = options.servers;
    // Without a listener a connection that dies would end the process.
    this.on("error", () => {});
    this.connection.on("errorMessage", (error: { code?: string; message: string }) => {
      if (error.code === READ_ONLY) options.onReadOnly?.();
      if (isDiskFull(error)) options.onDiskFull?.(error.message);
    });
  }

  /** What a session has from its start. Prisma writes and reads times without a zone, as UTC. */
  getStartupConf(): Record<string, string> {
    return { ...internals.getStartupConf.call(this), TimeZone: "UTC" };
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
    const opened = this.#open();
    if (!callback) return opened.then(() => this);
    const succeeded = callback as unknown as (error: null) => void;
    opened.then(() => succeeded(null), callback);
  }

  async #open(): Promise<void> {
    const server = await this.#servers.find();
    if (server) {
      this.host = server.host.replace(/^\[(.*)\]$/, "$1");
      this.port = server.port;
    }
    try {
      await super.connect();
      // The types lack the timeout of a single query, the library supports it.
      const text = this.#servers.promotions ? ABOUT_ONE_OF_SEVERAL : ABOUT;
      const question = { text, query_timeout: ABOUT_TIMEOUT_MS } as pg.QueryConfig;
      const [about] = (await this.query<About>(question)).rows;
      if (!about) throw new Error("the database does not say what it is");
      if (!UTC.has(about.zone))
        throw new Error(
          `the database's sessions have the time zone ${about.zone}, and the pooler in front of it keeps it: set the role's own (ALTER ROLE ... SET timezone = 'UTC')`,
        );
      if (about.is_read_only && this.#servers.isPrimaryWanted)
        throw new NoPrimaryError("the database's server accepts no writes");
      const timeline = toTimeline(about);
      if (timeline) this.#endWhenFormer(timeline);
      this.isPooled = about.pid !== (this as unknown as Internals).processID;
    } catch (error) {
      this.#servers.lose(server);
      void this.end().catch(() => {});
      throw error;
    }
    this.on("error", () => this.#servers.lose(server));
  }

  /** Ends the connection, also one that went silent. Never throws. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#socket.destroy(), CLOSE_WITHIN_MS);
    await this.end().catch(() => {});
    clearTimeout(timer);
  }

  /** Now, or once another server is promoted while this one goes on. */
  #endWhenFormer(timeline: Timeline): void {
    const { promotions } = this.#servers;
    if (!promotions) return;
    if (!promotions.note(timeline)) throw new FormerPrimaryError();
    const socket = this.#socket;
    const end = () => socket.destroy(new FormerPrimaryError());
    socket.once("close", promotions.endWhenFormer(timeline, end));
  }

  /** The types omit it. */
  get #socket(): Socket {
    return (this.connection as unknown as { stream: Socket }).stream;
  }
}

/** What a client, or a pool of clients, needs to know to reach the database of this address. */
export function connectionTo(url: string): { connectionString: string; servers: Servers } {
  const servers = openServers(url);
  return { connectionString: servers.url, servers };
}

/** A single connection, for work outside the service's pool. The caller ends it. */
export const clientOf = (url: string, options: pg.ClientConfig): DatabaseClient =>
  new DatabaseClient({ ...options, ...connectionTo(url) });
