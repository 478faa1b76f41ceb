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
  /** For calls that could not be written. */
  putBack(calls: readonly CountedCall[]): void;
  /** Everything that was added; the buffer is empty then. */
  take(): CountedCall[];
  /** How many calls found no place since the last time. */
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

/** `maxTokens`: entries of tokens that were not checked yet; calls with further tokens count as an unknown caller's. */
export function createCallBuffer(maxEntries: number, maxTokens = maxEntries / 4): CallBuffer {
  let entries = new Map<string, CountedCall>();
  let tokens = 0;
  let dropped = 0;

  function merge(key: string, calls: number, make: () => CountedCall): CountedCall | null {
    const known = entries.get(key);
    if (known) {
      known.calls += calls;
      return known;
    }
    if (entries.size >= maxEntries) {
      dropped += calls;
      return null;
    }
    const made = make();
    entries.set(key, made);
    if (isToken(made.caller)) tokens += 1;
    return null;
  }

  const keyOf = (
    shop: string,
    { operation, outcome, code, caller }: AgentCall | CountedCall,
    startedAt: Date,
    mandateId: string | null,
    currency: string | null,
  ) =>
    `${shop} ${startedAt.getTime()} ${operation} ${outcome} ${code} ${mandateId} ${currency} ${nameOf(caller)}`;

  return {
    add(shop, given, at) {
      // Made-up tokens must not take the place of known callers.
      const call =
        isToken(given.caller) && tokens >= maxTokens ? { ...given, caller: null } : given;
      const { money, ...rest } = call;
      const startedAt = startOf(call.caller, at);
      const [mandateId, currency] = [money?.mandateId ?? null, money?.currency ?? null];
      const known = merge(keyOf(shop, call, startedAt, mandateId, currency), 1, () => ({
        ...rest,
        shop,
        startedAt,
        lastAt: at,
        mandateId,
        currency,
        amounts: money ? [money.amount] : [],
        calls: 1,
      }));
      if (!known) return;
      if (at > known.lastAt) known.lastAt = at;
      if (money) known.amounts.push(money.amount);
    },
    putBack(calls) {
      for (const call of calls) {
        const { shop, startedAt, mandateId, currency } = call;
        const known = merge(
          keyOf(shop, call, startedAt, mandateId, currency),
          call.calls,
          () => call,
        );
        if (!known) continue;
        if (call.lastAt > known.lastAt) known.lastAt = call.lastAt;
        known.amounts.push(...call.amounts);
      }
    },
    take() {
      const taken = [...entries.values()];
      // A new map: one whose entries come and go keeps its old tables alive (decision 025).
      entries = new Map();
      tokens = 0;
      return taken;
    },
    takeDropped() {
      const count = dropped;
      dropped = 0;
      return count;
    },
    get size() {
      return entries.size;
    },
  };
}
