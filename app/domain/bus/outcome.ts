// What a settled delivery means to people. The stored status stays as the contract has it: a
// delivery that sent nothing is `delivered` with its reason as the error. Every screen shows it as
// skipped.

/** Reasons beside a delivery that did reach the system: these are not skipped. */
export const REPORTED_BY_BACKEND = "reported by the backend";
export const SENT_EARLIER = "sent at an earlier attempt whose answer was lost";
const REACHED: readonly string[] = [REPORTED_BY_BACKEND, SENT_EARLIER];

/** The error of a dead letter whose content was erased with its person. */
export const REDACTED = "redacted";

type SkipKind =
  | "archived_only"
  | "unchanged"
  | "customer_deleted"
  | "customer_unknown"
  | "address_unproven"
  | "no_address"
  | "no_collection"
  | "not_applied"
  | "nothing_to_send";
export type Skip = { kind: SkipKind };

const KINDS: readonly [pattern: RegExp, kind: SkipKind][] = [
  [/^archived only: /, "archived_only"],
  [/^unchanged$/, "unchanged"],
  [/^the customer is gone$/, "customer_deleted"],
  [/^no such customer$/, "customer_unknown"],
  [/^a customer of the store has this address/, "address_unproven"],
  [/^no address to hash$/, "no_address"],
  [/^the CMS has no collection/, "no_collection"],
  [/ changes nothing in the built-in backend$/, "not_applied"],
];

type Settled = { status: string; error: string | null };

/** Null for a delivery that sent something, and for one that is not settled or failed. */
export function toSkip({ status, error }: Settled): Skip | null {
  if (status !== "delivered" || error === null || REACHED.includes(error)) return null;
  return { kind: KINDS.find(([pattern]) => pattern.test(error))?.[1] ?? "nothing_to_send" };
}

const REACHED_LIST = REACHED.map((note) => `'${note}'`).join(", ");

/** The same as a condition over a row of attempts; the index of skipped attempts repeats it. */
export const isSkipped = (attempt: string): string =>
  `${attempt}.status = 'delivered' AND ${attempt}.error IS NOT NULL AND ${attempt}.error NOT IN (${REACHED_LIST})`;
