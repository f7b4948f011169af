import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLine, type CommandLine } from './command-line.js';

const SHOP = `
services:
  db: { image: db }
  web: { image: web, depends_on: [db], ports: ["8080:80"] }
`;

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
    expect(await statuses(run)).toEqual({ 'folder-db': 'running' });
    ready = true;
    expect((await run('up', '-d', '--wait')).code).toBe(0);
    expect(await statuses(run)).toEqual({ 'folder-db': 'running', 'folder-web': 'running' });
  });
});

describe('start, stop, restart, kill, rm', () => {
  it('bring containers from status to status', async () => {
    const { run } = await commandLine(SHOP);
    await run('create');
    expect(await statuses(run)).toEqual({ 'folder-db': 'created', 'folder-web': 'created' });
    await run('start');
    expect(await statuses(run)).toEqual({ 'folder-db': 'running', 'folder-web': 'running' });
    await run('stop', 'web');
    expect(await statuses(run)).toEqual({ 'folder-db': 'running', 'folder-web': 'stopped' });
    await run('kill', '-s', 'TERM', 'db');
    await run('restart', 'web');
    expect(await statuses(run)).toEqual({ 'folder-db': 'exited', 'folder-web': 'running' });
    await run('rm', '-f');
    expect(await statuses(run)).toEqual({ 'folder-web': 'running' });
  });

  it('rm asks, so that without a terminal it needs --force', async () => {
    const { run } = await commandLine(SHOP);
    await run('create');
    expect((await run('rm')).code).toBe(2);
    expect(await statuses(run)).toHaveProperty('folder-db');
  });

  it('a service that is not there is named', async () => {
    const { run } = await commandLine(SHOP);
    await run('up', '-d');
    expect(await run('stop', 'WEB')).toMatchObject({ code: 1, stderr: "No service 'WEB' in project 'folder'.\n" });
  });

  it('a project is known by its name alone, without a compose file', async () => {
    const { run, folder } = await commandLine(SHOP);
    await run('up', '-d');
    await rm(path.join(folder, 'compose.yaml'));
    expect((await run('-p', 'folder', 'down')).code).toBe(0);
    expect((await run('ls', '-a', '-q')).stdout).toBe('');
    expect(await run('-p', 'folder', 'stop')).toMatchObject({
      code: 1,
      stderr: "No containers of a project 'folder' exist.\n",
    });
  });
});

describe('listings', () => {
  it('ps, port, top and ls print tables', async () => {
    const { run } = await commandLine(SHOP);
    await run('up', '-d');
    expect((await run('ps')).stdout).toMatch(
      /^NAME {9}IMAGE {3}SERVICE {3}STATUS +PORTS\nfolder-db +db +db +Up \d+ seconds?\nfolder-web +web +web +Up \d+ seconds? +0\.0\.0\.0:8080->80\/tcp\n$/,
    );
    expect((await run('port', 'web', '80')).stdout).toBe('0.0.0.0:8080\n');
    expect((await run('port', 'web', '81')).code).toBe(1);
    expect((await run('top', 'db')).stdout).toContain('folder-db\nUSER   PID');
    expect((await run('ls')).stdout).toMatch(/NAME +STATUS +CONFIG FILES\nfolder +running\(2\) +\//);
  });
});

describe('logs', () => {
  const talks = 'services: { a: { image: a }, bb: { image: b } }';
  const programs =
    ({ container }: { container: string }) =>
    ({ write }: { write: (stream: 'stdout' | 'stderr', text: string) => void }) => {
      write('stdout', `${container} one\n`);
      write('stderr', `${container} two\n`);
      return 0;
    };

  it('go to the stream they came from, behind the name of the container', async () => {
    const { run } = await commandLine(talks, { programs });
    await run('up', '-d');
    const { stdout, stderr } = await run('logs');
    expect(stdout.split('\n').sort()).toEqual(['', 'folder-a   | folder-a one', 'folder-bb  | folder-bb one']);
    expect(stderr).toContain('folder-bb  | folder-bb two\n');
    expect((await run('logs', '--tail', '0', 'a')).stdout).toBe('');
    expect((await run('logs', '--no-log-prefix', 'a')).stdout).toBe('folder-a one\n');
  });

  it('are objects for machines', async () => {
    const { run } = await commandLine(talks, { programs });
    await run('up', '-d');
    const [first = ''] = (await run('logs', '--format', 'json', 'a')).stdout.split('\n');
    expect(JSON.parse(first)).toMatchObject({
      service: 'a',
      container: 'folder-a',
      stream: 'stdout',
      line: 'folder-a one',
    });
  });

  it('are followed until Ctrl-C, also over a restart', async () => {
    const { run, begin, control } = await commandLine('services: { a: { image: a } }');
    await run('up', '-d');
    const following = begin('logs', '-f');
    control.log('folder-a', 'stdout', 'before');
    await following.printed('before');
    control.log('folder-a', 'stdout', 'after');
    await following.printed('after');
    following.interrupt();
    expect((await following.ran).code).toBe(0);
  });
});

describe('run and exec', () => {
  it('give the exit code of the command', async () => {
    const { run } = await commandLine(SHOP, {
      programs: ({ command }) => (command[0] === 'fails' ? ({ write }) => (write('stderr', 'no\n'), 9) : undefined),
    });
    const ran = await run('run', '--rm', 'web', 'fails', '--with', '-p', '1');
    expect(ran).toMatchObject({ code: 9, stdout: '', stderr: expect.stringContaining('no\n') });
    expect(await statuses(run)).toEqual({ 'folder-db': 'running' });
    expect(await run('exec', 'db', 'fails')).toMatchObject({ code: 9, stderr: 'no\n' });
    expect(await run('exec', 'web', 'x')).toMatchObject({ code: 1 });
  });

  it('run --no-deps starts nothing else', async () => {
    const { run } = await commandLine(SHOP, { programs: ({ command }) => (command[0] === 'x' ? () => 0 : undefined) });
    expect((await run('run', '--no-deps', 'web', 'x')).code).toBe(0);
    const [name = '', ...others] = Object.keys(await statuses(run));
    expect(others).toEqual([]);
    expect(name).toMatch(/^folder-web-run-[0-9a-f]{12}$/);
  });

  it('run passes standard input on', async () => {
    const { run } = await commandLine(SHOP, {
      stdin: 'hello',
      programs: ({ command }) =>
        command[0] === 'cat'
          ? async ({ stdin, write }) => {
              for await (const data of stdin) write('stdout', Buffer.from(data).toString());
              return 0;
            }
          : undefined,
    });
    expect(await run('run', '--no-deps', 'web', 'cat')).toMatchObject({ code: 0, stdout: 'hello' });
  });

  it('wait gives the exit code of what it waited for', async () => {
    const { run } = await commandLine('services: { job: { image: j } }', { programs: () => () => 4 });
    await run('up', '-d');
    expect((await run('wait', 'job')).code).toBe(4);
  });
});

describe('config', () => {
  it('prints, lists and writes the project', async () => {
    const { run, folder } = await commandLine(SHOP);
    expect((await run('config', '--services')).stdout).toBe('db\nweb\n');
    expect((await run('config', '--images')).stdout).toBe('db\nweb\n');
    expect((await run('config', '--hash', 'db')).stdout).toMatch(/^db [0-9a-f]{64}\n$/);
    expect(JSON.parse((await run('config', '--format', 'json')).stdout)).toMatchObject({ name: 'folder' });
    await run('config', '-o', 'out.yaml');
    expect(await readFile(path.join(folder, 'out.yaml'), 'utf8')).toBe((await run('config')).stdout);
  });

  it('prints the hash that up compares, with what is copied into the container', async () => {
    const file = (content: string): string =>
      `services: { web: { image: web, configs: [c] }, db: { image: db } }\nconfigs: { c: { content: ${content} } }`;
    const { run, backend, folder } = await commandLine(file('one'));
    await run('up', '-d');
    const labelled = (await backend.containers.list()).map(
      ({ labels }) => `${labels['com.docker.compose.service']} ${labels['com.docker.compose.config-hash']}`,
    );
    const printed = (await run('config', '--hash', '*')).stdout;
    expect(printed.trim().split('\n')).toEqual(labelled.sort());
    await writeFile(path.join(folder, 'compose.yaml'), file('two'));
    const [db, web] = printed.trim().split('\n');
    expect((await run('config', '--hash', 'db')).stdout).toBe(`${db}\n`);
    expect((await run('config', '--hash', 'web')).stdout).not.toBe(`${web}\n`);
    expect(await run('config', '--hash', 'nobody')).toMatchObject({ code: 1 });
  });

  it('leaves variables alone when asked to', async () => {
    const { run } = await commandLine('services: { web: { image: "web:$TAG" } }', { environment: { TAG: '7' } });
    expect((await run('config', '--images')).stdout).toBe('web:7\n');
    expect((await run('config', '--no-interpolate')).stdout).toContain('web:$TAG');
  });

  it('an error is one line that says where', async () => {
    const { run, folder } = await commandLine('services:\n  web:\n    imagee: x\n');
    const { code, stderr } = await run('config');
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^${path.join(folder, 'compose.yaml')}:3:5: .*imagee.*\\n$`));
  });
});

describe('usage', () => {
  it.each([
    ['an unknown command', ['ups']],
    ['an unknown option', ['up', '--nope']],
    ['options that exclude each other', ['up', '--force-recreate', '--no-recreate']],
    ['a signal that is none', ['kill', '-s', 'NOPE']],
    ['a missing argument', ['exec', 'web']],
  ])('%s is 2', async (_, args) => {
    const { run } = await commandLine(SHOP);
    const { code, stderr } = await run(...args);
    expect(code).toBe(2);
    expect(stderr).not.toBe('');
  });

  it('help names every command, and is a success', async () => {
    const { run } = await commandLine(SHOP);
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    const commands =
      'up down start stop restart kill rm ps ls logs top port events config build pull run exec create wait watch version';
    for (const command of commands.split(' ')) expect(stdout).toMatch(new RegExp(`^  ${command}[ |]`, 'm'));
  });

  it('options of compose are understood on either side of the command', async () => {
    const files = { 'other.yml': 'services: { web: { image: web } }' };
    const { run } = await commandLine(files);
    expect((await run('-f', 'other.yml', 'config', '--services')).stdout).toBe('web\n');
    expect((await run('config', '--file', 'other.yml', '--project-name', 'x', '--services')).stdout).toBe('web\n');
    expect(await run('config')).toMatchObject({ code: 1, stderr: expect.stringContaining('No compose file') });
  });

  it('version', async () => {
    const { run } = await commandLine(SHOP);
    expect((await run('version', '--short')).stdout).toBe('1.2.3\n');
  });
});

async function statuses(run: CommandLine['run']): Promise<Record<string, string>> {
  const list: unknown = JSON.parse((await run('ps', '-a', '--format', 'json')).stdout);
  return Object.fromEntries((list as { name: string; status: string }[]).map(({ name, status }) => [name, status]));
}

/** Attached: what the container prints comes out. */
async function started(
  running: { printed(text: string): Promise<void> },
  control: CommandLine['control'],
  run: CommandLine['run'],
): Promise<void> {
  while ((await statuses(run))['folder-web'] !== 'running') await new Promise((resolve) => setImmediate(resolve));
  control.log('folder-web', 'stdout', 'ready');
  await running.printed('ready');
}
