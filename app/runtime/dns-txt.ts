// DNS TXT records, with which a store proves that a host is its own.
import { Resolver } from "node:dns/promises";

const TIMEOUT_MS = 2_000;
const TRIES = 2;

export type TxtLookup = (name: string) => Promise<string[]>;

/** `servers`: addresses (`host` or `host:port`) to query instead of the system's resolvers. */
export function createTxtLookup(servers: readonly string[] = []): TxtLookup {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  /** The records' texts; empty when the name has no record or no server answers in time. */
  return async (name) => {
    try {
      const records = await resolver.resolveTxt(name);
      // A long text is split into chunks of at most 255 bytes.
      return records.map((pieces) => pieces.join("").trim());
    } catch {
      return [];
    }
  };
}
