// Adds up calls until they are written: equal ones of one minute, and of one hour for unknown
// callers, so that a flood of them is a number and not a table full of rows.
import type { AgentCall, CallCaller } from "./agent-call.ts";

export type CountedCall = Omit<AgentCall, "money"> & {
  shop: string;
  startedAt: Date;
  lastAt: Date;
  mandateId: string | null;
  currency: string | null;
  amounts: string[];
  calls: number;
};

export type CallBuffer = {
  add(shop: string, call: AgentCall, at: Date): void;
  /** Takes back calls that could not be written. */
  putBack(calls: readonly CountedCall[]): void;
  /** Empties the buffer and returns what was in it. */
  take(): CountedCall[];
  /** Returns how many calls found the buffer full since the last call of this method. */
  takeDropped(): number;
  readonly size: number;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The start of the minute or hour to which a call is counted. */
export function startOf(caller: CallCaller, at: Date): Date {
  const isUnknown =
    caller === null || ("userId" in caller && caller.clientId === null && caller.userId === null);
  const step = isUnknown ? HOUR_MS : MINUTE_MS;
  return new Date(Math.floor(at.getTime() / step) * step);
}

const isToken = (caller: CallCaller): boolean => caller !== null && "tokenHash" in caller;

const nameOf = (caller: CallCaller): string =>
  caller === null
    ? ""
    : "tokenHash" in caller
      ? caller.tokenHash
      : `${caller.userId} ${caller.clientId}`;

const keyOf = (call: CountedCall): string => {
  const { shop, startedAt, operation, outcome, code, mandateId, currency, caller } = call;
  return `${shop} ${startedAt.getTime()} ${operation} ${outcome} ${code} ${mandateId} ${currency} ${nameOf(caller)}`;
};

function toCounted(shop: string, { money, ...call }: AgentCall, at: Date): CountedCall {
  return {
    ...call,
    shop,
    startedAt: startOf(call.caller, at),
    lastAt: at,
    mandateId: money?.mandateId ?? null,
    currency: money?.currency ?? null,
    amounts: money ? [money.amount] : [],
    calls: 1,
  };
}

/** `maxTokens`: entries of tokens that were not checked yet; calls with further tokens count as an unknown caller's. */
export function createCallBuffer(maxEntries: number, maxTokens = maxEntries / 4): CallBuffer {
  let entries = new Map<string, CountedCall>();
  let tokens = 0;
  let dropped = 0;

  function count(call: CountedCall): void {
    const key = keyOf(call);
    const known = entries.get(key);
    if (known) {
      known.calls += call.calls;
      if (call.lastAt > known.lastAt) known.lastAt = call.lastAt;
      known.amounts.push(...call.amounts);
    } else if (entries.size < maxEntries) {
      entries.set(key, call);
      if (isToken(call.caller)) tokens += 1;
    } else dropped += call.calls;
  }

  return {
    add(shop, call, at) {
      // Made-up tokens must not take the place of known callers.
      const isOneTooMany = isToken(call.caller) && tokens >= maxTokens;
      count(toCounted(shop, isOneTooMany ? { ...call, caller: null } : call, at));
    },
    putBack: (calls) => calls.forEach(count),
    take() {
      const taken = [...entries.values()];
      // A new map: one whose entries come and go keeps its old tables alive (decision 025).
      entries = new Map();
      tokens = 0;
      return taken;
    },
    takeDropped() {
      const taken = dropped;
      dropped = 0;
      return taken;
    },
    get size() {
      return entries.size;
    },
  };
}
