/** Planned failures: a queue per system; each matching request takes one. */

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
  /** Accepts the request, never answers, closes the socket after this many milliseconds. */
  | { hang: number }
  /** Destroys the socket without doing the work. */
  | { reset: true }
  /** Does the work, then destroys the socket: the response is lost. */
  | { dropReply: true }
  | { delayMs: number }
  /** Does the work at once and answers this much later, so that answers overtake each other. */
  | { delayReplyMs: number }
  /** Does the work at once and answers when this is fulfilled. For tests only: a promise cannot be sent as JSON. */
  | { replyAfter: Promise<unknown> }
  /** An error page in debug mode: this status, with the request's address, headers and body in it. */
  | { echoes: number }
  /** 200 with half a JSON body. The work is not done. */
  | { garbage: true }
);

export function createFaultBook() {
  let planned: { system: SystemName; fault: Fault; left: number }[] = [];
  return {
    failNext(system: SystemName, fault: Fault, times = 1): void {
      planned.push({ system, fault, left: times });
    },
    /** Ends the faults of one system, or of all. */
    clear(system?: SystemName): void {
      planned = system === undefined ? [] : planned.filter((plan) => plan.system !== system);
    },
    /** The failure that lasts until it is cleared, if the system has one. */
    standing: (system: SystemName): Fault | undefined =>
      planned.find((plan) => plan.system === system && !Number.isFinite(plan.left))?.fault,
    /** Whether a fault waits for a certain number of requests. */
    isWaiting: (): boolean => planned.some(({ left }) => Number.isFinite(left)),
    /**
     * Takes the planned fault for this request, if any. `target` is the path inside the system with its
     * query.
     */
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
  // search() ignores lastIndex, so a /g expression does not skip every second request.
  return typeof match === "string" ? target.includes(match) : target.search(match) >= 0;
}
