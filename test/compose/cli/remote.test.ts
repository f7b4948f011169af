import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MockPrograms } from '../../../src/compose/runtime/mock/process.js';
import { parseListenAddress } from '../../../src/compose/service/listen-address.js';
import { createCertificates, missingOpenssl, type Certificate, type Certificates } from '../../support/certificates.js';
import { commandLine } from './command-line.js';
import { statuses as statusesOf } from './shop.js';
import { remoteLine, type RemoteLine } from './remote-line.js';

const SHOP = `
services:
  db: { image: db }
  web: { image: web, depends_on: [db], ports: ["127.0.0.1:8080:80"] }
`;

/** Containers say hello and stay; commands in them print what they are, and end well. */
const talkative: MockPrograms = ({ kind, container, command }) =>
  kind === 'exec'
    ? ({ write }) => (write('stdout', `${command.join(' ')}\n`), 0)
    : lasting({ kind, container, command });

const lasting: MockPrograms =
  () =>
  async ({ write, ended }) => {
    write('stdout', 'hello\n');
    if (!ended.aborted) await once(ended, 'abort');
    return 0;
  };

/** Commands print what they read, and end with 3. */
const echoing: MockPrograms = ({ kind }) =>
  kind !== 'exec'
    ? undefined
    : async ({ stdin, write }) => {
        for await (const piece of stdin) write('stdout', Buffer.from(piece).toString());
        write('stderr', 'done');
        return 3;
      };

const statuses = ({ local }: RemoteLine): Promise<Record<string, string>> => statusesOf(local.run);

it('start --remote fails at once when a dependency is unhealthy', async () => {
  const remote = await remoteLine(`services:
  db: { image: db, healthcheck: { test: [CMD, check] } }
  web: { image: web, depends_on: { db: { condition: service_healthy } } }`);
  const { backend, clock, control, run } = remote.local;
  await run('create');
  await backend.containers.start('folder-db');
  control.setHealth('folder-db', 'unhealthy');
  const begun = clock.now().getTime();
  const { code, stderr } = await remote.run('start');
  expect(code).toBe(1);
  expect(stderr).toContain('folder-db');
  expect(clock.now().getTime() - begun).toBeLessThan(60_000);
  expect((await backend.containers.inspect('folder-web')).status).toBe('created');
});

it.each([
  ['service_healthy', 3],
  ['service_completed_successfully', 3],
])('start --remote fails at once with the exit code when a dependency with %s has ended', async (condition, code) => {
  const remote = await remoteLine(
    `services:
  db: { image: db, healthcheck: { test: [CMD, check] } }
  web: { image: web, depends_on: { db: { condition: ${condition} } } }`,
    {
      programs: ({ container }) =>
        container !== 'folder-db' ? undefined : ({ write }) => (write('stderr', 'no disk\n'), code),
    },
  );
  const { clock, run } = remote.local;
  await run('create');
  const begun = clock.now().getTime();
  const { code: exitCode, stderr } = await remote.run('start');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('folder-db exited with code 3. Its last lines:\n  no disk');
  expect(clock.now().getTime() - begun).toBeLessThan(10_000);
});

describe('compose --remote', () => {
  it.each([
    ['ps'],
    ['ps', '-a'],
    ['ps', '-a', '--format', 'json'],
    ['ps', '-q', 'web'],
    ['ps', '--services'],
    ['ps', '--status', 'exited'],
    ['ps', 'nothing'],
    ['ls'],
    ['ls', '--all', '--format', 'json'],
    ['ls', '-q'],
    ['top'],
    ['top', '--format', 'json', 'web'],
    ['port', 'web', '80'],
    ['port', 'web'],
    ['port', 'web', '81'],
    ['port', 'web', 'http'],
    ['port', 'nothing', '80'],
    ['logs'],
    ['logs', '--no-log-prefix', '--tail', '1', 'web'],
    ['logs', '--format', 'json', 'web'],
    ['logs', 'nothing'],
    ['exec', 'web', 'true'],
    ['exec', '-e', 'A=b', 'db', 'env'],
    ['exec', 'nothing', 'true'],
    ['events', '--since', '2000-01-01', '--until', '2000-01-02', '--json'],
    ['wait', 'nothing'],
  ])('prints for %s %s what the command prints without --remote', async (...args) => {
    const remote = await remoteLine(SHOP, { programs: talkative });
    await remote.local.run('up', '-d');
    const local = await remote.local.run(...args);
    expect(await remote.run(...args)).toEqual(local);
    expect(local.stderr).not.toContain('Unexpected');
  });

  it('names the container that a command is to run in, and that does not run', async () => {
    const remote = await remoteLine(SHOP);
    await remote.local.run('up', '-d');
    await remote.local.run('stop');
    const refused = {
      code: 1,
      stderr: "Container 'folder-web' is stopped; the operation requires it to be running.\n",
    };
    expect(await remote.run('exec', 'web', 'true')).toMatchObject(refused);
    expect(await remote.local.run('exec', 'web', 'true')).toMatchObject(refused);
    expect(await remote.local.run('attach', 'web')).toMatchObject(refused);
    await remote.local.run('start');
    await remote.local.run('pause', 'web');
    const stderr = "The container 'folder-web' is paused: unpause it first.\n";
    expect(await remote.local.run('exec', 'web', 'true')).toMatchObject({ code: 1, stderr });
  });

  it.each([
    [['exec', 'web', 'true'], 0, ''],
    [
      ['exec', '--index', '1', 'web', 'true'],
      1,
      "Container 'folder-web' is stopped; the operation requires it to be running.\n",
    ],
    [['exec', '--index', '5', 'web', 'true'], 1, "'folder-web-5' was not found.\n"],
    [['port', '--index', '5', 'web'], 1, "'folder-web-5' was not found.\n"],
  ])('takes for %j a container that runs, if no other is asked for', async (words, code, stderr) => {
    const remote = await remoteLine('services: { web: { image: web } }');
    await remote.local.run('up', '-d', '--scale', 'web=2');
    await remote.local.backend.containers.stop('folder-web');
    expect(await remote.run(...words)).toMatchObject({ code, stderr });
    expect(await remote.local.run(...words)).toMatchObject({ code, stderr });
  });

  it('brings a project up and down', async () => {
    const remote = await remoteLine(SHOP);
    expect(await remote.run('up', '-d')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Container folder-db Running\nContainer folder-web Running\n',
    });
    expect(await statuses(remote)).toEqual({ 'folder-db': 'running', 'folder-web': 'running' });
    const down = await remote.run('down');
    expect(down).toMatchObject({ code: 0, stdout: '' });
    expect(down.stderr.split('\n').sort()).toEqual(['', 'Container folder-db Removed', 'Container folder-web Removed']);
    expect(await statuses(remote)).toEqual({});
    expect(await remote.run('down')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('sends the project with the variables, overrides and profiles of this machine', async () => {
    const remote = await remoteLine(
      {
        'compose.yaml':
          'services: { web: { image: "web:${TAG}", profiles: [shop] }, idle: { image: i, profiles: [x] } }',
        'compose.override.yaml': 'services: { web: { environment: { PRICE: "5$$" } } }',
        '.env': 'TAG=7\n',
      },
      { environment: { COMPOSE_PROFILES: 'shop' } },
    );
    expect(await remote.run('up', '-d')).toMatchObject({ code: 0 });
    const [container] = await remote.local.backend.containers.list();
    expect(container).toMatchObject({ image: 'web:7', environment: { PRICE: '5$' } });
    expect(await statuses(remote)).toEqual({ 'folder-web': 'running' });
  });

  it('scales', async () => {
    const remote = await remoteLine('services: { web: { image: web } }');
    await remote.run('up', '-d', '--scale', 'web=3');
    expect(Object.keys(await statuses(remote)).sort()).toEqual(['folder-web', 'folder-web-2', 'folder-web-3']);
    await remote.run('up', '-d');
    expect(Object.keys(await statuses(remote))).toEqual(['folder-web']);
    expect(await remote.run('up', '-d', '--scale', 'web=-1')).toMatchObject({
      code: 1,
      stderr: '-1 is not a number of replicas: a whole number, zero or more.\n',
    });
  });

  it('stops, starts, restarts, kills and removes', async () => {
    const remote = await remoteLine(SHOP);
    await remote.local.run('up', '-d');
    expect((await remote.run('stop')).stderr).toBe(
      'Container folder-web Stopping\nContainer folder-web Stopped\nContainer folder-db Stopping\nContainer folder-db Stopped\n',
    );
    expect(await statuses(remote)).toEqual({ 'folder-db': 'stopped', 'folder-web': 'stopped' });
    expect((await remote.run('start')).stderr).toBe(
      'Container folder-db Starting\nContainer folder-db Started\nContainer folder-web Starting\nContainer folder-web Started\n',
    );
    expect(await remote.run('restart', 'web')).toMatchObject({ code: 0, stderr: 'Container folder-web Restarted\n' });
    await remote.run('kill', '-s', 'SIGKILL', 'web');
    expect(await statuses(remote)).toEqual({ 'folder-db': 'running', 'folder-web': 'exited' });
    expect(await remote.run('rm', 'web')).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    expect((await remote.run('rm', '-f')).stderr).toBe('Container folder-web Removing\nContainer folder-web Removed\n');
    expect((await remote.run('rm', '-f')).stderr).toBe('No stopped containers.\n');
    await remote.run('rm', '-f', '-s');
    expect(await statuses(remote)).toEqual({});
  });

  it('waits for the end of a service, and returns its exit code', async () => {
    const remote = await remoteLine('services: { job: { image: job } }', { programs: () => () => 7 });
    await remote.local.run('up', '-d');
    expect(await remote.run('wait', 'job')).toMatchObject({ code: 7 });
  });

  it('exec passes standard input, output and the exit code', async () => {
    const remote = await remoteLine('services: { web: { image: web } }', { programs: echoing, stdin: 'grüße' });
    await remote.local.run('up', '-d');
    expect(await remote.run('exec', 'web', 'cat')).toEqual({ code: 3, stdout: 'grüße', stderr: 'done' });
  });

  it('follows logs until Ctrl-C, including those of containers that start later', async () => {
    const remote = await remoteLine('services: { web: { image: web } }', { programs: lasting });
    await remote.local.run('up', '-d');
    const following = remote.begin('logs', '-f');
    await following.printed('web  | hello\n');
    await remote.local.run('up', '-d', '--scale', 'web=2');
    await following.printed('web-2  | hello\n');
    following.interrupt();
    expect(await following.ran).toMatchObject({ code: 0 });
  });

  it('ends following when all containers have ended', async () => {
    const remote = await remoteLine('services: { web: { image: web } }', { programs: lasting });
    await remote.local.run('up', '-d');
    const following = remote.begin('logs', '-f');
    await following.printed('hello');
    await remote.local.run('stop');
    expect(await following.ran).toMatchObject({ code: 0 });
  });

  it('follows events until Ctrl-C', async () => {
    const remote = await remoteLine('services: { web: { image: web } }', { programs: lasting });
    await remote.local.run('up', '-d');
    const following = remote.begin('events', '--since', '2000-01-01');
    await following.printed(' (name=folder-web)\n');
    following.interrupt();
    expect(await following.ran).toMatchObject({ code: 0 });
  });

  it('up without --detach shows the output, and stops all services at Ctrl-C', async () => {
    const remote = await remoteLine('services: { web: { image: web } }', { programs: lasting });
    const running = remote.begin('up');
    await running.printed('web  | hello\n');
    running.interrupt();
    expect(await running.ran).toMatchObject({ code: 0 });
    expect(await statuses(remote)).toEqual({ 'folder-web': 'stopped' });
  });

  it('pulls, and shows the progress', async () => {
    const remote = await remoteLine('services: { web: { image: web } }');
    const pulled = await remote.run('pull');
    expect(pulled).toMatchObject({ code: 0, stdout: '' });
    expect(pulled.stderr).toMatch(/Image web Pulling[^]*Image web Pulled\n/);
  });

  it('builds on the server, and reports why a build fails', async () => {
    const file = 'services: { web: { build: { context: "https://example.com/web.git" } } }';
    const remote = await remoteLine(file, {}, undefined, [], ['build']);
    expect(await remote.run('build')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        "Image folder-web Building\nImage folder-web Failed\nThe mock backend does not support 'build from https'.\n",
    });
  });

  it.each([
    ['services: { web: { build: . } }', 'build'],
    ['services: { web: { image: web, volumes: ["./data:/data"] } }', 'up'],
  ])('sends no files, so that the server refuses what needs one: %s', async (file, command) => {
    const remote = await remoteLine(file);
    expect(await remote.run(command)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^services\.web\.(build|volumes\[0\]\.type) is refused: .*'serve --allow (build|host-files)' accepts it\.\n$/,
      ),
    });
    expect(await statuses(remote)).toEqual({});
  });

  it.each([
    ['run', 'web'],
    ['create'],
    ['watch'],
    ['up', '--watch'],
    ['up', '--exit-code-from', 'web'],
    ['up', '--no-deps', 'web'],
    ['up', '--no-start'],
    ['exec', '--detach', 'web', 'true'],
    ['down', '--rmi', 'all'],
    ['restart', '--no-deps', 'web'],
    ['build', '--build-arg', 'A=b'],
    ['pull', '--include-deps'],
  ])('refuses %s %s as unsupported on a server, and sends nothing', async (...args) => {
    const remote = await remoteLine(SHOP);
    expect(await remote.run(...args)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^The remote backend does not support '[^']+'\.\n$/),
    });
    expect(await statuses(remote)).toEqual({});
  });

  it('runs config, version and auth on this machine', async () => {
    const { run } = await commandLine(SHOP, { environment: { COMPOSE_REMOTE: 'unix:///nowhere.sock' } });
    expect(await run('config', '--services')).toMatchObject({ code: 0, stdout: 'db\nweb\n' });
    expect(await run('version', '--short')).toMatchObject({ code: 0, stdout: '1.2.3\n' });
    expect(await run('auth', 'list', '--auth-store', 'none.json')).toMatchObject({ code: 0 });
    expect(await run('ps')).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be reached') });
  });

  it('reports wrong addresses, and options that exclude each other', async () => {
    const { run } = await commandLine(SHOP);
    expect(await run('--remote', 'http://localhost:80', 'ps')).toMatchObject({
      stderr: expect.stringContaining('http://localhost:80'),
    });
    expect(await run('--remote', 'unix:///x.sock', '--backend', 'mock', 'ps')).toMatchObject({ code: 2 });
    expect(await run('--remote', 'unix:///x.sock', '--tls-ca', 'ca.pem', 'ps')).toMatchObject({ code: 2 });
    expect(await run('--remote', 'tls://localhost:1', '--tls-cert', 'c.pem', 'ps')).toMatchObject({ code: 2 });
    expect(await run('--remote', 'tls://localhost:1', '--tls-ca', 'none.pem', 'ps')).toMatchObject({
      code: 2,
      stderr: "--tls-ca: 'none.pem' does not exist.\n",
    });
  });

  it('needs no compose file for a project that is named', async () => {
    const remote = await remoteLine(SHOP);
    await remote.local.run('up', '-d');
    await rm(join(remote.local.folder, 'compose.yaml'));
    expect((await remote.run('-p', 'folder', 'ps', '-q')).stdout.trim().split('\n')).toHaveLength(2);
    expect(await remote.run('ps')).not.toMatchObject({ code: 0 });
  });
});

const missing = missingOpenssl();
describe.skipIf(missing !== null)(`compose --remote over mutual TLS${missing === null ? '' : ` (${missing})`}`, () => {
  let certificates: Certificates;
  let authority: Certificate;
  let robin: Certificate;
  beforeAll(async () => {
    certificates = await createCertificates();
    authority = certificates.authority('Ours');
    robin = certificates.issue(authority, 'robin');
  });
  afterAll(() => certificates.remove());

  it('accepts a client of the auth store, and refuses another one', async () => {
    const { certFile: cert, keyFile: key } = certificates.issue(authority, 'server');
    const authStore = join(certificates.folder, 'clients.json');
    const setUp = await commandLine({});
    await setUp.run('auth', 'add', 'robin', '--cert', robin.certFile, '--auth-store', authStore);
    const stranger = certificates.issue(authority, 'stranger');
    const show = (client: Certificate): string[] => ['--tls-cert', client.certFile, '--tls-key', client.keyFile];
    const trust = ['--tls-ca', authority.certFile];
    const remote = await remoteLine(
      SHOP,
      { programs: talkative },
      { address: parseListenAddress('tls://127.0.0.1:0', '/'), cert, key, clientCa: authority.certFile, authStore },
      trust,
    );

    expect(await remote.run('up', '-d', ...show(robin))).toMatchObject({ code: 0 });
    expect(await remote.run('ps', ...show(robin))).toEqual(await remote.local.run('ps'));
    expect(await remote.run('logs', 'web', ...show(robin))).toEqual(await remote.local.run('logs', 'web'));
    expect(await remote.run('ps', ...show(stranger))).toEqual({
      code: 1,
      stdout: '',
      stderr: "The client certificate is not in the server's auth store.\n",
    });
    expect(await remote.run('ps')).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be reached') });
    await setUp.run('auth', 'remove', 'robin', '--auth-store', authStore);
    expect(await remote.run('down', ...show(robin))).toMatchObject({ code: 1 });
    await writeFile(authStore, '[');
    expect(await remote.run('ps', ...show(robin))).toMatchObject({ code: 1 });
  });
});
