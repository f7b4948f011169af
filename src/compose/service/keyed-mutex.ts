import pLimit, { type LimitFunction } from 'p-limit';

/** A mutex per key: actions with the same key run one after another, in the order of the calls. */
export type KeyedMutex = <T>(key: string, act: () => Promise<T>) => Promise<T>;

export function createKeyedMutex(): KeyedMutex {
  const mutexes = new Map<string, LimitFunction>();
  return async (key, act) => {
    const mutex = mutexes.get(key) ?? pLimit(1);
    mutexes.set(key, mutex);
    try {
      return await mutex(act);
    } finally {
      if (mutex.activeCount + mutex.pendingCount === 0) mutexes.delete(key);
    }
  };
}
