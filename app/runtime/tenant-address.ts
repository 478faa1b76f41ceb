// Which addresses a tenant may configure (DECISIONS 12): https and public, never the service's own.
// This part checks the text alone, for a clear error when it is saved and again before it is used;
// names are checked after resolution at every connection (outbound.ts).
import { isIP } from "node:net";
import { resolve, sep } from "node:path";
import type { FieldProblem } from "./field-problem.ts";
import { isPrivateAddress } from "./outbound/ip-address.ts";

export type AddressRules = {
  /** OUTBOUND_ALLOW: `host`, `host:port`, `file`, `file:/folder`. */
  allow: readonly string[];
  /** The base of relative `file:` addresses. */
  root: string;
  /** Every address of the service's own archive: no tenant writes there. */
  archiveUrls: readonly string[];
};

/** Why the address is refused; undefined when it is allowed. */
export function findAddressProblem(address: string, rules: AddressRules): FieldProblem | undefined {
  if (address.startsWith("file:")) return findFolderProblem(address, rules);
  if (address.startsWith("s3:")) return findBucketProblem(address, rules);
  if (!/^https?:/i.test(address)) return undefined;
  const url = URL.parse(address);
  if (!url) return { code: "url", reason: "must be a whole address, with a host" };
  return findHostProblem(url, rules) ?? (namesArchive(url, rules) ? OWN_ARCHIVE : undefined);
}

/** `file:folder`, `file:/folder` or `file:///folder`. */
export function folderOf(address: string, root: string): string {
  return resolve(root, address.replace(/^file:(\/\/)?/, ""));
}

function findHostProblem(url: URL, { allow }: AddressRules): FieldProblem | undefined {
  const host = url.hostname.replace(/^\[|\]$|\.$/g, "");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  if (allow.includes(host) || allow.includes(`${host}:${port}`)) return undefined;
  if (url.protocol !== "https:") return { code: "url", reason: "must be an https:// address" };
  if (/(^|\.)localhost$/.test(host) || (isIP(host) !== 0 && isPrivateAddress(host)))
    return { code: "privateAddress", reason: "must not be a private address" };
  return undefined;
}

const isBelow = (folder: string, parent: string) =>
  folder === parent || folder.startsWith(parent.endsWith(sep) ? parent : parent + sep);

function findFolderProblem(
  address: string,
  { allow, root, archiveUrls }: AddressRules,
): FieldProblem | undefined {
  const folder = folderOf(address, root);
  const isOwn = archiveUrls.some(
    (archive) => archive.startsWith("file:") && isBelow(folder, folderOf(archive, root)),
  );
  if (isOwn) return OWN_ARCHIVE;
  const isOpen = allow.some(
    (entry) =>
      entry === "file" || (entry.startsWith("file:") && isBelow(folder, folderOf(entry, root))),
  );
  return isOpen
    ? undefined
    : { code: "privateAddress", reason: "must not be a folder of this machine" };
}

/** Bucket names that every S3 product accepts: one spelling per bucket. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const REGION = /^[a-z0-9-]{1,40}$/;

function findBucketProblem(address: string, rules: AddressRules): FieldProblem | undefined {
  const url = URL.parse(address);
  if (!url || !BUCKET.test(url.hostname) || url.port || url.username || url.password)
    return { code: "storageAddress", reason: "must name a bucket: s3://bucket/prefix" };
  // Behind a # nothing is a query: without its endpoint the bucket would be Amazon's of the same name.
  if (url.hash) return { code: "other", reason: "must have %23 in place of #" };
  if (!REGION.test(url.searchParams.get("region") ?? "us-east-1"))
    return { code: "other", reason: "must name a region of letters, digits and dashes" };
  if (archiveBuckets(rules).some(({ bucket }) => bucket === url.hostname)) return OWN_ARCHIVE;
  const endpoint = url.searchParams.get("endpoint");
  return endpoint === null ? undefined : findEndpointProblem(endpoint, rules);
}

function findEndpointProblem(endpoint: string, rules: AddressRules): FieldProblem | undefined {
  const at = URL.parse(endpoint);
  if (!at || !/^https?:$/.test(at.protocol))
    return { code: "url", reason: "must have an https:// endpoint" };
  if (at.search || at.hash || at.username || at.password)
    return { code: "other", reason: "must have an endpoint that is a host, or a host and a path" };
  // The endpoint's host or path may also name a bucket, where the object would be written.
  const named = namesIn(at.pathname);
  const isOwn = archiveBuckets(rules).some(
    ({ bucket }) => hasLabels(at.hostname, bucket) || named.includes(bucket),
  );
  if (isOwn) return OWN_ARCHIVE;
  const problem = findHostProblem(at, rules);
  return problem && { ...problem, reason: `its endpoint ${problem.reason}` };
}

const OWN_ARCHIVE: FieldProblem = {
  code: "privateAddress",
  reason: "must not be the service's own archive",
};

/**
 * Where Amazon's buckets are: at the global host and those of the regions below it, by the bucket's host or its
 * path.
 */
const AMAZON_HOSTS = ["amazonaws.com", "amazonaws.com.cn", "amazonaws.eu"] as const;

/** The archive's buckets, each with the hosts that lead to it. */
function archiveBuckets({
  archiveUrls,
}: AddressRules): { bucket: string; hosts: readonly string[] }[] {
  return archiveUrls.flatMap((archive) => {
    const url = archive.startsWith("s3:") ? URL.parse(archive) : null;
    if (!url) return [];
    const endpoint = url.searchParams.get("endpoint");
    const host = endpoint ? toHost(URL.parse(endpoint)?.hostname ?? "") : AMAZON_HOSTS[0];
    const isAmazon = AMAZON_HOSTS.some((amazon) => isAt(host, amazon));
    return [{ bucket: url.hostname.toLowerCase(), hosts: isAmazon ? AMAZON_HOSTS : [host] }];
  });
}

/** Normalises a host name: lower case, without dots at its end. */
const toHost = (name: string) => name.toLowerCase().split(".").filter(Boolean).join(".");

const isAt = (host: string, place: string) => host === place || host.endsWith(`.${place}`);

/**
 * Whether the host begins with the bucket's name: `bucket.s3.example` is the bucket at
 * `s3.example`.
 */
const hasLabels = (host: string, bucket: string) => toHost(host).startsWith(`${bucket}.`);

/** Whether an https address names a bucket of the archive, by its host or by its path. */
function namesArchive(url: URL, rules: AddressRules): boolean {
  const host = toHost(url.hostname);
  const there = archiveBuckets(rules).filter(({ hosts }) =>
    hosts.some((place) => isAt(host, place)),
  );
  if (there.length === 0) return false;
  const named = namesIn(url.pathname);
  // Dots that are left are encoded: a server that decodes them may read any of the names as the first.
  const first = named.includes("..") ? named : named.slice(0, 1);
  return there.some(({ bucket }) => hasLabels(host, bucket) || first.includes(bucket));
}

/** The names in a path, as a server may read them that decodes it, also what it decoded. */
const namesIn = (path: string): string[] =>
  path
    .split("/")
    .flatMap((segment) => decode(segment).toLowerCase().split(/[/\\]/))
    .filter((name) => name !== "" && name !== ".");

const MAX_ENCODINGS = 5;

/** Repeatedly; what cannot be decoded stays. */
function decode(text: string): string {
  let decoded = text;
  try {
    for (let n = 0; n < MAX_ENCODINGS && decoded.includes("%"); n += 1)
      decoded = decodeURIComponent(decoded);
  } catch {
    // The rest is no encoding.
  }
  return decoded;
}
