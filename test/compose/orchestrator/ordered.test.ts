import { describe, expect, it } from 'vitest';
import { inDependencyOrder, inStages } from '../../../src/compose/orchestrator/ordered.js';

describe('two stages of a graph', () => {
  /** The starts and ends of actions; those in `held` end only when no other action is running. */
  async function happening(dependencies: Readonly<Record<string, readonly string[]>>, held: string): Promise<string[]> {
    const log: string[] = [];
    const act = (stage: string) => async (name: string) => {
      log.push(`${stage} ${name}`);
      // Ten turns are more than all others take.
      for (let turn = 0; turn < (`${stage} ${name}` === held ? 10 : 1); turn++) await new Promise(setImmediate);
      log.push(`${stage} ${name} done`);
    };
    const names = Object.keys(dependencies);
    const { signal } = new AbortController();
    await inStages(names, (name) => dependencies[name] ?? [], [act('make'), act('start')], { signal });
    return log;
  }

  it('overlap: a service is created while its dependency starts', async () => {
    const log = await happening({ db: [], web: ['db'] }, 'start db');
    expect(log.indexOf('make web')).toBeLessThan(log.indexOf('start db done'));
    expect(log.indexOf('start web')).toBeGreaterThan(log.indexOf('start db done'));
  });

  it('keep the order of the graph and of the stages', async () => {
    const log = await happening({ db: [], web: ['db'] }, 'make db');
    expect(log.indexOf('make web')).toBeGreaterThan(log.indexOf('make db done'));
    for (const name of ['db', 'web']) {
      expect(log.indexOf(`start ${name}`)).toBeGreaterThan(log.indexOf(`make ${name} done`));
    }
  });
});

it('a graph with a cycle is a failure, not a success that did nothing', async () => {
  const { signal } = new AbortController();
  const visit = (): Promise<void> => Promise.resolve();
  await expect(
    inDependencyOrder(['a', 'b', 'c'], (name) => ({ a: ['b'], b: ['a'] })[name] ?? [], visit, { signal }),
  ).rejects.toThrow('Dependency cycle between a, b.');
});
