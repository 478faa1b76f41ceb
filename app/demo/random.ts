// A small generator of pseudo-random numbers (mulberry32): the same seed gives the same demo store
// on every machine.
export type Dice = {
  /** 0 <= n < 1 */
  next(): number;
  /** `from` <= n <= `to`, a whole number. */
  int(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** By weight: an entry of weight 2 comes twice as often as one of weight 1. */
  weighted<T>(list: readonly (readonly [T, number])[]): T;
  /** Many small values and a few large ones, around `middle`. */
  longTail(middle: number): number;
  hex(length: number): string;
  uuid(): string;
};

export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  const hex = (length: number) =>
    Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join("");
  return {
    next,
    int,
    hex,
    chance: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)] as (typeof list)[number],
    weighted(list) {
      let left = next() * list.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [value, weight] of list) if ((left -= weight) < 0) return value;
      return (list.at(-1) as (typeof list)[number])[0];
    },
    longTail: (middle) => Math.round(middle * Math.exp((next() + next() + next() - 1.5) * 0.9)),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${"89ab"[int(0, 3)]}${hex(3)}-${hex(12)}`,
  };
}
