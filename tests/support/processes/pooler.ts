// A minimal connection pooler: when a client leaves, its server connection stays open with the session's
// state.
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export type Pooler = {
  /** The database's address through the pooler. */
  url: string;
  /** How many server connections outlived their client. */
  kept(): number;
  stop(): void;
};

/** The protocol's Terminate message, which the server must not receive. */
const TERMINATE = 0x58;

export async function startPooler(directUrl: string): Promise<Pooler> {
  const target = new URL(directUrl);
  const servers = new Set<Socket>();
  let kept = 0;
  const listener = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    servers.add(server);
    for (const socket of [client, server]) socket.on("error", () => {});
    client.on("data", (bytes) => void (bytes[0] === TERMINATE || server.write(bytes)));
    server.on("data", (bytes) => void (client.destroyed || client.write(bytes)));
    client.once("close", () => (kept += 1));
  });
  await new Promise<void>((ready) => listener.listen(0, "127.0.0.1", ready));
  const url = new URL(directUrl);
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    kept: () => kept,
    stop() {
      listener.close();
      for (const server of servers) server.destroy();
    },
  };
}
