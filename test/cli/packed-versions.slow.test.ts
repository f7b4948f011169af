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
 * What is installed has no overrides of this repository: it is as a user gets it. Only pnpm needs the places of packages
 * that no registry has yet.
 */
const combinations = ['20', '22', '24'].flatMap((node) => ['npm', 'pnpm'].map((manager) => ({ node, manager })));
let tools: string;
let tarballs: Readonly<Record<string, string>>;

beforeAll(async () => {
  if (unreachable !== null) return;
  tools = await mkdtemp(join(tmpdir(), 'plumbline-versions-'));
  tarballs = await packProduct(tools);
  await run('npm', ['install', 'pnpm@10', '--no-save', '--prefix', tools, ...quiet], { cwd: tools });
}, 300_000);
afterAll(() => rm(tools, { recursive: true, force: true }));

describe.skipIf(unreachable !== null).each(combinations)(
  `the package installed by $manager on Node $node${unreachable ?? ''}`,
  { timeout: 300_000 },
  ({ node, manager }) => {
    let folder: string;
    let installed: { command: string; runtime: string };

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'plumbline-installed-'));
      const { stdout } = await run(join(root, '.ci/node'), [node, tools]);
      const runtime = stdout.trim();
      const environment = { ...process.env, PATH: `${join(runtime, '..')}:${process.env['PATH'] ?? ''}` };
      const overrides = Object.fromEntries(Object.entries(tarballs).map(([name, path]) => [name, `file:${path}`]));
      await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, pnpm: { overrides } }));
      const [program, args] =
        manager === 'npm'
          ? ['npm', ['install', ...Object.values(tarballs), '--prefer-offline', ...quiet]]
          : [join(tools, 'node_modules/.bin/pnpm'), ['add', ...Object.values(tarballs), '--prefer-offline']];
      await run(program, args, { cwd: folder, env: environment });
      installed = { command: join(folder, 'node_modules/plumbline/dist/src/cli/main.cjs'), runtime };
    }, 300_000);
    afterAll(() => rm(folder, { recursive: true, force: true }));

    test.each([
      ['host_a', ['--host-a-url', 'http://127.0.0.1:9', '--owner', 'acme', '--repo', 'app', '--auth', 'x']],
      ['host_b', ['--host-b-url', 'http://127.0.0.1:9', '--project-id', '7', '--auth', 'x']],
    ])('asks %s', async (provider, more) => {
      const database = `sqlite:${join(folder, `${provider}.db`)}`;
      const { exitCode, stderr } = await plumbline(['sync', 'git', '--provider', provider, ...more, '--db', database], {
        ...installed,
      });
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/did not answer .* after \d tries/)]);
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

    test.each(['postgres', 'mongodb', 'clickhouse'])('connects to %s', async (scheme) => {
      const args = ['sync', 'git', '--provider', 'synthetic', '--db', `${scheme}://127.0.0.1:9/records`];
      const { exitCode, stderr } = await plumbline(args, installed);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('connect ECONNREFUSED 127.0.0.1:9')]);
    });

    test('serves its pages', async () => {
      const server = await startServer({ ...installed, environment: { PLUMBLINE_HOME: join(folder, 'home') } });
      try {
        const pages = ['/health/ready', '/docs', '/docs/redoc.js', '/openapi.json', '/graphql/schema', '/console'];
        for (const page of pages) expect([page, (await fetch(server.url + page)).status]).toEqual([page, 200]);
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
