// TXT records of the domain name system: how somebody shows that a name is theirs.
import { Resolver } from "node:dns/promises";

const TIMEOUT_MS = 2_000;
const TRIES = 2;

export type TxtLookup = (name: string) => Promise<string[]>;

/** `servers`: addresses (`host` or `host:port`) to ask instead of the system's own resolvers. */
export function createTxtLookup(servers: readonly string[] = []): TxtLookup {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  /** The records' texts; none when the name has no record or no server answers in time. */
  return async (name) => {
    try {
      const records = await resolver.resolveTxt(name);
      // A long text comes in pieces of at most 255 bytes.
      return records.map((pieces) => pieces.join("").trim());
    } catch {
      return [];
    }
  };
}
