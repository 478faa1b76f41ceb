// Values in flight, where thousands come and go per second. In a Set they would survive the young
// collection: each time it is rehashed, its old table still points to the new one, and a collection
// takes 20 ms instead of 1.

export type SlotPool<T> = {
  /** Returns the function that removes the value; call it once. */
  put(value: T): () => void;
  all(): T[];
};

export function createSlotPool<T>(): SlotPool<T> {
  const slots: (T | undefined)[] = [];
  const free: number[] = [];
  return {
    put(value) {
      const at = free.pop() ?? slots.length;
      slots[at] = value;
      return () => {
        slots[at] = undefined;
        free.push(at);
      };
    },
    all: () => slots.filter((value) => value !== undefined),
  };
}
