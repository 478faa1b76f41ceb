// What of a page waits for consent, by address: the same rule for the script in the store's pages and for the check
// of the storefront. It imports nothing, because every shopper downloads it.

/**
 * A list, because property names would be sent to every shopper. `purposes` as in `data-consent`; empty for
 * addresses that are let through although a later group has their host. Addresses are separated by spaces, each a
 * host with the beginning of its path; `inCode` are those that also a snippet in the page waits for.
 */
export type HeldGroup = [purposes: string, addresses: string, inCode?: string];

type Address = Pick<URL, "hostname" | "pathname">;

const toPattern = (addresses: string) =>
  new RegExp(`^([^/]+\\.)?(${addresses.replace(/\./g, "\\.").replace(/ /g, "|")})`);

/** Returns the purposes that an address waits for; empty or undefined: it does not wait. */
export function toHolder(
  groups: readonly HeldGroup[],
  part: 1 | 2 = 1,
): (address: Address) => string | undefined {
  const patterns = groups.map((group) => [group[0], group[part]] as const);
  const known = patterns.flatMap(([purposes, addresses]) =>
    addresses ? [[purposes, toPattern(addresses)] as const] : [],
  );
  return ({ hostname, pathname }) =>
    known.find(([, pattern]) => pattern.test(hostname.replace(/\.$/, "") + pathname))?.[0];
}
