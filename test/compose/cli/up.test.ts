import { describe, expect, it } from 'vitest';
import { commandLine } from './command-line.js';
import { SHOP, started, statuses } from './shop.js';

describe('up and down', () => {
  it('say what they do, one plain line each without a terminal', async () => {
    const { run } = await commandLine('services: { web: { image: web } }');
    const up = await run('up', '-d');
    expect(up).toMatchObject({ code: 0, stdout: '' });
    expect(up.stderr).toMatchInlineSnapshot(`
      "Image web Pulling
      web: Pulling docker.io/library/web:latest
      web: Pulled docker.io/library/web:latest
      Image web Pulled
      Network folder_default Creating
      Network folder_default Created
      Container folder-web Creating
      Container folder-web Created
      Container folder-web Starting
      Container folder-web Started
      "
    `);
    expect(await run('up', '-d')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await run('down')).stderr).toMatchInlineSnapshot(`
      "Container folder-web Stopping
      Container folder-web Stopped
      Container folder-web Removing
      Container folder-web Removed
      Network folder_default Removing
      Network folder_default Removed
      "
    `);
  });

  it('on a terminal, one line per resource is redrawn', async () => {
    const { run } = await commandLine('services: { web: { image: web } }', {
      isTerminal: true,
      environment: { NO_COLOR: '1' },
    });
    const { stderr } = await run('up', '-d');
    const last = stderr.slice(stderr.lastIndexOf('\u001b[0J') + 4);
    expect(last).toBe(' ✔ Image web Pulled\n ✔ Network folder_default Created\n ✔ Container folder-web Started\n');
  });

  it('on a terminal, stopping an attached up leaves alone what was printed meanwhile', async () => {
    const { begin, run, control } = await commandLine('services: { web: { image: web } }', {
      isTerminal: true,
      environment: { NO_COLOR: '1' },
    });
    const running = begin('up');
    await started(running, control, run);
    running.interrupt();
    const { stderr } = await running.ran;
    expect(stderr).toContain(' ✔ Container folder-web Started\n ⠿ Container folder-web Stopping\n');
  });

  it('scale up and down again', async () => {
    const { run } = await commandLine('services: { web: { image: web } }');
    await run('up', '-d', '--scale', 'web=3');
    expect((await run('ps', '--format', 'json')).stdout).toContain('folder-web-3');
    await run('up', '-d');
    expect(JSON.parse((await run('ps', '--format', 'json')).stdout)).toMatchObject([{ name: 'folder-web', number: 1 }]);
    expect(await run('up', '-d', '--scale', 'web=-1')).toMatchObject({
      code: 1,
      stderr: '-1 is not a number of replicas: a whole number, zero or more.\n',
    });
  });

  it('up --exit-code-from stops the rest and gives the exit code of the service', async () => {
    const { run } = await commandLine('services: { db: { image: db }, tests: { image: t, depends_on: [db] } }', {
      programs: ({ container }) =>
        container.endsWith('tests') ? ({ write }) => (write('stdout', 'ran\n'), 7) : undefined,
    });
    const { code, stdout } = await run('up', '--exit-code-from', 'tests');
    expect(code).toBe(7);
    expect(stdout).toBe('folder-tests  | ran\nfolder-tests  | exited with code 7\n');
    expect(await statuses(run)).toEqual({ 'folder-db': 'stopped', 'folder-tests': 'exited' });
  });

  it('up --abort-on-container-failure lets those go on that succeed', async () => {
    const { run } = await commandLine(
      'services: { good: { image: g }, bad: { image: b, depends_on: { good: { condition: service_completed_successfully } } }, db: { image: db } }',
      {
        programs: ({ container }) =>
          container.endsWith('good') ? () => 0 : container.endsWith('bad') ? () => 5 : undefined,
      },
    );
    expect((await run('up', '--abort-on-container-failure')).code).toBe(5);
    expect((await statuses(run))['folder-db']).toBe('stopped');
  });

  it('an attached up shows nothing again of what was done before', async () => {
    const { run, begin, control, clock } = await commandLine(
      'services: { job: { image: j }, web: { image: web, depends_on: { job: { condition: service_completed_successfully } } } }',
      {
        programs: ({ container }) =>
          container.endsWith('job') ? ({ write }) => (write('stdout', 'once\n'), 0) : undefined,
      },
    );
    await run('up', '-d');
    control.log('folder-web', 'stdout', 'old');
    await run('stop', 'web');
    await clock.sleep(1000);
    const running = begin('up');
    await started(running, control, run);
    running.interrupt();
    expect((await running.ran).stdout).toBe('folder-web  | ready\n');
  });

  it('up --attach and --no-attach choose whose output is shown, before what the file says', async () => {
    const { run } = await commandLine(
      'services: { a: { image: a }, b: { image: b, attach: false }, c: { image: c, depends_on: [a, b] } }',
      {
        programs:
          ({ container }) =>
          ({ write }) => (write('stdout', `${container} says\n`), 0),
      },
    );
    const shown = async (...flags: string[]): Promise<string[]> => {
      const { stdout } = await run('up', '--force-recreate', '--no-log-prefix', ...flags);
      return stdout
        .split('\n')
        .filter((line) => line.endsWith(' says'))
        .sort();
    };
    expect(await shown()).toEqual(['folder-a says', 'folder-c says']);
    expect(await shown('--no-attach', 'a')).toEqual(['folder-c says']);
    expect(await shown('--attach', 'b', '--attach', 'c')).toEqual(['folder-b says', 'folder-c says']);
    expect(await run('up', '--attach', 'nobody')).toMatchObject({ code: 1 });
    expect(await run('up', '-d', '--no-attach', 'a')).toMatchObject({ code: 2 });
  });

  it('up of named services shows their output, and not that of what they depend on', async () => {
    const { run } = await commandLine('services: { a: { image: a }, b: { image: b, depends_on: [a] } }', {
      programs:
        ({ container }) =>
        ({ write }) => (write('stdout', `${container} says\n`), 0),
    });
    const shown = async (...args: string[]): Promise<string[]> => {
      const { stdout } = await run('up', '--force-recreate', '--no-log-prefix', ...args);
      return stdout.split('\n').filter((line) => line.endsWith(' says'));
    };
    expect(await shown('b')).toEqual(['folder-b says']);
    expect((await shown('b', 'a')).sort()).toEqual(['folder-a says', 'folder-b says']);
    expect(await shown('--attach', 'a', 'a', 'b')).toEqual(['folder-a says']);
    expect((await run('up', '--force-recreate', 'b')).stdout).toBe(
      'folder-b  | folder-b says\nfolder-b  | exited with code 0\n',
    );
  });

  it('Ctrl-C stops an attached up cleanly', async () => {
    const { begin, run, control } = await commandLine(SHOP);
    const running = begin('up');
    await started(running, control, run);
    running.interrupt();
    expect((await running.ran).code).toBe(0);
    expect(await statuses(run)).toEqual({ 'folder-db': 'stopped', 'folder-web': 'stopped' });
  });

  it('Ctrl-C while up still waits is 130, and the next up finishes it', async () => {
    let ready = false;
    const { begin, run, backend } = await commandLine(
      `
services:
  db: { image: db, healthcheck: { test: [CMD, ready], interval: 1s, retries: 100 } }
  web: { image: web, depends_on: { db: { condition: service_healthy } } }
`,
      { programs: ({ kind }) => (kind === 'healthcheck' ? () => (ready ? 0 : 1) : undefined) },
    );
    const events = await backend.system.events();
    const running = begin('up', '-d');
    for await (const event of events) if (event.type === 'started') break;
    running.interrupt();
    const { code, stderr } = await running.ran;
    expect(code).toBe(130);
    expect(stderr).toMatch(/Interrupted\.\n$/);
    // Made ahead, and not started.
    expect(await statuses(run)).toEqual({ 'folder-db': 'running', 'folder-web': 'created' });
    ready = true;
    expect((await run('up', '-d', '--wait')).code).toBe(0);
    expect(await statuses(run)).toEqual({ 'folder-db': 'running', 'folder-web': 'running' });
  });
});
