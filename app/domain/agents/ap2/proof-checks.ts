// The checks of a presented mandate: their names, in the order in which they are made, and how each
// came out.
export const CHECKS = [
  "format",
  "key",
  "signature",
  "store",
  "binding",
  "expiry",
  "amounts",
  "state",
] as const;
export type CheckName = (typeof CHECKS)[number];
/** The mandate's state is not among them: a used or revoked one is authentic too. */
export const AUTHENTICITY_CHECKS: readonly CheckName[] = [
  "format",
  "key",
  "signature",
  "store",
  "binding",
  "amounts",
];

export const REASONS = [
  "malformed",
  "wrong_algorithm",
  "unknown_key",
  "bad_signature",
  "other_store",
  "not_bound",
  "expired",
  "not_yet_valid",
  "exceeded",
  "currency_mismatch",
  "differs",
  "unknown_mandate",
  "used",
  "revoked",
  "canceled",
  "payments_disabled",
] as const;
export type Reason = (typeof REASONS)[number];

export type Check = {
  check: CheckName;
  outcome: "passed" | "failed" | "not_checked";
  reason: Reason | null;
};
/** Collects the checks of one mandate, in order. A check that was not made is listed as `not_checked`. */
export function checklist() {
  const made = new Map<CheckName, Check>();
  return {
    pass: (check: CheckName) => made.set(check, { check, outcome: "passed", reason: null }),
    fail: (check: CheckName, reason: Reason) =>
      made.set(check, { check, outcome: "failed", reason }),
    /** Passes when `reason` is null. */
    settle(check: CheckName, reason: Reason | null) {
      return reason === null ? this.pass(check) : this.fail(check, reason);
    },
    all: (): Check[] =>
      CHECKS.map(
        (check) => made.get(check) ?? { check, outcome: "not_checked" as const, reason: null },
      ),
  };
}
export type Checklist = ReturnType<typeof checklist>;
