// Seeded random choices: the same seed and number make the same request.

export type Chance = {
  /** From 0 up to, not including, 1. */
  next(): number;
  below(limit: number): number;
  /** True once in `n` times. */
  once(n: number): boolean;
  pick<T>(list: readonly T[]): T;
};

/** Mulberry32: 32 bits of state are enough to distinguish requests. */
export function createChance(seed: number, index: number): Chance {
  let state = (seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    once: (n) => below(n) === 0,
    pick: (list) => list[below(list.length)] as never,
  };
}
