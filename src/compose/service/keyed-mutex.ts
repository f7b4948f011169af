/** A mutex per key: actions with the same key run one after another, in the order of the calls. */
export type KeyedMutex = <T>(key: string, act: () => Promise<T>) => Promise<T>;

export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();
  return async (key, act) => {
    const before = last.get(key) ?? Promise.resolve();
    const turn = before.then(act, act); // a failure concerns only its own caller
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}
