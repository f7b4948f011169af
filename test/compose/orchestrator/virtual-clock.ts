/** Time that passes only when nothing else is left to do: a wait of a minute costs none. */
import type { Clock } from '../../../src/compose/runtime/clock.js';

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

export function virtualClock(start = Date.parse('2026-01-01T00:00:00Z')): Clock {
  let time = start;
  let sleepers: Sleeper[] = [];
  let ticking = false;

  /** Several turns of the event loop without a new sleeper: all that could go on has gone on. */
  const tick = (turns: number): void => {
    if (sleepers.length === 0) {
      ticking = false;
      return;
    }
    if (turns > 0) {
      setImmediate(tick, turns - 1);
      return;
    }
    const next = sleepers.reduce((one, other) => (other.until < one.until ? other : one));
    sleepers = sleepers.filter((sleeper) => sleeper !== next);
    time = Math.max(time, next.until);
    next.wake();
    setImmediate(tick, QUIET_TURNS);
  };

  return {
    now: () => new Date(time),
    sleep(milliseconds, signal) {
      signal?.throwIfAborted();
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          sleepers = sleepers.filter((each) => each !== sleeper);
          reject(signal?.reason as Error);
        };
        const sleeper: Sleeper = {
          until: time + milliseconds,
          wake: () => {
            signal?.removeEventListener('abort', abort);
            resolve();
          },
        };
        signal?.addEventListener('abort', abort, { once: true });
        sleepers.push(sleeper);
        if (!ticking) {
          ticking = true;
          setImmediate(tick, QUIET_TURNS);
        }
      });
    },
  };
}

const QUIET_TURNS = 20;
