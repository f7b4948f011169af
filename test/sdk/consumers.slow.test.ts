import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { build } from 'esbuild';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as problems from '../../generated/problems.js';
import { fill, smallOrganization } from '../analytics/graphql/served.js';
import { startTestPlatform, type TestPlatform, type TestUser } from '../support/platform.js';
import { startCompose } from './compose-server.js';
import { me, startPlatform, tokens, user } from './platform-server.js';
import { filesOf, installConsumer, packSdk, type PackedSdk } from './packed-sdk.js';

const run = promisify(execFile);
const seen = { email: 'robin@example.com', refusal: '/problems/invalid-credentials' };
const composed = { lines: ['one', 'two'], actual: 'running' };
const teams = [
  { value: 'core', count: 2 },
  { value: 'unassigned', count: 1 },
  { value: 'web', count: 1 },
];
const analyzed = { byId: teams, byText: teams, own: { maxDays: 365 }, limit: ['max_days', 365] };
let sdk: PackedSdk;
let platform: TestPlatform;
let analyst: TestUser;

beforeAll(async () => {
  sdk = await packSdk();
  platform = await startTestPlatform();
  analyst = await platform.signUp();
  await fill(platform.databaseUri, analyst.orgId, smallOrganization);
}, 120_000);

afterAll(async () => {
  await platform.stop();
  await rm(sdk.folder, { recursive: true, force: true });
});

describe('the packed SDK', { timeout: 120_000 }, () => {
  it('works for an ECMAScript module', async () => {
    const project = await installConsumer(sdk, 'esm');
    expect(await outcome(join(project, 'main.js'))).toEqual(seen);
    expect(await composeOutcome(join(project, 'compose.js'))).toEqual(composed);
    expect(await analyticsOutcome(join(project, 'analytics.js'))).toEqual(analyzed);
  });

  it('works for a CommonJS module', async () => {
    const project = await installConsumer(sdk, 'cjs');
    expect(await outcome(join(project, 'main.js'))).toEqual(seen);
    expect(await composeOutcome(join(project, 'compose.js'))).toEqual(composed);
    expect(await analyticsOutcome(join(project, 'analytics.js'))).toEqual(analyzed);
  });

  it.each(['module', 'commonjs'])(
    'type-checks for TypeScript with module node16 in a package of type %s, narrows as documented, and works',
    async (type) => {
      const project = await installConsumer(sdk, 'typescript-node16');
      await writeFile(join(project, 'package.json'), JSON.stringify({ private: true, type }));
      for (const version of ['typescript-7', 'typescript']) {
        const compiler = join(process.cwd(), 'node_modules', version, 'bin/tsc');
        const compiled = run(process.execPath, [compiler, '-p', project]);
        expect([version, await compiled.then(({ stdout }) => stdout, String)]).toEqual([version, '']);
      }
      expect(await outcome(join(project, 'built/main.js'))).toEqual(seen);
      expect(await composeOutcome(join(project, 'built/compose.js'))).toEqual(composed);
      expect(await analyticsOutcome(join(project, 'built/analytics.js'))).toEqual(analyzed);
    },
  );

  it('type-checks for TypeScript with the old resolution (node10), and works', async () => {
    const project = await installConsumer(sdk, 'typescript-node16');
    await writeFile(join(project, 'package.json'), JSON.stringify({ private: true }));
    const compiler = join(process.cwd(), 'node_modules/typescript/bin/tsc');
    const resolution = ['--module', 'commonjs', '--moduleResolution', 'node10'];
    const compiled = run(process.execPath, [compiler, '-p', project, ...resolution]);
    expect(await compiled.then(({ stdout }) => stdout, String)).toBe('');
    expect(await outcome(join(project, 'built/main.js'))).toEqual(seen);
  });

  it('works bundled for browsers', async () => {
    const project = await installConsumer(sdk, 'bundler');
    const page = join(project, 'page.mjs');
    await bundleForBrowsers(project, 'main.js');
    expect(await outcome(page)).toEqual(seen);
    await bundleForBrowsers(project, 'compose.js');
    expect(await composeOutcome(page, 'tcp')).toEqual(composed);
    await bundleForBrowsers(project, 'analytics.js');
    expect(await analyticsOutcome(page)).toEqual(analyzed);
  });

  it('adds only used code to a bundle: no other client, operation or query, and nothing of Node', async () => {
    const project = await installConsumer(sdk, 'bundler');
    // Beside the operations that the consumers call: the refresh of the client itself.
    const expected = {
      'main.js': ['/api/v1/auth/login', '/api/v1/auth/me', '/api/v1/auth/refresh'],
      'analytics.js': ['/api/v1/auth/refresh', '/graphql', 'TeamValues', 'TimeseriesWeekly'],
      'compose.js': ['/containers/{id}/logs', '/containers/{id}/start', 'application/x-ndjson', 'nodeTransport'],
    };
    for (const [entry, marks] of Object.entries(expected)) {
      const bundle = await bundleForBrowsers(project, entry);
      expect([entry, marksOf(bundle)]).toEqual([entry, marks]);
    }
  });

  it('contains exactly the needed files', async () => {
    const { stdout } = await run('tar', ['-tzf', sdk.tarball]);
    const packed = stdout
      .trim()
      .split('\n')
      .map((file) => file.replace(/^package\//, ''));
    const expected = await filesOf(sdk.unpacked);
    expect(packed.sort()).toEqual(expected.sort());
    expect(
      packed.every((file) =>
        /^(package\.json|README\.md|LICENSE|docs\/[\w-]+\.md|dist\/.*\.(js|js\.map|d\.ts)|dist\/(esm|cjs)\/package\.json)$/.test(
          file,
        ),
      ),
    ).toBe(true);
  });

  it('passes publint', async () => {
    const archive = await readFile(sdk.tarball);
    const tarball = new Uint8Array(archive).buffer;
    const { messages } = await publint({ pack: { tarball }, strict: true });
    expect(messages).toEqual([]);
  });

  it('resolves to the right types in every module system (arethetypeswrong)', async () => {
    const result = await checkPackage(createPackageFromTarballData(await readFile(sdk.tarball)));
    if (result.types === false) throw new Error('The package has no types');
    expect(result.problems).toEqual([]);
    const files = Object.values(result.entrypoints).map(({ subpath, resolutions }) => [
      subpath,
      resolutions['node16-cjs'].resolution?.fileName,
      resolutions['node16-esm'].resolution?.fileName,
    ]);
    const folder = '/node_modules/@plumbline/sdk';
    const entries = [
      ...['index', 'platform', 'platform/paths', 'analytics', 'webhooks'],
      ...['compose', 'compose/paths', 'compose/node', 'testing'],
    ];
    expect(files).toEqual([
      ...entries.map((entry) => [
        entry === 'index' ? '.' : `./${entry}`,
        `${folder}/dist/cjs/${entry}.d.ts`,
        `${folder}/dist/esm/${entry}.d.ts`,
      ]),
      ['./package.json', `${folder}/package.json`, `${folder}/package.json`],
    ]);
  });
});

/** Bundles a consumer's module, makes `page.mjs` of it that Node can run with a server's address, and gives the code. */
async function bundleForBrowsers(project: string, entry: string): Promise<string> {
  const outfile = join(project, `bundled-${entry.replace('.js', '.mjs')}`);
  await build({ entryPoints: [join(project, entry)], outfile, bundle: true, format: 'esm', platform: 'browser' });
  const load = `[, , globalThis.baseUrl, globalThis.orgId, globalThis.accessToken] = process.argv;
await import(${JSON.stringify(outfile)});
`;
  await writeFile(join(project, 'page.mjs'), load);
  return readFile(outfile, 'utf8');
}

/**
 * What tells where the code of a bundle comes from: the paths of operations, the names of the queries that come with the
 * SDK, what only streams and other transports need, and modules of Node.
 */
function marksOf(bundle: string): string[] {
  const found = bundle.matchAll(
    /"(\/(?:api\/v1|containers|projects|networks|volumes|images|graphql)\b[^"]*)"|\bquery ([A-Z]\w+)|(application\/x-ndjson|nodeTransport|\bnode:\w+)/g,
  );
  return [...new Set([...found].map(([, path, query, other]) => path ?? query ?? other ?? ''))].sort();
}

/** Runs a consumer's program against the platform, and gives what it prints. */
async function analyticsOutcome(program: string): Promise<unknown> {
  const { stdout } = await run(process.execPath, [program, platform.url, analyst.orgId, analyst.accessToken]);
  return JSON.parse(stdout);
}

/** Runs a consumer's program against a compose server, and gives what it prints. */
async function composeOutcome(program: string, scheme: 'unix' | 'tcp' = 'unix'): Promise<unknown> {
  const time = '2026-03-02T09:15:02.000000000Z';
  const logged = ['one', 'two'].map((line) => ({ stream: 'stdout' as const, time, line }));
  const address = await startCompose(
    {
      getContainerLogs: () => ({ status: 200, body: Readable.from(logged) }),
      startContainer: ({ params: { id } }) =>
        problems.runtimeInvalidState({ message: 'It runs.', id, expected: 'stopped', actual: 'running' }),
    },
    scheme,
  );
  const { stdout } = await run(process.execPath, [program, address]);
  return JSON.parse(stdout);
}

/** Runs a consumer's program against a server, and gives what it prints. */
async function outcome(program: string): Promise<unknown> {
  const { url } = await startPlatform({
    handlers: {
      login: ({ body }) =>
        body.password === 'right'
          ? { status: 200, body: { ...tokens(1), needs_onboarding: false, user } }
          : problems.invalidCredentials(),
      getMe: () => ({ status: 200, body: me }),
    },
    accepts: (token) => token === tokens(1).access_token,
  });
  const { stdout } = await run(process.execPath, [program, url]);
  return JSON.parse(stdout);
}
