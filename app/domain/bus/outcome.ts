// What a settled delivery means to people. The stored status stays as the contract has it: a
// delivery that sent nothing is `delivered` with its reason as the error. Every screen shows it as
// skipped.

/** Reasons beside a delivery that did reach the system: these are not skipped. */
export const REPORTED_BY_BACKEND = "reported by the backend";
export const SENT_EARLIER = "sent at an earlier attempt whose answer was lost";
const REACHED: readonly string[] = [REPORTED_BY_BACKEND, SENT_EARLIER];

/** The note of a delivery that was not made because its customer was deleted. */
export const CUSTOMER_GONE = "the customer is gone";

/** The error of a dead letter whose content was erased with its person, or from which values of a person were masked. */
export const REDACTED = "redacted";

/** An erasure leaves nothing in a row but the number of the emptied account. */
const ONLY_ACCOUNT = "jsonb_build_object('user_id', payload->'user_id')";

/** SQL of a row's payload after its erasure. */
export const ERASED_PAYLOAD = `CASE WHEN entity_type = 'customer' AND payload ? 'user_id' THEN ${ONLY_ACCOUNT} ELSE '{}' END`;

/**
 * SQL of a failed delivery that can still be made. A dead letter that was erased with its person has nothing left to
 * send: nobody can do anything about it, so it is not shown, counted or replayed. One with masked values can.
 */
export const IS_DEAD = `status = 'dead_letter' AND (last_error IS DISTINCT FROM '${REDACTED}'
  OR transformed_payload IS NOT NULL OR payload NOT IN ('{}', ${ONLY_ACCOUNT}))`;

/** The same of a row that is read: a dead letter whose content was erased with its person. */
export const isErasedLetter = (row: {
  status: string;
  last_error: string | null;
  payload: unknown;
}): boolean =>
  row.status === "dead_letter" &&
  row.last_error === REDACTED &&
  Object.keys(row.payload as object).every((key) => key === "user_id");

/** SQL of a dead letter's time. Another program that makes a row one may leave out the time. */
export const DEAD_SINCE = "coalesce(dead_lettered_at, updated_at)";

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
export const SKIPPED_AS_ERASED: Skip = { kind: "customer_deleted" };

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
