/** Listeners that hear of something while it happens. */
export type Observers<T> = {
  /** Returns the function that ends it. */
  add(listener: (happened: T) => void): () => void;
  tell(happened: T): void;
};

export function createObservers<T>(): Observers<T> {
  const listeners = new Set<(happened: T) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tell(happened) {
      for (const listener of listeners) listener(happened);
    },
  };
}
