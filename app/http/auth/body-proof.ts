// Whether a body that names its store by itself may be proven at all, found out without parsing it:
// anybody can send a body, and parsing a large one costs far more than checking its signature.
import { findTenant, type Tenant } from "../../domain/tenants/tenant.ts";
import { SHOP_PATTERN } from "../../domain/tenants/tenant-config.ts";
import { isAppError } from "../../runtime/errors.ts";
import { AUTH_SCHEMES, type Auth, type AuthCall } from "./schemes.ts";

/** A smaller body costs no more to parse than the request itself. */
const LARGE_BYTES = 16 * 1024;
/** A body names one store; a few more may stand in what it reports. */
const MAX_SHOPS = 5;
const SHOP_VALUE = /^\s{0,20}:\s{0,20}"([a-z0-9.-]{1,100})"/;

/**
 * False when no store that the text names makes the call's proof right. True says little: the parsed
 * body decides whose it is, and its proof is checked again.
 */
export async function mayBodyBeProven(auth: Auth, call: AuthCall): Promise<boolean> {
  const { ctx, raw } = call;
  if (raw.length < LARGE_BYTES) return true;
  if (await isProvenFor(auth, call, null)) return true;
  for (const shop of findShops(raw, AUTH_SCHEMES[auth].shopFields))
    if (await isProvenFor(auth, call, await findTenant(ctx, shop))) return true;
  return false;
}

async function isProvenFor(auth: Auth, call: AuthCall, tenant: Tenant | null): Promise<boolean> {
  try {
    await AUTH_SCHEMES[auth].authenticate({ ...call, tenant });
    return true;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.status !== 401;
  }
}

/** The values of these fields at any place of the text, which is read once for each field. */
function findShops(raw: Buffer, fields: readonly string[]): Set<string> {
  const shops = new Set<string>();
  for (const field of fields) {
    const name = Buffer.from(`"${field}"`);
    for (let at = raw.indexOf(name); at >= 0; at = raw.indexOf(name, at + name.length)) {
      const value = raw.toString("latin1", at + name.length, at + name.length + 200);
      const shop = SHOP_VALUE.exec(value)?.[1];
      if (shop !== undefined && SHOP_PATTERN.test(shop)) shops.add(shop);
      if (shops.size >= MAX_SHOPS) return shops;
    }
  }
  return shops;
}
