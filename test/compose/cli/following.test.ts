/** Attached `up`, `up --watch` and `logs --follow` while containers are replaced and restarted. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { imageNotFound } from '../../../src/compose/runtime/errors.js';
import { commandLine, type CommandLine, type Running } from './command-line.js';
import { started, statuses } from './shop.js';

const WEB = 'services: { web: { image: web } }';
const CHANGED = 'services: { web: { image: web, environment: { COLOUR: red } } }';

async function change(folder: string, file: string, text: string): Promise<void> {
  await writeFile(path.join(folder, file), text);
}

/** Prints a line in the container that runs now, and waits until it is shown. */
async function shows({ control }: CommandLine, running: Running, line: string): Promise<void> {
  control.log('folder-web', 'stdout', line);
  await running.printed(line);
}

describe('attached up', () => {
  it('follows the container that replaces its only one, and says so', async () => {
    const console = await commandLine(WEB);
    const up = console.begin('up');
    await started(up, console.control, console.run);
    await change(console.folder, 'compose.yaml', CHANGED);
    expect((await console.run('up', '-d')).code).toBe(0);
    await shows(console, up, 'from the new container');
    up.interrupt();
    const { stdout } = await up.ran;
    expect(stdout).toBe('Attaching to web\nweb  | ready\nweb  | is replaced\nweb  | from the new container\n');
    expect(await statuses(console.run)).toEqual({ 'folder-web': 'stopped' });
  });

  it('with --abort-on-container-exit, is not aborted by a replacement', async () => {
    const console = await commandLine(WEB);
    const up = console.begin('up', '--abort-on-container-exit');
    await started(up, console.control, console.run);
    await console.run('up', '-d', '--force-recreate');
    await shows(console, up, 'still here');
    console.control.exit('folder-web', 4);
    expect((await up.ran).code).toBe(4);
  });

  it('follows containers that are added', async () => {
    const console = await commandLine(WEB);
    const up = console.begin('up');
    await started(up, console.control, console.run);
    await console.run('scale', 'web=2');
    console.control.log('folder-web-2', 'stdout', 'the second');
    await up.printed('the second');
    up.interrupt();
    await up.ran;
  });

  it('ends when its containers are stopped or taken down', async () => {
    const console = await commandLine(WEB);
    for (const command of ['stop', 'down']) {
      const up = console.begin('up');
      await started(up, console.control, console.run);
      await console.run(command);
      expect((await up.ran).code).toBe(0);
      await console.clock.sleep(1000);
    }
  });

  it.each([
    ['its own exit code', 'tests', 7, 7],
    ['the exit code after it was stopped', 'db', 7, 143],
  ])('--exit-code-from stops all when any container exits, and returns %s', async (_, service, exit, code) => {
    const console = await commandLine('services: { db: { image: db }, web: { image: w }, tests: { image: t } }', {
      programs: ({ container }) => (container.endsWith('tests') ? () => exit : undefined),
    });
    expect((await console.run('up', '--exit-code-from', service)).code).toBe(code);
    expect(await statuses(console.run)).toEqual({
      'folder-db': 'stopped',
      'folder-web': 'stopped',
      'folder-tests': 'exited',
    });
  });
});

describe('up --watch', () => {
  const watching = (action: string): string =>
    `services:
      web: { build: ., develop: { watch: [{ path: ./page, action: ${action}, target: /page }] } }`;

  it.each([
    ['rebuild', 'rebuilt'],
    ['sync+restart', 'restarted'],
  ])('of one service continues after %s', async (action, told) => {
    const console = await commandLine(watching(action));
    await change(console.folder, 'Dockerfile', 'FROM scratch\n');
    await change(console.folder, 'page', 'one');
    const up = console.begin('up', '--watch');
    await started(up, console.control, console.run);
    for (const text of ['two', 'three']) {
      // A change before the start of the watch would be missed.
      const applied = { isShown: false };
      void up.printed(`web: ${told}`).then(() => (applied.isShown = true));
      while (!applied.isShown) {
        await change(console.folder, 'page', text);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      while ((await statuses(console.run))['folder-web'] !== 'running') await Promise.resolve();
      await shows(console, up, `after ${text}`);
    }
    expect(await statuses(console.run)).toEqual({ 'folder-web': 'running' });
    up.interrupt();
    expect((await up.ran).code).toBe(0);
  });
});

describe('a change that cannot be applied', () => {
  const broken = imageNotFound('base');

  it.each([
    ['watch', 'Watching for web', 'rebuild', 'build', 'rebuilt'],
    ['up --watch', 'Attaching to', 'rebuild', 'build', 'rebuilt'],
    // What fails after the only container has stopped does not end an attached up.
    ['up --watch', 'Attaching to', 'rebuild', 'createContainer', 'rebuilt'],
    ['up --watch', 'Attaching to', 'sync+restart', 'start', 'restarted'],
  ] as const)('is reported by %s, which continues (%s %s %s)', async (command, beginning, action, operation, told) => {
    const file = `services:
      web: { build: ., develop: { watch: [{ path: ./page, action: ${action}, target: /page }] } }`;
    const { begin, faults, folder, run } = await commandLine(file);
    await change(folder, 'Dockerfile', 'FROM scratch\n');
    await change(folder, 'page', 'one');
    const watch = begin(...command.split(' '));
    await watch.shows(beginning);
    const changedUntil = async (text: string): Promise<void> => {
      const shown = { isShown: false };
      void watch.shows(text).then(() => (shown.isShown = true));
      while (!shown.isShown) {
        await change(folder, 'page', text);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    faults.fail(operation, broken);
    await changedUntil('warning: web: ');
    await changedUntil(`web: ${told}`);
    await expect.poll(() => statuses(run)).toEqual({ 'folder-web': 'running' });
    watch.interrupt();
    expect((await watch.ran).stderr).toMatch(/^warning: web: .*base/m);
  });
});

describe('logs --follow of a service', () => {
  it('continues with the container that replaces it, and ends with that one', async () => {
    const console = await commandLine(WEB);
    await console.run('up', '-d');
    const logs = console.begin('logs', '-f', 'web');
    await shows(console, logs, 'from the old container');
    await change(console.folder, 'compose.yaml', CHANGED);
    await console.run('up', '-d');
    await shows(console, logs, 'from the new container');
    console.control.exit('folder-web', 0);
    expect((await logs.ran).stdout).toBe('web  | from the old container\nweb  | from the new container\n');
  });

  it('shows each line once when the container restarts by its policy', async () => {
    let runs = 0;
    const console = await commandLine('services: { web: { image: web, restart: "on-failure:2" } }', {
      programs:
        ({ container }) =>
        async ({ write }) => {
          await console.clock.sleep(1000);
          write('stdout', `${container} run ${++runs}\n`);
          return 1;
        },
    });
    await console.run('up', '-d');
    const { stdout } = await console.run('logs', '-f', 'web', '--no-log-prefix');
    expect(stdout).toBe('folder-web run 1\nfolder-web run 2\nfolder-web run 3\n');
  });
});
