// Finds the addresses of a host that a store or a caller named. DNS is asked without a thread: the system's own
// lookup holds one of the process's few until the name's server answers, so that two names of a silent server
// would hold up every other connection.
import type { LookupOptions } from "node:dns";
import { Resolver } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { isPrivateAddress } from "./ip-address.ts";

/** The code of the error for an address that is not called. */
export const REFUSED = "ADDRESS_REFUSED";

export function refuseAddress(host: string): NodeJS.ErrnoException {
  return Object.assign(
    new Error(`${host} is a private address; list it in OUTBOUND_ALLOW if it is meant`),
    { code: REFUSED },
  );
}

/** The second attempt waits twice as long. Together less than connecting may take. */
const FIRST_ATTEMPT_MS = 900;
const ATTEMPTS = 2;
/** How long the addresses of one family wait for those of the other (RFC 8305, 3). */
const OTHER_FAMILY_MS = 50;
/** Every machine's own name (RFC 6761); no server is asked. */
const LOCALHOST = /(?:^|\.)localhost\.?$/i;

/** `servers`: addresses (`host` or `host:port`) to ask instead of the system's resolvers. */
export const createPublicLookup =
  (servers: readonly string[]): LookupFunction =>
  (hostname, options, callback) =>
    void answer(hostname, options, callback, servers);

async function answer(
  hostname: string,
  { all, family }: LookupOptions,
  callback: Parameters<LookupFunction>[2],
  servers: readonly string[],
): Promise<void> {
  let open: Found[];
  try {
    const found = await findPublicAddresses(hostname, servers);
    open = found.filter((one) => !family || one.family === Number(family));
  } catch (error) {
    return callback(error as NodeJS.ErrnoException, []);
  }
  const [first] = open;
  if (!first) return callback(notFound(hostname), []);
  if (all) callback(null, open);
  else callback(null, first.address, first.family);
}

type Found = { address: string; family: 4 | 6 };

/** Throws REFUSED when the name has private addresses only. */
async function findPublicAddresses(host: string, servers: readonly string[]): Promise<Found[]> {
  if (LOCALHOST.test(host)) throw refuseAddress(host);
  const found = await findAddresses(host, servers);
  const open = found.filter(({ address }) => !isPrivateAddress(address));
  if (open.length === 0) throw refuseAddress(host);
  return open;
}

/** Both families, IPv4 first. One that is late is left out once the other is there. */
async function findAddresses(host: string, servers: readonly string[]): Promise<Found[]> {
  // One for each name: it reads the system's settings as they are now, and ends what is left out.
  const resolver = new Resolver({ timeout: FIRST_ATTEMPT_MS, tries: ATTEMPTS });
  if (servers.length > 0) resolver.setServers(servers);
  const families = [
    resolver.resolve4(host).then((found) => found.map((address) => toFound(address, 4))),
    resolver.resolve6(host).then((found) => found.map((address) => toFound(address, 6))),
  ];
  try {
    await Promise.any(families);
    const found: Found[][] = [];
    const both = families.map(async (family, place) => (found[place] = await family));
    await Promise.race([Promise.allSettled(both), delay(OTHER_FAMILY_MS)]);
    return found.flat();
  } catch (error) {
    const reasons = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
    throw reasons[0];
  } finally {
    resolver.cancel();
  }
}

const toFound = (address: string, family: 4 | 6): Found => ({ address, family });

const notFound = (host: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`${host} has no address`), { code: "ENOTFOUND" });
