// What an attempt's error means to the merchant: a kind that the screen has words for, and the one thing that it is about.
// The error itself may repeat what another system was sent, and that is a person: it is not shown.
type FailureKind =
  | "access_refused"
  | "rejected"
  | "too_many"
  | "unwell"
  | "unreachable"
  | "slow"
  | "address_refused"
  | "setting"
  | "consent"
  | "data"
  | "mapping"
  | "not_connected"
  | "given_up"
  | "ours"
  | "other";
/** `about` holds only our own words: a field, a SKU, a consent. */
export type Failure = { kind: FailureKind; about: string | null; http_status: number | null };

/** Errors of our own, which say what is missing. */
const OURS: readonly [pattern: RegExp, kind: FailureKind][] = [
  [/^consent_missing: ([\w-]+)$/, "consent"],
  [/^missing required field: ([\w., [\]-]+)$/, "data"],
  [/^no UPC for SKU ([^@]+)$/, "data"],
  [/^no mapping for ([\w/]+)$/, "mapping"],
  [/^the mapping for ([\w/]+) is not one/, "mapping"],
  [/^([a-z_]+) is not set$/, "setting"],
  [/(?: is| are) not set$|is not enabled or has no address$/, "setting"],
  [/^not_installed$|^The app is not installed/, "not_connected"],
  [/^worker_lost$/, "given_up"],
  [/^internal_error$/, "ours"],
  [/^\w+ takes [\w, ]+, not (\w+)$/, "data"],
  [/did not answer in time/, "slow"],
  [/cannot be reached|ECONN|ENOTFOUND/, "unreachable"],
];

export function toFailure({
  error,
  http_status: status,
}: {
  error: string | null;
  http_status: number | null;
}): Failure {
  const told = (kind: FailureKind, about: string | null = null): Failure => ({
    kind,
    about,
    http_status: status,
  });
  if (status === 401 || status === 403) return told("access_refused");
  if (status === 429) return told("too_many");
  if (status !== null && status >= 500) return told("unwell");
  if (status !== null && status >= 400) return told("rejected");
  for (const [pattern, kind] of OURS) {
    const found = pattern.exec(error ?? "");
    if (found) return told(kind, found[1] ?? null);
  }
  return told(/\baddress\b|private|loopback/.test(error ?? "") ? "address_refused" : "other");
}
