import { expect, test } from 'vitest';
import type { RateLimitState } from '../../../../src/contract/rate-limiting.js';
import { createLocalCounts } from '../../../../src/platform/server/rate-limits/local-counts.js';
import type { StoredRateLimiter } from '../../../../src/platform/server/rate-limits/stored-rate-limiter.js';
import { createStandingClock } from '../../../support/clock.js';

const limit = 5;

test.each([
  ['none', 8, 0],
  ['one', 1, 0],
  ['some', 2, 3],
  ['many', 2, 9],
  ['many, and the limit is used up by parallel ones', 5, 4],
])('As many requests pass as the limit allows; between slow first ones come %s', async (_, parallel, between) => {
  const store = slowStore();
  const counts = createLocalCounts(store, ['LIMIT'], createStandingClock());
  const consume = (): Promise<RateLimitState | null> => counts.consume('LIMIT', 'client');
  const first = Array.from({ length: parallel }, consume);
  const later: Promise<RateLimitState | null>[] = [];
  for (const each of first) {
    store.answerNext();
    await each;
    later.push(...Array.from({ length: between }, consume));
  }
  later.push(...Array.from({ length: limit }, consume));
  const states = await Promise.all([...first, ...later]);
  expect(states.filter((state) => state?.exceeded === false)).toHaveLength(limit);
});

test('A request of the same window says how many are left after those that were counted meanwhile', async () => {
  const store = slowStore();
  const counts = createLocalCounts(store, ['LIMIT'], createStandingClock());
  const [one, other] = [counts.consume('LIMIT', 'client'), counts.consume('LIMIT', 'client')];
  store.answerNext();
  expect(await one).toMatchObject({ remaining: 4 });
  expect(await counts.consume('LIMIT', 'client')).toMatchObject({ remaining: 3 });
  store.answerNext();
  expect(await other).toMatchObject({ remaining: 2, exceeded: false });
});

/** Counts immediately, as a database does. Each answer waits for `answerNext`. */
function slowStore(): StoredRateLimiter & { answerNext(): void } {
  let used = 0;
  const answers: (() => void)[] = [];
  return {
    consume: async (_setting, _key, points = 1) => {
      used += points;
      const state = { limit, windowSeconds: 60, resetSeconds: 60, remaining: Math.max(0, limit - used) };
      const exceeded = used > limit;
      await new Promise<void>((resolve) => answers.push(resolve));
      return { ...state, exceeded };
    },
    giveBack: () => Promise.resolve(),
    answerNext: () => answers.shift()?.(),
  };
}
