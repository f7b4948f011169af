import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLine } from './command-line.js';
import { SHOP, started, statuses } from './shop.js';

describe('up and down', () => {
  it('print one plain line per step without a terminal', async () => {
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
    expect(await run('up', '-d')).toEqual({ code: 0, stdout: '', stderr: 'Container folder-web Running\n' });
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

  it('on a terminal, a header with counts and one row per resource are redrawn', async () => {
    const { run } = await commandLine('services: { web: { image: web } }', {
      isTerminal: true,
      environment: { NO_COLOR: '1' },
    });
    const { stderr } = await run('up', '-d');
    const last = stderr.slice(stderr.lastIndexOf('\u001b[0J') + 4);
    expect(last).toMatchInlineSnapshot(`
      "[+] 3/3 done  0.0s
       ✔ Image web              Pulled    0.0s
       ✔ Network folder_default Created   0.0s
       ✔ Container folder-web   Started   0.0s
      "
    `);
  });

  it('on a terminal, stopping an attached up does not erase the output of containers', async () => {
    const { begin, run, control } = await commandLine('services: { web: { image: web } }', {
      isTerminal: true,
      environment: { NO_COLOR: '1' },
    });
    const running = begin('up');
    await started(running, control, run);
    running.interrupt();
    const { stderr } = await running.ran;
    const [, after = ''] = stderr.split('Started   0.0s\n');
    expect(after).toMatchInlineSnapshot(`
      "Stopping... (press Ctrl+C again to force)
      [+] 0/1 done  0.0s
       ⠿ Container folder-web Stopping   0.0s
      [2A[0J[+] 1/1 done  0.0s
       ✔ Container folder-web Stopped   0.0s
      "
    `);
  });

  it('the menu shows a failure of watch above itself, and that watch is off again', async () => {
    const { begin } = await commandLine(
      'services: { web: { image: web, develop: { watch: [{ path: ./none, action: restart }] } } }',
      { isTerminal: true, hasKeyboard: true, environment: { NO_COLOR: '1' } },
    );
    const up = begin('up', '--menu');
    await up.shows('w Enable Watch   d Detach');
    up.type('w');
    const failure = 'warning: services.web.develop.watch[0].path must be a file or directory that exists.';
    await up.shows(`\u001b[0J${failure}\nw Enable Watch   d Detach`);
    up.type('d');
    expect((await up.ran).code).toBe(0);
  });

  it('down --rmi local keeps the images that the file names', async () => {
    const { run, backend } = await commandLine(`
      services:
        web: { image: folder_web }
        api: { image: folder-api, profiles: [more] }
        built: { build: . }
    `);
    await run('--profile', 'more', 'up', '-d');
    expect(await run('down', '--rmi', 'local')).toMatchObject({ code: 0 });
    expect(await statuses(run)).toEqual({});
    const images = (await backend.images.list()).flatMap(({ tags }) => tags);
    expect(images.sort()).toEqual([expect.stringContaining('folder-api'), expect.stringContaining('folder_web')]);
  });

  it('scale up and down again', async () => {
    const { run } = await commandLine('services: { web: { image: web } }');
    await run('up', '-d', '--scale', 'web=3');
    expect((await run('ps', '--format', 'json')).stdout).toContain('folder-web-3');
    await run('up', '-d');
    expect(JSON.parse((await run('ps', '--format', 'json')).stdout)).toMatchObject({ Name: 'folder-web' });
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
    expect(stdout).toBe('Attaching to db, tests\ntests  | ran\ntests  | exited with code 7\n');
    expect(await statuses(run)).toEqual({ 'folder-db': 'stopped', 'folder-tests': 'exited' });
  });

  it('up --abort-on-container-failure does not stop the rest when a container succeeds', async () => {
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

  it('an attached up does not repeat older output', async () => {
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
    expect((await running.ran).stdout).toBe(
      'Attaching to job, web\njob  | once\njob  | exited with code 0\nweb  | ready\n',
    );
  });

  it('up --attach and --no-attach choose whose output is shown, and override the file', async () => {
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

  it('up of named services shows their output, but not that of their dependencies', async () => {
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
      'Attaching to b\nb  | folder-b says\nb  | exited with code 0\n',
    );
  });

  it('up --always-recreate-deps also replaces the dependants of what it replaces', async () => {
    const { run, folder } = await commandLine(
      'services: { db: { image: a }, web: { image: a, depends_on: [db] }, other: { image: a } }',
    );
    const ids = async (): Promise<Record<string, string>> => {
      const { stdout } = await run('ps', '--no-trunc', '--format', '{{.Service}} {{.ID}}');
      return Object.fromEntries(
        stdout
          .trim()
          .split('\n')
          .map((line) => line.split(' ') as [string, string]),
      );
    };
    const replaced = async (word: string, ...flags: string[]): Promise<string[]> => {
      const before = await ids();
      const changed = `services: { db: { image: a, command: ${word} }, web: { image: a, depends_on: [db] }, other: { image: a } }`;
      await writeFile(path.join(folder, 'compose.yaml'), changed);
      expect(await run('up', '-d', ...flags)).toMatchObject({ code: 0 });
      const after = await ids();
      return Object.keys(after).filter((service) => after[service] !== before[service]);
    };
    await run('up', '-d');
    expect(await replaced('one')).toEqual(['db']);
    expect((await replaced('two', '--always-recreate-deps')).sort()).toEqual(['db', 'web']);
  });

  it('Ctrl-C stops an attached up cleanly', async () => {
    const { begin, run, control } = await commandLine(SHOP);
    const running = begin('up');
    await started(running, control, run);
    running.interrupt();
    expect((await running.ran).code).toBe(0);
    expect(await statuses(run)).toEqual({ 'folder-db': 'stopped', 'folder-web': 'stopped' });
  });

  const waiting = `
services:
  db: { image: db, healthcheck: { test: [CMD, ready], interval: 1s, retries: 100000 } }
  web: { image: web, depends_on: { db: { condition: service_healthy } } }
`;

  it('an attached up shows output while it waits for dependencies; Ctrl-C stops the started containers and exits with 130', async () => {
    const { begin, run } = await commandLine(waiting, {
      programs: ({ kind, container }) =>
        kind === 'healthcheck'
          ? () => 1
          : async ({ write, ended }) => {
              write('stdout', `${container} starts\n`);
              await new Promise((resolve) => {
                ended.addEventListener('abort', resolve);
              });
              return 0;
            },
    });
    const running = begin('up', '--wait-timeout', '100000');
    await running.printed('db   | folder-db starts\n');
    running.interrupt();
    const { code, stderr } = await running.ran;
    expect(code).toBe(130);
    expect(stderr).toContain('Stopping... (press Ctrl+C again to force)\n');
    expect(await statuses(run)).toEqual({ 'folder-db': 'stopped', 'folder-web': 'created' });
  });

  it('an unhealthy dependency fails up at once, with the output of its last check', async () => {
    const { run } = await commandLine(waiting.replace('100000', '2'), {
      programs: ({ kind }) =>
        kind === 'healthcheck' ? ({ write }) => (write('stdout', 'no route to disk\n'), 1) : undefined,
    });
    const { code, stderr } = await run('up', '-d');
    expect(code).toBe(1);
    expect(stderr).toMatchInlineSnapshot(`
      "Image db Pulling
      Image web Pulling
      db: Pulling docker.io/library/db:latest
      web: Pulling docker.io/library/web:latest
      db: Pulled docker.io/library/db:latest
      web: Pulled docker.io/library/web:latest
      Image db Pulled
      Image web Pulled
      Network folder_default Creating
      Network folder_default Created
      Container folder-db Creating
      Container folder-db Created
      Container folder-web Creating
      Container folder-db Starting
      Container folder-web Created
      Container folder-db Started
      Container folder-db Waiting
      Container folder-db Failed
      Timed out after 2s waiting for container 'folder-db' to satisfy condition 'service_healthy'.
      folder-db is unhealthy. Its last health check printed:
        no route to disk
      "
    `);
  });

  it('--wait-timeout limits the wait for a dependency, also without --wait, and a timeout names it', async () => {
    let checks = 0;
    const { run } = await commandLine(waiting, {
      programs: ({ kind }) => (kind === 'healthcheck' ? () => (++checks > 75 ? 0 : 1) : undefined),
    });
    const { code, stderr } = await run('up', '-d', '--wait-timeout', '60');
    expect(code).toBe(1);
    expect(stderr).toContain(
      "Timed out after 60s waiting for container 'folder-db' to satisfy condition 'service_healthy'.\n" +
        "folder-db is starting.\nTo wait longer, use 'up --wait-timeout <seconds>'.\n",
    );
    checks = 0;
    expect((await run('up', '-d')).code).toBe(0);
  });

  it('up --wait fails with a service that has ended, even with exit code 0, unless others wait for its end', async () => {
    const { run } = await commandLine(
      `services:
        job: { image: j }
        ok: { image: o }
        web: { image: w, depends_on: { job: { condition: service_completed_successfully } } }`,
      { programs: ({ container }) => (/-(?:job|ok)$/.test(container) ? () => 0 : undefined) },
    );
    expect((await run('up', '--wait', 'web')).code).toBe(0);
    expect(await run('up', '--wait', 'ok')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('folder-ok exited with code 0.') as string,
    });
  });

  it('up -V replaces containers that have not changed, and cannot be combined with --no-recreate', async () => {
    const { run, backend } = await commandLine('services: { db: { image: d, volumes: [/data] } }');
    const id = async (): Promise<string> => (await backend.containers.inspect('folder-db')).id;
    await run('up', '-d');
    const before = await id();
    await run('up', '-d');
    expect(await id()).toBe(before);
    await run('up', '-d', '-V');
    expect(await id()).not.toBe(before);
    expect((await run('up', '-d', '-V', '--no-recreate')).code).toBe(2);
  });

  it('a dependency that fails is shown with its exit code and its last lines', async () => {
    const { run } = await commandLine(
      'services: { job: { image: j }, web: { image: w, depends_on: { job: { condition: service_completed_successfully } } } }',
      {
        programs: ({ container }) =>
          container.endsWith('job') ? ({ write }) => (write('stderr', 'no table\n'), 4) : undefined,
      },
    );
    const { code, stderr } = await run('up', '-d');
    expect(code).toBe(1);
    expect(stderr).toContain(
      'service_completed_successfully condition not satisfied.\nfolder-job exited with code 4. Its last lines:\n  no table\n',
    );
  });

  it('Ctrl-C while up waits exits with 130, and the next up completes the project', async () => {
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
