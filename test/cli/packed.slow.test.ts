import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packProduct } from './pack-product.js';
import { plumbline, startServer } from './plumbline.js';

const run = promisify(execFile);
const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
/** Why the packages that the tarball depends on are not available; null: they are. */
const unreachable = await run('npm', ['view', 'koa', 'version', '--prefer-offline', '--fetch-retries=0'])
  .then(() => null)
  .catch(() => ' (skipped: no package registry can be reached)');

describe.skipIf(unreachable !== null)(`the packed server${unreachable ?? ''}`, { timeout: 300_000 }, () => {
  let folder: string;
  let command: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plumbline-packed-'));
    const tarballs = Object.values(await packProduct(folder));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
    await run('npm', ['install', ...tarballs, '--prefer-offline', ...quiet], { cwd: folder });
    command = join(folder, 'node_modules/.bin/plumbline');
  }, 300_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('has a licence and source maps, and depends on the packages of the same release', async () => {
    const installed = join(folder, 'node_modules/plumbline');
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    const ours = Object.entries(manifest.dependencies).filter(([name]) => name.startsWith('@plumbline/'));
    expect(ours).toEqual([
      ['@plumbline/compose', manifest.version],
      ['@plumbline/contract', manifest.version],
      ['@plumbline/contract-tools', manifest.version],
    ]);
    expect(await readFile(join(installed, 'LICENSE'), 'utf8')).toContain('MIT License');
    const map = JSON.parse(await readFile(join(installed, 'dist/src/cli/serve.js.map'), 'utf8'));
    expect(map.sources).toEqual([expect.stringContaining('src/cli/serve.ts')]);
    expect(manifest.publishConfig?.provenance).toBeUndefined();
  });

  test('serves', async () => {
    const server = await startServer({ command, environment: { PLUMBLINE_HOME: join(folder, 'home') } });
    try {
      const ready = await fetch(`${server.url}/health/ready`);
      expect(ready.status).toBe(200);
      for (const page of ['/docs', '/docs/redoc.js', '/openapi.json', '/graphql/schema']) {
        const reply = await fetch(server.url + page);
        await reply.arrayBuffer(); // a server that is stopped waits for a reply that nobody has read
        expect([page, reply.status]).toEqual([page, 200]);
      }
    } finally {
      server.kill('SIGTERM');
      await server.finished;
    }
  });

  test('syncs a repository', async () => {
    const database = `sqlite:${join(folder, 'sync.db')}`;
    const args = ['sync', 'git', '--provider', 'synthetic', '--db', database, '--json'];
    const { exitCode, stdout, stderr } = await plumbline(args, { command });
    expect([exitCode, exitCode === 0 ? '' : stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout).repositories[0].records.git_commits).toBeGreaterThan(0);
  });

  test('reads a compose file', async () => {
    const file = join(folder, 'compose.yaml');
    await writeFile(file, 'services: { web: { image: example/web } }\n');
    const { exitCode, stdout } = await plumbline(['compose', '-f', file, 'config', '--services'], { command });
    expect([exitCode, stdout]).toEqual([0, 'web\n']);
  });

  test('loads the client of a served compose tool', async () => {
    const args = ['compose', '--remote', `unix://${join(folder, 'nothing.sock')}`, 'ls'];
    const { exitCode, stderr } = await plumbline(args, { command });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('nothing.sock')]);
  });
});
