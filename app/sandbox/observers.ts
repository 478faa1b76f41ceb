/** Listeners of what happens in the sandbox. */
export type Observers<T> = {
  /** Returns the unsubscribe function. */
  add(listener: (happened: T) => void): () => void;
  notify(happened: T): void;
};

export function createObservers<T>(): Observers<T> {
  const listeners = new Set<(happened: T) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    notify(happened) {
      for (const listener of listeners) listener(happened);
    },
  };
}
