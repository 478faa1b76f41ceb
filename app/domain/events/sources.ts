// The sources of events and how each authenticates (SPEC "Event sources", in its order; the web pixel's:
// DECISIONS 19).

export const EVENT_SOURCES = [
  "storefront",
  "cms",
  "backend",
  "erpsys",
  "erp",
  "wms",
  "manual",
  "storefront_pixel",
] as const;
export type EventSource = (typeof EVENT_SOURCES)[number];

/**
 * The attempted method in the details of a 401. `backend_key` is another backend, which
 * authenticated the source itself.
 */
export type AuthMethod =
  "hmac" | "oauth2" | "shared_secret" | "pixel_key" | "admin_key" | "backend_key" | "none";

/** The unverified claims of a request. */
export type Claims = {
  source: string | null;
  isSigned: boolean;
  hasTaskId: boolean;
  hasBearer: boolean;
};

/** The first matching rule decides; a failed proof is not retried with another rule. */
export function attemptedProof({ source, isSigned, hasTaskId, hasBearer }: Claims): AuthMethod {
  if (source === "storefront" || isSigned) return "hmac";
  if (source === "erpsys") return "oauth2";
  if (source === "backend" || hasTaskId) return "shared_secret";
  if (source === "storefront_pixel") return "pixel_key";
  return hasBearer ? "admin_key" : "none";
}

/**
 * The source that each proof authenticates; null: the key covers several sources, and the caller
 * names one.
 */
const SOURCE_OF: Record<AuthMethod, EventSource | null> = {
  hmac: "storefront",
  oauth2: "erpsys",
  shared_secret: "backend",
  pixel_key: "storefront_pixel",
  admin_key: null,
  backend_key: null,
  none: null,
};

/** SPEC's table of proofs contains it, its envelope does not. */
const TESTING = "testing";

/** Sources that a caller with an admin key may name; the others have their own proof. */
const NAMED_BY_KEY: readonly string[] = EVENT_SOURCES.filter(
  (source) => !Object.values(SOURCE_OF).includes(source),
);

/**
 * The source for the envelope. Undefined when the caller names an unknown one. A caller with an
 * admin key that names a source with its own proof is recorded as `manual`.
 */
export function provenSource(proof: AuthMethod, named: unknown): EventSource | undefined {
  const fixed = SOURCE_OF[proof];
  if (fixed) return fixed;
  if (named === undefined || named === null || named === "" || named === TESTING) return "manual";
  if (!EVENT_SOURCES.includes(named as EventSource)) return undefined;
  if (proof === "backend_key") return named as EventSource;
  return NAMED_BY_KEY.includes(named as string) ? (named as EventSource) : "manual";
}
