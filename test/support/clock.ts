import type { Clock } from '../../src/platform/clock.js';

/** A clock that runs with the system's, and can be moved ahead. */
export interface MovableClock extends Clock {
  advance(seconds: number): void;
}

export function createMovableClock(): MovableClock {
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs),
    advance: (seconds) => {
      aheadMs += seconds * 1000;
    },
  };
}
