/**
 * Docker Compose sees our projects, and we see its. PLUMBLINE_TEST_DOCKER_COMPOSE names its standalone program, which
 * `.ci/docker-compose` builds.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { testEngine } from '../../support/engines.js';
import { theirProgram } from '../cli/docker-compose-program.js';
import { engineProject } from './engine-project.js';

const engine = await testEngine('bridge/docker');
const { program, missing } = await theirProgram();
const reason = 'reason' in engine ? engine.reason : missing;

describe.skipIf(reason !== undefined)(`Docker Compose${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  it('lists, stops and removes a project of Plumbline', async () => {
    const { run, name, folder, statuses } = await project();
    expect((await run('up', '-d')).code).toBe(0);
    expect(await theirs(folder, 'ls', '--format', 'json')).toContain(`"Name":"${name}","Status":"running(2)"`);
    expect((await theirs(folder, 'ps', '--services')).split('\n').sort()).toEqual(['', 'db', 'web']);
    await theirs(folder, 'stop', 'web');
    expect((await statuses())['db']).toBe('running');
    expect((await statuses())['web']).toBe('exited');
    await theirs(folder, 'down');
    expect(await statuses()).toEqual({});
  });

  it('has its projects listed, stopped and removed by Plumbline', async () => {
    const { run, name, folder, statuses } = await project();
    await theirs(folder, 'up', '-d');
    expect((await run('ps', '-q')).stdout.trim().split('\n')).toHaveLength(2);
    expect((await run('ls')).stdout).toContain(name);
    expect((await run('stop', 'web')).code).toBe(0);
    expect(await statuses()).toEqual({ db: 'running', web: 'stopped' });
    expect((await run('down')).code).toBe(0);
    expect(await statuses()).toEqual({});
  });
  it.each([['ps', '-a'], ['ls', '-a'], ['images'], ['volumes'], ['stats', '--no-stream']])(
    'prints the same fields of %s as Plumbline',
    async (...words) => {
      const { run, folder } = await engineProject(engineOf(), {
        services: { web: { volumes: ['data:/data'] } },
        volumes: { data: {} },
      });
      await run('up', '-d');
      const ours = rowsOf((await run(...words, '--format', 'json')).stdout);
      const expected = rowsOf(await theirs(folder, ...words, '--format', 'json'));
      expect(keysOf(ours)).toEqual(keysOf(expected));
      expect(kindsOf(ours)).toEqual(kindsOf(expected));
    },
  );

  it('prints the same fields of version and events as Plumbline', async () => {
    const { run, folder, name } = await engineProject(engineOf(), { services: { web: {} } });
    expect(JSON.parse((await run('version', '-f', 'json')).stdout)).toHaveProperty('version');
    await run('up', '-d');
    const words = ['events', '--json', '--since', '1h', '--until', String(Math.floor(Date.now() / 1000) + 1)];
    const ours = rowsOf((await run(...words)).stdout);
    const expected = rowsOf(await theirs(folder, '-p', name, ...words).catch(outputOf));
    expect(keysOf(ours)).toEqual(keysOf(expected));
    expect(ours.map(({ action }) => action)).toEqual(expect.arrayContaining(['create', 'start']));
  });

  it('prints the same results of a dry run as Plumbline', async () => {
    const { run, folder } = await project();
    const same = async (...words: string[]): Promise<void> => {
      const ours = resultsOf((await run('--dry-run', ...words)).stderr);
      expect(ours.length, words.join(' ')).toBeGreaterThan(0);
      expect(ours).toEqual(resultsOf(await theirProgress(folder, '--dry-run', ...words)));
    };
    await same('create');
    await same('up', '-d');
    await same('up', '-d', '--scale', 'web=2');
    await same('--compatibility', 'up', '-d', '--scale', 'web=2');
    await run('up', '-d');
    for (const words of [['stop'], ['kill'], ['pause'], ['rm', '-f', '-s'], ['down', '-v']]) {
      await same(...words);
    }
  });
  afterAll(() => ('reason' in engine ? undefined : engine.clean()));
});

/** It ends a limited stream of events with an error. */
function outputOf(error: unknown): string {
  return error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
}

/**
 * The lines about what has been done, without the number of a service's first container, which docker compose adds.
 * The states before (`Creating`, `Running`) differ. So do networks: it reports one as in use because its containers
 * still exist.
 */
function resultsOf(progress: string): string[] {
  const lines = [...progress.matchAll(/^ ?DRY-RUN MODE - +Container +(\S+) +(\w+ed)\s*$/gm)];
  return lines.map(([, name = '', status]) => `${name.replace(/-1$/, '')} ${status}`).sort();
}

type Printed = Readonly<Record<string, unknown>>;

/** A JSON array, or an object per line. */
function rowsOf(text: string): Printed[] {
  return text
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => {
      const parsed = JSON.parse(line) as Printed | Printed[];
      return Array.isArray(parsed) ? parsed : [parsed];
    });
}

function keysOf([row = {}]: readonly Printed[]): string[] {
  return Object.keys(row).sort();
}

function kindsOf([row = {}]: readonly Printed[]): Record<string, string> {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, typeof value]));
}

function engineOf(): Exclude<typeof engine, { reason: string }> {
  if ('reason' in engine) throw new Error(engine.reason);
  return engine;
}

async function project(): ReturnType<typeof engineProject> {
  if ('reason' in engine) throw new Error(engine.reason);
  return engineProject(engine, { services: { db: {}, web: { depends_on: ['db'] } } });
}

async function theirs(folder: string, ...args: string[]): Promise<string> {
  return (await theirOutput(folder, args)).stdout;
}

async function theirProgress(folder: string, ...args: string[]): Promise<string> {
  return (await theirOutput(folder, args)).stderr;
}

function theirOutput(folder: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  if ('reason' in engine || program === undefined) throw new Error(reason);
  return promisify(execFile)(program, args, { cwd: folder, env: { HOME: folder, ...engine.environment } });
}
