import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../../../support/platform.js';
import { eventually, holdExecutions, queueOf, type HeldExecutions, type Queue } from './queue.js';

let platform: TestPlatform;
let queue: Queue;
let held: HeldExecutions;
beforeEach(async () => {
  held = holdExecutions();
  platform = await startTestPlatform({ environment: { SYNC_JOBS: '1' }, executeSync: held.execute });
  queue = queueOf(platform, await platform.signUp());
});
afterEach(() => platform.stop());

it('The metrics count pending, running and ended sync runs, by outcome', async () => {
  expect(await active()).toEqual({ pending: '0', running: '0' });
  const [first = '', second = '', third = ''] = await Promise.all(
    [['acme/api'], ['zebra/*'], ['acme/web-shop']].map((repositories) => queue.configure({ repositories })),
  );
  const completes = await queue.start(first);
  await eventually(() => held.underWay()).toBe(1);
  const fails = await queue.start(second);
  const cancelled = await queue.start(third);
  expect(await active()).toEqual({ pending: '2', running: '1' });
  expect(await ended('+Inf')).toEqual({});

  await queue.cancel(third, cancelled);
  expect(await ended('+Inf')).toEqual({ cancelled: '1' });
  held.release();
  await queue.until(first, completes, 'complete');
  await queue.until(second, fails, 'failed');
  await eventually(() => ended('+Inf')).toEqual({ cancelled: '1', complete: '1', failed: '1' });
  expect(await active()).toEqual({ pending: '0', running: '0' });
});

it('The metrics report the duration of a run since a worker took it, also of cancelled runs', async () => {
  const config = await queue.configure({ repositories: ['acme/api'] });
  const run = await queue.start(config);
  await eventually(() => held.underWay()).toBe(1);
  platform.clock.advance(100);
  await queue.cancel(config, run);
  expect([await ended('60'), await ended('300')]).toEqual([{ cancelled: '0' }, { cancelled: '1' }]);

  const waits = await queue.configure({ repositories: ['acme/web-shop'] });
  await eventually(() => held.underWay()).toBe(0);
  const completes = await queue.start(waits);
  await eventually(() => held.underWay()).toBe(1);
  platform.clock.advance(400);
  held.release();
  await queue.until(waits, completes, 'complete');
  await eventually(() => ended('900')).toEqual({ cancelled: '1', complete: '1' });
  expect(await ended('300')).toEqual({ cancelled: '1', complete: '0' });
});

/** The runs that have not ended, by status. */
function active(): Promise<Record<string, string>> {
  return valuesOf(/^sync_runs\{status="(\w+)"\} (\d+)$/gm);
}

/** The runs that have ended within so many seconds, by status. */
function ended(seconds: string): Promise<Record<string, string>> {
  const bucket = `le="${seconds.replace('+', '\\+')}",provider="synthetic",status="(\\w+)"`;
  return valuesOf(new RegExp(`^sync_run_duration_seconds_bucket\\{${bucket}\\} (\\d+)$`, 'gm'));
}

async function valuesOf(line: RegExp): Promise<Record<string, string>> {
  const text = await (await fetch(`${platform.url}/metrics`)).text();
  return Object.fromEntries([...text.matchAll(line)].map(([, status = '', value = '']) => [status, value]));
}
