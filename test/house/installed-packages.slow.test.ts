import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { releaseVersion } from '@plumbline/contract/system/release-version';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'];
const root = process.cwd();
const tsx = import.meta.resolve('tsx');
/** Why the libraries that the packages depend on are not available; null: they are. */
const unreachable = await run('npm', ['view', 'koa', 'version', '--prefer-offline', '--fetch-retries=0'])
  .then(() => null)
  .catch(() => ' (skipped: no package registry can be reached)');

describe.skipIf(unreachable !== null)(
  `a package that is installed alone${unreachable ?? ''}`,
  { timeout: 300_000 },
  () => {
    let packed: string;
    const children: ChildProcess[] = [];

    beforeAll(async () => {
      packed = await mkdtemp(join(tmpdir(), 'plumbline-packages-'));
      for (const name of ['contract', 'contract-tools', 'compose', 'codegen']) {
        const build = ['src/codegen/build/build.ts', '--package', name, '--output', packed];
        await run(process.execPath, ['--conditions=@plumbline/source', '--import', 'tsx', ...build]);
        const folder = join(packed, 'node_modules/@plumbline', name);
        await run('npm', ['pack', folder, '--ignore-scripts', '--pack-destination', packed, ...quiet]);
      }
    }, 300_000);
    afterAll(async () => {
      for (const child of children) {
        if (child.exitCode !== null) continue;
        child.kill();
        await once(child, 'exit');
      }
      await rm(packed, { recursive: true, force: true });
    });

    /** Installs packages into an empty folder. */
    async function installed(...names: readonly string[]): Promise<string> {
      const folder = await mkdtemp(join(packed, 'installed-'));
      await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
      const tarballs = names.map((name) => join(packed, `plumbline-${name}-${releaseVersion()}.tgz`));
      await run('npm', ['install', ...tarballs, '--prefer-offline', ...quiet], { cwd: folder });
      return folder;
    }

    /** Starts a program, and waits for the first line that it prints. */
    async function started(folder: string, command: string, args: readonly string[]): Promise<string> {
      const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
      children.push(child);
      const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
      return line.trim();
    }

    test('codegen and contract: a contract becomes a server', async () => {
      const folder = await installed('codegen', 'contract');
      await mkdir(join(folder, 'openapi'));
      await cp('openapi/shared', join(folder, 'openapi/shared'), { recursive: true });
      const [problems, own, workshop] = await Promise.all(
        ['openapi/problems.yaml', 'test/contract/fixtures/problems.yaml', 'test/contract/fixtures/workshop.yaml'].map(
          async (file) => (await readFile(file, 'utf8')).replaceAll('../../../openapi/', ''),
        ),
      );
      await writeFile(join(folder, 'openapi/problems.yaml'), `${problems ?? ''}\n${own ?? ''}`);
      await writeFile(join(folder, 'openapi/workshop.yaml'), workshop ?? '');
      const { stdout } = await run(join(folder, 'node_modules/.bin/plumbline-codegen'), [], { cwd: folder });
      expect(stdout).toMatch(/^Wrote \d+ of \d+ files \(made problems, workshop\)\.$/m);

      await writeFile(join(folder, 'server.ts'), server);
      const compiler = join(root, 'node_modules/typescript/bin/tsc');
      const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node', '--skipLibCheck'];
      const strict = [
        '--strict',
        '--exactOptionalPropertyTypes',
        '--module',
        'nodenext',
        '--target',
        'es2023',
        '--noEmit',
      ];
      await run(process.execPath, [compiler, ...strict, ...types, 'server.ts'], { cwd: folder });

      const url = await started(folder, process.execPath, ['--import', tsx, 'server.ts']);
      const tool = await fetch(`${url}/tools/3`, { headers: { authorization: 'Bearer anybody' } });
      expect([tool.status, await tool.json()]).toEqual([200, { id: 3, name: 'Saw', note: null, parts: [] }]);
      const refusal = await fetch(`${url}/tools/none`, { headers: { authorization: 'Bearer anybody' } });
      expect([refusal.status, refusal.headers.get('content-type')]).toEqual([422, 'application/problem+json']);
    });

    test('contract: does not bring the libraries of the product', async () => {
      const folder = await installed('contract');
      const names = await readdir(join(folder, 'node_modules'));
      expect(names).toContain('koa');
      for (const name of ['postgres', 'octokit', 'libsql', 'mongodb', 'commander']) expect(names).not.toContain(name);
    });

    test("contract-tools: the gate judges a server in a user's tests, with its types", async () => {
      const folder = await installed('contract-tools');
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
      const command = join(folder, 'node_modules/.bin/plumbline-contract');
      const { stdout: help } = await run(command, ['--help'], { cwd: folder });
      expect(help).toMatch(/gate.*mock.*fuzz/s);
    });

    test('compose: runs commands, and serves its API and its page', async () => {
      const folder = await installed('contract', 'compose');
      await writeFile(join(folder, 'compose.yaml'), 'services: { web: { image: example/web } }\n');
      const command = join(folder, 'node_modules/.bin/plumbline-compose');
      const environment = { ...process.env, PLUMBLINE_HOME: join(folder, 'home') };
      const compose = (...args: string[]): Promise<{ stdout: string }> =>
        run(command, ['--backend', 'mock', ...args], { cwd: folder, env: environment });
      await compose('up', '-d');
      expect((await compose('ps', '--services')).stdout).toBe('web\n');
      expect((await compose('version', '--short')).stdout).toBe(`${releaseVersion()}\n`);
      await compose('down');

      const socket = join(folder, 'api.sock');
      const serve = ['serve', '--backend', 'mock', '--listen', `unix://${socket}`];
      expect(await started(folder, command, serve)).toContain('Listening on');
      for (const path of ['/docs', '/docs/redoc.js', '/openapi.json', '/containers']) {
        const sent = request({ socketPath: socket, path, headers: { host: 'localhost' } }).end();
        const [response] = await once(sent, 'response');
        expect([path, response.statusCode]).toEqual([path, 200]);
        await text(response);
      }
    });
  },
);

/** What a user writes for the contract of the workshop: one operation, and a caller that is always let in. */
const server = `
import { createApplication } from '@plumbline/contract/application';
import { listen } from '@plumbline/contract/server';
import { problemForms } from './generated/problems.js';
import { createRouters } from './generated/workshop/router.js';
import { routes } from './generated/workshop/routes.js';
import type { WorkshopHandlers } from './generated/workshop/operations.js';
import { unimplemented } from './generated/workshop/unimplemented.js';

const handlers: WorkshopHandlers<null> = {
  ...unimplemented,
  readTool: ({ params }) => ({ status: 200, body: { id: params.tool_id, name: 'Saw', note: null, parts: [] } }),
};
const silent = (): void => undefined;
const app = createApplication({
  routes,
  createRouters,
  handlers,
  problemForms,
  dependencies: null,
  security: {
    bearer: {
      authenticate: () => Promise.resolve({ principal: { visitor: 'Robin' } }),
      authorize: () => ({ principal: { visitor: 'Robin' } }),
    },
  },
  rateLimiter: null,
  replyValidation: 'always',
  log: { debug: silent, info: silent, warn: silent, error: console.error },
  trustedProxies: [],
  problemOf: () => null,
});
console.log((await listen(app.callback(), { host: '127.0.0.1', port: 0 })).url);
export {};
`;

const greetings = {
  openapi: '3.1.0',
  info: { title: 'Greetings', version: '1' },
  paths: {
    '/greeting': {
      get: { responses: { 200: { description: 'Hello', content: { 'text/plain': { schema: { type: 'string' } } } } } },
    },
  },
};

/** What a user writes, as the page of the gate shows it, for a server that is right and for one that is not. */
const userTest = `
import assert from 'node:assert';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { openGate, type GateReport, type Listener } from '@plumbline/contract-tools/gate';

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
