// The sources of events and how each proves itself (SPEC "Event sources", in its order).

export const EVENT_SOURCES = [
  "storefront",
  "cms",
  "backend",
  "erpsys",
  "erp",
  "wms",
  "manual",
] as const;
export type EventSource = (typeof EVENT_SOURCES)[number];

/** What a 401 names as the attempted method. `backend_key` is another backend, which proved the source itself. */
export type Proof = "hmac" | "oauth2" | "shared_secret" | "admin_key" | "backend_key" | "none";

/** What a request says of itself before anything is proven. */
export type Claims = {
  source: string | null;
  isSigned: boolean;
  hasTaskId: boolean;
  hasBearer: boolean;
};

/** The first rule that fits decides; a proof that fails is not tried again by another rule. */
export function attemptedProof({ source, isSigned, hasTaskId, hasBearer }: Claims): Proof {
  if (source === "storefront" || isSigned) return "hmac";
  if (source === "erpsys") return "oauth2";
  if (source === "backend" || hasTaskId) return "shared_secret";
  return hasBearer ? "admin_key" : "none";
}

/** What each proof shows the source to be; null: the key opens several, and the caller says which. */
const SOURCE_OF: Record<Proof, EventSource | null> = {
  hmac: "storefront",
  oauth2: "erpsys",
  shared_secret: "backend",
  admin_key: null,
  backend_key: null,
  none: null,
};

/** SPEC's table of proofs knows it, its envelope does not. */
const TESTING = "testing";

/** Sources that an admin key may speak for; the others have a proof of their own. */
const NAMED_BY_KEY: readonly string[] = EVENT_SOURCES.filter(
  (source) => !Object.values(SOURCE_OF).includes(source),
);

/**
 * The source that stands in the envelope. Undefined when the caller names one that does not exist. With an admin key a
 * source that has a proof of its own is recorded as what it is: `manual`.
 */
export function provenSource(proof: Proof, named: unknown): EventSource | undefined {
  const fixed = SOURCE_OF[proof];
  if (fixed) return fixed;
  if (named === undefined || named === null || named === "" || named === TESTING) return "manual";
  if (!EVENT_SOURCES.includes(named as EventSource)) return undefined;
  if (proof === "backend_key") return named as EventSource;
  return NAMED_BY_KEY.includes(named as string) ? (named as EventSource) : "manual";
}
