// A connection of the pooler to the database.
import pg from "pg";
import type { Socket } from "node:net";
import { message, readMessages, strings, type Message } from "./wire.ts";

export type Login = {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
};

/** What a session must not keep after a transaction: another client gets it next. */
const FIND_LEFTOVERS = `
  SELECT 'prepared statement ' || name FROM pg_prepared_statements
  UNION ALL SELECT 'LISTEN ' || channel FROM pg_listening_channels() AS channel
  UNION ALL SELECT 'advisory lock ' || objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()
  UNION ALL SELECT 'temporary table ' || relname FROM pg_class WHERE relnamespace = pg_my_temp_schema() AND relkind = 'r'
  UNION ALL SELECT 'cursor ' || name FROM pg_cursors WHERE name <> ''
  UNION ALL SELECT 'SET ' || name FROM pg_settings WHERE source = 'session'
    AND name NOT IN ('TimeZone', 'application_name', 'client_encoding', 'DateStyle')`;

/** The zone of a database whose operator set one. */
const ZONE = "Pacific/Chatham";

let count = 0;

export class ServerConnection {
  readonly id = (count += 1);
  onMessage: (message: Message) => void = () => {};
  isEnded = false;
  #zone = ZONE;
  readonly #socket: Socket;

  private constructor(socket: Socket, onEnd: (connection: ServerConnection) => void) {
    this.#socket = socket;
    // The library has signed in; from here on the messages are the pooler's.
    socket.removeAllListeners("data");
    socket.on("error", () => {});
    socket.once("close", () => {
      this.isEnded = true;
      onEnd(this);
    });
    readMessages(socket, (one) => this.onMessage(one));
  }

  /** Throws the database's error when it refuses the login. */
  static async open(
    login: Login,
    onEnd: (connection: ServerConnection) => void,
  ): Promise<ServerConnection> {
    const client = new pg.Client({ ...login, application_name: "pooler" });
    client.on("error", () => {});
    await client.connect();
    await client.query(`SET TimeZone = '${ZONE}'`);
    return new ServerConnection(client.connection.stream as Socket, onEnd);
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  /** A parameter that poolers track: each client finds its own value. */
  async useZone(zone: string): Promise<void> {
    if (zone === this.#zone) return;
    await this.#ask(`SET TimeZone = '${zone.replaceAll("'", "")}'`);
    this.#zone = zone;
  }

  /** Names what the last transaction left in the session, and removes it. */
  async clean(): Promise<string[]> {
    const found = await this.#ask(FIND_LEFTOVERS);
    if (found.length > 0) {
      await this.#ask("DISCARD ALL");
      await this.#ask(`SET TimeZone = '${this.#zone}'`);
    }
    return found;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** The first column of the rows of one statement. */
  #ask(sql: string): Promise<string[]> {
    return new Promise((done, fail) => {
      const rows: string[] = [];
      let failure: Error | null = null;
      const ended = () => fail(new Error("the connection ended"));
      this.#socket.once("close", ended);
      this.onMessage = ({ type, body }) => {
        // DataRow: count of columns (2 bytes), length of the first (4), its text.
        if (type === "D") rows.push(body.toString("utf8", 6));
        if (type === "E") failure = new Error(strings(body).join(" "));
        if (type !== "Z") return;
        this.#socket.off("close", ended);
        if (failure) fail(failure);
        else done(rows);
      };
      this.write(message("Q", sql));
    });
  }
}
