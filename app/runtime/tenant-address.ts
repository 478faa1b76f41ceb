// Which addresses a tenant may give us (DECISIONS 12): https and public, never a place of our own. This is the half that
// can be told from the text alone, for a clear answer when it is saved and again before it is used; names are resolved,
// and judged by what they resolve to, at every connection (outbound.ts).
import { isIP } from "node:net";
import { resolve, sep } from "node:path";
import { isPrivateAddress } from "./ip-address.ts";

export type AddressRules = {
  /** OUTBOUND_ALLOW: `host`, `host:port`, `file`, `file:/folder`. */
  allow: readonly string[];
  /** Where relative `file:` addresses begin. */
  root: string;
  /** The service's own archive: nobody else writes there. */
  archiveUrl: string;
};

/** Why the address is refused, as the caller is told; undefined when nothing speaks against it. */
export function findAddressProblem(address: string, rules: AddressRules): string | undefined {
  if (address.startsWith("file:")) return findFolderProblem(address, rules);
  if (address.startsWith("s3:")) return findBucketProblem(address, rules);
  return /^https?:/i.test(address) ? findHostProblem(new URL(address), rules) : undefined;
}

/** `file:folder`, `file:/folder` or `file:///folder`. */
export function folderOf(address: string, root: string): string {
  return resolve(root, address.replace(/^file:(\/\/)?/, ""));
}

function findHostProblem(url: URL, { allow }: AddressRules): string | undefined {
  const host = url.hostname.replace(/^\[|\]$|\.$/g, "");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  if (allow.includes(host) || allow.includes(`${host}:${port}`)) return undefined;
  if (url.protocol !== "https:") return "must be an https:// address";
  if (/(^|\.)localhost$/.test(host) || (isIP(host) !== 0 && isPrivateAddress(host)))
    return "must not be a private address";
  return undefined;
}

const isBelow = (folder: string, parent: string) =>
  folder === parent || folder.startsWith(parent.endsWith(sep) ? parent : parent + sep);

function findFolderProblem(
  address: string,
  { allow, root, archiveUrl }: AddressRules,
): string | undefined {
  const folder = folderOf(address, root);
  if (archiveUrl.startsWith("file:") && isBelow(folder, folderOf(archiveUrl, root)))
    return "must not be the service's own archive";
  const isOpen = allow.some(
    (entry) =>
      entry === "file" || (entry.startsWith("file:") && isBelow(folder, folderOf(entry, root))),
  );
  return isOpen ? undefined : "must not be a folder of this machine";
}

function findBucketProblem(address: string, rules: AddressRules): string | undefined {
  const url = URL.parse(address);
  if (!url?.hostname) return "must name a bucket: s3://bucket/prefix";
  // Our identity may write there, whoever asks: a store would write among everybody's objects.
  const own = rules.archiveUrl.startsWith("s3:")
    ? URL.parse(rules.archiveUrl)?.hostname
    : undefined;
  if (own === url.hostname) return "must not be the service's own archive";
  const endpoint = url.searchParams.get("endpoint");
  if (endpoint === null) return undefined;
  const at = URL.parse(endpoint);
  if (!at || !/^https?:$/.test(at.protocol)) return "must have an https:// endpoint";
  const problem = findHostProblem(at, rules);
  return problem && `its endpoint ${problem}`;
}
