// The cause of a failed attempt for the merchant: a kind that the screen translates, and its
// object. The error text itself may repeat personal data that was sent, so it is not shown.
import { OWN_FAILURES } from "./own-failures.ts";

export type FailureKind =
  | "access_refused"
  | "rejected"
  | "too_many"
  | "unwell"
  | "unreachable"
  | "wrong_address"
  | "slow"
  | "unreadable"
  | "address_refused"
  | "setting"
  | "consent"
  | "data"
  | "mapping"
  | "not_connected"
  | "given_up"
  | "ours"
  | "other";
/** `about` contains only our own terms: a field, a SKU, a consent. */
export type Failure = { kind: FailureKind; about: string | null; http_status: number | null };

/** Errors that are not a channel's own: of the bus, of the storefront's token and of outbound calls. */
const OTHERS: readonly { pattern: RegExp; kind: FailureKind }[] = [
  {
    pattern: /^not_installed$|^The app is not installed|^The storefront no longer accepts/,
    kind: "not_connected",
  },
  { pattern: /^worker_lost$/, kind: "given_up" },
  { pattern: /^internal_error$/, kind: "ours" },
  { pattern: /^the storefront did not answer|did not answer in time/i, kind: "slow" },
  { pattern: /cannot be reached|ECONN|ENOTFOUND/, kind: "unreachable" },
];
const KNOWN = [...Object.values(OWN_FAILURES), ...OTHERS];

/** `parseAnswer` gives these a status of its own, because the destination's says that all is well. */
const UNREADABLE = / answered something that is not /;

/** A bucket that does not exist, or is in another region: it refuses the address, not the data. */
const WRONG_BUCKET =
  / answered \d{3}: (?:NoSuchBucket|InvalidBucketName|AuthorizationHeaderMalformed|IllegalLocationConstraintException)\b/;

export function toFailure({
  error,
  http_status: status,
}: {
  error: string | null;
  http_status: number | null;
}): Failure {
  const failed = (kind: FailureKind, about: string | null = null): Failure => ({
    kind,
    about,
    http_status: status,
  });
  if (UNREADABLE.test(error ?? "")) return { kind: "unreadable", about: null, http_status: null };
  if (WRONG_BUCKET.test(error ?? "")) return failed("wrong_address");
  const kindOfStatus = status === null ? null : kindOf(status);
  if (kindOfStatus) return failed(kindOfStatus);
  for (const { pattern, kind } of KNOWN) {
    const found = pattern.exec(error ?? "");
    if (found) return failed(kind, found[1] ?? null);
  }
  return failed(/\baddress\b|private|loopback/.test(error ?? "") ? "address_refused" : "other");
}

/** Null for a status that is no failure by itself. */
function kindOf(status: number): FailureKind | null {
  if (status === 401 || status === 403) return "access_refused";
  if (status === 429) return "too_many";
  if (status >= 500) return "unwell";
  if (status >= 400) return "rejected";
  // Redirects are not followed.
  return status >= 300 ? "wrong_address" : null;
}
