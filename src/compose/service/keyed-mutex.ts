import pLimit, { type LimitFunction } from 'p-limit';
import { ServerBusy } from './server-busy.js';

/**
 * A mutex per key: actions with the same key run one after another, in the order of the calls.
 *
 * @throws ServerBusy when too many actions are in progress or waiting
 */
export type KeyedMutex = <T>(key: string, act: () => Promise<T>) => Promise<T>;

/**
 * @param mostPerKey actions with one key, in progress or waiting
 * @param most the same for all keys together
 */
export function createKeyedMutex(mostPerKey: number, most: number): KeyedMutex {
  const mutexes = new Map<string, LimitFunction>();
  const countOf = ({ activeCount, pendingCount }: LimitFunction): number => activeCount + pendingCount;
  return async (key, act) => {
    const mutex = mutexes.get(key) ?? pLimit(1);
    const all = [...mutexes.values()].reduce((sum, each) => sum + countOf(each), 0);
    if (countOf(mutex) >= mostPerKey || all >= most) {
      throw new ServerBusy('Too many calls are waiting for projects. Try again when some have ended.');
    }
    mutexes.set(key, mutex);
    try {
      return await mutex(act);
    } finally {
      if (countOf(mutex) === 0) mutexes.delete(key);
    }
  };
}
