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

/** A clock that stands still until it is moved ahead, so that a test knows the times that the server stores. */
export function createStandingClock(): MovableClock {
  let nowMs = Date.now();
  return {
    now: () => new Date(nowMs),
    advance: (seconds) => {
      nowMs += seconds * 1000;
    },
  };
}
