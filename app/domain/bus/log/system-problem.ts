// Why another system did not do what a screen asked of it, as a code that the screen translates
// (locales/<language>/errors.json).
import { isAppError, OutboundError } from "../../../runtime/errors.ts";
import { statusIn } from "../../../runtime/outbound/answers.ts";
import { toFailure, type Failure } from "./failure-kind.ts";

const NAMED_KINDS = ["access_refused", "rejected", "too_many", "unwell"] as const;

export type SystemProblem = {
  code:
    | `${"store" | "system"}_${(typeof NAMED_KINDS)[number]}`
    | "store_closed"
    | "store_not_allowed"
    | "storefront_unavailable"
    | "system_unavailable"
    | "not_installed"
    | "other";
  http_status: number | null;
};

/** `error`: its message, which may have the status that `http_status` does not name. */
export function toSystemProblem(
  system: string,
  error: string,
  httpStatus: number | null = null,
): SystemProblem {
  const { kind, http_status } = failureOf(error, httpStatus);
  const status = http_status ?? httpStatus;
  const own = system === "storefront" ? storeProblem(error, status) : null;
  return { code: own ?? codeOf(system, kind), http_status: status };
}

/** Of what a call to the store's API threw. */
export function storeProblemOf(error: unknown): SystemProblem {
  if (error instanceof OutboundError)
    return toSystemProblem(error.system, error.message, error.status);
  return { code: isAppError(error) ? "not_installed" : "other", http_status: null };
}

/** Of a call to the store's API that did not end in time. */
export const STORE_LATE: SystemProblem = { code: "storefront_unavailable", http_status: null };

/** The platform's refusals that the merchant ends by something else than a correction of the request. */
function storeProblem(error: string, status: number | null): SystemProblem["code"] | null {
  if (status === 402 || status === 423) return "store_closed";
  return error.includes("Access denied") ? "store_not_allowed" : null;
}

/** The failure that a message names. */
export function failureOf(error: string | null, httpStatus: number | null = null): Failure {
  return toFailure({ error, http_status: httpStatus ?? statusIn(error ?? "") });
}

function codeOf(system: string, kind: Failure["kind"]): SystemProblem["code"] {
  const isStore = system === "storefront";
  const named = NAMED_KINDS.find((one) => one === kind);
  if (named) return `${isStore ? "store" : "system"}_${named}`;
  if (kind === "unreadable") return isStore ? "store_unwell" : "system_unwell";
  if (kind === "slow" || kind === "unreachable")
    return isStore ? "storefront_unavailable" : "system_unavailable";
  return kind === "not_connected" ? "not_installed" : "other";
}
