/** Failures on demand: a queue per system, taken by the first matching requests. */

export const SYSTEM_NAMES = [
  "storefront",
  "customerAccounts",
  "federated",
  "cms",
  "analytics",
  "profilePlatform",
  "email",
  "erp",
  "retailAnalyticsA",
  "retailAnalyticsB",
  "backend",
] as const;
export type SystemName = (typeof SYSTEM_NAMES)[number];

export type Fault = { match?: string | RegExp } & (
  | { status: number; headers?: Record<string, string>; body?: unknown }
  /** Accept the request, never answer, close the socket after so many milliseconds. */
  | { hang: number }
  /** Destroy the socket without doing the work. */
  | { reset: true }
  /** Do the work, then destroy the socket: the reply is lost. */
  | { dropReply: true }
  | { delayMs: number }
  /** 200 with half a JSON body. The work is not done. */
  | { garbage: true }
);

export function createFaultBook() {
  let planned: { system: SystemName; fault: Fault; left: number }[] = [];
  return {
    failNext(system: SystemName, fault: Fault, times = 1): void {
      planned.push({ system, fault, left: times });
    },
    clear(): void {
      planned = [];
    },
    /** The fault for this request, if any; uses it up. `target` is the path inside the system with its query. */
    take(system: SystemName, target: string): Fault | undefined {
      const found = planned.find(
        (plan) => plan.system === system && plan.left > 0 && matches(plan.fault.match, target),
      );
      if (!found) return undefined;
      found.left -= 1;
      planned = planned.filter((plan) => plan.left > 0);
      return found.fault;
    },
  };
}

function matches(match: string | RegExp | undefined, target: string): boolean {
  if (match === undefined) return true;
  // search() ignores lastIndex, so a /g expression cannot skip every second request.
  return typeof match === "string" ? target.includes(match) : target.search(match) >= 0;
}
