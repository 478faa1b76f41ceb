// Connects to public addresses only, for those that a tenant chose.
import { isIP } from "node:net";
import { buildConnector } from "undici";
import { isPrivateAddress } from "./ip-address.ts";
import { createPublicLookup, refuseAddress } from "./public-lookup.ts";

export const CONNECT_TIMEOUT_MS = 3_000;

/**
 * Checks the address that is connected to, so that a name cannot resolve to another address after
 * the check. `nameServers`: instead of the system's.
 */
export function guardedConnector(
  allow: ReadonlySet<string>,
  nameServers: readonly string[],
): buildConnector.connector {
  const lookup = createPublicLookup(nameServers);
  const options = { timeout: CONNECT_TIMEOUT_MS, allowH2: false };
  const open = buildConnector(options);
  const guard = buildConnector({ ...options, lookup });
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, "");
    const port = target.port || (target.protocol === "https:" ? "443" : "80");
    if (allow.has(host) || allow.has(`${host}:${port}`)) return open(target, callback);
    if (target.protocol !== "https:") return callback(refuseAddress(`${host} (not https)`), null);
    if (isIP(host) && isPrivateAddress(host)) return callback(refuseAddress(host), null);
    guard(target, callback);
  };
}
