// One channel's places in a worker: what it has in hand of each store, how each store's system has been doing, and when the
// worker should claim more.
import { createSlots } from "../../runtime/slots.ts";
import { FAILURES_TO_OPEN } from "./circuit.ts";

/** A slow channel fills its own places and nobody else's; a store's slow system only its share of them. */
const PLACES_PER_CHANNEL = 128;
const PLACES_PER_PAIR = 16;
/** Rows in hand beyond those that are begun, so that a pair that works never waits for a claim. */
const WAITING_PER_PAIR = 16;
/** For a pair that has nothing in hand. */
export const FIRST_ROWS = 8;
/** A claim costs much the same for one row as for many: while a store has more, this many of its rows are done with first. */
const DONE_BEFORE_NEXT_CLAIM = 16;
const FAILURE_MEMORY_MS = 10 * 60_000;

/** How a pair of store and channel has been doing, as this process saw it. */
export type Pair = {
  shop: string;
  isProven: boolean;
  failedAt: number[];
  inHand: number;
  doneSinceClaim: number;
  inFlight: number;
  waiting: (() => void)[];
  rest(): void;
};

// A pair that has not shown that it works gets no more places than failures are left before its circuit opens: an
// outage then costs exactly the five attempts that the circuit counts.
export function placesOf(pair: Pair): number {
  pair.failedAt = pair.failedAt.filter((at) => at > performance.now() - FAILURE_MEMORY_MS);
  return pair.isProven ? PLACES_PER_PAIR : Math.max(1, FAILURES_TO_OPEN - pair.failedAt.length);
}

export type Lane = {
  pairOf(shop: string): Pair;
  pairs(): Iterable<Pair>;
  /** How many rows may be claimed, and how many of each store that has some in hand. */
  room(): { limit: number; places: Map<string, number> };
  /** Takes rows in hand that were claimed for this room. */
  take(rows: readonly { shop: string }[], room: ReturnType<Lane["room"]>): void;
  /** Somebody said that there is more. Whether to claim at once. */
  hear(): boolean;
  /** A row is done with. Whether to claim again. */
  finish(shop: string): boolean;
  /** While there is more: one past the last store served, so that the next claim starts with its neighbour. */
  startAt: string;
};

export function createLane(): Lane {
  const pairs = new Map<string, Pair>();
  let inHand = 0;
  let isMore = false;
  let hasHeard = false;
  /** Those that have rows in hand: few, of stores that may be many. */
  const busy = createSlots<Pair>();

  const pairOf = (shop: string): Pair => {
    const known = pairs.get(shop);
    if (known) return known;
    const pair: Pair = {
      shop,
      isProven: false,
      failedAt: [],
      inHand: 0,
      doneSinceClaim: 0,
      inFlight: 0,
      waiting: [],
      rest: () => {},
    };
    pairs.set(shop, pair);
    return pair;
  };
  /** What nobody is sure of waits for all alike. */
  const mostOf = (pair: Pair) => (pair.isProven ? PLACES_PER_PAIR + WAITING_PER_PAIR : FIRST_ROWS);

  const hasRoom = () => inHand + DONE_BEFORE_NEXT_CLAIM <= PLACES_PER_CHANNEL;

  return {
    startAt: "",
    pairOf,
    pairs: () => pairs.values(),
    room() {
      hasHeard = false;
      const places = new Map<string, number>();
      for (const pair of busy.all()) {
        pair.doneSinceClaim = 0;
        places.set(pair.shop, Math.max(0, mostOf(pair) - pair.inHand));
      }
      return { limit: PLACES_PER_CHANNEL - inHand, places };
    },
    take(rows, { limit, places }) {
      const taken = new Map<string, number>();
      for (const { shop } of rows) taken.set(shop, (taken.get(shop) ?? 0) + 1);
      for (const [shop, count] of taken) {
        const pair = pairOf(shop);
        if (pair.inHand === 0) Object.assign(pair, { doneSinceClaim: 0, rest: busy.put(pair) });
        pair.inHand += count;
      }
      inHand += rows.length;
      // A store that got all it may have, or could get nothing, probably has more.
      isMore =
        hasHeard ||
        rows.length >= limit ||
        [...taken].some(([shop, count]) => count >= (places.get(shop) ?? FIRST_ROWS)) ||
        [...places.values()].includes(0);
      // When nothing was left over nobody was passed over: a claim that began behind the last store would look twice.
      this.startAt = isMore && rows.length > 0 ? `${rows.at(-1)?.shop}\u0001` : "";
    },
    hear() {
      isMore = true;
      hasHeard = true;
      return hasRoom();
    },
    finish(shop) {
      const pair = pairOf(shop);
      inHand -= 1;
      pair.inHand -= 1;
      pair.doneSinceClaim += 1;
      if (pair.inHand === 0) pair.rest();
      return (
        isMore &&
        pair.doneSinceClaim >= Math.min(DONE_BEFORE_NEXT_CLAIM, pair.inHand) &&
        (hasRoom() || pair.inHand === 0)
      );
    },
  };
}
