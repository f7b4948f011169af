import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtCommand } from './built-command.js';
import { plumbline, startServer } from './plumbline.js';

const run = promisify(execFile);
const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
const root = process.cwd();
/** Why the packages that the tarball depends on are not available; null: they are. */
const unreachable = await run('npm', ['view', 'koa', 'version', '--prefer-offline', '--fetch-retries=0'])
  .then(() => null)
  .catch(() => ' (skipped: no package registry can be reached)');

describe.skipIf(unreachable !== null)(`the packed server${unreachable ?? ''}`, { timeout: 300_000 }, () => {
  let folder: string;
  let command: string;

  beforeAll(async () => {
    await builtCommand();
    folder = await mkdtemp(join(tmpdir(), 'plumbline-packed-'));
    await run('npm', ['pack', root, '--ignore-scripts', '--pack-destination', folder, ...quiet], { cwd: folder });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true }));
    const tarball = join(folder, 'plumbline-0.1.0.tgz');
    await run('npm', ['install', tarball, '--prefer-offline', ...quiet], { cwd: folder });
    command = join(folder, 'node_modules/.bin/plumbline');
  }, 300_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('has a licence and source maps, and does not depend on another package of this repository', async () => {
    const installed = join(folder, 'node_modules/plumbline');
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    expect(Object.keys(manifest.dependencies).filter((name) => name.startsWith('@plumbline/'))).toEqual([]);
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
        expect([page, (await fetch(server.url + page)).status]).toEqual([page, 200]);
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

  test("exports the gate for a user's tests, with its types", async () => {
    await writeFile(join(folder, 'contract.json'), JSON.stringify(greetings));
    await writeFile(join(folder, 'greeting.test.mts'), userTest);
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext', '--target', 'es2022'];
    for (const version of ['typescript-7', 'typescript']) {
      const compiler = join(root, 'node_modules', version, 'bin/tsc');
      await run(process.execPath, [compiler, ...strict, ...types, 'greeting.test.mts'], { cwd: folder });
    }
    const { stdout } = await run(process.execPath, ['--test', 'greeting.test.mjs'], { cwd: folder });
    expect(stdout).toMatch(/^(?:#|ℹ) pass 2$/m);
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

const greetings = {
  openapi: '3.1.0',
  info: { title: 'Greetings', version: '1' },
  paths: {
    '/greeting': {
      get: { responses: { 200: { description: 'Hello', content: { 'text/plain': { schema: { type: 'string' } } } } } },
    },
  },
};

/** What a user writes, as the README shows it, for a server that is right and for one that is not. */
const userTest = `
import assert from 'node:assert';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { openGate, type GateReport, type Listener } from 'plumbline/gate';

async function judged(app: Listener): Promise<GateReport> {
  const gate = await openGate('contract.json');
  const server = createServer(gate.wrap(app)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  await fetch('http://127.0.0.1:' + (server.address() as AddressInfo).port + '/greeting');
  server.close();
  return gate.report();
}

test('a server that is as documented passes', async () => {
  const report = await judged((_, response) => response.setHeader('content-type', 'text/plain').end('Hello'));
  assert.deepStrictEqual(report.failures, []);
});

test('an undocumented status fails', async () => {
  const { passed, failures } = await judged((_, response) => response.writeHead(202).end());
  assert.strictEqual(passed, false);
  assert.match(failures.join(), /has no status 202/);
});
`;
