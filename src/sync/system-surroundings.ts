/** The clock, random source and ids of this machine, for real syncs. */
import { randomUUID } from 'node:crypto';
import type { Surroundings } from './surroundings.js';

export const systemSurroundings: Pick<Surroundings, 'now' | 'sleep' | 'random' | 'newId'> = {
  now: Date.now,
  sleep,
  random: Math.random,
  newId: randomUUID,
};

/** Resolves after that many milliseconds; rejects with the signal's reason once it is aborted. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, reject) => {
    signal.throwIfAborted();
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      done();
    }, milliseconds);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
