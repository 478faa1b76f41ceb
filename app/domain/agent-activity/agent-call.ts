// One call of an agent, as it is counted.
import type { AppError } from "../../runtime/errors.ts";
import type { AgentOperation } from "./operations.ts";

/** `refused`: not allowed, by the store, the shopper or a limit; `failed`: it could not be done. */
export const OUTCOMES = ["done", "refused", "failed"] as const;
export type CallOutcome = (typeof OUTCOMES)[number];

/** The amount that a call reserved, allowed or paid. */
export type CallMoney = { amount: string; currency: string; mandateId: string | null };

/**
 * `tokenHash`: of the agent's token, whose agent and customer are looked up later; it may be invalid.
 * Null: the caller is unknown.
 */
export type CallCaller =
  { clientId: string | null; userId: number | null } | { tokenHash: string } | null;

export type AgentCall = {
  operation: AgentOperation;
  caller: CallCaller;
  outcome: CallOutcome;
  code: string | null;
  money?: CallMoney | null;
};

const REFUSALS: ReadonlySet<number> = new Set([401, 403, 409, 429]);

/** Null is a bug on our side. */
export function outcomeOf(error: AppError | null): Pick<AgentCall, "outcome" | "code"> {
  if (!error) return { outcome: "failed", code: "internal_error" };
  const { code, status, details } = error;
  return {
    outcome: REFUSALS.has(status) ? "refused" : "failed",
    code: code === "mandate_refused" ? `mandate_${String(details.reason)}` : code,
  };
}

export const DONE = { outcome: "done", code: null } as const;
