import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/compose/runtime/clock.js';

it('a sleep that is longer than the timers of Node.js does not end at once', async () => {
  const leaving = new AbortController();
  const sleeping = systemClock.sleep(2 ** 40, leaving.signal);
  await delay(5);
  leaving.abort(new Error('left'));
  await expect(sleeping).rejects.toThrow('left');
});
