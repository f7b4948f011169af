import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { restartProject, startProject, stopProject } from '../../../src/compose/orchestrator/lifecycle.js';
import { projectLogs } from '../../../src/compose/orchestrator/logs.js';
import { observeProject } from '../../../src/compose/orchestrator/actual-state.js';
import { inDependencyOrder } from '../../../src/compose/orchestrator/ordered.js';
import { applyChanges } from '../../../src/compose/orchestrator/watch.js';
import { RuntimeError } from '../../../src/compose/runtime/errors.js';
import { transientStopMarks } from '../../../src/compose/runtime/state.js';
import { bench, loaded, PROJECT } from './bench.js';

const CHAIN =
  'services: { a: { image: a }, b: { image: b, depends_on: { a: { condition: service_started, restart: true } } }, c: { image: c } }';

describe('the lifecycle of a project', () => {
  it('stops dependents first and starts them last, by labels alone', async () => {
    const { up, orchestration, actions } = bench();
    await up(CHAIN);
    actions();
    await stopProject(orchestration, { name: PROJECT, services: ['a', 'b'] });
    await startProject(orchestration, { name: PROJECT, services: [] });
    expect(actions()).toEqual(['Stopped shop-b', 'Stopped shop-a', 'Started shop-a', 'Started shop-b']);
  });

  it('start waits for a dependency that its restart policy brings back until it succeeds', async () => {
    let tries = 0;
    const { up, orchestration, statuses } = bench(({ container }) =>
      container === 'shop-job' ? () => (++tries % 3 === 0 ? 0 : 1) : undefined,
    );
    await up(
      `services:
        job: { image: j, restart: on-failure }
        web: { image: w, depends_on: { job: { condition: service_completed_successfully } } }`,
      { start: false },
    );
    await startProject(orchestration, { name: PROJECT, services: [] });
    expect(await statuses()).toEqual({ 'shop-job': 'exited', 'shop-web': 'running' });
    expect(tries).toBe(3);
  });

  it('does not wait forever for a stop that was killed before it reached the engine', async () => {
    const marks = transientStopMarks();
    const { up, orchestration, containers, statuses } = bench(undefined, undefined, marks);
    await up('services: { web: { image: web } }');
    const killed = async (): Promise<void> => {
      const [web] = await containers();
      const until = orchestration.clock.now().getTime() + 40_000;
      await marks.write('mock', web?.id ?? '', { run: Date.parse(web?.startedAt ?? ''), until });
      expect(await statuses()).toEqual({ 'shop-web': 'stopping' });
    };
    await killed();
    await up('services: { web: { image: web } }');
    expect(await statuses()).toEqual({ 'shop-web': 'running' });
    await killed();
    await stopProject(orchestration, { name: PROJECT, services: [] });
    expect(await statuses()).toEqual({ 'shop-web': 'stopped' });
  });

  it('a restart also restarts the dependents that ask for it', async () => {
    const { up, orchestration, actions } = bench();
    await up(CHAIN);
    actions();
    await restartProject(orchestration, { name: PROJECT, services: ['a'] });
    expect(actions()).toEqual(['Stopped shop-b', 'Stopped shop-a', 'Started shop-a', 'Started shop-b']);
    await restartProject(orchestration, { name: PROJECT, services: ['a'], dependants: false });
    expect(actions()).toEqual(['Stopped shop-a', 'Started shop-a']);
  });

  it('hooks run after the start and before the stop, and a failing one is reported', async () => {
    const ran: string[] = [];
    const { up, orchestration } = bench(({ kind, command }) =>
      kind === 'exec'
        ? () => {
            ran.push(command.join(' '));
            return command[0] === 'bad' ? 1 : 0;
          }
        : undefined,
    );
    const file = 'services: { a: { image: a, post_start: [{ command: [hello] }], pre_stop: [{ command: [bye] }] } }';
    await up(file);
    expect(ran).toEqual(['hello']);
    const { project } = await loaded(file);
    await stopProject(orchestration, { name: PROJECT, services: [], project });
    expect(ran).toEqual(['hello', 'bye']);
    await expect(up(file.replace('[hello]', '[bad]'))).rejects.toThrow(
      "A hook of container 'shop-a' exited with status 1.",
    );
  });

  it('a pre_start hook runs to its end in a separate container, which is then removed', async () => {
    const seen: string[] = [];
    const { up, statuses } = bench(({ container }) => {
      seen.push(container);
      return container.includes('pre_start') ? () => 0 : undefined;
    });
    await up('services: { a: { image: a, pre_start: [{ command: [migrate] }] } }');
    expect(seen).toEqual(['shop-a-pre_start-1', 'shop-a']);
    expect(await statuses()).toEqual({ 'shop-a': 'running' });
  });
});

describe('following logs', () => {
  it('includes a container that is created later, and ends when all have ended', async () => {
    const { up, orchestration, control } = bench();
    await up('services: { a: { image: a } }');
    const members = await observeProject(orchestration, PROJECT);
    const lines = projectLogs(orchestration, members, { follow: true }, { project: PROJECT, services: [] });
    control.log('shop-a', 'stdout', 'first');
    expect((await lines.next()).value).toMatchObject({ container: 'shop-a', line: 'first' });
    await up('services: { a: { image: a, scale: 2 } }');
    control.log('shop-a-2', 'stdout', 'second');
    expect((await lines.next()).value).toMatchObject({ container: 'shop-a-2', line: 'second' });
    const end = lines.next();
    control.exit('shop-a', 0);
    control.exit('shop-a-2', 0);
    expect((await end).done).toBe(true);
  });
});

describe('watch', () => {
  it('copies changed files, removes deleted ones, and restarts if the rule says so', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'compose-watch-'));
    onTestFinished(() => rm(root, { recursive: true }));
    await writeFile(path.join(root, 'page.html'), 'new page');
    const removed: string[] = [];
    const { up, orchestration, control, actions } = bench(({ kind, command }) =>
      kind === 'exec' ? () => (removed.push(command.join(' ')), 0) : undefined,
    );
    const file = 'services: { a: { image: a } }';
    await up(file);
    actions();
    const rule = { path: root, action: 'sync+restart', target: '/srv' } as const;
    const changes = ['page.html', 'gone.html'].map((name) => ({ service: 'a', rule, file: path.join(root, name) }));
    const told: string[] = [];
    const failed = (_service: string, error: unknown): never => {
      throw error;
    };
    await applyChanges(orchestration, await loaded(file), changes, { applied: (text) => told.push(text), failed });
    expect(Buffer.concat(control.archives('shop-a').map((each) => Buffer.from(each))).toString()).toContain('new page');
    expect(removed).toEqual(['rm -rf -- /srv/gone.html']);
    expect(actions()).toEqual(['Stopped shop-a', 'Started shop-a']);
    expect(told).toEqual(['a: 2 files copied', 'a: restarted']);
  });

  it('applies the changes of one service although those of another fail, which are left', async () => {
    const { up, orchestration, faults } = bench();
    const file = 'services: { a: { image: a }, b: { image: b } }';
    await up(file);
    const rule = { path: '/pages', action: 'restart' } as const;
    const changes = ['a', 'b'].map((service) => ({ service, rule, file: '/pages/page' }));
    faults.fail('stop', new RuntimeError({ case: 'backendFailure', message: 'planned' }));
    const told: string[] = [];
    const observer = {
      applied: (text: string): void => void told.push(text),
      failed: (service: string, error: unknown): void => void told.push(`${service}: ${String(error)}`),
    };
    const left = await applyChanges(orchestration, await loaded(file), changes, observer);
    expect(left).toEqual(changes.slice(0, 1));
    expect(told).toEqual(['a: RuntimeError: planned', 'b: restarted']);
  });
});

describe('steps in the order of a graph', () => {
  it('begin no more after a failure, which is thrown', async () => {
    const visited: string[] = [];
    const visit = (name: string): Promise<void> => {
      visited.push(name);
      return name === 'b' ? Promise.reject(new Error('b failed')) : Promise.resolve();
    };
    const dependenciesOf = (name: string): string[] => (name === 'c' ? ['b'] : []);
    const signal = new AbortController().signal;
    await expect(inDependencyOrder(['a', 'b', 'c'], dependenciesOf, visit, { signal })).rejects.toThrow('b failed');
    expect(visited).toEqual(['a', 'b']);
  });

  it('run at most as many at once as the limit', async () => {
    let underWay = 0;
    let most = 0;
    const visit = async (): Promise<void> => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
    };
    const names = ['a', 'b', 'c', 'd', 'e'];
    await inDependencyOrder(names, () => [], visit, { signal: new AbortController().signal, limit: 2 });
    expect(most).toBe(2);
  });
});
