import { useEffect, useState } from 'preact/hooks';

/** A value that changes, and those who want to know. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  /** @returns ends the subscription */
  subscribe(listener: (value: T) => void): () => void;
}

/** Makes a store. Listeners are called in the order of their subscription, after each change. */
export function createStore<T>(initial: T): Store<T> {
  let held = initial;
  const listeners = new Set<(value: T) => void>();
  return {
    get: () => held,
    set: (value) => {
      if (Object.is(value, held)) return;
      held = value;
      for (const listener of [...listeners]) listener(value);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value of a store, in a component. */
export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(() => store.get());
  useEffect(() => {
    const update = (next: T): void => {
      setValue(() => next);
    };
    update(store.get()); // it may have changed between rendering and this effect
    return store.subscribe(update);
  }, [store]);
  return value;
}
