/**
 * Docker Compose sees our projects, and we see its. PLUMBLINE_TEST_DOCKER_COMPOSE names its standalone program, which
 * `.ci/docker-compose` builds.
 */
import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { testEngine } from '../../support/engines.js';
import { engineProject } from './engine-project.js';

const engine = await testEngine('bridge/docker');
const program = process.env['PLUMBLINE_TEST_DOCKER_COMPOSE'];
const reason =
  'reason' in engine
    ? engine.reason
    : program === undefined || (await isMissing(program))
      ? 'PLUMBLINE_TEST_DOCKER_COMPOSE names no program'
      : undefined;

describe.skipIf(reason !== undefined)(`Docker Compose${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  it('lists, stops and takes down a project of ours', async () => {
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

  it('has its projects listed, stopped and taken down by us', async () => {
    const { run, name, folder, statuses } = await project();
    await theirs(folder, 'up', '-d');
    expect(JSON.parse((await run('ps', '--format', 'json')).stdout)).toHaveLength(2);
    expect((await run('ls')).stdout).toContain(name);
    expect((await run('stop', 'web')).code).toBe(0);
    expect(await statuses()).toEqual({ db: 'running', web: 'stopped' });
    expect((await run('down')).code).toBe(0);
    expect(await statuses()).toEqual({});
  });
  afterAll(() => ('reason' in engine ? undefined : engine.clean()));
});

async function project(): ReturnType<typeof engineProject> {
  if ('reason' in engine) throw new Error(engine.reason);
  return engineProject(engine, { services: { db: {}, web: { depends_on: ['db'] } } });
}

async function theirs(folder: string, ...args: string[]): Promise<string> {
  if ('reason' in engine || program === undefined) throw new Error(reason);
  const { stdout } = await promisify(execFile)(program, args, {
    cwd: folder,
    env: { HOME: folder, ...engine.environment },
  });
  return stdout;
}

function isMissing(file: string): Promise<boolean> {
  return access(file).then(
    () => false,
    () => true,
  );
}
