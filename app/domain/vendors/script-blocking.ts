// Which known vendors' scripts wait for consent without a mark in the theme: the merchant's setting, and the compact
// form of it that the store's pages get.
import { z } from "zod";
import type { HeldGroup } from "./held-addresses.ts";
import { findVendor, KNOWN_VENDORS, type Vendor } from "./known-vendors.ts";

const names = z.array(z.string().trim().min(1).max(80)).max(200).default([]);

/** Names that the list of vendors does not have any more count for nothing. */
export const ScriptBlocking = z.strictObject({
  enabled: z.boolean(),
  /** Vendors that are let through. */
  run: names,
  /** Vendors that wait although Google's consent mode would be enough. */
  block: names,
});
export type ScriptBlocking = z.output<typeof ScriptBlocking>;

export const NO_BLOCKING: ScriptBlocking = { enabled: false, run: [], block: [] };

/** Never what payment and security need. */
export const isBlockable = ({ purposes }: Vendor): boolean => !purposes.includes("necessary");

/** What follows Google's consent mode is let through, unless the merchant says otherwise. */
export const isBlocked = (vendor: Vendor, { run, block }: ScriptBlocking): boolean =>
  isBlockable(vendor) &&
  !run.includes(vendor.name) &&
  (vendor.followsConsentMode !== true || block.includes(vendor.name));

/** The whole host, or the beginning of a path. */
const toPrefix = (address: string) => (address.includes("/") ? address : `${address}/`);

function isCoveredBy(address: string, vendors: readonly Vendor[]): boolean {
  const [hostname = "", ...path] = address.split("/");
  return findVendor({ hostname, pathname: `/${path.join("/")}` }, vendors) !== null;
}

export function toHeldGroups(blocking: ScriptBlocking): HeldGroup[] {
  const blocked = KNOWN_VENDORS.filter((vendor) => isBlocked(vendor, blocking));
  // `googletagmanager.com/gtm.js` runs while the rest of the host waits.
  const exempt = KNOWN_VENDORS.filter((vendor) => !isBlocked(vendor, blocking))
    .flatMap(({ at }) => at)
    .filter((address) => isCoveredBy(address, blocked));
  const groups = new Map<string, Vendor[]>();
  for (const vendor of blocked) {
    const purposes = vendor.purposes.join(" ");
    groups.set(purposes, [...(groups.get(purposes) ?? []), vendor]);
  }
  const join = (addresses: readonly string[]) => addresses.map(toPrefix).join(" ");
  return [
    ...(exempt.length > 0 ? [["", join(exempt)] as HeldGroup] : []),
    ...[...groups].map(([purposes, vendors]): HeldGroup => {
      const inCode = vendors.filter(({ sendsFromPage }) => sendsFromPage).flatMap(({ at }) => at);
      const addresses = join(vendors.flatMap(({ at }) => at));
      return inCode.length > 0 ? [purposes, addresses, join(inCode)] : [purposes, addresses];
    }),
  ];
}
