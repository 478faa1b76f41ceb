// A pooler in transaction mode, stricter than PgBouncer: every transaction gets another server
// connection than the one before, and anything it leaves in the session is an error.
import { createServer, type AddressInfo, type Socket } from "node:net";
import { randomInt } from "node:crypto";
import { ServerConnection } from "./server-connection.ts";
import { encode, fatal, message, readMessages, strings, type Message } from "./wire.ts";

export type TransactionPooler = {
  /** The address of a database of the same server, through the pooler. */
  urlOf(directUrl: string): string;
  /** Session state that a transaction left, and what a client asked that a pooler cannot do. */
  faults: string[];
  /** The number of transactions so far. */
  transactions(): number;
  stop(): void;
};

/** What PgBouncer tracks; it refuses every other startup parameter. */
const TRACKED = new Set([
  "user",
  "database",
  "application_name",
  "client_encoding",
  "datestyle",
  "timezone",
  "standard_conforming_strings",
]);
/** Statements that may leave something in the session are looked after at once, the others now and then. */
const SUSPECT =
  /(^|[;\0])\s*(SET\s+(?!LOCAL\b)|PREPARE\b|LISTEN\b|DECLARE\b)|\bset_config\b|pg_(try_)?advisory_lock|\bTEMP(ORARY)?\b/i;
const LOOK_EVERY = 20;
/** Per login and database: a run has hundreds of them, and a server has a limit. */
const MAX_IDLE = 6;
const SSL_REQUEST = 80_877_103;
const CANCEL_REQUEST = 80_877_102;

type Pool = { idle: ServerConnection[]; open(): Promise<ServerConnection> };

export async function startTransactionPooler(serverUrl: string): Promise<TransactionPooler> {
  const target = new URL(serverUrl);
  const faults: string[] = [];
  const sockets = new Set<{ destroy(): void }>();
  const pools = new Map<string, Pool>();
  let transactions = 0;

  function poolOf(user: string, password: string, database: string): Pool {
    const key = JSON.stringify([user, password, database]);
    const known = pools.get(key);
    if (known) return known;
    const login = { host: target.hostname, port: Number(target.port), user, password, database };
    const pool: Pool = {
      idle: [],
      async open() {
        const connection = await ServerConnection.open(login, (ended) => {
          sockets.delete(ended);
          pool.idle = pool.idle.filter((one) => one !== ended);
        });
        sockets.add(connection);
        return connection;
      },
    };
    pools.set(key, pool);
    return pool;
  }

  /** Never the connection of the client's last transaction. */
  async function acquire(pool: Pool, last: number): Promise<ServerConnection> {
    const at = pool.idle.findIndex(({ id }) => id !== last);
    return at < 0 ? pool.open() : pool.idle.splice(at, 1)[0]!;
  }

  function keep(pool: Pool, connection: ServerConnection): void {
    if (pool.idle.length < MAX_IDLE) pool.idle.push(connection);
    else connection.destroy();
  }

  function serve(client: Socket): void {
    sockets.add(client.setNoDelay());
    const parameters: Record<string, string> = {};
    let pool: Pool | null = null;
    let server: ServerConnection | null = null;
    let last = 0;
    let unanswered = 0;
    let isSuspect = false;
    let working: Promise<void> = Promise.resolve();

    const refuse = (code: string, text: string) => {
      faults.push(text);
      client.end(fatal(code, text));
    };
    client.on("error", () => {});
    client.once("close", () => {
      sockets.delete(client);
      // A transaction that no client will end.
      server?.destroy();
    });
    readMessages(client, (one) => void (working = working.then(() => take(one))), startup);

    function startup(body: Buffer): boolean {
      const code = body.readInt32BE(0);
      if (code === SSL_REQUEST) client.write("N");
      if (code === CANCEL_REQUEST) client.destroy();
      if (code === SSL_REQUEST || code === CANCEL_REQUEST) return false;
      const words = strings(body.subarray(4));
      for (let at = 0; words[at]; at += 2) parameters[words[at]!.toLowerCase()] = words[at + 1]!;
      const unknown = Object.keys(parameters).find((name) => !TRACKED.has(name));
      if (unknown) refuse("08P01", `unsupported startup parameter: ${unknown}`);
      else client.write(message("R", 3));
      return true;
    }

    async function take(one: Message): Promise<void> {
      if (client.destroyed || client.writableEnded) return;
      if (one.type === "X") return void client.end();
      if (one.type === "p") return signIn(strings(one.body)[0]!);
      if (one.type === "P" && one.body[0] !== 0)
        return refuse("08P01", `prepared by name: ${strings(one.body)[0]}`);
      try {
        server ??= await link();
      } catch (error) {
        const { code = "08006", message: text } = error as Error & { code?: string };
        return void client.end(fatal(code, text));
      }
      if (one.type === "Q" || one.type === "S") unanswered += 1;
      if (one.type === "Q" || one.type === "P") isSuspect ||= SUSPECT.test(one.body.toString());
      server.write(encode(one));
    }

    async function signIn(password: string): Promise<void> {
      const { user = "", database = user } = parameters;
      pool = poolOf(user, password, database);
      try {
        // The database itself decides about the password.
        keep(pool, await pool.open());
      } catch (error) {
        const { code = "08006", message: text } = error as Error & { code?: string };
        return void client.end(fatal(code, text));
      }
      client.write(
        Buffer.concat([
          message("R", 0),
          message("S", "client_encoding", "UTF8"),
          message("S", "server_version", "18.0"),
          message("S", "standard_conforming_strings", "on"),
          message("K", randomInt(2 ** 31 - 1), randomInt(2 ** 31 - 1)),
          message("Z", Buffer.from("I")),
        ]),
      );
    }

    async function link(): Promise<ServerConnection> {
      const linked = await acquire(pool!, last);
      await linked.useZone(parameters.timezone ?? "Pacific/Chatham");
      transactions += 1;
      last = linked.id;
      linked.onMessage = (one) => {
        client.write(encode(one));
        if (one.type !== "Z") return;
        unanswered -= 1;
        if (unanswered > 0 || one.body.toString() !== "I") return;
        server = null;
        void release(linked);
      };
      return linked;
    }

    async function release(linked: ServerConnection): Promise<void> {
      const isLookedAfter = isSuspect || transactions % LOOK_EVERY === 0;
      isSuspect = false;
      try {
        for (const left of isLookedAfter ? await linked.clean() : [])
          refuse("08P01", `left in the session: ${left} (${parameters.database})`);
        keep(pool!, linked);
      } catch {
        linked.destroy();
      }
    }
  }

  const listener = createServer(serve).unref();
  await new Promise<void>((ready) => listener.listen(0, "127.0.0.1", ready));
  return {
    urlOf(directUrl) {
      const url = new URL(directUrl);
      url.port = String((listener.address() as AddressInfo).port);
      return url.href;
    },
    faults,
    transactions: () => transactions,
    stop() {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
