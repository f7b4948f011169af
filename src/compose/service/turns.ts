/** Lets what concerns the same thing happen one after the other. */
export type Turns = <T>(key: string, act: () => Promise<T>) => Promise<T>;

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return async (key, act) => {
    const before = last.get(key) ?? Promise.resolve();
    const turn = before.then(act, act); // a failure is its own caller's, not that of the next one
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}
