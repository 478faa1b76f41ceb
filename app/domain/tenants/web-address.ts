// Addresses of a store's configuration as links of its pages.

/** Returns an http or https link, or null: other schemes could run script. */
export function webAddress(address: string | undefined): string | null {
  const url = address === undefined ? null : URL.parse(address);
  return url && (url.protocol === "https:" || url.protocol === "http:") ? url.href : null;
}
