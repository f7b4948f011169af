import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import { chooseEngine } from '../../../src/compose/runtime/select.js';
import { folderWith } from '../model/project-folder.js';
import { consoleOn, type Ran, type Running } from './command-line.js';

const FILE =
  'services: { web: { image: web, ports: ["8080:80"] }, db: { image: db, volumes: ["data:/d"] } }\nvolumes: { data: {} }';

interface KeptMock {
  readonly folder: string;
  begin(...args: string[]): Promise<Running>;
  run(...args: string[]): Promise<Ran>;
}

/** Commands on the mock, each on a new backend, as in separate processes. */
async function mock(): Promise<KeptMock> {
  const folder = await folderWith({ 'compose.yaml': FILE });
  const begin = async (...args: string[]): Promise<Running> => {
    const engine = await chooseEngine({ backend: 'mock', environment: { PLUMBLINE_HOME: folder } });
    const backend = await (engine.openForCommand ?? engine.open)();
    return consoleOn(backend, { folder, clock: systemClock }).begin(...args);
  };
  return { folder, begin, run: async (...args) => (await begin(...args)).ran };
}

describe('the mock backend of the command line', () => {
  it('keeps the state between commands', async () => {
    const { run } = await mock();
    expect(await run('up', '-d')).toMatchObject({ code: 0 });
    expect((await run('ps', '--services')).stdout.split('\n').sort().join(' ').trim()).toBe('db web');
    const kept = 'Container folder-db Running\nContainer folder-web Running\n';
    expect(await run('up', '-d')).toEqual({ code: 0, stdout: '', stderr: kept });
    expect(await run('logs')).toMatchObject({ code: 0 });
    expect(await run('stop')).toMatchObject({ code: 0 });
    expect((await run('ps', '-a')).stdout).toMatch(/folder-web .*Exited/);
    expect(await run('down', '-v')).toMatchObject({ code: 0 });
    expect((await run('ps', '-aq')).stdout).toBe('');
  });

  it('shows the changes of another command to a waiting one', async () => {
    const { begin, run } = await mock();
    const up = await begin('up');
    while ((await run('ps', '-q')).stdout.trim().split('\n').length < 2) await setImmediate();
    expect(await run('stop')).toMatchObject({ code: 0 });
    expect(await up.ran).toMatchObject({ code: 0, stdout: expect.stringContaining('exited with code 143') });
  });

  it('loses no change when commands run at the same time', async () => {
    const { run } = await mock();
    const names = Array.from({ length: 6 }, (_, index) => `p${index}`);
    const ended = await Promise.all(names.map((name) => run('-p', name, 'create')));
    expect(ended.map(({ code, stderr }) => [code, code === 0 ? '' : stderr])).toEqual(names.map(() => [0, '']));
    const all = await Promise.all(
      names.map(async (name) => (await run('-p', name, 'ps', '-aq')).stdout.trim().split('\n')),
    );
    expect(all.map((ids) => ids.length)).toEqual(names.map(() => 2));
  });

  type State = Record<string, unknown[]>;
  it.each<[string, (text: string, state: State) => string]>([
    ['that is cut off', (text) => text.slice(0, 20)],
    ['that is empty', () => ''],
    ['that is another value', () => 'null'],
    ['with a container that is null', (_text, state) => JSON.stringify({ version: 1, ...state, containers: [null] })],
    ['with a list that is none', (text) => text.replace('"containers":[', '"containers":{"a":[').replace('],', ']},')],
    ['with a container without a specification', (text) => text.replaceAll('"spec":', '"other":')],
    ['with a volume that is a number', (text) => text.replace(/"volumes":\[\{/, '"volumes":[1,{')],
  ])('names a file %s, and leaves it as it is', async (_what, damage) => {
    const { folder, run } = await mock();
    await run('create');
    const file = path.join(folder, 'compose', 'mock.json');
    const text = await readFile(file, 'utf8');
    const damaged = damage(text, (JSON.parse(text) as { state: State }).state);
    expect(damaged).not.toBe(text);
    await writeFile(file, damaged);
    const { code, stderr } = await run('ps');
    expect(code).toBe(1);
    expect(stderr).toContain(`The state of the mock backend in '${file}' is damaged.`);
    expect(await readFile(file, 'utf8')).toBe(damaged);
  });
});
