/**
 * The life of a project, with Docker Compose and with Plumbline: the same commands on the same engine end with the same
 * codes, and containers run as often. PLUMBLINE_TEST_DOCKER_COMPOSE names its standalone program.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { testEngine } from '../../support/engines.js';
import { theirProgram } from '../cli/docker-compose-program.js';
import { engineProject, shell, type ComposeParts, type EngineProject } from './engine-project.js';

const engine = await testEngine('bridge/docker');
const { program, missing } = await theirProgram();
const reason = 'reason' in engine ? engine.reason : missing;

/** Runs a command of one of the two programs. Returns its exit code. */
type Run = (...words: string[]) => Promise<number>;
type Life = (run: Run, project: EngineProject) => Promise<unknown>;

const JOB: ComposeParts = {
  services: {
    job: { command: shell('echo ran >> /d/log'), volumes: [{ type: 'bind', source: './long', target: '/d' }] },
    web: { depends_on: { job: { condition: 'service_completed_successfully' } } },
  },
};
const network = (more: Readonly<Record<string, unknown>>): ComposeParts => ({
  services: { web: {} },
  networks: { default: more },
});
const exits = (seconds: number, code: number): Readonly<Record<string, unknown>> => ({
  command: shell(`sleep ${seconds}; exit ${code}`),
});

const lives: readonly (readonly [string, ComposeParts, Life])[] = [
  [
    'a completed job, whose bind mount is created',
    JOB,
    async (run, { folder }) => {
      const codes = [await run('up', '-d'), await run('up', '-d'), await run('up', '-d', 'web')];
      return [codes, await readFile(path.join(folder, 'long', 'log'), 'utf8')];
    },
  ],
  [
    'up -V of unchanged containers',
    { services: { web: { volumes: ['/data'] } } },
    async (run, project) => {
      const volume = async (): Promise<string | undefined> => (await project.container('web')).mounts[0]?.source;
      await run('up', '-d');
      const first = await volume();
      await run('up', '-d', '--force-recreate');
      const second = await volume();
      await run('up', '-d', '-V');
      return [first === second, second === (await volume())];
    },
  ],
  [
    'a changed network',
    network({}),
    async (run, project) => {
      await run('up', '-d');
      await project.write(network({ internal: true }));
      const code = await run('up', '-d');
      const { internal } = await project.backend.internal.networks.inspect(`${project.name}_default`);
      return [code, internal, await project.statuses()];
    },
  ],
  ['up --wait with a service that succeeds', { services: { ok: exits(0, 0), web: {} } }, (run) => run('up', '--wait')],
  ['up --wait with a service that fails', { services: { bad: exits(0, 3), web: {} } }, (run) => run('up', '--wait')],
  [
    '--exit-code-from of a service that runs when another exits',
    { services: { short: exits(1, 0), long: { command: shell('trap "exit 9" TERM; while :; do sleep 0.1; done') } } },
    (run) => run('up', '--exit-code-from', 'long'),
  ],
  [
    'a dependency that takes longer than its interval, within its start period',
    {
      services: {
        db: { healthcheck: { test: ['CMD', 'false'], interval: '1s', timeout: '1s', retries: 2, start_period: '3s' } },
        web: { depends_on: { db: { condition: 'service_healthy' } } },
      },
    },
    (run) => run('up', '-d'),
  ],
];

describe.skipIf(reason !== undefined)(`Docker Compose${reason === undefined ? '' : ` (skipped: ${reason})`}`, () => {
  it.each(lives)('lives as Plumbline does: %s', { timeout: 120_000 }, async (_what, parts, life) => {
    if ('reason' in engine || program === undefined) throw new Error(reason);
    const mine = await engineProject(engine, parts);
    const ours = await life(async (...words) => (await mine.run(...words)).code, mine);
    const other = await engineProject(engine, parts);
    const environment = { HOME: other.folder, ...engine.environment };
    const theirs = await life((...words) => codeOf(program, words, other.folder, environment), other);
    expect(ours).toEqual(theirs);
  });

  it('leaves networks and volumes to Plumbline, which finds them unchanged', { timeout: 120_000 }, async () => {
    if ('reason' in engine || program === undefined) throw new Error(reason);
    const parts = {
      services: { db: { volumes: ['data:/data'] } },
      networks: { default: { driver_opts: { 'com.docker.network.bridge.enable_icc': 'true' } } },
      volumes: { data: { driver_opts: { type: 'tmpfs', device: 'tmpfs' } } },
    };
    const { run, folder, name, backend } = await engineProject(engine, parts);
    expect(await codeOf(program, ['up', '-d'], folder, { HOME: folder, ...engine.environment })).toBe(0);
    const before = await backend.internal.networks.inspect(`${name}_default`);
    const { code, stderr } = await run('up', '-d');
    expect([code, /differs/.test(stderr)]).toEqual([0, false]);
    expect(await backend.internal.networks.inspect(`${name}_default`)).toEqual(before);
  });

  afterAll(() => ('reason' in engine ? undefined : engine.clean()));
});

function codeOf(
  command: string,
  words: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  return new Promise((resolve) => {
    const child = execFile(command, words, { cwd: folder, env: environment }, () => undefined);
    child.once('close', (code) => {
      resolve(code ?? -1);
    });
  });
}
