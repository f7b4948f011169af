import { describe, expect, it } from 'vitest';
import { matchesPattern, matchesSearch, runBatch } from '../../src/sync/batch.js';
import { matchesSteps } from '../../src/sync/glob.js';
import { toAsyncIterable } from '../../src/contract/system/async-iterable.js';
import type { RepositorySource } from '../../src/sync/providers/provider.js';
import { testDependencies } from './harness.js';

function sources(count: number): AsyncGenerator<RepositorySource> {
  return toAsyncIterable(
    Array.from({ length: count }, (_, index) => ({
      name: String(index + 1),
      open: () => Promise.reject(new Error('unused')),
    })),
  );
}

const OPTIONS = { size: 3, concurrency: 2, delayMilliseconds: 500, maxRepos: undefined, continuous: false };

describe('a pattern', () => {
  it.each([
    ['acme/api-*', 'acme/api-orders', true],
    ['ACME/Api-*', 'acme/api-orders', true],
    ['acme/api-*', 'acme/web', false],
    ['api-*', 'acme/sub/api-orders', true],
    ['*', 'acme/web', true],
    ['acme/*', 'acme/sub/web', true],
    ['a?me/w[de]b', 'acme/web', true],
    ['acme/w[!e]b', 'acme/web', false],
    ['acme/a.c', 'acme/abc', false],
    ['acme/[x', 'acme/[x', true],
    ['acme/+(x)$', 'acme/+(x)$', true],
    ['acme/v[0-9]', 'acme/v7', true],
    ['acme/v[!0-9]', 'acme/v7', false],
    ['acme/v[a-c]', 'acme/v-', false],
    ['acme/v[9-0]', 'acme/v7', false],
    ['a*b*c', 'aXbYbZc', true],
    ['a*b*c', 'aXbYbZ', false],
    ['***', '', true],
    ['caf?', 'caf\u{1f600}', true],
  ])('%s matches %s: %s', (pattern, name, expected) => {
    expect(matchesPattern(pattern, name)).toBe(expected);
  });

  it('with many stars matches in steps bounded by both lengths', () => {
    const [stars, length] = [40, 200];
    let tests = 0;
    const a = (character: string): boolean => {
      tests += 1;
      return character === 'a';
    };
    const steps = Array.from({ length: stars }, () => ['*', a] as const).flat();
    expect(matchesSteps([...steps, (character) => character === 'b'], 'a'.repeat(length))).toBe(false);
    expect(tests).toBeLessThanOrEqual(2 * stars * length);
    // The same through the pattern: a regular expression would not return from here.
    expect(matchesPattern(`${'*a'.repeat(stars)}b`, 'a'.repeat(length))).toBe(false);
  });
});

describe('a batch', () => {
  it('syncs each repository once, and never more at a time than allowed', async () => {
    const done: string[] = [];
    let [now, most] = [0, 0];
    await runBatch(sources(8), OPTIONS, testDependencies(), async ({ name }) => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      done.push(name);
    });
    expect(done.sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    expect(most).toBe(2);
  });

  it('pauses between batches, unless work is continuous', async () => {
    const [resting, continuous] = [testDependencies(), testDependencies()];
    await runBatch(sources(7), OPTIONS, resting, async () => {});
    await runBatch(sources(7), { ...OPTIONS, continuous: true }, continuous, async () => {});
    expect([resting.slept, continuous.slept]).toEqual([[500, 500], []]);
  });

  it('stops after the requested number of repositories, without listing more', async () => {
    const done: string[] = [];
    let listed = 0;
    async function* counted(): AsyncGenerator<RepositorySource> {
      for await (const source of sources(100)) {
        listed += 1;
        yield source;
      }
    }
    await runBatch(counted(), { ...OPTIONS, maxRepos: 4 }, testDependencies(), ({ name }) => {
      done.push(name);
      return Promise.resolve();
    });
    expect([done.length, listed]).toEqual([4, 4]);
  });

  it('ends when it is aborted, after the repositories under way', async () => {
    const controller = new AbortController();
    const done: string[] = [];
    const run = runBatch(sources(100), OPTIONS, testDependencies({ signal: controller.signal }), async ({ name }) => {
      controller.abort();
      await new Promise((resolve) => setImmediate(resolve));
      done.push(name);
    });
    await expect(run).rejects.toThrow(/aborted/);
    expect(done.length).toBeLessThanOrEqual(2);
  });
});

describe('a search with exceptions', () => {
  it.each([
    ['acme/* !acme/old-*', 'acme/api', true],
    ['acme/* !acme/old-*', 'acme/old-api', false],
    ['acme/* !legacy  !docs', 'acme/docs', false],
    ['acme/* !legacy  !docs', 'acme/docs-site', true],
    ['acme/api', 'acme/api', true],
    ['acme/* !acme/*', 'acme/api', false],
  ])('%s: %s is %s', (search, name, expected) => {
    expect(matchesSearch(search, name)).toBe(expected);
  });
});
