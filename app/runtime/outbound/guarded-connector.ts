// Connects to public addresses only, for those that a tenant chose.
import { lookup as resolve } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { isPrivateAddress } from "./ip-address.ts";

export const CONNECT_TIMEOUT_MS = 3_000;

/** The code of the error for an address that is not called. */
export const REFUSED = "ADDRESS_REFUSED";

function refuse(host: string): NodeJS.ErrnoException {
  return Object.assign(
    new Error(`${host} is a private address; list it in OUTBOUND_ALLOW if it is meant`),
    { code: REFUSED },
  );
}

// Checks the address that is connected to, so that a name cannot resolve to another address after
// the check.
export function guardedConnector(allow: ReadonlySet<string>): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, callback) =>
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const open = addresses.filter(({ address }) => !isPrivateAddress(address));
      if (open.length === 0) return callback(refuse(hostname), []);
      const first = open[0];
      if (options.all) callback(null, open);
      else callback(null, first?.address ?? "", first?.family);
    });
  const open = buildConnector({ timeout: CONNECT_TIMEOUT_MS });
  const guard = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup });
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, "");
    const port = target.port || (target.protocol === "https:" ? "443" : "80");
    if (allow.has(host) || allow.has(`${host}:${port}`)) return open(target, callback);
    if (target.protocol !== "https:") return callback(refuse(`${host} (not https)`), null);
    if (isIP(host) && isPrivateAddress(host)) return callback(refuse(host), null);
    guard(target, callback);
  };
}
